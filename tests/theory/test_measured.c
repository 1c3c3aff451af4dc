/*
 * The bounds against Gaussian sketches themselves. A = Q diag(s) with orthonormal Q, so range(A) is that of Q and
 *
 *     alpha = |I - eta A'S'SA|,  sigma = (s_max(SQ) / s_min(SQ))^2,  rho = sup_v v'(S'S - I)z / inf_v |Sv|^2
 *
 * are small dense matters, S being seen through SQ and Sz alone. A bound of probability p must hold in that share of
 * the trials; and it must not be so loose that a lost factor would go unseen.
 */
#include <lapacke.h>
#include <omp.h>

#include "calls.h"

typedef struct world {
    test_memory memory;
    gpis_context *context;
    gpis_source *source; /* of Q */
    int64_t n, d;
    double *Q; /* n x d */
    double *z; /* n, unit length */
} world;

static double length(const double *v, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += v[i] * v[i];
    return sqrt(sum);
}

/* z: a direction of R^n, half of it in range(A) or all of it. */
static void world_make(world *w, int64_t d, bool within) {
    const int64_t n = w->n = 200;
    double tau[32], c[32];
    w->d = d;
    w->Q = calloc((size_t)(n * d), sizeof(double));
    w->z = calloc((size_t)n, sizeof(double));
    w->context = test_context(&w->memory);
    assert_ok(w->context, gpis_context_set_threads(w->context, 1));
    gpis_random_normal(7, 1, 0, n * d, w->Q);
    assert_int_equal(LAPACKE_dgeqrf(LAPACK_ROW_MAJOR, (int)n, (int)d, w->Q, (int)d, tau), 0);
    assert_int_equal(LAPACKE_dorgqr(LAPACK_ROW_MAJOR, (int)n, (int)d, (int)d, w->Q, (int)d, tau), 0);
    gpis_random_normal(7, 2, 0, d, c);
    gpis_random_normal(7, 3, 0, n, w->z);
    const double part = length(w->z, n), whole = length(c, d);
    for (int64_t i = 0; i < n; i++) {
        double q = 0;
        for (int64_t j = 0; j < d; j++) q += w->Q[i * d + j] * c[j] / whole;
        w->z[i] = q + (within ? 0 : w->z[i] / part);
    }
    const double scale = length(w->z, n);
    for (int64_t i = 0; i < n; i++) w->z[i] /= scale;
    assert_ok(w->context, gpis_source_dense(w->context, w->Q, GPIS_FLOAT64, GPIS_ROW_MAJOR, n, d, d, &w->source));
}

static void world_end(world *w) {
    gpis_source_destroy(w->source);
    test_context_end(w->context, &w->memory);
    free(w->Q);
    free(w->z);
}

/* One sketch, as far as it is seen: H = (SQ)'SQ (d x d), its extreme eigenvalues, and c = Q'(S'S - I)z. */
typedef struct trial {
    int64_t d;
    double H[32 * 32], c[32];
    double least, largest;
} trial;

static trial sketch(world *w, int64_t m, uint64_t round) {
    const int64_t d = w->d;
    trial t = {.d = d};
    double *SQ = malloc((size_t)(m * d) * sizeof(double)), *Sz = malloc((size_t)m * sizeof(double)), values[32],
           copy[32 * 32];
    assert_ok(w->context, test_sketch(w->context, w->source, w->z, 1, "gaussian", m, 11, round, SQ, Sz));
    for (int64_t j = 0; j < d; j++) {
        for (int64_t l = 0; l < d; l++)
            for (int64_t r = 0; r < m; r++) t.H[j * d + l] += SQ[r * d + j] * SQ[r * d + l];
        for (int64_t r = 0; r < m; r++) t.c[j] += SQ[r * d + j] * Sz[r];
        for (int64_t i = 0; i < w->n; i++) t.c[j] -= w->Q[i * d + j] * w->z[i];
    }
    memcpy(copy, t.H, sizeof copy);
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', (int)d, copy, (int)d, values), 0);
    t.least = values[0], t.largest = values[d - 1];
    free(SQ);
    free(Sz);
    return t;
}

