/*
 * Projected gradient on random quadratics over every set. A point is the minimiser when it is a fixed point of the
 * projected gradient step, x = P(x - grad q(x) / L), and when no member lies downhill: both are asked, nothing is
 * compared with stored digits.
 */
#include "inner/descent.h"

#include <float.h>
#include <omp.h>

#include "certificate/problems.h"
#include "inner/inner.h"

enum { MAX_COLUMNS = 16 };

/* q(x) = 1/2 <x, H x> + <b, x> for X of d x k, H the same for each column. */
typedef struct quadratic {
    int64_t d, k;
    double H[MAX_COLUMNS * MAX_COLUMNS], b[MAX_COLUMNS], largest;
    long trials;
} quadratic;

static gpis_status trial(void *user, const double *x, const double *p, double *gradient, double *curvature,
                         double *value) {
    quadratic *q = user;
    q->trials++;
    *curvature = *value = 0.0;
    for (int64_t i = 0; i < q->d; i++)
        for (int64_t c = 0; c < q->k; c++) {
            double Hx = 0.0, Hp = 0.0;
            for (int64_t j = 0; j < q->d; j++) {
                Hx += q->H[i * q->d + j] * x[j * q->k + c];
                Hp += q->H[i * q->d + j] * p[j * q->k + c];
            }
            const int64_t at = i * q->k + c;
            gradient[at] = Hx + q->b[at];
            *curvature += p[at] * Hp;
            *value += x[at] * (0.5 * Hx + q->b[at]);
        }
    return GPIS_OK;
}

/* H = B'B with `rank` rows. */
static quadratic quadratic_make(int64_t d, int64_t k, int64_t rank, uint64_t seed) {
    quadratic q = {.d = d, .k = k};
    double B[4 * MAX_COLUMNS * MAX_COLUMNS];
    fill_normal(B, rank * d, seed, 1.0);
    fill_normal(q.b, d * k, seed + 1, 2.0);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++) {
            for (int64_t r = 0; r < rank; r++) q.H[i * d + j] += B[r * d + i] * B[r * d + j];
            if (i == j) q.largest += q.H[i * d + j]; /* the trace bounds the norm */
        }
    if (rank < d) { /* b in the range of H, or there may be no minimum */
        double v[MAX_COLUMNS], b[MAX_COLUMNS] = {0};
        memcpy(v, q.b, sizeof v);
        for (int64_t i = 0; i < d; i++)
            for (int64_t c = 0; c < k; c++)
                for (int64_t j = 0; j < d; j++) b[i * k + c] += q.H[i * d + j] * v[j * k + c];
        memcpy(q.b, b, sizeof b);
    }
    return q;
}

static void gradient_at(quadratic *q, const double *x, double *gradient, double *value) {
    double nothing[MAX_COLUMNS] = {0}, curvature;
    trial(q, x, nothing, gradient, &curvature, value);
}

/* How far one plain step moves, and how far downhill random members lie: zero at the minimiser. */
static void check_minimiser(gpis_context *context, gpis_set *set, quadratic *q, const double *x, double tol,
                            const char *how) {
    const int64_t size = q->d * q->k;
    double g[MAX_COLUMNS], v[MAX_COLUMNS] = {0}, value, moved = 0.0, scale = 1.0;
    gradient_at(q, x, g, &value);
    for (int64_t i = 0; i < size; i++) v[i] = x[i] - g[i] / q->largest, scale += fabs(x[i]) + fabs(v[i]);
    assert_ok(context, gpis_set_project(set, v, v));
    for (int64_t i = 0; i < size; i++) moved = fmax(moved, fabs(v[i] - x[i]));
    if (!(moved <= tol * scale)) fail_msg("%s, %s: a step still moves by %g", gpis_set_spec(set), how, moved);
    for (uint64_t s = 0; s < 10; s++) {
        double downhill = 0.0, size2 = 1.0;
        fill_normal(v, size, 900 + s, 3.0);
        assert_ok(context, gpis_set_project(set, v, v));
        for (int64_t i = 0; i < size; i++) downhill += g[i] * (x[i] - v[i]), size2 += fabs(g[i] * (x[i] - v[i]));
        const double forgiven = tol * scale * q->largest * scale * 10.0 + tol * size2;
        if (!(downhill <= forgiven)) fail_msg("%s, %s: a member is %g downhill", gpis_set_spec(set), how, downhill);
    }
}

