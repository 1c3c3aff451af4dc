/*
 * The solvers that end: polyhedra from face to face, the ball by its secular equation. Against all faces tried one by
 * one in long double for small d, and by duality for larger ones: what q can fall at most, 1/2 <v, H^-1 v> + support(l)
 * - <l, x> with l = -grad q(s), v = g + l, must be what it has fallen.
 */
#include <float.h>
#include <omp.h>

#include "inner/active_set.h"
#include "tasks.h"

enum { SMALL = 6 };

/* ---- every face, in long double --------------------------------------------------------------------------------- */

/* Solves M z = b (n x n, M destroyed) by elimination with pivots; false when M is singular. */
static bool eliminate(long double M[SMALL + 1][SMALL + 1], long double *b, int n) {
    for (int c = 0; c < n; c++) {
        int pivot = c;
        for (int r = c + 1; r < n; r++)
            if (fabsl(M[r][c]) > fabsl(M[pivot][c])) pivot = r;
        if (M[pivot][c] == 0 && b[c] == 0) M[pivot = c][c] = 1; /* a column of zeros may be anywhere: at 0 */
        if (M[pivot][c] == 0) return false;
        for (int k = 0; k < n; k++) {
            const long double t = M[c][k];
            M[c][k] = M[pivot][k], M[pivot][k] = t;
        }
        const long double t = b[c];
        b[c] = b[pivot], b[pivot] = t;
        for (int r = 0; r < n; r++) {
            const long double f = r == c ? 0 : M[r][c] / M[c][c];
            for (int k = c; k < n && f != 0; k++) M[r][k] -= f * M[c][k];
            b[r] -= f * b[c];
        }
    }
    for (int c = 0; c < n; c++) b[c] /= M[c][c];
    return true;
}

static long double q_at(const gpis_model *m, const double *x, const double *g, const long double *s) {
    long double q = 0;
    for (int64_t i = 0; i < m->d; i++) {
        long double Hp = 0;
        for (int64_t j = 0; j < m->d; j++) Hp += m->H[i * m->d + j] * (s[j] - x[j]);
        q += (s[i] - x[i]) * (Hp / 2 + g[i]);
    }
    return q;
}

/* The minimum of q where entry j is fixed (side 0: lo or zero, side 2: hi) or free (side 1; for l1, side is the sign
 * plus 1) and the sum, if `tight`, is R; infinite when it is outside the set. */
static long double face_minimum(const gpis_set *set, const gpis_model *m, const double *x, const double *g,
                                const int *side, bool tight) {
    const int d = (int)m->d;
    const gpis_sum_rule rule = set->sum;
    long double M[SMALL + 1][SMALL + 1], b[SMALL + 1], s[SMALL], sigma[SMALL], total = 0;
    int F[SMALL], n = 0;
    for (int j = 0; j < d; j++) {
        double lo, hi;
        set->class->bounds(set, j, &lo, &hi);
        const bool sizes = rule == GPIS_SUM_OF_SIZES_WITHIN, fixed = sizes ? side[j] == 1 : side[j] != 1;
        if (fixed && !sizes && isinf(side[j] ? hi : lo)) return INFINITY;
        s[j] = sizes || !fixed ? 0 : side[j] ? hi : lo;
        sigma[j] = sizes ? side[j] - 1 : 1;
        if (!fixed) F[n++] = j;
    }
    for (int a = 0; a < n; a++) {
        b[a] = -(long double)g[F[a]];
        for (int j = 0; j < d; j++) b[a] += m->H[F[a] * d + j] * (x[j] - s[j]);
        for (int c = 0; c < n; c++) M[a][c] = m->H[F[a] * d + F[c]];
        M[a][n] = M[n][a] = sigma[F[a]];
    }
    M[n][n] = 0, b[n] = set->R;
    if (tight && n == 0) return INFINITY;
    if (!eliminate(M, b, n + tight)) return INFINITY;
    for (int a = 0; a < n; a++) s[F[a]] = b[a];
    for (int j = 0; j < d; j++) {
        double lo, hi;
        set->class->bounds(set, j, &lo, &hi);
        const bool sizes = rule == GPIS_SUM_OF_SIZES_WITHIN;
        if (sizes ? sigma[j] * s[j] < 0 : !(s[j] >= lo && s[j] <= hi)) return INFINITY;
        total += sizes ? fabsl(s[j]) : s[j];
    }
    if (rule != GPIS_SUM_ANY && !tight && total > set->R) return INFINITY;
    return q_at(m, x, g, s);
}

