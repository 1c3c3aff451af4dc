/*
 * Columns that depend on each other exactly, as they do in practice: duplicates, dummy variables beside a constant, a
 * column of zeros, other units, several at once. The answer is that of the columns that are left when the rest is
 * dropped, by an orthogonalisation in long double, and it is certified; for dense rows, floats, compressed rows and
 * rows made on demand, with the Gram matrix and with sketches. Nearly dependent columns: test_nearby.c.
 */
#include <omp.h>

#include "calls.h"
#include "set/world.h"
#include "sketch/matrices.h"

enum { N = 600, MAX_COLUMNS = 24 };

typedef enum dependence {
    DUPLICATES,
    DUMMIES, /* a constant, five groups, three groups */
    ZEROS,
    POWERS,
    THOUSANDS, /* whole numbers, in units and in thousands */
    ALL_OF_THEM,
    DEPENDENCES
} dependence;

/* Row-major, n x d; `kept`: columns that depend on no others. */
typedef struct table {
    int64_t d;
    double *A, *y; /* owned */
    bool kept[MAX_COLUMNS];
} table;

static double *column(table *t, bool kept) {
    assert_true(t->d < MAX_COLUMNS);
    t->kept[t->d] = kept;
    return t->A + t->d++;
}

static void add_copy(table *t, int64_t of, double factor) {
    double *to = column(t, false);
    for (int i = 0; i < N; i++) to[i * MAX_COLUMNS] = factor * t->A[i * MAX_COLUMNS + of];
}

static void add_normals(table *t, int count) {
    for (int c = 0; c < count; c++) {
        double v[N], *to = column(t, true);
        fill_normal(v, N, 100 + (uint64_t)t->d, 1.0);
        for (int i = 0; i < N; i++) to[i * MAX_COLUMNS] = (double)(float)v[i]; /* floats hold it, and twice it */
    }
}

static void add_groups(table *t, int groups) {
    for (int g = 0; g < groups; g++) {
        double *to = column(t, g > 0); /* the first is the constant less the others */
        for (int i = 0; i < N; i++) to[i * MAX_COLUMNS] = (i * 7 + i / 11) % groups == g;
    }
}

static void add_constant(table *t) {
    double *to = column(t, true);
    for (int i = 0; i < N; i++) to[i * MAX_COLUMNS] = 1.0;
}

static table table_make(dependence what) {
    table t = {.A = new_vector(N * MAX_COLUMNS), .y = new_vector(N)};
    const bool all = what == ALL_OF_THEM;
    add_normals(&t, 3);
    if (all || what == DUMMIES) add_constant(&t), add_groups(&t, 5), add_groups(&t, 3);
    if (all || what == DUPLICATES) add_copy(&t, 1, 1.0), add_copy(&t, 1, -1.0);
    if (all || what == ZEROS) column(&t, false), add_normals(&t, 1), column(&t, false);
    if (all || what == POWERS) add_copy(&t, 0, 0x1p20), add_copy(&t, 2, -0x1p-20);
    if (what == THOUSANDS) {
        double *units = column(&t, true);
        for (int i = 0; i < N; i++) units[i * MAX_COLUMNS] = (double)(i * i % 997 - 300);
        add_copy(&t, t.d - 1, 1000.0);
    }
    fill_normal(t.y, N, 7, 1.0);
    for (int i = 0; i < N; i++) t.y[i] += 2.0 + 0.3 * t.A[i * MAX_COLUMNS];
    double *packed = new_vector(N * t.d);
    for (int i = 0; i < N; i++) memcpy(packed + i * t.d, t.A + i * MAX_COLUMNS, (size_t)t.d * sizeof(double));
    free(t.A);
    t.A = packed;
    return t;
}

static void table_clear(table *t) { free(t->A), free(t->y); }

/* min ||A x - y||^2: what is left of y when the columns that are kept, made orthonormal, are taken out. */
static long double least(const table *t) {
    static long double Q[MAX_COLUMNS + 1][N];
    int known = 0;
    for (int64_t j = 0; j <= t->d; j++) {
        if (j < t->d && !t->kept[j]) continue;
        long double *q = Q[known], norm = 0;
        for (int i = 0; i < N; i++) q[i] = j < t->d ? t->A[i * t->d + j] : t->y[i];
        for (int s = 0; s < 2 * known; s++) {
            long double along = 0;
            for (int i = 0; i < N; i++) along += Q[s % known][i] * q[i];
            for (int i = 0; i < N; i++) q[i] -= along * Q[s % known][i];
        }
        for (int i = 0; i < N; i++) norm += q[i] * q[i];
        if (j == t->d) return norm;
        for (int i = 0; i < N; i++) q[i] /= sqrtl(norm);
        known++;
    }
    return NAN;
}

