/*
 * HDF5 files: dense data sets and compressed rows in every storage, held in memory and read by windows, with each chunk
 * decoded once per pass. The files are written by libhdf5 itself; the numbers come from a formula.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

#include "calls.h"
#include "hdf5_files.h"
#include "windows.h"

enum { N = 2500, D = 7, SMALL = 2 * (N * D * 4 - 1) /* bytes: half of them is not quite enough for N x D floats */ };

/* Integers that float32, int16 and int32 hold exactly. */
static double entry(int64_t i, int64_t j) { return (double)((i * 31 + j * 977) % 4001 - 2000); }

static double *dense_numbers(void) {
    double *a = malloc(N * D * sizeof *a);
    assert_non_null(a);
    for (int64_t p = 0; p < N * D; p++) a[p] = entry(p / D, p % D);
    return a;
}

static gpis_source *open_with(gpis_context *context, const char *path, int64_t memory) {
    gpis_source *source;
    gpis_open_options options = gpis_open_options_default();
    options.memory = memory;
    assert_ok(context, gpis_source_open_with(context, path, &options, &source));
    return source;
}

/* Held in memory and by windows, the source has these rows. */
static void check_both(const char *path, int64_t small, gpis_type type, const double *expected) {
    for (int streamed = 0; streamed < 2; streamed++) {
        test_memory memory;
        gpis_context *context = test_context(&memory);
        gpis_source *source = open_with(context, path, streamed ? small : 0);
        gpis_source_info info;
        gpis_source_describe(source, &info);
        assert_string_equal(info.kind, "hdf5");
        assert_int_equal(info.rows, N);
        assert_int_equal(info.cols, D);
        assert_int_equal(info.type, type);
        assert_int_equal(info.resident, !streamed);
        check_windows(context, source, expected);
        assert_ok(context, gpis_source_audit(context, source));
        gpis_source_destroy(source);
        test_context_end(context, &memory);
    }
}

static void test_dense(void **state) {
    (void)state;
    double *a = dense_numbers();
    const hid_t types[] = {H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_IEEE_F32LE, H5T_IEEE_F32BE,
                           H5T_STD_I32BE,  H5T_STD_I16LE,  H5T_STD_I64LE};
    const storage ways[] = {{.chunk = {0}},
                            {.chunk = {100, D}},
                            {.chunk = {100, D}, .gzip = true},
                            {.chunk = {64, 3}, .gzip = true},
                            {.chunk = {300, 2}},
                            {.chunk = {333, 5}, .counted = true}};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            storage s = ways[w];
            s.type = types[t];
            const hid_t file = new_file("dense.h5");
            put_doubles(file, "A", N, D, s, a);
            H5Fclose(file);
            check_both("dense.h5:/A", SMALL, t == 2 || t == 3 ? GPIS_FLOAT32 : GPIS_FLOAT64, a);
        }
    free(a);
}

/* Every chunk is decoded once per pass, whatever the sizes of windows and chunks. */
static void test_chunks_once(void **state) {
    (void)state;
    double *a = dense_numbers();
    static const hsize_t heights[] = {1, 50, 64, 100, 333, 800};
    for (size_t h = 0; h < sizeof heights / sizeof *heights; h++) {
        test_memory memory;
        gpis_context *context = test_context(&memory);
        const hid_t file = new_file("once.h5");
        const storage s = {.type = H5T_IEEE_F32LE, .chunk = {heights[h], 4}, .counted = true};
        put_doubles(file, "A", N, D, s, a);
        H5Fclose(file);
        gpis_source *source = open_with(context, "once.h5", SMALL);
        assert_false(source->resident);
        for (int64_t nrows = 1; nrows <= 4096; nrows = nrows * 3 / 2 + 1) {
            decoded = 0;
            check_sweep(context, source, nrows, a);
            assert_int_equal(decoded, 2 * ((N + heights[h] - 1) / heights[h])); /* 7 columns: 4 and 3 */
        }
        gpis_source_destroy(source);
        test_context_end(context, &memory);
    }
    free(a);
}