static long double every_face(const gpis_set *set, const gpis_model *m, const double *x, const double *g) {
    const int d = (int)m->d;
    const long double zeros[SMALL] = {0};
    long double best = INFINITY;
    int faces = 1;
    if (set->sum != GPIS_SUM_ANY && set->R == 0.0) return q_at(m, x, g, zeros);
    for (int j = 0; j < d; j++) faces *= 3;
    for (int code = 0; code < faces; code++) {
        int side[SMALL];
        for (int j = 0, rest = code; j < d; j++, rest /= 3) side[j] = rest % 3;
        for (int tight = set->sum == GPIS_SUM_IS_R; tight <= (set->sum != GPIS_SUM_ANY); tight++)
            best = fminl(best, face_minimum(set, m, x, g, side, tight));
    }
    return best;
}

/* ---- one problem ------------------------------------------------------------------------------------------------ */

static void task_solve(task *t) {
    bool done = false;
    gpis_inner_begin(t->inner, t->x, t->g);
    assert_ok(t->context, gpis_inner_run(t->inner, 1, &done));
    if (!done) fail_msg("%s: gave up", gpis_set_spec(t->set));
    double away, size = 0.0;
    for (int64_t i = 0; i < t->set->d * t->set->k; i++) size += fabs(t->inner->s[i]);
    assert_ok(t->context, gpis_set_distance(t->set, t->inner->s, &away));
    if (!(away <= 1e-13 * size)) fail_msg("%s: outside by %g of %g", gpis_set_spec(t->set), away, size);
}

static void check_small(task *t, double tol, const char *what) {
    task_solve(t);
    long double s[SMALL];
    for (int64_t i = 0; i < t->set->d; i++) s[i] = t->inner->s[i];
    const long double best = every_face(t->set, t->model, t->x, t->g), here = q_at(t->model, t->x, t->g, s);
    double noise = 1e-25 + tol * (double)fabsl(best); /* and what rounding s to double does to <g, s> */
    for (int64_t i = 0; i < t->set->d; i++) noise += DBL_EPSILON * fabs(t->g[i]) * (double)(fabsl(s[i]) + 1.0);
    if (!(here <= best + noise && here >= best - noise))
        fail_msg("%s, d = %d, %s: q = %.15Lg, the best face has %.15Lg", gpis_set_spec(t->set), (int)t->set->d, what,
                 here, best);
    assert_close(-gpis_inner_fall(t->inner), fmin(0.0, (double)here), 1e-9 * (double)fabsl(best) + noise);
}

static const char *const POLYHEDRA[] = {"nonneg",           "box:-1,0.5",
                                        "box:0,inf",        "box:-inf,0.2",
                                        "box:-inf,inf",     "box:0.25,0.25",
                                        "linf:0.7",         "linf:0",
                                        "l1:0.7",           "l1:3",
                                        "l1:1e9",           "l1:0",
                                        "simplex:0.7",      "simplex:2",
                                        "simplex:0",        "capped-simplex:0.7",
                                        "capped-simplex:3", "capped-simplex:1e9",
                                        "capped-simplex:0"};
enum { POLYHEDRON_COUNT = sizeof POLYHEDRA / sizeof *POLYHEDRA };

