/*
 * The hull step against brute force: f and g there are those of a fresh evaluation, no point is better than it on any
 * face of the simplex of weights, and it never leaves the set of its points' convex combinations.
 */
#include "method/hull.h"

#include <float.h>
#include <omp.h>

#include "set/world.h"

enum { N = 12, D = 5, MAX_POINTS = GPIS_HULL_POINTS };

typedef struct quadratic {
    double A[N * D], y[N];
} quadratic;

static long double evaluate(const quadratic *q, const double *x, double *g) {
    long double f = 0, sum[D] = {0};
    for (int i = 0; i < N; i++) {
        long double r = -(long double)q->y[i];
        for (int j = 0; j < D; j++) r += (long double)q->A[i * D + j] * x[j];
        for (int j = 0; j < D; j++) sum[j] += q->A[i * D + j] * r;
        f += r * r;
    }
    for (int j = 0; g && j < D; j++) g[j] = (double)sum[j];
    return f;
}

/* Solves M z = v by elimination with pivots; false when M is singular. */
static bool eliminate(int n, long double M[MAX_POINTS][MAX_POINTS], long double *v) {
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int i = c + 1; i < n; i++)
            if (fabsl(M[i][c]) > fabsl(M[best][c])) best = i;
        if (fabsl(M[best][c]) < 1e-14L) return false;
        for (int j = 0; j < n; j++) {
            const long double kept = M[c][j];
            M[c][j] = M[best][j];
            M[best][j] = kept;
        }
        const long double kept = v[c];
        v[c] = v[best];
        v[best] = kept;
        for (int i = c + 1; i < n; i++) {
            const long double factor = M[i][c] / M[c][c];
            for (int j = c; j < n; j++) M[i][j] -= factor * M[c][j];
            v[i] -= factor * v[c];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) v[i] -= M[i][j] * v[j];
        v[i] /= M[i][i];
    }
    return true;
}

/* The least f over the affine hull of the points in `face`; infinite if its minimiser is not unique, or if it is
 * outside of the convex hull and that is asked for. Around the first of them, A (x - x_0) is linear in the other
 * weights. */
static long double least_on_face(const quadratic *q, double X[][D], int count, int face, bool convex) {
    long double B[MAX_POINTS][N], M[MAX_POINTS][MAX_POINTS], v[MAX_POINTS], r0[N], f = 0, sum = 0;
    int first = -1, n = 0;
    for (int p = 0; p < count; p++) {
        if (!(face >> p & 1)) continue;
        for (int i = 0; i < N; i++) {
            long double Ax = 0;
            for (int j = 0; j < D; j++) Ax += (long double)q->A[i * D + j] * X[p][j];
            if (first < 0)
                r0[i] = Ax - q->y[i];
            else
                B[n][i] = Ax - q->y[i] - r0[i];
        }
        n += first >= 0;
        if (first < 0) first = p;
    }
    for (int a = 0; a < n; a++) {
        v[a] = 0;
        for (int i = 0; i < N; i++) v[a] -= B[a][i] * r0[i];
        for (int b = 0; b < n; b++) {
            M[a][b] = 0;
            for (int i = 0; i < N; i++) M[a][b] += B[a][i] * B[b][i];
        }
    }
    if (!eliminate(n, M, v)) return INFINITY;
    for (int a = 0; a < n; a++) {
        sum += v[a];
        if (convex && v[a] < 0) return INFINITY;
    }
    if (convex && sum > 1) return INFINITY;
    for (int i = 0; i < N; i++) {
        long double r = r0[i];
        for (int a = 0; a < n; a++) r += v[a] * B[a][i];
        f += r * r;
    }
    return f;
}

static long double least_by_force(const quadratic *q, double X[][D], int count, bool convex) {
    long double least = INFINITY;
    for (int face = 1; face < 1 << count; face++)
        if (convex || __builtin_popcount((unsigned)face) <= D + 1)
            least = fminl(least, least_on_face(q, X, count, face, convex));
    return least;
}

typedef enum places { APART, EQUAL, ON_A_LINE, NEARLY_EQUAL, ONE_BEST, PLACES } places;

