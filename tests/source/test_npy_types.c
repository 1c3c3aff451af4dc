/* .npy files of every real type of numpy: whole arrays, sources in memory and by windows, and integers that are
 * refused. */
#include "base/npy.h"
#include "windows.h"

#define FILE_NAME "npy_types.npy"
enum { N = 1500, D = 4, MAX_FILE_BYTES = N * D * 8 + 256 };

static const char *const types[] = {"<f8", ">f8", "<f4", ">f4", "<f2", ">f2", "|i1", "<i2", ">i2", "<i4", ">i4",
                                    "<i8", ">i8", "|u1", "<u2", ">u2", "<u4", ">u4", "<u8", ">u8", "|b1", "=i4"};
enum { TYPES = sizeof types / sizeof *types };

/* Integers that the type can hold. */
static double value_of(const char *type, int64_t i, int64_t j) {
    const int64_t value = (i * 7 + j * 31 + i / 13) % 101;
    if (type[1] == 'b') return (double)(value % 2);
    return (double)(type[1] == 'u' ? value : value - 50);
}

/* binary16 of a small integer: shifted until its leading one is the 11th bit. */
static uint64_t half_bits(double value) {
    const uint64_t sign = value < 0 ? 0x8000 : 0;
    uint64_t size = (uint64_t)(value < 0 ? -value : value), exponent = 25;
    if (size == 0) return sign;
    for (; size < 1024; size *= 2) exponent--;
    return sign | exponent << 10 | (size - 1024);
}

/* The bytes of one number in this type. */
static void encode(const char *type, double value, unsigned char *to) {
    const int width = type[2] - '0';
    const float narrow = (float)value;
    uint64_t bits = (uint64_t)(int64_t)value;
    uint32_t low;
    if (type[1] == 'f' && width == 8) memcpy(&bits, &value, 8);
    if (type[1] == 'f' && width == 4) {
        memcpy(&low, &narrow, 4);
        bits = low;
    }
    if (type[1] == 'f' && width == 2) bits = half_bits(value);
    for (int k = 0; k < width; k++) to[type[0] == '>' ? width - 1 - k : k] = (unsigned char)(bits >> (8 * k));
}

/* Writes the N x D matrix; `odd` entry (row, col), if row >= 0, has these 8 bytes instead. */
static void write_matrix(const char *type, bool fortran, int64_t row, int64_t col, uint64_t odd) {
    static unsigned char numbers[N * D * 8], image[MAX_FILE_BYTES];
    char dictionary[128];
    const int width = type[2] - '0';
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < D; j++)
            encode(type, value_of(type, i, j), numbers + (fortran ? i + j * N : i * D + j) * width);
    if (row >= 0)
        for (int k = 0; k < 8; k++)
            numbers[(fortran ? row + col * N : row * D + col) * 8 + k] = (unsigned char)(odd >> (8 * k));
    snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }", type,
             fortran ? "True" : "False", N, D);
    write_bytes(FILE_NAME, image, npy_image(image, 1, dictionary, 64, numbers, (size_t)(N * D * width)));
}

static void test_types(void **state) {
    (void)state;
    static double expected[N * D];
    for (int t = 0; t < TYPES; t++) {
        for (int64_t i = 0; i < N * D; i++) expected[i] = value_of(types[t], i / D, i % D);
        for (int variant = 0; variant < 4; variant++) {
            const bool fortran = variant & 1, small = variant & 2;
            test_memory memory;
            gpis_context *context = test_context(&memory);
            gpis_source *source;
            gpis_array array;
            gpis_open_options options = gpis_open_options_default();
            if (small) options.memory = 9000; /* less than twice the bytes of the narrowest file */
            write_matrix(types[t], fortran, -1, 0, 0);
            assert_ok(context, gpis_source_open_with(context, FILE_NAME, &options, &source));
            assert_true(source->resident == !small);
            assert_true(source->type == (strcmp(types[t], "<f4") == 0 ? GPIS_FLOAT32 : GPIS_FLOAT64));
            if (!source->class->in_place) check_windows(context, source, expected);
            assert_ok(context, gpis_source_audit(context, source));
            gpis_source_destroy(source);
            assert_ok(context, gpis_array_read(context, FILE_NAME, &array));
            assert_memory_equal(array.data, expected, sizeof expected);
            gpis_array_clear(context, &array);
            test_context_end(context, &memory);
        }
    }
}