static void small_problems_against_every_face(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int64_t d = 1; d <= SMALL; d++)
        for (int spec = 0; spec < POLYHEDRON_COUNT; spec++)
            for (int power = 0; power <= 12; power += 3) {
                const double cond = pow(10.0, power), unit = power == 6 ? 1e-3 : 1.0;
                const uint64_t seed = (uint64_t)(1000 * d + 20 * spec + power);
                double *H = random_H(context, d, cond, power == 3 ? 1e-3 : 1.0, seed);
                task t = task_make(context, POLYHEDRA[spec], d, 1, H, unit, seed + 7);
                check_small(&t, 1e-10 + 1e-30 * cond * cond, "random");
                memset(t.g, 0, (size_t)d * sizeof *t.g); /* where x is the answer, and found on other faces */
                check_small(&t, 0.0, "zero gradient");
                task_end(&t);
            }
    test_context_end(context, &memory);
}

/* Ties, equal columns, columns of zeros, absurd units. */
static void degenerate_problems(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int spec = 0; spec < POLYHEDRON_COUNT; spec++)
        for (uint64_t seed = 0; seed < 8; seed++) {
            const int64_t d = 4;
            double *H = random_H(context, d, 10.0, 1.0, seed);
            if (seed % 4 == 1) duplicate(H, d, 0, 3);
            if (seed % 4 == 2) erase(H, d, 1);
            if (seed % 4 == 3)
                for (int64_t i = 0; i < d; i++) /* all entries alike */
                    for (int64_t j = 0; j < d; j++) H[i * d + j] = (i == j) + 0.5;
            const double size = seed < 4 ? 1.0 : 1e120;
            for (int64_t i = 0; i < d * d; i++) H[i] *= size;
            task t = task_make(context, POLYHEDRA[spec], d, 1, H, 1.0, 50 + seed);
            if (seed % 4 == 3)
                for (int64_t j = 0; j < d; j++) t.x[j] = t.x[0], t.g[j] = -size;
            assert_ok(context, gpis_set_project(t.set, t.x, t.x));
            check_small(&t, 1e-8, "degenerate"); /* with a column of zeros many faces share the minimum, to rounding */
            task_end(&t);
        }
    test_context_end(context, &memory);
}

/* ---- larger ones ------------------------------------------------------------------------------------------------ */

static void optimal_by_duality(void **state) {
    (void)state;
    static const char *const specs[] = {"nonneg",    "box:-1,0.5",        "linf:0.3", "l1:2",   "l1:60",
                                        "simplex:3", "capped-simplex:20", "l2:3",     "l2:1000"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int64_t d = 20; d <= 300; d += 140)
        for (size_t spec = 0; spec < sizeof specs / sizeof *specs; spec++)
            for (int64_t k = 1; k <= (d == 20 ? 3 : 1); k++)
                for (double cond = 1.0; cond <= 1e6; cond *= 1e3) {
                    double *H = random_H(context, d, cond, 1.0, 3 + spec);
                    task t = task_make(context, specs[spec], d, k, H, 1.0, 90 + spec);
                    task_solve(&t);
                    const double fall = gpis_inner_fall(t.inner);
                    assert_close(most_fall(&t), fall, 1e-10 * fall);
                    task_end(&t);
                }
    test_context_end(context, &memory);
}