/* Singular values of A: from 1 down to 1/sqrt(cond). */
static double singular_value(int64_t j, int64_t d, double cond) {
    return d > 1 ? pow(cond, -0.5 * (double)j / (double)(d - 1)) : 1;
}

/* |I - eta A'S'SA| for A = Q diag(s), L = 1. */
static double measured_alpha(const trial *t, double cond, double eta) {
    const int64_t d = t->d;
    double M[32 * 32], values[32];
    for (int64_t j = 0; j < d; j++)
        for (int64_t l = 0; l < d; l++)
            M[j * d + l] = (j == l) - eta * singular_value(j, d, cond) * t->H[j * d + l] * singular_value(l, d, cond);
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', (int)d, M, (int)d, values), 0);
    return fmax(fabs(values[0]), fabs(values[d - 1]));
}

/* ---- no constraint: C is the whole space --------------------------------------------------------------------------
 */

static void unconstrained(void **state) {
    (void)state;
    enum { TRIALS = 60 };
    const struct {
        int64_t m, d;
        double cond, theta;
        bool within;
    } cases[] = {{60, 4, 10, 2, true},     {300, 8, 1e4, 2, false}, {150, 8, 1, 1.8, true},
                 {1000, 16, 100, 2, true}, {400, 1, 1, 2.5, false}, {500, 24, 1e6, 3, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        world w;
        world_make(&w, cases[i].d, cases[i].within);
        gpis_bounds_problem p = gpis_bounds_default();
        gpis_bounds b;
        p.m = cases[i].m, p.d = cases[i].d, p.cond = cases[i].cond, p.theta = cases[i].theta;
        assert_ok(w.context, gpis_bounds_compute(w.context, &p, &b));
        int alpha = 0, sigma = 0, rho = 0, direct = 0;
        double gap = 0, distortion = 0, factor = 0;
        for (int r = 0; r < TRIALS; r++) {
            const trial t = sketch(&w, p.m, (uint64_t)r);
            const double a = measured_alpha(&t, p.cond, b.step), s = t.largest / t.least,
                         f = length(t.c, p.d) / t.least;
            alpha += a <= b.alpha, sigma += s <= b.sigma, rho += f <= b.rho, direct += f <= b.rho_direct;
            gap += (1 - a) / TRIALS, distortion += s / TRIALS, factor += f / TRIALS;
        }
        assert_true(alpha >= TRIALS * b.alpha_probability && sigma >= TRIALS * b.sigma_probability);
        assert_true(rho >= TRIALS * b.rho_probability && direct >= TRIALS * b.rho_direct_probability);
        assert_true(b.alpha_probability > 0.3 && b.rho_direct_probability > 0); /* something was said */
        /* Not far from the truth where theta is 0: the mean of what was measured is about the bound. */
        p.theta = 0;
        assert_ok(w.context, gpis_bounds_compute(w.context, &p, &b));
        assert_true(sqrt(distortion) < 1.1 * sqrt(b.sigma) && distortion > 0.5 * b.sigma);
        assert_true(factor < 1.1 * b.rho && factor > 0.4 * b.rho_direct);
        world_end(&w);
    }
}

/* The step of Theorem 1 in our scale: with E[S'S] = I, A'S'SA is about A'A, so L times the step is about 1, and it is
 * safe (1/|SA|^2 or shorter) in the share promised. */
static void convention(void **state) {
    (void)state;
    enum { TRIALS = 40 };
    world w;
    world_make(&w, 6, true);
    gpis_bounds_problem p = gpis_bounds_default();
    gpis_bounds b;
    double mean[6 * 6] = {0};
    int safe = 0;
    p.m = 200, p.d = 6, p.theta = 2;
    assert_ok(w.context, gpis_bounds_compute(w.context, &p, &b));
    for (int r = 0; r < TRIALS; r++) {
        const trial t = sketch(&w, p.m, (uint64_t)r);
        for (int i = 0; i < 36; i++) mean[i] += t.H[i] / TRIALS;
        safe += b.step * t.largest <= 1;
    }
    for (int i = 0; i < 36; i++) assert_close(mean[i], i % 7 == 0, 5 * sqrt(2.0 / (200 * TRIALS)));
    assert_true(safe >= TRIALS * (1 - exp(-2)) && b.step > 0.4 && b.step < 1);
    world_end(&w);
}

/* ---- an l1 ball at a sparse point, orthonormal A ------------------------------------------------------------------
 */

/* The cone C at x with s first entries positive and the rest 0: sum over the first of v, plus |v| over the rest, <= 0.
 * Its polar is {t u: t >= 0, u = 1 on the support, |u| <= 1 off it}; by Moreau, p = q less its nearest point there.
 * The distance is convex in t, and its derivative vanishes at the best t >= 0. Returns |p|. */
static double project_cone(const double *q, int64_t d, int64_t s, double *p) {
    double low = 0, high = 1;
    for (int64_t i = 0; i < d; i++) high = fmax(high, fabs(q[i]));
    for (int k = 0; k < 100; k++) {
        const double t = (low + high) / 2;
        double slope = 0;
        for (int64_t i = 0; i < d; i++) slope += i < s ? t - q[i] : -fmax(fabs(q[i]) - t, 0);
        if (slope > 0)
            high = t;
        else
            low = t;
    }
    for (int64_t i = 0; i < d; i++) p[i] = i < s ? q[i] - low : copysign(fmax(fabs(q[i]) - low, 0), q[i]);
    return length(p, d);
}

/* The width bound against the mean of |P_C(g)|, which is the width, but for a mean of positive parts. */
static void width_of_cone(void **state) {
    (void)state;
    enum { DRAWS = 400 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    const int64_t sizes[][2] = {{100, 1}, {100, 3}, {100, 10}, {400, 10}, {50, 25}, {50, 50}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        double g[400], p[400], mean = 0, width = 0;
        for (int r = 0; r < DRAWS; r++) {
            gpis_random_normal(3, (uint64_t)r, 0, sizes[i][0], g);
            mean += project_cone(g, sizes[i][0], sizes[i][1], p) / DRAWS;
        }
        assert_ok(context, gpis_bounds_width_l1(context, sizes[i][0], sizes[i][1], &width));
        assert_true(mean < width + 4.0 / sqrt(DRAWS) && mean > 0.6 * width);
    }
    test_context_end(context, &memory);
}

/* inf |Sv|^2 over the cone, from above: a projected power iteration on (largest I - H) from some starts. */
static double least_on_cone(const trial *t, int64_t s, uint64_t seed) {
    const int64_t d = t->d;
    double least = INFINITY, v[32], next[32];
    for (uint64_t start = 0; start < 5; start++) {
        gpis_random_normal(seed, start, 0, d, next);
        for (int k = 0; k < 40; k++) {
            const double size = project_cone(next, d, s, v);
            if (size < 1e-6) break; /* this start lies in the polar cone */
            double value = 0;
            for (int64_t j = 0; j < d; j++) v[j] /= size;
            for (int64_t j = 0; j < d; j++) {
                double hv = 0;
                for (int64_t l = 0; l < d; l++) hv += t->H[j * d + l] * v[l];
                value += v[j] * hv;
                next[j] = t->largest * v[j] - hv;
            }
            least = fmin(least, value);
        }
    }
    return least;
}

static void sparse_cone(void **state) {
    (void)state;
    enum { TRIALS = 40, D = 32, S = 2 };
    world w;
    world_make(&w, D, true);
    for (int64_t m = 150; m <= 600; m *= 2) {
        gpis_bounds_problem p = gpis_bounds_default();
        gpis_bounds b, wide;
        p.m = m, p.d = D, p.theta = 2;
        assert_ok(w.context, gpis_bounds_compute(w.context, &p, &wide));
        assert_ok(w.context, gpis_bounds_width_l1(w.context, D, S, &p.width));
        assert_ok(w.context, gpis_bounds_compute(w.context, &p, &b));
        assert_true(b.rho < wide.rho && b.rho_direct < wide.rho_direct);
        int rho = 0, direct = 0;
        double mean = 0;
        for (int r = 0; r < TRIALS; r++) {
            const trial t = sketch(&w, m, (uint64_t)r);
            double v[D];
            const double f = project_cone(t.c, D, S, v) / least_on_cone(&t, S, (uint64_t)r + 1);
            rho += f <= b.rho, direct += f <= b.rho_direct;
            mean += f / TRIALS;
        }
        assert_true(rho >= TRIALS * b.rho_probability && direct >= TRIALS * b.rho_direct_probability);
        p.theta = 0;
        assert_ok(w.context, gpis_bounds_compute(w.context, &p, &b));
        assert_true(mean < 1.1 * b.rho && mean > 0.3 * b.rho_direct); /* and the cone, not sqrt(d), is what counts */
    }
    world_end(&w);
}

/* ---- Theorems 1, 2 and 3: the inner loops themselves --------------------------------------------------------------
 */

enum { INNER_D = 12 };

/* x = z - eta M z: an iteration on f_t(x) = 1/2 |SA(x - x*_t)|^2, seen from x*_t, with K the whole space. */
static void iterate(const double *M, double eta, const double *z, double *x) {
    for (int j = 0; j < INNER_D; j++) {
        double gradient = 0;
        for (int l = 0; l < INNER_D; l++) gradient += M[j * INNER_D + l] * z[l];
        x[j] = z[j] - eta * gradient;
    }
}

static double a_norm(const double *x, double cond) {
    double scaled[INNER_D];
    for (int j = 0; j < INNER_D; j++) scaled[j] = singular_value(j, INNER_D, cond) * x[j];
    return length(scaled, INNER_D);
}

/* From x_0 - x*_t, R its squared length, L = 1: after k iterations |.|_2 against alpha^k sqrt(R), and |.|_A against
 * sqrt(L sigma R/k) and 2 sqrt(L sigma R)/(k + 1). */
static void inner_loops(void **state) {
    (void)state;
    enum { D = INNER_D };
    world w;
    world_make(&w, D, true);
    const double cond = 1e3;
    const trial t = sketch(&w, 100, 5);
    const double sigma = t.largest / t.least;
    double M[D * D], copy[D * D], values[D], plain[D], x[D], z[D], next[D], tau = 1;
    for (int i = 0; i < D * D; i++)
        M[i] = copy[i] = singular_value(i / D, D, cond) * t.H[i] * singular_value(i % D, D, cond);
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', D, copy, D, values), 0);
    const double eta = 1 / values[D - 1], alpha = 1 - eta * values[0];
    gpis_random_normal(9, 9, 0, D, plain);
    const double root = length(plain, D);
    memcpy(x, plain, sizeof x);
    memcpy(z, plain, sizeof z);
    for (int k = 1; k <= 300; k++) {
        iterate(M, eta, plain, next);
        memcpy(plain, next, sizeof plain);
        iterate(M, eta, z, next);
        const double last = tau;
        tau = (1 + sqrt(1 + 4 * tau * tau)) / 2;
        for (int j = 0; j < D; j++) z[j] = next[j] + (last - 1) / tau * (next[j] - x[j]);
        memcpy(x, next, sizeof x);
        assert_true(length(plain, D) <= pow(alpha, k) * root * (1 + 1e-12));
        assert_true(a_norm(plain, cond) <= sqrt(sigma / k) * root);
        assert_true(a_norm(x, cond) <= 2 * sqrt(sigma) / (k + 1) * root);
    }
    world_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unconstrained), cmocka_unit_test(convention),  cmocka_unit_test(width_of_cone),
        cmocka_unit_test(sparse_cone),   cmocka_unit_test(inner_loops),
    };
    omp_set_num_threads(1); /* many tiny matrices: threads would only wait for each other */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