static void place_points(double X[][D], int count, places where, uint64_t seed) {
    double v[(MAX_POINTS + 1) * D];
    fill_normal(v, (MAX_POINTS + 1) * D, seed, 1.0);
    for (int p = 0; p < count; p++)
        for (int j = 0; j < D; j++) {
            const double u = v[p * D + j], *line = v + MAX_POINTS * D;
            X[p][j] = where == EQUAL          ? v[j] + (p % 3 == 1 ? line[j] : 0.0)
                      : where == ON_A_LINE    ? v[j] + (double)p * p / 8.0 * line[j]
                      : where == NEARLY_EQUAL ? v[j] + 1e-5 * u
                      : where == ONE_BEST     ? (p == count / 2 ? 0.0 : 100.0 * u)
                                              : u;
        }
}

/* Where points are measured without errors the norms of columns do not matter. */
static const double norms2[D];

static void check_hull(gpis_context *context, int count, places where, bool affine, uint64_t seed) {
    quadratic q;
    double X[MAX_POINTS][D], g[D], x[D], fresh[D], f, best = INFINITY;
    gpis_hull *hull = NULL;
    fill_normal(q.A, N * D, seed, 1.0);
    fill_normal(q.y, N, seed + 1, 1.0);
    place_points(X, count, where, seed + 2);
    assert_ok(context, gpis_hull_create(context, D, 1, affine, NULL, &hull));
    for (int p = 0; p < count; p++) {
        const double at = (double)evaluate(&q, X[p], g);
        gpis_hull_add(hull, &(gpis_point){.x = X[p], .g = g, .objective = at, .norms2 = norms2});
        best = fmin(best, at);
    }
    const gpis_point made = gpis_hull_minimise(hull, x, g, NULL);
    f = made.objective;
    const double truth = (double)evaluate(&q, x, fresh), least = (double)least_by_force(&q, X, count, !affine);
    double size = 0.0;
    for (int j = 0; j < D; j++) size = fmax(size, fabs(fresh[j]));
    assert_true(f <= best);
    assert_close(f, truth, 1e-10 * truth);
    assert_close(f, truth, made.errors.objective + 1e-15 * truth);
    for (int j = 0; j < D; j++) assert_close(g[j], fresh[j], 1e-10 * (size + sqrt(truth)));
    if (affine) /* it may stay with convex weights where others were immoderate */
        assert_true(truth >= least * (1.0 - 1e-9) && f <= (double)least_by_force(&q, X, count, true) * (1.0 + 1e-8));
    else if (!(fabs(truth - least) <= 1e-8 * least))
        fail_msg("%d points, placed %d: f is %.17g, by force %.17g", count, where, truth, least);
    gpis_hull_destroy(hull);
}

static void as_good_as_brute_force(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int count = 1; count <= MAX_POINTS; count++)
        for (int where = 0; where < PLACES; where++)
            for (uint64_t seed = 0; seed < (count < 9 ? 12 : 2); seed++)
                for (int affine = 0; affine < 2; affine++)
                    check_hull(context, count, where, affine, 1000 * (uint64_t)count + 10 * seed);
    test_context_end(context, &memory);
}

/* Every entry lies between those of the points, to the last bit: points that keep bounds have combinations that do. The
 * sum which starts from the best point would often miss by a rounding, where that point has lost all of its weight. */
static void combinations_keep_bounds(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (uint64_t seed = 0; seed < 4000; seed++) {
        quadratic q;
        const int count = 3 + (int)(seed % (MAX_POINTS - 2));
        double X[MAX_POINTS][D], g[D], x[D];
        gpis_hull *hull = NULL;
        fill_normal(q.A, N * D, 3 * seed, 1.0);
        fill_normal(q.y, N, 3 * seed + 1, 1.0);
        fill_normal(X[0], MAX_POINTS * D, 3 * seed + 2, 1.0);
        assert_ok(context, gpis_hull_create(context, D, 1, false, NULL, &hull));
        for (int p = 0; p < count; p++) {
            for (int j = 0; j < D; j++) X[p][j] = fmin(fmax(X[p][j], -0.3), 0.3);
            const double at = (double)evaluate(&q, X[p], g);
            gpis_hull_add(hull, &(gpis_point){.x = X[p], .g = g, .objective = at, .norms2 = norms2});
        }
        (void)gpis_hull_minimise(hull, x, g, NULL);
        for (int j = 0; j < D; j++) assert_true(-0.3 <= x[j] && x[j] <= 0.3);
        gpis_hull_destroy(hull);
    }
    test_context_end(context, &memory);
}

