/* Copies of single rows of a source: the rows asked for, in every storage, in memory of their own; and its rows times a
 * matrix. */
#include "linalg/block.h"
#include "source/source.h"
#include "support.h"

enum { N = 9, D = 5, PICKED = 4 };
static const int64_t NUMBERS[PICKED] = {4, 0, 8, 4}; /* in any order, and one of them twice */

/* Multiples of 1/4, which float32 holds exactly; about every third is zero, and row 0 is empty. */
static double entry(int64_t i, int64_t j) { return i == 0 || (i + j) % 3 == 0 ? 0.0 : (double)(i * D + j) / 4.0; }

/* The matrix in the caller's memory. */
typedef struct matrix {
    double wide[N * D];
    float narrow[N * D];
    int64_t indptr[N + 1];
    int32_t indices[N * D];
} matrix;

static const void *values_of(const matrix *m, gpis_type type) {
    return type == GPIS_FLOAT64 ? (const void *)m->wide : (const void *)m->narrow;
}

static gpis_status open_dense(gpis_context *context, matrix *m, gpis_type type, gpis_order order, gpis_source **out) {
    const bool by_rows = order == GPIS_ROW_MAJOR;
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < D; j++) {
            const int64_t p = by_rows ? i * D + j : i + j * N;
            m->wide[p] = entry(i, j);
            m->narrow[p] = (float)entry(i, j);
        }
    return gpis_source_dense(context, values_of(m, type), type, order, N, D, by_rows ? D : N, out);
}

static gpis_status open_csr(gpis_context *context, matrix *m, gpis_type type, gpis_source **out) {
    int64_t p = 0;
    for (int64_t i = 0; i < N; i++) {
        m->indptr[i] = p;
        for (int64_t j = 0; j < D; j++) {
            if (entry(i, j) == 0.0) continue;
            m->indices[p] = (int32_t)j;
            m->wide[p] = entry(i, j);
            m->narrow[p++] = (float)entry(i, j);
        }
    }
    m->indptr[N] = p;
    return gpis_source_csr(context, N, D, m->indptr, m->indices, values_of(m, type), type, out);
}

/* Storage 0 to 5: dense in two types and two orders, then compressed rows in two types. */
static gpis_status open_storage(gpis_context *context, matrix *m, int storage, gpis_source **out) {
    const gpis_type type = storage & 1 ? GPIS_FLOAT32 : GPIS_FLOAT64;
    if (storage >= 4) return open_csr(context, m, type, out);
    return open_dense(context, m, type, storage & 2 ? GPIS_COLUMN_MAJOR : GPIS_ROW_MAJOR, out);
}

static void test_rows(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int storage = 0; storage < 6; storage++) {
        matrix m;
        gpis_source *A, *picked;
        double rows[PICKED * D];
        assert_ok(context, open_storage(context, &m, storage, &A));
        assert_true(gpis_source_can_pick(A));
        assert_ok(context, gpis_source_pick(context, A, NUMBERS, PICKED, &picked));
        gpis_source_destroy(A);
        memset(&m, 0xA5, sizeof m); /* the copies must not depend on the caller's arrays */
        assert_int_equal(picked->n, PICKED);
        assert_int_equal(picked->d, D);
        assert_int_equal(picked->block_kind, storage >= 4 ? GPIS_BLOCK_CSR : GPIS_BLOCK_DENSE);
        assert_ok(context, gpis_source_rows(context, picked, 0, PICKED, rows));
        for (int64_t i = 0; i < PICKED; i++)
            for (int64_t j = 0; j < D; j++) assert_close(rows[i * D + j], entry(NUMBERS[i], j), 0.0);
        gpis_source_destroy(picked);
    }
    test_context_end(context, &memory);
}

static int make_rows(void *user, int64_t row0, int64_t nrows, double *out) {
    (void)user;
    for (int64_t i = 0; i < nrows; i++)
        for (int64_t j = 0; j < D; j++) out[i * D + j] = entry(row0 + i, j);
    return 0;
}

/* Rows that are not in memory cannot be picked. */
static void test_not_resident(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *A;
    assert_ok(context, gpis_source_callback(context, N, D, make_rows, NULL, 1, &A));
    assert_false(gpis_source_can_pick(A));
    gpis_source_destroy(A);
    test_context_end(context, &memory);
}

static gpis_status pick_some(gpis_context *context, void *user) {
    matrix m;
    gpis_source *A = NULL, *picked = NULL;
    gpis_status status = open_storage(context, &m, *(int *)user, &A);
    if (status == GPIS_OK) status = gpis_source_pick(context, A, NUMBERS, PICKED, &picked);
    gpis_source_destroy(picked);
    gpis_source_destroy(A);
    return status;
}

/* The columns of A T as sums of two doubles: far beyond double precision, where products cancel. */
static void test_turned(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int storage = 0; storage < 6; storage++) {
        matrix m;
        gpis_source *A, *turned;
        double T[D * D], rows[2 * N * D];
        for (int64_t l = 0; l < D; l++)
            for (int64_t j = 0; j < D; j++) T[l * D + j] = l > j ? 0.0 : (l % 2 ? -1e9 : 1e9) / (double)(3 + l + j);
        assert_ok(context, open_storage(context, &m, storage, &A));
        assert_ok(context, gpis_source_turn(context, A, T, &turned));
        assert_true(turned->n == N && turned->d == 2 * D);
        assert_ok(context, gpis_source_rows(context, turned, 0, N, rows));
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < D; j++) {
                __float128 sum = 0, size = 0;
                for (int64_t l = 0; l < D; l++) {
                    const __float128 term = (__float128)entry(i, l) * T[l * D + j];
                    sum += term, size += term < 0 ? -term : term;
                }
                const __float128 off = sum - rows[i * 2 * D + j] - rows[i * 2 * D + D + j];
                assert_true((off < 0 ? -off : off) <= (D + 1) * 10 * 0x1p-106 * size);
            }
        gpis_source_destroy(turned);
        gpis_source_destroy(A);
    }
    test_context_end(context, &memory);
}

static gpis_status turn_all(gpis_context *context, void *user) {
    static const double T[D * D] = {1.0};
    matrix m;
    gpis_source *A = NULL, *turned = NULL;
    gpis_status status = open_storage(context, &m, *(int *)user, &A);
    if (status == GPIS_OK) status = gpis_source_turn(context, A, T, &turned);
    gpis_source_destroy(turned);
    gpis_source_destroy(A);
    return status;
}

static void test_allocations(void **state) {
    (void)state;
    for (int storage = 0; storage < 6; storage++) assert_true(test_every_allocation(turn_all, &storage) >= 7);
    for (int storage = 0; storage < 6; storage++) assert_true(test_every_allocation(pick_some, &storage) >= 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_not_resident),
                                       cmocka_unit_test(test_turned), cmocka_unit_test(test_allocations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