/* Chunks of which three do not fit in the memory for A are refused, with the memory that they need. */
static void test_tall_chunks(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double *a = dense_numbers();
    const hid_t file = new_file("tall.h5");
    const storage s = {.type = H5T_IEEE_F32LE, .chunk = {N, 1}, .gzip = true};
    put_doubles(file, "A", N, D, s, a);
    H5Fclose(file);
    gpis_open_options options = gpis_open_options_default();
    gpis_source *source;
    options.memory = SMALL;
    assert_int_equal(gpis_source_open_with(context, "tall.h5:/A", &options, &source), GPIS_NO_MEMORY);
    assert_message(
        context,
        "tall.h5:/A: its chunks are 2500 rows high, and 206K of memory, half of what is allowed at most, are needed");
    assert_null(source);
    test_context_end(context, &memory);
    free(a);
}

/* ---- compressed rows -----------------------------------------------------------------------------------------------
 */

typedef struct sparse {
    int64_t indptr[N + 1];
    int32_t indices[N * D];
    double values[N * D];
    double all[N * D]; /* the same, dense */
} sparse;

/* Rows of 0 to D entries, some long stretches of empty ones. */
static sparse *sparse_numbers(void) {
    sparse *a = calloc(1, sizeof *a);
    assert_non_null(a);
    int64_t used = 0;
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < D; j++) {
            if (i % 700 > 400 || (i * 7 + j * 3) % 5 > i % 4) continue;
            a->indices[used] = (int32_t)j;
            a->values[used++] = a->all[i * D + j] = entry(i, j);
        }
        a->indptr[i + 1] = used;
    }
    return a;
}

static void test_csr(void **state) {
    (void)state;
    sparse *a = sparse_numbers();
    const storage squeezed = {.chunk = {777}, .gzip = true};
    csr_storage ways[] = {
        {{0}, {0}, {0}},
        {{.type = H5T_IEEE_F32BE}, {.type = H5T_STD_I64BE}, {.type = H5T_STD_I64LE}},
        {squeezed, squeezed, squeezed},
        {{.chunk = {100}}, {.chunk = {1000}, .gzip = true, .type = H5T_STD_U16LE}, {.type = H5T_STD_U64LE}},
    };
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        if (ways[w].indices.gzip && !ways[w].indices.type) ways[w].indices.type = H5T_STD_I32LE;
        const hid_t file = new_file("csr.h5");
        H5Gclose(put_csr(file, "X", N, D, a->indptr, a->indices, a->values, ways[w]));
        H5Fclose(file);
        check_both("csr.h5", SMALL / 2, w == 1 ? GPIS_FLOAT32 : GPIS_FLOAT64, a->all);
    }
    free(a);
}

static void test_csr_chunks_once(void **state) {
    (void)state;
    sparse *a = sparse_numbers();
    static const hsize_t lengths[] = {10, 64, 640, 1000};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        test_memory memory;
        gpis_context *context = test_context(&memory);
        const storage part = {.chunk = {lengths[k]}, .counted = true};
        storage whole = part;
        whole.type = H5T_STD_I32LE;
        const hid_t file = new_file("csr_once.h5");
        H5Gclose(put_csr(file, "X", N, D, a->indptr, a->indices, a->values, (csr_storage){part, whole, whole}));
        H5Fclose(file);
        const hsize_t entries = (hsize_t)a->indptr[N], length = lengths[k];
        const hsize_t chunks = 2 * ((entries + length - 1) / length) + (N + 1 + length - 1) / length;
        gpis_source *source = open_with(context, "csr_once.h5:/X", SMALL);
        assert_false(source->resident);
        for (int64_t nrows = 1; nrows <= 4096; nrows = nrows * 3 / 2 + 1) {
            decoded = 0;
            check_sweep(context, source, nrows, a->all);
            assert_int_equal(decoded, chunks);
        }
        gpis_source_destroy(source);
        test_context_end(context, &memory);
    }
    free(a);
}