/* Gradients that are off by what they are said to be off by: so is the objective, and by no more than stated. */
static void errors_are_covered(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    int uncovered = 0; /* were the errors left out */
    for (uint64_t seed = 0; seed < 600; seed++) {
        quadratic q;
        const int count = 2 + (int)(seed % 8);
        /* of the products, of the residuals, or of both; and of f itself */
        const double product = seed % 3 != 1 ? 1e-7 : 0.0, residual = seed % 3 != 0 ? 1e-7 : 0.0;
        double X[MAX_POINTS][D], g[D], x[D], fresh[D], f, signs[MAX_POINTS * D], columns2[D] = {0}, e[N * MAX_POINTS];
        gpis_hull *hull = NULL;
        fill_normal(q.A, N * D, seed, 1.0);
        fill_normal(q.y, N, seed + 1, 1.0);
        fill_normal(signs, MAX_POINTS * D, seed + 3, 1.0);
        fill_normal(e, N * MAX_POINTS, seed + 4, 1.0);
        for (int i = 0; i < N * D; i++) columns2[i % D] += q.A[i] * q.A[i];
        place_points(X, count, (places)(seed % PLACES), seed + 2);
        assert_ok(context, gpis_hull_create(context, D, 1, seed % 7 < 2, NULL, &hull));
        for (int p = 0; p < count; p++) {
            const double at = (double)evaluate(&q, X[p], g), *ep = e + p * N, wrong = at * (1.0 + 1e-9 * signs[p * D]);
            double size =
                0.0; /* the residual errors of a point have the norm `residual`, and differ from the others' */
            for (int i = 0; i < N; i++) size += ep[i] * ep[i];
            for (int j = 0; j < D; j++) {
                g[j] += copysign(product * sqrt(columns2[j]), signs[p * D + j]);
                for (int i = 0; i < N; i++) g[j] += q.A[i * D + j] * ep[i] * residual / sqrt(size);
            }
            gpis_hull_add(hull, &(gpis_point){.x = X[p],
                                              .g = g,
                                              .objective = wrong,
                                              .norms2 = columns2,
                                              .errors = {residual, product, fabs(wrong - at) * (1.0 + 1e-9)}});
        }
        const gpis_point made = gpis_hull_minimise(hull, x, g, NULL);
        f = made.objective;
        const double truth = (double)evaluate(&q, x, fresh), off = fabs(f - truth);
        if (!(off <= made.errors.objective + 1e-14 * truth))
            fail_msg("off by %g, stated %g", off, made.errors.objective);
        for (int j = 0; j < D; j++)
            assert_true(fabs(g[j] - fresh[j]) <=
                        sqrt(columns2[j]) * (made.errors.residual + made.errors.product) + 1e-14 * fabs(fresh[j]));
        uncovered += off > 1e-10 * truth;
        gpis_hull_destroy(hull);
    }
    assert_true(uncovered > 20);
    test_context_end(context, &memory);
}

/*
 * f = c + ||x - best||^2 with c near 1. All points but the one at 0 are p_i = a (1, e_i / 2), and the best point has
 * the weight 1/24 for each of them. Every one of the 121 terms t_i t_j <p_i, p_j> that f is made of is just below half
 * a unit in the last place of f: added to f one by one, all of them would be lost, which is many times what rounding
 * may do; summed by themselves, none is.
 */