typedef struct way {
    const char *name;
    gpis_descent_settings settings;
    bool fixed; /* step 1 / trace */
} way;

static const way WAYS[] = {
    {"plain", {false, 2.0, 2.0, 0.0, GPIS_RESTART_NONE}, false},
    {"plain, gamma_d = 1", {false, 1.3, 1.0, 0.0, GPIS_RESTART_NONE}, false},
    {"accelerated, gradient restart", {true, 2.0, 1.1, 0.0, GPIS_RESTART_GRADIENT}, false},
    {"accelerated, function restart", {true, 2.0, 2.0, 0.0, GPIS_RESTART_FUNCTION}, false},
    {"accelerated, no restart", {true, 2.0, 1.0, 0.0, GPIS_RESTART_NONE}, false},
    {"accelerated, fixed step", {true, 2.0, 2.0, 1.0, GPIS_RESTART_GRADIENT}, true},
    {"plain, fixed step", {false, 2.0, 2.0, 1.0, GPIS_RESTART_NONE}, true},
};

static gpis_descent *begin(gpis_context *context, gpis_set *set, const way *w, quadratic *q, const double *x,
                           double eta) {
    gpis_descent_settings settings = w->settings;
    if (w->fixed) settings.fixed_step = 1.0 / q->largest;
    gpis_descent *s = NULL;
    double g[MAX_COLUMNS], value;
    assert_ok(context, gpis_descent_create(context, set, &settings, trial, q, &s));
    gradient_at(q, x, g, &value);
    gpis_descent_start(s, x, g, value, eta);
    q->trials = 0;
    return s;
}

static void minimise(gpis_context *context, const world *w, const char *pattern, const way *how, quadratic *q,
                     double tol) {
    gpis_set *set = problem_set(context, w, pattern, "0.7", q->k);
    double x[MAX_COLUMNS];
    fill_normal(x, q->d * q->k, 5, 1.0);
    assert_ok(context, gpis_set_project(set, x, x));
    gpis_descent *s = begin(context, set, how, q, x, 1e3 / q->largest); /* far too long at first */
    bool moved = true;
    for (int i = 0; i < 4000 && moved; i++) assert_ok(context, gpis_descent_step(s, &moved));
    /* a search costs about one trial a step, also when the steps have become rounding errors */
    assert_true(q->trials <= 12 * s->iterations + 60);
    assert_int_equal(q->trials, s->trials);
    double away = 0.0, scale = 1.0;
    memcpy(x, s->x, sizeof(double) * (size_t)s->size);
    assert_ok(context, gpis_set_distance(set, x, &away));
    for (int64_t i = 0; i < s->size; i++) scale += fabs(x[i]);
    assert_true(away <= 1e-12 * scale);
    check_minimiser(context, set, q, x, tol, how->name);
    gpis_descent_destroy(s);
    gpis_set_destroy(set);
}

static void every_way_over_every_set(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int64_t d = 1; d <= 7; d += 3) {
        world w;
        world_begin(&w, d);
        for (int64_t k = 1; k <= 2; k++)
            for (size_t i = 0; i < sizeof WAYS / sizeof *WAYS; i++)
                for (int spec = 0; spec < SPEC_COUNT; spec++) {
                    quadratic q = quadratic_make(d, k, 3 * d, 40 + (uint64_t)spec);
                    minimise(context, &w, SPECS[spec], &WAYS[i], &q, 1e-9);
                }
        world_end(&w);
    }
    test_context_end(context, &memory);
}

/* Not one minimiser but many; any will do. */
static void singular_quadratics(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, 6);
    for (size_t i = 2; i < 5; i++) /* plain descent may be as slow as 1 / steps here */
        for (int spec = 0; spec < SPEC_COUNT; spec++) {
            quadratic q = quadratic_make(6, 1, 3, 60 + (uint64_t)spec);
            minimise(context, &w, SPECS[spec], &WAYS[i], &q, 1e-6);
        }
    world_end(&w);
    test_context_end(context, &memory);
}

