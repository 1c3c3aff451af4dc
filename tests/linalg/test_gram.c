/* The Gram kernels of every instruction set: exact sums of small numbers, roundings of others, and the memory around
 * them. */
#include "linalg/gram.h"

#include <cblas.h>
#include <sys/mman.h>
#include <unistd.h>

#include "linalg/simd_level.h"
#include "sketch/matrices.h"

static const gpis_ahead NOTHING = {NULL, 0};
enum { PAD = 24 };
#define MARK -7.0

/* Rows of d entries with NaN before, between and after them. */
typedef struct rows {
    double *memory; /* owned */
    gpis_block block;
} rows;

static rows rows_make(const double *a, int64_t n, int64_t d, int64_t stride) {
    rows t = {.memory = malloc((size_t)(2 * PAD + n * stride) * sizeof(double))};
    for (int64_t i = 0; i < 2 * PAD + n * stride; i++) t.memory[i] = NAN;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) t.memory[PAD + i * stride + j] = a[i * d + j];
    t.block = gpis_block_dense(GPIS_FLOAT64, 0, n, d, t.memory + PAD);
    t.block.row_stride = stride;
    return t;
}

/* The upper triangle of start + A'A; level -1: what gpis_gram_add chooses. The caller frees it. */
static double *gram(int level, const gpis_block *block, gpis_ahead ahead, double start) {
    const int64_t d = block->d, size = d * d;
    double *H = malloc((size_t)(size + 2 * PAD) * sizeof *H);
    for (int64_t i = 0; i < size + 2 * PAD; i++) H[i] = i < PAD || i >= size + PAD ? MARK : start;
    if (level < 0)
        gpis_gram_add(block, ahead, H + PAD);
    else
        gpis_gram_add_at(level, block, ahead, H + PAD);
    for (int64_t i = 0; i < PAD; i++) assert_true(H[i] == MARK && H[PAD + size + i] == MARK);
    memmove(H, H + PAD, (size_t)size * sizeof *H);
    return H;
}

/* Small numbers have no rounding errors: every kernel gives the exact sums, whatever is in memory around the rows. */
static void check_exact(int64_t n, int64_t d, int64_t stride) {
    double *a = small_numbers(n * d + 1, (uint64_t)(1000 * n + d)), *expected = malloc((size_t)(d * d) * sizeof *a);
    for (int64_t i = 0; i < d * d; i++) expected[i] = 0.5;
    for (int64_t r = 0; r < n; r++)
        for (int64_t i = 0; i < d; i++)
            for (int64_t j = i; j < d; j++) expected[i * d + j] += a[r * d + i] * a[r * d + j];
    rows t = rows_make(a, n, d, stride);
    for (int level = -1; level < GPIS_SIMD_LEVELS; level++) {
        if (level >= 0 && !gpis_simd_runs(level)) continue;
        double *H = gram(level, &t.block, NOTHING, 0.5);
        for (int64_t i = 0; i < d; i++)
            for (int64_t j = i; j < d; j++) assert_true(H[i * d + j] == expected[i * d + j]);
        free(H);
    }
    free(t.memory), free(a), free(expected);
}

static void exact_in_every_small_shape(void **state) {
    (void)state;
    static const int64_t counts[] = {0, 1, 2, 3, 17};
    for (int64_t d = 1; d <= 260; d += d < 80 ? 1 : 7)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) check_exact(counts[i], d, d + (d + counts[i]) % 5);
}

static void exact_over_several_blocks(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{1100, 1},  {1100, 8},  {1023, 31}, {1024, 32}, {1100, 33}, {1025, 50},
                                        {1100, 64}, {327, 100}, {328, 100}, {700, 100}, {300, 127}, {300, 129},
                                        {200, 257}, {65, 260},  {130, 383}, {70, 385}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check_exact(shapes[i][0], shapes[i][1], shapes[i][1] + (int64_t)i % 3);
}

/* `count` doubles right before a page that is not accessible. */
static double *before_a_wall(size_t count, void **memory, size_t *bytes) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), mapped = (count * sizeof(double) + page - 1) / page * page;
    *bytes = mapped + page;
    *memory = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(*memory != MAP_FAILED);
    assert_int_equal(mprotect((char *)*memory + mapped, page, PROT_NONE), 0);
    return (double *)(void *)((char *)*memory + mapped) - count;
}