static gpis_source *source_of(gpis_context *context, const table *t, storage how, matrix *m) {
    gpis_source *A = NULL;
    *m = store(t->A, N, t->d, how);
    if (m->block.kind == GPIS_BLOCK_CSR)
        assert_ok(context, gpis_source_csr(context, N, t->d, m->indptr, m->indices, m->values, m->block.type, &A));
    else
        assert_ok(context, gpis_source_dense(context, m->values, m->block.type,
                                             how == COLUMN_64 ? GPIS_COLUMN_MAJOR : GPIS_ROW_MAJOR, N, t->d,
                                             how == COLUMN_64 ? N : t->d, &A));
    return A;
}

static gpis_result *solve(gpis_context *context, const table *t, storage how, const char *spec, const char *method,
                          int64_t m, double tol) {
    matrix stored;
    gpis_source *A = source_of(context, t, how, &stored);
    gpis_set *set = NULL;
    gpis_result *r = NULL;
    gpis_settings settings = gpis_settings_default();
    settings.method = method;
    settings.m = m;
    settings.tol = tol;
    settings.max_passes = 2000;
    assert_ok(context, test_set(context, spec, t->d, 1, &set));
    assert_ok(context, test_solve(context, A, t->y, 1, set, &settings, &r));
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    matrix_clear(&stored);
    return r;
}

static void certified_as_without_them(void **state) {
    (void)state;
    static const storage forms[] = {ROW_64, ROW_32, COLUMN_64, CSR_64, CSR_32};
    static const struct {
        const char *method;
        int64_t m;
        double tol;
    } ways[] = {
        {"auto", 0, 1e-8}, {"newton", 0, 1e-12}, {"newton", 160, 1e-11}, {"newton", 60, 1e-8}, {"apgd", 0, 1e-8}};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int what = 0; what < DEPENDENCES; what++) {
        table t = table_make(what);
        const long double best = least(&t);
        for (int f = 0; f < 5; f++)
            for (int w = 0; w < 5; w++) {
                if (w == 4 && (what == POWERS || what == THOUSANDS || what == ALL_OF_THEM))
                    continue; /* takes forever */
                gpis_result *r = solve(context, &t, forms[f], "none", ways[w].method, ways[w].m, ways[w].tol);
                const double error = (double)((r->objective - best) / best);
                if (r->outcome != GPIS_SOLVED || r->gap_kind == GPIS_GAP_NONE ||
                    !(fabs(error) <= fmax(1e-10, ways[w].tol)) || (long double)r->objective - r->gap > best)
                    fail_msg("dependence %d, storage %d, %s, m %d: %s, %s gap %g, error of f %g, %d passes; %s", what,
                             forms[f], ways[w].method, (int)ways[w].m, gpis_outcome_text(r->outcome),
                             gpis_gap_kind_text(r->gap_kind), r->gap, error, (int)r->passes, r->warning);
                assert_string_equal(r->warning, "");
                /* powers are so ill conditioned that a summary proves the bound before probes find one */
                if (ways[w].m == 160 && what != POWERS) assert_int_equal(r->gap_kind, GPIS_GAP_PROBABLE);
                gpis_result_destroy(r);
            }
        table_clear(&t);
    }
    test_context_end(context, &memory);
}

/* Other sets that are not bounded, and bounded ones so large that they might as well not be. Duplicates and zeros add
 * nothing to nonneg either. */