static void corrections_are_summed_before_they_are_added(void **state) {
    (void)state;
    enum { POINTS = MAX_POINTS, WIDE = MAX_POINTS };
    static const double HALF_UNIT = 0.5 * DBL_EPSILON;
    static const double ones[WIDE] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const long double c = 1.0L + 0x1p-20L, weight = 1.0L / 24.0L;
    const double a = 0.95 * sqrt(HALF_UNIT) * 24.0; /* (t a)^2 is 0.9 half units, and 1.13 of them for i = j */
    double points[POINTS][WIDE] = {{0}}, best[WIDE] = {0}, x[WIDE], g[WIDE];
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_hull *hull = NULL;
    assert_ok(context, gpis_hull_create(context, WIDE, 1, false, NULL, &hull));
    for (int i = 1; i < POINTS; i++) {
        points[i][0] = a;
        points[i][i] = 0.5 * a;
        for (int j = 0; j < WIDE; j++) best[j] += (double)weight * points[i][j];
    }
    for (int i = 0; i < POINTS; i++) {
        long double f = c;
        for (int j = 0; j < WIDE; j++) {
            g[j] = points[i][j] - best[j];
            f += (long double)g[j] * g[j];
        }
        gpis_hull_add(hull, &(gpis_point){.x = points[i],
                                          .g = g,
                                          .objective = (double)f,
                                          .norms2 = ones,
                                          .errors = {.objective = HALF_UNIT * (double)f}});
    }
    const gpis_point made = gpis_hull_minimise(hull, x, g, NULL);
    long double truth = c;
    for (int j = 0; j < WIDE; j++) truth += ((long double)x[j] - best[j]) * ((long double)x[j] - best[j]);
    const double off = (double)fabsl(made.objective - truth) / HALF_UNIT;
    print_message("off by %.1f units, %.1f allowed\n", off, made.errors.objective / HALF_UNIT);
    for (int j = 0; j < WIDE; j++) assert_close(x[j], best[j], 1e-3 * a); /* all points are needed for it */
    assert_true(off <= made.errors.objective / HALF_UNIT && made.errors.objective < 60.0 * HALF_UNIT);
    gpis_hull_destroy(hull);
    test_context_end(context, &memory);
}

/* f = (x - 0.4)^2, known at 0 exactly and at 1 with an error of -0.99 in the residual. The computed curvature between
 * them is then 0.01 instead of 1, and f at 1 comes out as negative: ||A p|| must not be taken from that curvature. */
static void curvature_that_is_off(void **state) {
    (void)state;
    static const double one = 1.0, points[] = {0.0, 1.0}, errors[] = {0.0, -0.99};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_hull *hull = NULL;
    double x, g;
    assert_ok(context, gpis_hull_create(context, 1, 1, false, NULL, &hull));
    for (int i = 0; i < 2; i++) {
        const double r = points[i] - 0.4, measured = r + errors[i];
        gpis_hull_add(hull, &(gpis_point){.x = &points[i],
                                          .g = &measured,
                                          .objective = r * r,
                                          .norms2 = &one,
                                          .errors = {.residual = fabs(errors[i])}});
    }
    const gpis_point made = gpis_hull_minimise(hull, &x, &g, NULL);
    const double truth = (x - 0.4) * (x - 0.4), off = fabs(made.objective - truth);
    assert_true(off > 0.3 && off <= made.errors.objective);
    gpis_hull_destroy(hull);
    test_context_end(context, &memory);
}

/* x is so far from 0 that it can only be rounded to a multiple of 2^-26, and f grows in the direction in which it is
 * rounded: the objective is that of the point before it was rounded. */
static void the_point_itself_is_rounded(void **state) {
    (void)state;
    static const double ones[] = {1.0, 1.0}, points[][2] = {{0.0, 1e8}, {1.0, 1e8 + 1.0}};
    static const double best[] = {0.3 + 5.0, 1e8 + 0.3 - 5.0};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_hull *hull = NULL;
    double x[2], g[2];
    assert_ok(context, gpis_hull_create(context, 2, 1, false, NULL, &hull));
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) g[j] = points[i][j] - best[j];
        gpis_hull_add(hull, &(gpis_point){.x = points[i],
                                          .g = g,
                                          .objective = g[0] * g[0] + g[1] * g[1],
                                          .norms2 = ones,
                                          .errors = {.objective = 1e-13}});
    }
    const gpis_point made = gpis_hull_minimise(hull, x, g, NULL);
    long double truth = 0.0L;
    for (int j = 0; j < 2; j++) truth += ((long double)x[j] - best[j]) * ((long double)x[j] - best[j]);
    const double off = (double)fabsl(made.objective - truth);
    assert_true(off > 1e-9 && off <= made.errors.objective && made.errors.objective < 1e-5);
    for (int j = 0; j < 2; j++)
        assert_true(fabs(g[j] - (x[j] - best[j])) <= made.errors.residual + made.errors.product);
    gpis_hull_destroy(hull);
    test_context_end(context, &memory);
}