static void agrees_with_the_long_way(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    static const char *const specs[] = {"nonneg", "box:-1,0.5", "l1:2", "simplex:3", "capped-simplex:3", "l2:1.5"};
    for (size_t spec = 0; spec < sizeof specs / sizeof *specs; spec++) {
        enum { D = 20 };
        task t = task_make(context, specs[spec], D, 2, random_H(context, D, 50.0, 1.0, 5), 1.0, 60 + spec);
        task_solve(&t);
        gpis_inner *slow = NULL;
        bool done = false;
        assert_ok(context, gpis_inner_create(context, t.set, t.model, &gpis_inner_fast, &slow));
        assert_true(slow->solver == &gpis_inner_gradient && t.inner->solver != &gpis_inner_gradient);
        gpis_inner_begin(slow, t.x, t.g);
        assert_ok(context, gpis_inner_run(slow, 5000, &done));
        for (int i = 0; i < 2 * D; i++) assert_close(t.inner->s[i], slow->s[i], 1e-9);
        assert_close(gpis_inner_fall(t.inner), gpis_inner_fall(slow), 1e-11 * gpis_inner_fall(slow));
        gpis_inner_destroy(slow);
        task_end(&t);
    }
    test_context_end(context, &memory);
}

/* The cost, counted: few faces from afar; one factor for ever when the face stays. */
static void few_faces(void **state) {
    (void)state;
    static const char *const specs[] = {"nonneg", "linf:0.3", "l1:20", "simplex:3", "capped-simplex:20"};
    enum { D = 200, GUESS = 20 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (size_t spec = 0; spec < sizeof specs / sizeof *specs; spec++) {
        task t = task_make(context, specs[spec], D, 1, random_H(context, D, 1e4, 1.0, 5), 1.0, 60 + spec);
        double first[D];
        task_solve(&t);
        memcpy(first, t.inner->s, sizeof first);
        if (t.inner->iterations > GUESS + 40) fail_msg("%s: %d faces", specs[spec], (int)t.inner->iterations - GUESS);
        /* another problem on the way, then the same again: the same answer, from another start */
        double *other = new_vector(D), *g = t.g;
        fill_normal(other, D, 4, 0.3);
        t.g = other;
        task_solve(&t);
        t.g = g;
        task_solve(&t);
        for (int i = 0; i < D; i++) assert_close(t.inner->s[i], first[i], 1e-9);
        /* nearly the same problem: no search */
        const int64_t before = t.inner->iterations;
        for (int i = 0; i < D; i++) t.g[i] *= 1.0 + 1e-9;
        task_solve(&t);
        assert_true(t.inner->iterations - before <= 5);
        t.g = g;
        free(other);
        task_end(&t);
    }
    test_context_end(context, &memory);
}

/* ---- the factor ------------------------------------------------------------------------------------------------- */

/* Members come and go at random; the factor solves with the block as it is, and appends no more than it must. */
static void factor_follows_its_members(void **state) {
    (void)state;
    enum { D = 30 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_model *model = NULL;
    gpis_principal *p = NULL;
    assert_ok(context, gpis_model_create(context, D, random_H(context, D, 100.0, 10.0, 3), 10.0, &model));
    assert_ok(context, gpis_principal_create(context, model, &p));
    bool member[D] = {false};
    for (uint64_t turn = 0; turn < 40; turn++) {
        double z[D], b[D] = {0}, v[D];
        for (int i = 0; i < 4; i++) {
            const uint32_t bits = gpis_random_bits(1, gpis_stream(GPIS_STREAM_SHUFFLE, 0), 4 * turn + (uint64_t)i).v[0];
            member[bits % D] = turn < 5 || !member[bits % D];
        }
        assert_true(gpis_principal_factor(p, member));
        fill_normal(z, D, turn, 1.0);
        for (int i = 0; i < D; i++)
            for (int j = 0; j < D; j++)
                if (member[i] && member[j]) b[i] += model->H[i * D + j] * z[j];
        memcpy(v, b, sizeof v);
        gpis_principal_solve(p, v);
        for (int i = 0; i < D; i++) assert_close(v[i], member[i] ? z[i] : 0.0, 1e-10 * (1.0 + fabs(z[i])));
        const int64_t cost = p->factored;
        assert_true(gpis_principal_factor(p, member));
        assert_int_equal(p->factored, cost);
    }
    /* one more at the end costs one row */
    int64_t cost = p->factored;
    for (int j = 0; j < D; j++)
        if (!member[j]) {
            member[j] = true;
            assert_true(gpis_principal_factor(p, member));
            assert_int_equal(p->factored, ++cost);
            member[j] = false; /* and nothing when it leaves */
            assert_true(gpis_principal_factor(p, member));
            assert_int_equal(p->factored, cost);
            break;
        }
    gpis_principal_destroy(p);
    gpis_model_destroy(model);
    test_context_end(context, &memory);
}

/* No model is indefinite; should one be all the same, there is no factor, and the gradient takes over. */
static void gradient_takes_over(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double H[4] = {1.0, 2.0, 2.0, 1.0}, R[4] = {1.0, 0.0, 0.0, 1.0}, scale[2] = {1.0, 1.0};
    const gpis_model model = {.context = context, .d = 2, .H = H, .R = R, .scale = scale, .c = 1.0, .inverse = 1.0};
    const double x[2] = {0.1, 0.2}, g[2] = {-3.0, 2.5};
    gpis_set *set = NULL;
    gpis_inner *inner = NULL;
    bool done = false;
    assert_ok(context, test_set(context, "box:-1,1", 2, 1, &set));
    assert_ok(context, gpis_inner_create(context, set, &model, NULL, &inner));
    gpis_inner_begin(inner, x, g);
    for (int i = 0; i < 100 && !done; i++) assert_ok(context, gpis_inner_run(inner, 50, &done));
    assert_true(done);
    assert_close(inner->s[0], 1.0, 1e-12);
    assert_close(inner->s[1], -1.0, 1e-12);
    gpis_inner_destroy(inner);
    gpis_set_destroy(set);
    test_context_end(context, &memory);
}

/* With as many columns as it takes for gradient steps to find the first face. */
static gpis_status solve_once(gpis_context *context, void *user) {
    enum { COLUMNS = 16 };
    double x[COLUMNS], g[COLUMNS];
    gpis_set *set = NULL;
    gpis_model *model = NULL;
    gpis_inner *inner = NULL;
    double *H = NULL;
    bool done;
    gpis_status status = test_set(context, user, COLUMNS, 1, &set);
    if (status == GPIS_OK && !(H = gpis_alloc_zero(context, COLUMNS * COLUMNS, sizeof *H))) status = GPIS_NO_MEMORY;
    if (status == GPIS_OK) {
        for (int j = 0; j < COLUMNS; j++) H[j * (COLUMNS + 1)] = 1.0, x[j] = 0.01, g[j] = j % 2 ? 1.0 : -2.0;
        status = gpis_model_create(context, COLUMNS, H, 10.0, &model);
    }
    if (status == GPIS_OK) status = gpis_inner_create(context, set, model, NULL, &inner);
    if (status == GPIS_OK) {
        gpis_inner_begin(inner, x, g);
        status = gpis_inner_run(inner, 10, &done);
    }
    gpis_inner_destroy(inner);
    gpis_model_destroy(model);
    gpis_set_destroy(set);
    return status;
}

static void lack_of_memory(void **state) {
    (void)state;
    assert_true(test_every_allocation(solve_once, "capped-simplex:1") >= 20);
    assert_true(test_every_allocation(solve_once, "nonneg") >= 20);
    assert_true(test_every_allocation(solve_once, "l2:1") >= 12);
    assert_true(test_every_allocation(solve_once, "none") >= 10);
    assert_true(test_every_allocation(solve_once, "group:1:1") >= 15);
}

int main(void) {
    omp_set_num_threads(1); /* as inside the library */
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_problems_against_every_face),
                                       cmocka_unit_test(degenerate_problems),
                                       cmocka_unit_test(optimal_by_duality),
                                       cmocka_unit_test(agrees_with_the_long_way),
                                       cmocka_unit_test(few_faces),
                                       cmocka_unit_test(factor_follows_its_members),
                                       cmocka_unit_test(gradient_takes_over),
                                       cmocka_unit_test(lack_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