static void other_sets(void **state) {
    (void)state;
    enum { GRADIENT = 7 };
    static const char *const specs[] = {"nonneg", "box:-1,inf", "box:-inf,0.5", "box:-1e9,1e9", "capped-simplex:1e9",
                                        "l1:1e7", "l2:1e6",     "tv:0.5",       "nuclear:1e5"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++)
        for (int what = 0; what < DEPENDENCES; what++)
            for (int64_t m = 0; m <= 160; m += 160) {
                /* projected gradients, which know no units, solve the inner problem of the last two */
                if (s >= GRADIENT && (what == POWERS || what == THOUSANDS || what == ALL_OF_THEM)) continue;
                table t = table_make(what);
                gpis_result *r = solve(context, &t, ROW_64, specs[s], "newton", m, 1e-8);
                if (r->outcome != GPIS_SOLVED)
                    fail_msg("%s, dependence %d, m %d: %s, gap %g of %g after %d passes", specs[s], what, (int)m,
                             gpis_outcome_text(r->outcome), r->gap, r->objective, (int)r->passes);
                if (strcmp(specs[s], "nonneg") == 0 && (what == ZEROS || what == DUPLICATES)) {
                    table alone = table_make(what); /* the others, moved to the front */
                    int64_t d = 0;
                    for (int64_t j = 0; j < t.d; j++) {
                        if (!t.kept[j] && !(what == DUPLICATES && j == t.d - 1))
                            continue; /* -1 times one of them counts */
                        for (int i = 0; i < N; i++) alone.A[i * t.d + d] = t.A[i * t.d + j];
                        d++;
                    }
                    for (int i = 1; i < N; i++) memmove(alone.A + i * d, alone.A + i * t.d, (size_t)d * sizeof(double));
                    alone.d = d;
                    gpis_result *want = solve(context, &alone, ROW_64, specs[s], "newton", 0, 1e-12);
                    assert_close(r->objective, want->objective, 1e-8 * want->objective);
                    assert_true(r->objective - r->gap <= want->objective &&
                                want->objective - want->gap <= r->objective);
                    gpis_result_destroy(want);
                    table_clear(&alone);
                }
                gpis_result_destroy(r);
                table_clear(&t);
            }
    test_context_end(context, &memory);
}

/* A check of a given point proves as much as a solve. */
static void check_proves_it_too(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int what = 0; what < DEPENDENCES; what++) {
        table t = table_make(what);
        matrix stored;
        gpis_result *r = solve(context, &t, ROW_64, "none", "newton", 0, 1e-10), *c = NULL;
        gpis_source *A = source_of(context, &t, ROW_64, &stored);
        gpis_set *set = NULL;
        const gpis_settings settings = gpis_settings_default();
        assert_ok(context, test_set(context, "none", t.d, 1, &set));
        assert_ok(context, test_check(context, A, t.y, 1, set, r->x, &settings, &c));
        assert_int_equal(c->outcome, GPIS_SOLVED);
        assert_int_equal(c->gap_kind, GPIS_GAP_PROVEN);
        gpis_result_destroy(r);
        gpis_result_destroy(c);
        gpis_set_destroy(set);
        gpis_source_destroy(A);
        matrix_clear(&stored);
        table_clear(&t);
    }
    test_context_end(context, &memory);
}

/* A column that is zero but for 1e-18 in one row is a column like others in units of its own: it fits that row. */
static void tiny_columns_count(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    table t = table_make(ZEROS);
    t.A[41 * t.d + 3] = 1e-18;
    t.kept[3] = true;
    const long double best = least(&t);
    gpis_result *r = solve(context, &t, ROW_64, "none", "newton", 0, 1e-10);
    assert_int_equal(r->outcome, GPIS_SOLVED);
    assert_true(fabs((double)(r->objective - best)) <= 1e-10 * (double)best);
    gpis_result_destroy(r);
    table_clear(&t);
    test_context_end(context, &memory);
}

static gpis_status solve_dummies(gpis_context *context, void *user) {
    table *t = user;
    gpis_source *A = NULL;
    gpis_set *set = NULL;
    gpis_result *r = NULL;
    const gpis_settings settings = gpis_settings_default();
    gpis_status status = gpis_source_dense(context, t->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, t->d, t->d, &A);
    if (status == GPIS_OK) status = test_set(context, "monotone", t->d, 1, &set);
    if (status == GPIS_OK) status = test_solve(context, A, t->y, 1, set, &settings, &r);
    gpis_result_destroy(r);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    return status;
}

static void lack_of_memory(void **state) {
    (void)state;
    table t = table_make(DUMMIES);
    assert_true(test_every_allocation(solve_dummies, &t) > 40);
    table_clear(&t);
}

int main(void) {
    omp_set_num_threads(1); /* as inside the library: BLAS has no threads of its own */
    const struct CMUnitTest tests[] = {cmocka_unit_test(certified_as_without_them), cmocka_unit_test(other_sets),
                                       cmocka_unit_test(check_proves_it_too), cmocka_unit_test(tiny_columns_count),
                                       cmocka_unit_test(lack_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