static void refuse_h5(const char *path, int64_t limit, gpis_status expected, const char *part) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *source;
    gpis_open_options options = gpis_open_options_default();
    options.memory = limit;
    gpis_status status = gpis_source_open_with(context, path, &options, &source);
    if (status == GPIS_OK) status = gpis_source_audit(context, source); /* columns of windows are checked when read */
    if (status != expected)
        fail_msg("%s: status %d, \"%s\", wanted \"%s\"", path, (int)status, gpis_last_error(context), part);
    assert_message(context, part);
    gpis_source_destroy(source);
    test_context_end(context, &memory);
}

/* The same error is found whether the rows are held in memory or read by windows. */
static void refuse_csr(int64_t n, int64_t d, const int64_t *indptr, const int32_t *indices, const char *part) {
    enum { ROWS = 3, ENOUGH_MEMORY = 1 << 20 };
    const double values[6] = {1, 2, 3, 4, 5, 6};
    const hid_t file = new_file("csr_bad.h5");
    H5Gclose(put_csr(file, "X", n, d, indptr, indices, values, (csr_storage){{0}, {0}, {0}}));
    H5Fclose(file);
    refuse_h5("csr_bad.h5:X", ENOUGH_MEMORY, GPIS_BAD_DATA, part);
    refuse_h5("csr_bad.h5:X", 2, GPIS_BAD_DATA, part);
}

static void test_csr_bad(void **state) {
    (void)state;
    const int64_t good[4] = {0, 2, 2, 4};
    refuse_csr(3, 3, (int64_t[]){1, 2, 2, 4}, (int32_t[]){0, 2, 1, 2}, "indptr");
    refuse_csr(3, 3, (int64_t[]){0, 3, 2, 4}, (int32_t[]){0, 1, 2, 2}, "indptr");
    refuse_csr(3, 3, (int64_t[]){0, -1, 2, 4}, (int32_t[]){0, 2, 1, 2}, "indptr");
    refuse_csr(3, 3, good, (int32_t[]){0, 3, 1, 2}, "row 1: indices[1] = 3 is not in [0, 3)");
    refuse_csr(3, 3, good, (int32_t[]){0, 2, -1, 2}, "row 3: indices[2] = -1 is not in [0, 3)");
    refuse_csr(3, 3, good, (int32_t[]){2, 0, 1, 2}, "row 1: indices[1] = 0 is below the one before");
    refuse_csr(3, 3, good, (int32_t[]){0, 2, 1, 1}, "row 3: indices[3] = 1 occurs twice");

    const int32_t columns[4] = {0, 2, 1, 2};
    const double values[4] = {1, 2, 3, 4};
    const struct {
        const char *attribute, *text;
        bool variable;
    } by_columns[] = {{"encoding-type", "csc_matrix", true}, {"h5sparse_format", "csc", false}};
    for (int k = 0; k < 2; k++) {
        const hid_t file = new_file("csr_bad.h5");
        const hid_t group = put_csr(file, "X", 3, 3, good, columns, values, (csr_storage){{0}, {0}, {0}});
        put_text_attribute(group, by_columns[k].attribute, by_columns[k].text, by_columns[k].variable);
        H5Gclose(group);
        H5Fclose(file);
        refuse_h5("csr_bad.h5:X", 0, GPIS_BAD_DATA, "is stored by columns (csc); write it by rows");
    }
    static const struct {
        int64_t n, d;
        const char *part;
        gpis_status status;
    } shapes[] = {{2, 3, "2 rows need an indptr of 3, not 4", GPIS_BAD_SHAPE},
                  {0, 3, "is 0 x 3", GPIS_BAD_SHAPE},
                  {3, -1, "is 3 x -1", GPIS_BAD_SHAPE},
                  {3, INT64_MAX, "too large", GPIS_TOO_LARGE},
                  {INT64_MAX, 3, "too large", GPIS_TOO_LARGE}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        const hid_t file = new_file("csr_bad.h5");
        const hid_t group = put_csr(file, "X", 3, 3, good, columns, values, (csr_storage){{0}, {0}, {0}});
        H5Adelete(group, "shape");
        put_attribute(group, "shape", shapes[k].n, shapes[k].d);
        H5Gclose(group);
        H5Fclose(file);
        refuse_h5("csr_bad.h5:X", 0, shapes[k].status, shapes[k].part);
    }
    hid_t file = new_file("csr_bad.h5");
    hid_t group = put_csr(file, "X", 3, 3, good, columns, values, (csr_storage){{0}, {.type = H5T_IEEE_F32LE}, {0}});
    H5Gclose(group);
    H5Fclose(file);
    refuse_h5("csr_bad.h5:X", 0, GPIS_BAD_DATA, "X/indices: is float32 in 1 dimensions; a vector of integers");
    file = new_file("csr_bad.h5");
    group = put_csr(file, "X", 3, 3, good, columns, values, (csr_storage){{0}, {0}, {0}});
    H5Adelete(group, "shape");
    H5Gclose(group);
    H5Fclose(file);
    refuse_h5("csr_bad.h5:X", 0, GPIS_BAD_DATA, "has no attribute 'shape'");
    /* Older files have the shape under another name, or as a data set. */
    const double all[9] = {1, 0, 2, 0, 0, 0, 0, 3, 4}, pair[2] = {3, 3};
    for (int k = 0; k < 2; k++) {
        file = H5Fopen("csr_bad.h5", H5F_ACC_RDWR, H5P_DEFAULT);
        group = H5Gopen2(file, "X", H5P_DEFAULT);
        if (k == 0) put_attribute(group, "h5sparse_shape", 3, 3);
        if (k == 1) H5Adelete(group, "h5sparse_shape");
        if (k == 1) put_doubles(group, "shape", 2, 0, (storage){.type = H5T_STD_I32LE}, pair);
        H5Gclose(group);
        H5Fclose(file);
        check_file("csr_bad.h5:X", NULL, 3, 3, all, NULL);
    }
}