/* H = 0: a linear function, whose least value over a bounded set is -support(-b). */
static void no_curvature_at_all(void **state) {
    (void)state;
    static const char *const bounded[] = {"l1:0.7", "l2:0.7", "simplex:0.7", "box:-1,2", "capped-simplex:2"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, 5);
    for (size_t i = 0; i < 5; i++) {
        gpis_set *set = problem_set(context, &w, bounded[i], "1", 1);
        quadratic q = {.d = 5, .k = 1, .b = {1.0, -2.0, 0.5, 3.0, -1.0}};
        double x[5] = {0}, minus_b[5], support, value = 0.0;
        for (int j = 0; j < 5; j++) minus_b[j] = -q.b[j];
        assert_ok(context, gpis_set_project(set, x, x));
        gpis_descent *s = begin(context, set, &WAYS[2], &q, x, 1.0);
        bool moved = true;
        for (int j = 0; j < 3000 && moved; j++) assert_ok(context, gpis_descent_step(s, &moved));
        assert_ok(context, gpis_set_support(set, minus_b, &support));
        for (int j = 0; j < 5; j++) value += q.b[j] * s->x[j];
        assert_close(value, -support, 1e-7);
        gpis_descent_destroy(s);
        gpis_set_destroy(set);
    }
    world_end(&w);
    test_context_end(context, &memory);
}

/* Nothing to do: x keeps its bits, and no trial is made. */
static void zero_gradient_and_fixed_points(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, 4);
    for (size_t i = 0; i < sizeof WAYS / sizeof *WAYS; i++) {
        quadratic q = quadratic_make(4, 1, 12, 3);
        memset(q.b, 0, sizeof q.b);
        gpis_set *set = problem_set(context, &w, "none", "1", 1);
        double zero[4] = {0};
        bool moved = true;
        gpis_descent *s = begin(context, set, &WAYS[i], &q, zero, 1.0);
        assert_ok(context, gpis_descent_step(s, &moved));
        assert_false(moved);
        assert_memory_equal(s->x, zero, sizeof zero);
        assert_int_equal(q.trials, 0);
        gpis_descent_destroy(s);
        gpis_set_destroy(set);
        /* a corner with the gradient pointing out of the set */
        set = problem_set(context, &w, "nonneg", "1", 1);
        for (int j = 0; j < 4; j++) q.b[j] = 1.0 + j;
        s = begin(context, set, &WAYS[i], &q, zero, 1.0);
        assert_ok(context, gpis_descent_step(s, &moved));
        assert_false(moved);
        assert_memory_equal(s->x, zero, sizeof zero);
        gpis_descent_destroy(s);
        gpis_set_destroy(set);
    }
    world_end(&w);
    test_context_end(context, &memory);
}

/* Plain descent never goes uphill, and an accepted step passes the test of Algorithm 3. */
static void plain_descent_descends(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, 7);
    for (int spec = 0; spec < SPEC_COUNT; spec++) {
        quadratic q = quadratic_make(7, 1, 9, 8);
        gpis_set *set = problem_set(context, &w, SPECS[spec], "0.7", 1);
        double x[MAX_COLUMNS];
        fill_normal(x, 7, 5, 1.0);
        assert_ok(context, gpis_set_project(set, x, x));
        gpis_descent *s = begin(context, set, &WAYS[0], &q, x, 100.0 / q.largest);
        bool moved = true;
        for (int i = 0; i < 300 && moved; i++) {
            const double before = s->value;
            assert_ok(context, gpis_descent_step(s, &moved));
            assert_true(s->value <= before + 1e-13 * (1.0 + fabs(before)));
            assert_true(s->eta * q.largest >= 0.4); /* not shorter than gamma_u below what is always short enough */
        }
        gpis_descent_destroy(s);
        gpis_set_destroy(set);
    }
    world_end(&w);
    test_context_end(context, &memory);
}

