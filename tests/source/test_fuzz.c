/*
 * Small valid files with a few bytes changed, removed, doubled or replaced by digits and signs: the result is always a
 * status with a message, or a source that can be read to its end. Nothing depends on the clock: the files are the same
 * in each run.
 */
#include "reading.h"

enum { ROUNDS = 2500, SIZE_MAX_BYTES = 1024 };

/* An allocator limited to 16 MiB: a header that promises too much makes it return NULL. */
static void *small_allocate(void *user, size_t alignment, size_t bytes) {
    return bytes > (size_t)1 << 24 ? NULL : test_allocate(user, alignment, bytes);
}

static size_t mutate(unsigned char *bytes, size_t size, uint64_t stream) {
    static const char lively[] = "0123456789-+.eE,;:\t \n\r\"'#%(){}xNn";
    const gpis_bits first = gpis_random_bits(11, stream, 0);
    const uint32_t changes = 1 + gpis_random_below(first.v[0], 4);
    for (uint32_t k = 1; k <= changes && size > 0; k++) {
        const gpis_bits r = gpis_random_bits(11, stream, k);
        const size_t at = gpis_random_below(r.v[0], (uint32_t)size);
        switch (gpis_random_below(r.v[1], 6)) {
        case 0: bytes[at] = (unsigned char)r.v[2]; break;
        case 1: bytes[at] ^= (unsigned char)(1u << (r.v[2] % 8)); break;
        case 2: size = at; break;
        case 3:
            if (size == SIZE_MAX_BYTES) break;
            memmove(bytes + at + 1, bytes + at, size++ - at);
            break;
        case 4: memmove(bytes + at, bytes + at + 1, --size - at); break;
        default: bytes[at] = (unsigned char)lively[r.v[2] % (sizeof lively - 1)]; break;
        }
    }
    return size;
}

static void read_whole(gpis_context *context, gpis_source *source) {
    double row[64], sum = 0;
    gpis_block block;
    gpis_source_info info;
    gpis_source_describe(source, &info);
    assert_true(info.rows >= 1 && info.cols >= 1 && info.nonzeros >= 0);
    gpis_source_audit(context, source);
    for (int64_t i = 0; i < source->n && i < 1000 && source->d <= 64; i++) {
        assert_ok(context, source->class->block(source, i, 1, NULL, &block));
        gpis_block_unpack(&block, row);
        for (int64_t j = 0; j < source->d; j++) sum += row[j];
    }
    const double *y = gpis_source_target(source, NULL);
    for (int64_t i = 0; y && i < source->n; i++) sum += y[i];
    for (int64_t j = 0; j < source->d && j < 64; j++) {
        const char *name = gpis_source_column(source, j);
        sum += name ? (double)strlen(name) : 0.0;
    }
    assert_true(isnan(sum) || !isnan(sum));
}

static void fuzz(const char *path, const char *target, const unsigned char *seed, size_t size) {
    long opened = 0, refused = 0;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        unsigned char bytes[SIZE_MAX_BYTES];
        memcpy(bytes, seed, size);
        write_bytes(path, bytes, mutate(bytes, size, round + ((uint64_t)size << 32)));
        test_memory memory = {0, 0, 0};
        const gpis_allocator allocator = {small_allocate, test_release, &memory};
        gpis_context *context;
        gpis_source *source;
        assert_int_equal(gpis_context_create_with(&allocator, &context), GPIS_OK);
        if (gpis_source_open(context, path, target, &source) == GPIS_OK) {
            read_whole(context, source);
            opened++;
        } else {
            assert_null(source);
            assert_true(strlen(gpis_last_error(context)) > 0);
            refused++;
        }
        gpis_source_destroy(source);
        test_context_end(context, &memory);
    }
    unlink(path);
    assert_true(opened > 10 && refused > 10); /* else the changes are too many or too few to test anything */
}

static void fuzz_text(const char *path, const char *target, const char *text) {
    fuzz(path, target, (const unsigned char *)text, strlen(text));
}

static void test_npy(void **state) {
    (void)state;
    const double numbers[6] = {1, 2, 3, 4, 5, 6};
    unsigned char image[512];
    const char *dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}";
    for (int version = 1; version <= 2; version++)
        fuzz("fuzz.npy", NULL, image, npy_image(image, version, dictionary, 1, numbers, sizeof numbers));
    const char *integers = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3)}"; /* which are converted */
    fuzz("fuzz.npy", NULL, image, npy_image(image, 1, integers, 1, numbers, 12));
}

static void test_csv(void **state) {
    (void)state;
    fuzz_text("fuzz.csv", NULL, "a,\"b \"\"x\"\"\",c\n1,2.5,-3e4\n\"4\",5,6\n7,8,9\n");
    fuzz_text("fuzz.csv", "2", "a,b\n1,2\n3,4\r\n5,6\n\n");
    fuzz_text("fuzz.txt", NULL, " 1 2\t3\n4 5 6\n");
}

static void test_mtx(void **state) {
    (void)state;
    fuzz_text("fuzz.mtx", NULL,
              "%%MatrixMarket matrix coordinate real symmetric\n% c\n3 3 4\n1 1 1\n3 2 2.5\n3 1 -3\n3 3 1\n");
    fuzz_text("fuzz.mtx", NULL, "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n");
}

static void test_libsvm(void **state) {
    (void)state;
    fuzz_text("fuzz.svm", NULL, "1 1:2 2:3.5 7:1\n-1 2:4 # c\n+1 qid:3 1:1e5\n");
}

static void test_gzip(void **state) {
    (void)state;
    unsigned char bytes[512];
    write_gzip("fuzz.csv.gz", "a,b,c\n1,2,3\n4,5,6\n");
    FILE *file = fopen("fuzz.csv.gz", "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    fuzz("fuzz.csv.gz", NULL, bytes, size);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_npy),    cmocka_unit_test(test_csv),  cmocka_unit_test(test_mtx),
        cmocka_unit_test(test_libsvm), cmocka_unit_test(test_gzip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