/* ---- names and trouble
 * ----------------------------------------------------------------------------------------------- */

static void test_names(void **state) {
    (void)state;
    const double six[6] = {1, 2, 3, 4, 5, 6};
    hid_t file = new_file("names.H5");
    put_doubles(file, "A", 2, 3, (storage){0}, six);
    put_doubles(file, "y", 2, 0, (storage){0}, six);
    const hid_t group = H5Gcreate2(file, "deep", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_doubles(group, "er", 6, 0, (storage){0}, six);
    H5Gclose(group);
    H5Lcreate_soft("/nowhere", file, "dangling", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    check_file("names.H5:/A", NULL, 2, 3, six, NULL);
    check_file("names.H5:A", NULL, 2, 3, six, NULL);
    check_file("names.H5:", NULL, 2, 3, six, NULL);
    check_file("names.H5", NULL, 2, 3, six, NULL); /* the only matrix */
    refuse_h5(
        "names.H5:/B", 0, GPIS_BAD_ARGUMENT,
        "names.H5:/B: there is nothing of that name in the file; it has: /A (2 x 3 float64), /deep/er (6 float64), "
        "/y (2 float64)");
    refuse_h5("names.H5:/dangling", 0, GPIS_BAD_ARGUMENT, "there is nothing of that name");
    refuse_h5("names.H5:/deep", 0, GPIS_BAD_ARGUMENT, "is a group that is not a matrix");
    check_file("names.H5:/y", NULL, 2, 1, six, NULL); /* as a vector in a .npy file is */
    refuse_file("names.H5", "y", GPIS_BAD_ARGUMENT, "a .h5 file has none");

    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_array y;
    assert_ok(context, gpis_array_read(context, "names.H5:/y", &y));
    assert_int_equal(y.rows, 2);
    assert_int_equal(y.dimensions, 1);
    assert_memory_equal(y.data, six, 16);
    gpis_array_clear(context, &y);
    assert_ok(context, gpis_array_read(context, "names.H5:/A", &y));
    assert_int_equal(y.cols, 3);
    assert_int_equal(y.dimensions, 2);
    gpis_array_clear(context, &y);
    assert_int_equal(gpis_array_read(context, "names.H5", &y), GPIS_BAD_ARGUMENT);
    assert_message(context, "which of its data sets?");
    assert_int_equal(gpis_array_read(context, "names.H5:/deep", &y), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_array_read(context, "nofile.h5:/y", &y), GPIS_IO);
    assert_null(y.data);
    test_context_end(context, &memory);

    /* Two matrices: one must be named; a long list is shortened. */
    file = new_file("many.hdf5");
    for (int k = 0; k < 40; k++) {
        char name[32];
        snprintf(name, sizeof name, "matrix-number-%d", k);
        put_doubles(file, name, 2, 3, (storage){0}, six);
    }
    H5Fclose(file);
    refuse_h5("many.hdf5", 0, GPIS_BAD_ARGUMENT, "which of its data sets? Name one after a colon");
    refuse_h5("many.hdf5", 0, GPIS_BAD_ARGUMENT, "/matrix-number-0 (2 x 3 float64), /matrix-number-1 (");
    refuse_h5("many.hdf5", 0, GPIS_BAD_ARGUMENT, "...");
    check_file("many.hdf5:/matrix-number-39", NULL, 2, 3, six, NULL);
}

static void put_text(hid_t file) {
    const hsize_t size[2] = {2, 2};
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, 4);
    put(file, "text", 2, size, (storage){.type = type}, type, "abcdefghijklmno");
    H5Tclose(type);
}

static void test_bad(void **state) {
    (void)state;
    const hsize_t cube[3] = {2, 3, 1}, none[2] = {0, 3}, huge[2] = {(hsize_t)1 << 40, (hsize_t)1 << 30};
    const double six[6] = {1, 2, 3, 4, 5, NAN};
    const hsize_t unlimited_chunk[2] = {16, 16};
    hid_t file = new_file("bad.h5");
    put(file, "cube", 3, cube, (storage){0}, H5T_NATIVE_DOUBLE, six);
    put(file, "none", 2, none, (storage){0}, H5T_NATIVE_DOUBLE, NULL);
    put(file, "huge", 2, huge, (storage){.chunk = {unlimited_chunk[0], unlimited_chunk[1]}}, H5T_NATIVE_DOUBLE, NULL);
    put_text(file);
    const hid_t null_space = H5Screate(H5S_NULL), scalar = H5Screate(H5S_SCALAR);
    H5Dclose(H5Dcreate2(file, "null", H5T_IEEE_F64LE, null_space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Dclose(H5Dcreate2(file, "scalar", H5T_IEEE_F64LE, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(null_space);
    H5Sclose(scalar);
    put_doubles(file, "nan", 2, 3, (storage){0}, six);
    H5Fclose(file);
    refuse_h5("bad.h5:/cube", 0, GPIS_BAD_SHAPE, "has 3 dimensions; 1 or 2 are wanted");
    refuse_h5("bad.h5:/none", 0, GPIS_BAD_SHAPE, "bad.h5:/none: is empty");
    refuse_h5("bad.h5:/null", 0, GPIS_BAD_SHAPE, "is empty");
    refuse_h5("bad.h5:/scalar", 0, GPIS_BAD_SHAPE, "has 0 dimensions");
    refuse_h5("bad.h5:/huge", 0, GPIS_TOO_LARGE, "overflows 64 bits");
    refuse_h5("bad.h5:/text", 0, GPIS_BAD_DATA, "holds text, not floats or integers");
    refuse_h5("bad.h5:/nan", 0, GPIS_BAD_DATA, "bad.h5:/nan: row 2, column 3 is nan");
    refuse_h5("bad.h5:/nan", 2, GPIS_BAD_DATA, "bad.h5:/nan: row 2, column 3 is nan");
    refuse_h5("nofile.h5:/A", 0, GPIS_IO, "nofile.h5: cannot be opened: No such file");
    write_text("bad_text.h5", "this is text");
    refuse_h5("bad_text.h5:/A", 0, GPIS_BAD_DATA, "bad_text.h5: is not an HDF5 file");
    write_text("bad_text.h5", "");
    refuse_h5("bad_text.h5", 0, GPIS_BAD_DATA, "is empty (0 bytes)");
    file = new_file("bad_empty.h5");
    H5Fclose(file);
    refuse_h5("bad_empty.h5", 0, GPIS_BAD_DATA, "holds no data sets");
}

/* A filter that libhdf5 does not have is refused when the file is opened. */
static void test_no_filter(void **state) {
    (void)state;
    double *a = dense_numbers();
    const hid_t file = new_file("filter.h5");
    put_doubles(file, "A", N, D, (storage){.chunk = {100, D}, .counted = true}, a);
    H5Fclose(file);
    assert_true(H5Zunregister(COUNTING_FILTER) >= 0);
    refuse_h5("filter.h5:/A", 0, GPIS_NOT_APPLICABLE, "is compressed by filter 305 (counting), which libhdf5 does not");
    refuse_h5("filter.h5:/A", SMALL, GPIS_NOT_APPLICABLE, "filter 305");
    register_filter();
    check_both("filter.h5:/A", SMALL, GPIS_FLOAT64, a);
    free(a);
}

static size_t read_bytes(const char *path, unsigned char *bytes, size_t capacity) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, capacity, file);
    fclose(file);
    return size;
}

static herr_t print_nothing(hid_t stack, void *data) {
    (void)stack;
    (void)data;
    return 0;
}

/* Truncated files and chunks that cannot be decoded are refused with one line. (Damage to the structure of a file is
 * left to libhdf5, which may crash on it.) Afterwards libhdf5 prints its errors as it did before. */
static void test_damaged(void **state) {
    (void)state;
    enum { CAPACITY = 1 << 18 };
    double *a = dense_numbers();
    int mark;
    H5E_auto2_t print;
    void *data;
    assert_true(H5Eset_auto2(H5E_DEFAULT, print_nothing, &mark) >= 0);
    const hid_t file = new_file("damaged.h5");
    put_doubles(file, "A", N, D, (storage){.chunk = {100, D}, .gzip = true}, a);
    hsize_t corner[2], chunk_bytes;
    unsigned mask;
    haddr_t place;
    const hid_t set = H5Dopen2(file, "A", H5P_DEFAULT), space = H5Dget_space(set);
    assert_true(H5Dget_chunk_info(set, space, 7, corner, &mask, &place, &chunk_bytes) >= 0);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
    unsigned char *bytes = malloc(CAPACITY);
    assert_non_null(bytes);
    const size_t size = read_bytes("damaged.h5", bytes, CAPACITY);
    assert_true(size < CAPACITY && place + chunk_bytes <= size);
    for (size_t cut = 600; cut < size; cut += size / 7) {
        write_bytes("damaged.h5", bytes, cut);
        refuse_h5("damaged.h5:/A", SMALL, GPIS_BAD_DATA, "is a damaged HDF5 file");
    }
    memset(bytes + place, 0x55, 16);
    write_bytes("damaged.h5", bytes, size);
    refuse_h5("damaged.h5:/A", SMALL, GPIS_IO, "cannot be read: inflate() failed");
    refuse_h5("damaged.h5:/A", 0, GPIS_IO, "cannot be read: inflate() failed");
    assert_true(H5Eget_auto2(H5E_DEFAULT, &print, &data) >= 0);
    assert_true(print == print_nothing && data == &mark);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0); /* nothing was left open */
    free(bytes);
    free(a);
}

/* ---- what can be listed, failing memory, threads, bits
 * ---------------------------------------------------------------- */

static void add_line(void *user, const gpis_content *c) {
    char *text = user, line[256];
    int used = snprintf(line, sizeof line, "%s %s %s %d:", c->path, c->kind, c->type, c->dimensions);
    for (int k = 0; k < c->dimensions; k++) used += snprintf(line + used, 20, " %lld", (long long)c->shape[k]);
    for (int k = 0; k < c->dimensions && c->chunk[k]; k++)
        used += snprintf(line + used, 20, " /%lld", (long long)c->chunk[k]);
    snprintf(line + used, sizeof line - (size_t)used, " %s;", c->filters);
    strcat(text, line);
}

/* The file is written to between two passes. */
static void test_changed(void **state) {
    (void)state;
    static const char *const names[] = {"changed.h5:/A", "changed.h5:/X"};
    double *A = dense_numbers();
    sparse *X = sparse_numbers();
    const hid_t file = new_file("changed.h5");
    put_doubles(file, "A", N, D, (storage){0}, A);
    H5Gclose(put_csr(file, "X", N, D, X->indptr, X->indices, X->values, (csr_storage){{0}, {0}, {0}}));
    H5Fclose(file);
    free(A);
    free(X);
    for (int k = 0; k < 2; k++) {
        test_memory memory;
        gpis_context *context = test_context(&memory);
        gpis_source *source = open_with(context, names[k], SMALL / 2);
        assert_false(source->resident);
        assert_ok(context, gpis_source_unchanged(source));
        const struct timespec times[2] = {{.tv_sec = 1000 + k}, {.tv_sec = 1000 + k}};
        assert_int_equal(utimensat(AT_FDCWD, "changed.h5", times, 0), 0);
        assert_int_equal(gpis_source_unchanged(source), GPIS_IO);
        assert_message(context, "changed.h5");
        gpis_source_destroy(source);
        test_context_end(context, &memory);
    }
}

static void test_contents(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double *a = dense_numbers();
    sparse *s = sparse_numbers();
    const hid_t file = new_file("list.h5");
    put_doubles(file, "A", N, D, (storage){.type = H5T_IEEE_F32LE, .chunk = {100, 7}, .gzip = true}, a);
    put_text(file);
    H5Gclose(put_csr(file, "X", N, D, s->indptr, s->indices, s->values, (csr_storage){{.chunk = {50}}, {0}, {0}}));
    put_doubles(file, "Xtra", N, 0, (storage){.chunk = {64}, .counted = true}, a);
    H5Fclose(file);
    char text[1024] = "";
    assert_ok(context, gpis_file_contents(context, "list.h5", add_line, text));
    assert_string_equal(text, "/A data set float32 2: 2500 7 /100 /7 shuffle, gzip;"
                              "/X csr float64 2: 2500 7 /50 ;"
                              "/Xtra data set float64 1: 2500 /64 counting;"
                              "/text data set text 2: 2 2 ;");
    assert_int_equal(gpis_file_contents(context, "list.h5:/A", add_line, text), GPIS_NOT_APPLICABLE);
    assert_int_equal(gpis_file_contents(context, "a.npy", add_line, text), GPIS_NOT_APPLICABLE);
    assert_int_equal(gpis_file_contents(context, "nofile.h5", add_line, text), GPIS_IO);
    assert_int_equal(gpis_file_contents(context, NULL, add_line, text), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_file_contents(context, "list.h5", NULL, text), GPIS_BAD_ARGUMENT);
    test_context_end(context, &memory);
    free(s);
    free(a);
}

static gpis_status open_and_read(gpis_context *context, void *path) {
    gpis_source *source;
    gpis_array array = {0};
    gpis_open_options options = gpis_open_options_default();
    gpis_status status = gpis_source_open_with(context, path, &options, &source);
    gpis_source_destroy(source);
    if (status != GPIS_OK) return status;
    options.memory = SMALL / 2;
    status = gpis_source_open_with(context, path, &options, &source);
    if (status == GPIS_OK) status = gpis_source_audit(context, source);
    gpis_source_destroy(source);
    if (status == GPIS_OK) status = gpis_array_read(context, "alloc.h5:/A", &array);
    gpis_array_clear(context, &array);
    return status;
}

static void test_allocations(void **state) {
    (void)state;
    double *a = dense_numbers();
    sparse *s = sparse_numbers();
    const storage squeezed = {.chunk = {100, D}, .gzip = true},
                  whole = {.chunk = {99}, .type = H5T_STD_I32LE, .gzip = true};
    const hid_t file = new_file("alloc.h5");
    put_doubles(file, "A", N, D, squeezed, a);
    H5Gclose(put_csr(file, "X", N, D, s->indptr, s->indices, s->values, (csr_storage){{.chunk = {50}}, whole, whole}));
    H5Fclose(file);
    assert_true(test_every_allocation(open_and_read, "alloc.h5:/A") >= 9);
    assert_true(test_every_allocation(open_and_read, "alloc.h5:/X") >= 14);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    free(s);
    free(a);
}

/* Sums have the same bits whether rows are held in memory or read by windows. */
static void test_bits(void **state) {
    (void)state;
    double *a = dense_numbers();
    sparse *s = sparse_numbers();
    const hid_t file = new_file("bits.h5");
    put_doubles(file, "A", N, D, (storage){.type = H5T_IEEE_F32LE, .chunk = {100, 3}, .gzip = true}, a);
    H5Gclose(put_csr(file, "X", N, D, s->indptr, s->indices, s->values, (csr_storage){{.chunk = {50}}, {0}, {0}}));
    H5Fclose(file);
    for (int k = 0; k < 2; k++) {
        double G[2][D], f[2], SA[2][100 * D];
        const double x[D] = {1, -2, 0.1, 4, 0.7, 1e-3, 3};
        for (int streamed = 0; streamed < 2; streamed++) {
            test_memory memory;
            gpis_context *context = test_context(&memory);
            gpis_source *source = open_with(context, k ? "bits.h5:/X" : "bits.h5:/A", streamed ? SMALL : 0);
            assert_int_equal(source->resident, !streamed);
            assert_ok(context, test_evaluate(context, source, a, 1, x, &f[streamed], G[streamed]));
            assert_ok(context, test_sketch(context, source, NULL, 0, "count", 100, 1, 0, SA[streamed], NULL));
            gpis_source_destroy(source);
            test_context_end(context, &memory);
        }
        assert_memory_equal(G[0], G[1], sizeof G[0]);
        assert_memory_equal(SA[0], SA[1], sizeof SA[0]);
        assert_true(f[0] == f[1] && f[0] > 0);
    }
    free(s);
    free(a);
}

static void *read_many_times(void *expected) {
    for (int k = 0; k < 20; k++) {
        gpis_context *context;
        gpis_source *source;
        gpis_open_options options = gpis_open_options_default();
        options.memory = SMALL;
        if (gpis_context_create(&context) != GPIS_OK) return NULL;
        gpis_status status = gpis_source_open_with(context, "threads.h5:/A", &options, &source);
        if (status == GPIS_OK) status = gpis_source_audit(context, source);
        gpis_source_destroy(source);
        gpis_context_destroy(context);
        if (status != GPIS_OK) return NULL;
    }
    return expected;
}

/* Two threads, each with its own context, are never inside libhdf5 at the same time. */
static void test_threads(void **state) {
    (void)state;
    double *a = dense_numbers();
    const hid_t file = new_file("threads.h5");
    put_doubles(file, "A", N, D, (storage){.chunk = {100, 3}, .gzip = true}, a);
    H5Fclose(file);
    pthread_t other;
    void *answer;
    assert_int_equal(pthread_create(&other, NULL, read_many_times, a), 0);
    assert_ptr_equal(read_many_times(a), a);
    assert_int_equal(pthread_join(other, &answer), 0);
    assert_ptr_equal(answer, a);
    free(a);
}

int main(void) {
    register_filter();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),           cmocka_unit_test(test_chunks_once),
        cmocka_unit_test(test_tall_chunks),     cmocka_unit_test(test_csr),
        cmocka_unit_test(test_csr_chunks_once), cmocka_unit_test(test_csr_bad),
        cmocka_unit_test(test_names),           cmocka_unit_test(test_bad),
        cmocka_unit_test(test_no_filter),       cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_contents),        cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_changed),         cmocka_unit_test(test_bits),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