/* Beck and Teboulle: q(x_k) - q* <= 2 ||x_0 - x*||^2 / (eta (k + 1)^2), with steps that never grow. */
static void acceleration_keeps_its_rate(void **state) {
    (void)state;
    enum { D = 12, STEPS = 200 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_set *set = NULL;
    assert_ok(context, test_set(context, "none", D, 1, &set));
    quadratic q = {.d = D, .k = 1, .largest = 1.0};
    double x[D], norm2 = 0.0;
    for (int j = 0; j < D; j++) {
        q.H[j * D + j] = pow(10.0, -0.5 * j);
        x[j] = pow(10.0, 0.2 * j);
        norm2 += x[j] * x[j];
    }
    const way how = {"", {true, 2.0, 1.0, 0.0, GPIS_RESTART_NONE}, false};
    gpis_descent *s = begin(context, set, &how, &q, x, 1.0);
    for (int k = 1; k <= STEPS; k++) {
        bool moved;
        assert_ok(context, gpis_descent_step(s, &moved));
        assert_true(moved && s->value <= 2.0 * norm2 / (s->eta * (k + 1.0) * (k + 1.0)));
    }
    gpis_descent_destroy(s);
    gpis_set_destroy(set);
    test_context_end(context, &memory);
}

/* Where there is no curvature the gradient is rounding errors, and x must not follow them. */
static void rounding_errors_are_not_followed(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_set *set = NULL;
    assert_ok(context, test_set(context, "none", 2, 1, &set));
    for (size_t i = 0; i < sizeof WAYS / sizeof *WAYS; i++) {
        quadratic q = {.d = 2, .k = 1, .H = {1.0, 0.0, 0.0, 0.0}, .b = {1.0, 1e-16}, .largest = 1.0};
        const double x[2] = {0};
        gpis_descent *s = begin(context, set, &WAYS[i], &q, x, 1.0);
        bool moved = true;
        for (int k = 0; k < 1000 && moved; k++) assert_ok(context, gpis_descent_step(s, &moved));
        assert_true(fabs(s->x[0] + 1.0) < 1e-12 && fabs(s->x[1]) < 1e-3);
        gpis_descent_destroy(s);
    }
    gpis_set_destroy(set);
    test_context_end(context, &memory);
}

/* ---- the inner problem on a model ------------------------------------------------------------------------------- */

static void inner_problem(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, 5);
    for (int64_t k = 1; k <= 2; k++)
        for (int spec = 0; spec < SPEC_COUNT; spec++) {
            const int64_t size = 5 * k;
            quadratic q = quadratic_make(5, k, 15, 70);
            gpis_set *set = problem_set(context, &w, SPECS[spec], "0.7", k);
            double *H = gpis_alloc(context, 25, sizeof *H), x[MAX_COLUMNS], g[MAX_COLUMNS], value;
            memcpy(H, q.H, 25 * sizeof *H);
            gpis_model *model = NULL;
            gpis_inner *inner = NULL;
            assert_ok(context, gpis_model_create(context, 5, H, 23.0, &model));
            assert_ok(context, gpis_inner_create(context, set, model, NULL, &inner));
            for (uint64_t start = 0; start < 3; start++) { /* used again and again */
                bool done = false;
                fill_normal(x, size, start, 1.0);
                assert_ok(context, gpis_set_project(set, x, x));
                gradient_at(&q, x, g, &value);
                gpis_inner_begin(inner, x, g);
                assert_memory_equal(inner->s, x, sizeof *x * (size_t)size);
                for (int burst = 0; burst < 60 && !done; burst++) assert_ok(context, gpis_inner_run(inner, 50, &done));
                check_minimiser(context, set, &q, inner->s, 1e-9, "inner");
                if (strcmp(SPECS[spec], "none") == 0) assert_true(done);
            }
            gpis_inner_destroy(inner);
            gpis_model_destroy(model);
            gpis_set_destroy(set);
        }
    world_end(&w);
    test_context_end(context, &memory);
}

static gpis_status create_inner(gpis_context *context, void *user) {
    (void)user;
    gpis_set *set = NULL;
    gpis_model *model = NULL;
    gpis_inner *inner = NULL;
    double *H = NULL;
    gpis_status status = test_set(context, "l1:1", 2, 1, &set);
    if (status == GPIS_OK && !(H = gpis_alloc_zero(context, 4, sizeof *H))) status = GPIS_NO_MEMORY;
    if (status == GPIS_OK) {
        H[0] = H[3] = 1.0;
        status = gpis_model_create(context, 2, H, 10.0, &model);
    }
    if (status == GPIS_OK) status = gpis_inner_create(context, set, model, NULL, &inner);
    gpis_inner_destroy(inner);
    gpis_model_destroy(model);
    gpis_set_destroy(set);
    return status;
}

static void lack_of_memory(void **state) {
    (void)state;
    assert_true(test_every_allocation(create_inner, NULL) >= 12);
}

int main(void) {
    omp_set_num_threads(1); /* as inside the library */
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_way_over_every_set),
                                       cmocka_unit_test(singular_quadratics),
                                       cmocka_unit_test(no_curvature_at_all),
                                       cmocka_unit_test(zero_gradient_and_fixed_points),
                                       cmocka_unit_test(plain_descent_descends),
                                       cmocka_unit_test(acceleration_keeps_its_rate),
                                       cmocka_unit_test(rounding_errors_are_not_followed),
                                       cmocka_unit_test(inner_problem),
                                       cmocka_unit_test(lack_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