/* Memory after the last entry of a row would not change a sum, but it must not even be read. */
static void nothing_behind_the_last_entry_is_read(void **state) {
    (void)state;
    enum { N = 3, MAX_COLUMNS = 60 };
    for (int64_t d = 1; d <= MAX_COLUMNS; d++) {
        void *for_rows, *for_H;
        size_t rows_bytes, H_bytes;
        double *a = before_a_wall((size_t)(N * d), &for_rows, &rows_bytes);
        double *H = before_a_wall((size_t)(d * d), &for_H, &H_bytes);
        for (int64_t i = 0; i < N * d; i++) a[i] = 1.0;
        const gpis_block block = gpis_block_dense(GPIS_FLOAT64, 0, N, d, a);
        for (int level = 0; level < GPIS_SIMD_LEVELS; level++) {
            if (!gpis_simd_runs(level)) continue;
            H[d * d - 1] = 0.0;
            gpis_gram_add_at(level, &block, NOTHING, H);
            assert_true(H[d * d - 1] == N);
        }
        munmap(for_rows, rows_bytes);
        munmap(for_H, H_bytes);
    }
}

/* Against long double, within the roundings that are promised; and as close to BLAS. */
static void check_roundings(int64_t n, int64_t d) {
    double *a = malloc((size_t)(n * d) * sizeof *a), *blas = calloc((size_t)(d * d), sizeof *blas);
    gpis_random_normal(5, 0, 0, n * d, a);
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)d, (int)n, 1.0, a, (int)d, 0.0, blas, (int)d);
    const gpis_block block = gpis_block_dense(GPIS_FLOAT64, 0, n, d, a);
    for (int level = 0; level < GPIS_SIMD_LEVELS; level++) {
        if (!gpis_simd_runs(level)) continue;
        double *H = gram(level, &block, NOTHING, 0.0);
        for (int64_t i = 0; i < d; i++)
            for (int64_t j = i; j < d; j++) {
                long double sum = 0, size = 0;
                for (int64_t r = 0; r < n; r++) {
                    sum += (long double)a[r * d + i] * a[r * d + j];
                    size += fabsl((long double)a[r * d + i] * a[r * d + j]);
                }
                const double slack = (double)((long double)(n + n / 64 + 2) * size) * 0x1p-53;
                assert_close(H[i * d + j], (double)sum, slack);
                assert_close(H[i * d + j], blas[i * d + j], 2.0 * slack);
            }
        free(H);
    }
    free(a), free(blas);
}

static void roundings_are_few(void **state) {
    (void)state;
    check_roundings(1, 9);
    check_roundings(40, 20);
    check_roundings(1100, 11);
    check_roundings(400, 100);
}

/* Memory to prefetch, of any length, mapped or not, changes nothing. */
static void memory_ahead_is_only_asked_for(void **state) {
    (void)state;
    enum { N = 500, D = 43 };
    double *a = malloc(N * D * sizeof *a);
    gpis_random_normal(6, 0, 0, N * D, a);
    const gpis_block block = gpis_block_dense(GPIS_FLOAT64, 0, N, D, a);
    const gpis_ahead ahead[] = {
        {(const char *)a, 1}, {(const char *)a, 1 << 28}, {(const char *)(uintptr_t)64, 1 << 20}};
    for (int level = 0; level < GPIS_SIMD_LEVELS; level++) {
        if (!gpis_simd_runs(level)) continue;
        double *H = gram(level, &block, NOTHING, 0.0);
        for (size_t i = 0; i < sizeof ahead / sizeof *ahead; i++) {
            double *other = gram(level, &block, ahead[i], 0.0);
            assert_memory_equal(H, other, D * D * sizeof *H);
            free(other);
        }
        free(H);
    }
    free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_in_every_small_shape), cmocka_unit_test(exact_over_several_blocks),
        cmocka_unit_test(nothing_behind_the_last_entry_is_read), cmocka_unit_test(roundings_are_few),
        cmocka_unit_test(memory_ahead_is_only_asked_for)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