/* Integers beyond 2^53: those that a double equals are accepted, others are refused with row and column. */
static void test_large_integers(void **state) {
    (void)state;
    static const struct {
        const char *type;
        uint64_t bits;
        bool exact;
        double value;
    } cases[] = {
        {"<i8", UINT64_C(1) << 53, true, 0x1p53},
        {"<i8", (UINT64_C(1) << 53) + 1, false, 0},
        {"<i8", (UINT64_C(1) << 53) + 2, true, 0x1p53 + 2},
        {"<i8", -(UINT64_C(1) << 53) - 1, false, 0},
        {"<i8", UINT64_C(1) << 63, true, -0x1p63},
        {"<i8", INT64_MAX, false, 0},
        {"<i8", UINT64_MAX, true, -1},
        {"<u8", UINT64_C(1) << 63, true, 0x1p63},
        {"<u8", UINT64_MAX, false, 0},
        {"<u8", UINT64_MAX - 2047, true, 0x1p64 - 2048},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        for (int variant = 0; variant < 4; variant++) {
            test_memory memory;
            gpis_context *context = test_context(&memory);
            gpis_source *source = NULL;
            gpis_array array;
            gpis_open_options options = gpis_open_options_default();
            if (variant & 2) options.memory = 9000;
            write_matrix(cases[k].type, variant & 1, 1203, 2, cases[k].bits);
            gpis_status status = gpis_source_open_with(context, FILE_NAME, &options, &source);
            if (status == GPIS_OK) status = gpis_source_audit(context, source);
            assert_int_equal(status, cases[k].exact ? GPIS_OK : GPIS_BAD_DATA);
            if (!cases[k].exact) assert_message(context, FILE_NAME ": row 1204, column 3 is an integer beyond 2^53");
            if (cases[k].exact) {
                double row[D];
                assert_ok(context, gpis_source_rows(context, source, 1203, 1, row));
                assert_true(row[2] == cases[k].value);
            }
            gpis_source_destroy(source);
            assert_int_equal(gpis_array_read(context, FILE_NAME, &array), cases[k].exact ? GPIS_OK : GPIS_BAD_DATA);
            if (!cases[k].exact) assert_message(context, "row 1204, column 3");
            gpis_array_clear(context, &array);
            test_context_end(context, &memory);
        }
    }
}

/* binary16 by its definition: normal, subnormal, largest, zeros; infinity and nan are refused with their place. */
static void test_halves(void **state) {
    (void)state;
    const uint16_t bits[6] = {0x3c00, 0xc000, 0x7bff, 0x0001, 0x83ff, 0x3555};
    const double expected[6] = {1, -2, 65504, 0x1p-24, -0x1.ff8p-15, 0x1.554p-2};
    const uint16_t bad[2] = {0, 0x7c00};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_array array;
    write_npy(FILE_NAME, 1, "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }", bits, sizeof bits);
    assert_ok(context, gpis_array_read(context, FILE_NAME, &array));
    assert_memory_equal(array.data, expected, sizeof expected);
    gpis_array_clear(context, &array);
    write_npy(FILE_NAME, 1, "{'descr': '<f2', 'fortran_order': False, 'shape': (1, 2), }", bad, sizeof bad);
    assert_int_equal(gpis_array_read(context, FILE_NAME, &array), GPIS_BAD_DATA);
    assert_message(context, "row 1, column 2 is inf");
    test_context_end(context, &memory);
}

static void test_allocations(void **state) {
    (void)state;
    write_matrix("<i4", false, -1, 0, 0);
    assert_true(test_every_allocation(open_and_destroy, FILE_NAME) >= 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_types), cmocka_unit_test(test_large_integers),
                                       cmocka_unit_test(test_halves), cmocka_unit_test(test_allocations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