/* More points than the hull can hold: the oldest leave. Convex weights keep members members. */
static void old_points_leave(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    quadratic q;
    gpis_hull *hull = NULL;
    double x[D], g[D], f, last = INFINITY;
    fill_normal(q.A, N * D, 1, 1.0);
    fill_normal(q.y, N, 2, 1.0);
    assert_ok(context, gpis_hull_create(context, D, 1, false, NULL, &hull));
    for (uint64_t p = 0; p < 40; p++) {
        fill_normal(x, D, 10 + p, 1.0);
        double norm = 0.0;
        for (int j = 0; j < D; j++) norm += fabs(x[j]);
        for (int j = 0; j < D; j++) x[j] /= 4.0 * norm; /* in the l1 ball of radius 1/4 */
        const double at = (double)evaluate(&q, x, g);
        gpis_hull_add(hull, &(gpis_point){.x = x, .g = g, .objective = at, .norms2 = norms2});
        f = gpis_hull_minimise(hull, x, g, NULL).objective;
        norm = 0.0;
        for (int j = 0; j < D; j++) norm += fabs(x[j]);
        assert_true(norm <= 0.25 + 1e-15);
        if (p < MAX_POINTS) assert_true(f <= last);
        assert_true(hull->count <= MAX_POINTS);
        last = f;
    }
    assert_int_equal(hull->count, MAX_POINTS);
    gpis_hull_destroy(hull);
    test_context_end(context, &memory);
}

/* Each point keeps the errors it was measured with, whatever was measured after it; a combination has those of its
 * parts and more. */
static void points_keep_their_own_errors(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    quadratic q;
    gpis_hull *hull = NULL;
    double near[D] = {0}, far[D], g[D], x[D], added;
    fill_normal(q.A, N * D, 31, 1.0);
    fill_normal(q.y, N, 32, 1.0);
    fill_normal(far, D, 33, 10.0);
    assert_ok(context, gpis_hull_create(context, D, 1, false, NULL, &hull));
    const double best = (double)evaluate(&q, near, g);
    const gpis_errors coarse = {1e-6, 2e-6, 3e-6}, fine = {1e-16, 2e-16, 3e-16};
    gpis_hull_add(hull, &(gpis_point){.x = near, .g = g, .objective = best, .norms2 = norms2, .errors = coarse});
    const double other = (double)evaluate(&q, far, g);
    gpis_hull_add(hull, &(gpis_point){.x = far,
                                      .g = g,
                                      .objective = other,
                                      .norms2 = norms2,
                                      .errors = fine}); /* measured later, and more precisely */
    assert_true(best < other);
    const gpis_point kept = gpis_hull_best(hull, x, g);
    assert_memory_equal(&kept.errors, &coarse, sizeof coarse);
    const gpis_point made = gpis_hull_minimise(hull, x, g, &added);
    assert_true(made.errors.objective >= coarse.objective && added <= made.errors.objective);
    assert_true(made.errors.residual > 0.5 * coarse.residual && made.errors.product > 0.5 * coarse.product);
    gpis_hull_destroy(hull);
    test_context_end(context, &memory);
}

static gpis_status make(gpis_context *context, void *user) {
    (void)user;
    gpis_hull *hull = NULL;
    const gpis_status status = gpis_hull_create(context, D, 1, false, NULL, &hull);
    gpis_hull_destroy(hull);
    return status;
}

static void lack_of_memory(void **state) {
    (void)state;
    assert_int_equal(test_every_allocation(make, NULL), 2);
}

int main(void) {
    omp_set_num_threads(1); /* as inside the library: BLAS has no threads of its own */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_good_as_brute_force), cmocka_unit_test(combinations_keep_bounds),
        cmocka_unit_test(errors_are_covered),     cmocka_unit_test(corrections_are_summed_before_they_are_added),
        cmocka_unit_test(curvature_that_is_off),  cmocka_unit_test(the_point_itself_is_rounded),
        cmocka_unit_test(old_points_leave),       cmocka_unit_test(points_keep_their_own_errors),
        cmocka_unit_test(lack_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
