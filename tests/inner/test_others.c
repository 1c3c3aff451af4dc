/*
 * The solvers of sets that have no faces of their own: in other coordinates, in a plane, by alternating directions. By
 * duality (tasks.h); against the plainest projected gradient there is, written here; and by what holds at a minimiser.
 */
#include <float.h>
#include <omp.h>

#include "tasks.h"

static const char *const OTHERS[] = {"affine:$/C.npy,$/b.npy",
                                     "l1:#@dct",
                                     "box:-1,0.5@$/U.npy",
                                     "simplex:#@$/U.npy",
                                     "capped-simplex:#@dct",
                                     "nonneg@dct",
                                     "linf:#@dct",
                                     "l2:#@$/U.npy",
                                     "none@dct",
                                     "monotone",
                                     "tv:#",
                                     "group:#:1",
                                     "group:#:%",
                                     "nuclear:#",
                                     "monotone@$/U.npy",
                                     "tv:#@dct",
                                     "group:#:1@dct",
                                     "affine:$/C.npy,$/b.npy@dct",
                                     "l1:#@dct@$/U.npy"};
enum { OTHER_COUNT = sizeof OTHERS / sizeof *OTHERS };

static task make(gpis_context *context, const world *w, const char *pattern, const char *R, int64_t k, double *H,
                 uint64_t seed) {
    char spec[256];
    world_spec(w, pattern, R, spec, sizeof spec);
    return task_make(context, spec, w->d, k, H, 1.0, seed);
}

/* What q may be where only the last digits of x have changed; H is of size 1. */
static double rounding_of_x(const task *t) {
    const double size = gpis_norm2(t->x, t->set->d * t->set->k);
    return 1e-29 * (1.0 + size * size);
}

/* s is in the set, and its value is what is said of it. */
static void check_point(task *t) {
    const int64_t size = t->set->d * t->set->k;
    double away, *p = new_vector(size), *Hp = new_vector(size);
    assert_ok(t->context, gpis_set_distance(t->set, t->inner->s, &away));
    const double members = gpis_norm2(t->inner->s, size) + gpis_set_core_radius(t->set);
    if (!(away <= 1e-13 * members)) fail_msg("%s: outside by %g of %g", gpis_set_spec(t->set), away, members);
    const double value = gpis_inner_value(t->inner, t->inner->s, p, Hp), noise = gpis_inner_noise(t->inner, t->x, Hp);
    assert_close(t->inner->value, value, 1e-12 * fabs(value));
    assert_true(t->inner->value <= 8.0 * noise + rounding_of_x(t));
    free(p);
    free(Hp);
}

/* Bursts until the bound is met to `tol` of the fall, or `most` steps are taken; returns how many were. */
static int64_t solve(task *t, double tol, int64_t most) {
    const int64_t before = t->inner->iterations;
    double fall = 0.0, bound = INFINITY;
    bool done = false;
    gpis_inner_begin(t->inner, t->x, t->g);
    while (!done && !(bound - fall <= tol * fall) && t->inner->iterations - before < most) {
        assert_ok(t->context, gpis_inner_run(t->inner, 50, &done));
        assert_true(gpis_inner_fall(t->inner) >= fall * (1.0 - 1e-12));
        fall = gpis_inner_fall(t->inner);
        bound = most_fall(t);
        check_point(t);
    }
    if (!(bound - fall <= tol * fall + 1e-14 * fabs(t->inner->value)))
        fail_msg("%s, d %d, k %d: fell by %.15g of at most %.15g in %d steps", gpis_set_spec(t->set), (int)t->set->d,
                 (int)t->set->k, fall, bound, (int)(t->inner->iterations - before));
    return t->inner->iterations - before;
}

/* Few steps, however ill conditioned the model is: gradients would take thousands. */
static void optimal_by_duality(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int64_t d = 12; d <= 60; d += 48) {
        world w;
        world_begin(&w, d);
        for (int spec = 0; spec < OTHER_COUNT; spec++)
            for (int64_t k = 1; k <= 2; k++)
                for (int power = 0; power <= 8; power += 4) {
                    const uint64_t seed = (uint64_t)(100 * spec + power);
                    double *H = random_H(context, d, pow(10.0, power), 1.0, seed);
                    task t = make(context, &w, OTHERS[spec], spec % 2 ? "3" : "0.7", k, H, 500 + seed);
                    solve(&t, 1e-8, 1500);
                    task_end(&t);
                }
        world_end(&w);
    }
    test_context_end(context, &memory);
}

/* Alternating directions: steps counted at conditions where gradients take thousands, to a bound that is met. */
static void alternating_takes_few_steps(void **state) {
    (void)state;
    enum { D = 60 };
    static const char *const specs[] = {"group:20:5", "group:60:5", "nuclear:40", "nuclear:80", "group:20:5@dct"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (size_t spec = 0; spec < sizeof specs / sizeof *specs; spec++)
        for (int power = 2; power <= 10; power += 4) {
            task t =
                task_make(context, specs[spec], D, 4, random_H(context, D, pow(10.0, power), 1.0, 5), 1.0, 9 + spec);
            const int64_t steps = solve(&t, 1e-9, 2000);
            if (steps > 400) fail_msg("%s, condition 1e%d: %d steps", specs[spec], power, (int)steps);
            task_end(&t);
        }
    test_context_end(context, &memory);
}

/* q at the end of a long walk of projected gradient steps with the safe step 1 / trace(H). */
static double long_walk(task *t, double *s) {
    const int64_t d = t->set->d, size = d * t->set->k;
    double *p = new_vector(size), *Hp = new_vector(size), trace = 0.0;
    for (int64_t j = 0; j < d; j++) trace += t->model->H[j * d + j];
    memcpy(s, t->x, (size_t)size * sizeof *s);
    for (int step = 0; step < 3000; step++) {
        for (int64_t i = 0; i < size; i++) p[i] = s[i] - t->x[i];
        gpis_model_apply(t->model, t->set->k, p, Hp);
        for (int64_t i = 0; i < size && trace > 0.0; i++) s[i] -= (t->g[i] + Hp[i]) / trace;
        assert_ok(t->context, gpis_set_project(t->set, s, s));
    }
    double value = 0.0;
    for (int64_t i = 0; i < size; i++) p[i] = s[i] - t->x[i];
    gpis_model_apply(t->model, t->set->k, p, Hp);
    for (int64_t i = 0; i < size; i++) value += p[i] * (0.5 * Hp[i] + t->g[i]);
    free(p);
    free(Hp);
    return value;
}

static void run_to_the_end(task *t) {
    bool done = false;
    gpis_inner_begin(t->inner, t->x, t->g);
    for (int i = 0; i < 20 && !done; i++) assert_ok(t->context, gpis_inner_run(t->inner, 50, &done));
    check_point(t);
}

static void agrees_with_a_long_walk(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, 6);
    for (int spec = 0; spec < OTHER_COUNT; spec++)
        for (int64_t k = 1; k <= 3; k++) {
            double s[18];
            task t = make(context, &w, OTHERS[spec], "0.8", k, random_H(context, 6, 5.0, 1.0, 4), 70 + (uint64_t)spec);
            const double value = long_walk(&t, s);
            run_to_the_end(&t);
            assert_close(t.inner->value, value, 1e-9 * fabs(value));
            for (int i = 0; i < 6 * k; i++) assert_close(t.inner->s[i], s[i], 1e-6);
            task_end(&t);
        }
    world_end(&w);
    test_context_end(context, &memory);
}

/* Equal columns, columns of zeros, a model of rank one, nothing at all; radii of 0 and huge ones; one column. The walk
 * may not have arrived, so it must not be lower. */
static void degenerate_problems(void **state) {
    (void)state;
    static const char *const radii[] = {"0", "1.5", "1e6"};
    enum { KINDS = 5, MAX_COLUMNS = 6 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int64_t d = 1; d <= MAX_COLUMNS; d += MAX_COLUMNS - 1) {
        world w;
        world_begin(&w, d);
        for (int spec = 0; spec < OTHER_COUNT; spec++)
            for (int kind = 0; kind < KINDS; kind++) {
                double *H = random_H(context, d, 10.0, 1.0, (uint64_t)kind), s[MAX_COLUMNS];
                if (kind == 1 && d > 1) duplicate(H, d, 0, 3);
                if (kind == 2) erase(H, d, d / 2);
                for (int64_t i = 0; kind == 3 && i < d * d; i++) H[i] = 1.0;
                for (int64_t i = 0; kind == 4 && i < d * d; i++) H[i] = 0.0;
                task t = make(context, &w, OTHERS[spec], radii[(spec + kind) % 3], 1, H, 30 + (uint64_t)spec);
                const double value = long_walk(&t, s);
                double noise = 1e-13;
                for (int64_t i = 0; i < d; i++) noise += 1e-13 * fabs(t.g[i] * s[i]);
                run_to_the_end(&t);
                if (!(t.inner->value <= value + 1e-7 * fabs(value) + noise))
                    fail_msg("%s, d %d, kind %d: q %.12g, by walking %.12g", gpis_set_spec(t.set), (int)d, kind,
                             t.inner->value, value);
                memset(t.g, 0, (size_t)d * sizeof *t.g); /* x is a minimiser */
                run_to_the_end(&t);
                assert_true(fabs(t.inner->value) <= rounding_of_x(&t));
                task_end(&t);
            }
        world_end(&w);
    }
    test_context_end(context, &memory);
}

/* In a plane: C s = b, and no direction within leads downhill; in one step, at any condition. */
static void plane_is_exact(void **state) {
    (void)state;
    enum { D = 40, K = 2 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, D);
    for (int power = 0; power <= 10; power += 2) {
        task t = make(context, &w, "affine:$/C.npy,$/b.npy", "", K, random_H(context, D, pow(10.0, power), 1.0, 2), 7);
        double p[D * K], G[D * K];
        bool done = false;
        gpis_inner_begin(t.inner, t.x, t.g);
        assert_ok(context, gpis_inner_run(t.inner, 1, &done));
        assert_true(done && t.inner->iterations <= 3);
        check_point(&t);
        for (int i = 0; i < D * K; i++) p[i] = t.inner->s[i] - t.x[i];
        gpis_model_apply(t.model, K, p, G);
        for (int i = 0; i < D * K; i++) G[i] += t.g[i];
        const double size = gpis_norm2(t.g, D * K);
        assert_ok(context, gpis_set_recession(t.set, G, G));
        assert_true(gpis_norm2(G, D * K) <= 1e-12 * (size + gpis_norm2(t.inner->s, D * K)));
        task_end(&t);
    }
    world_end(&w);
    test_context_end(context, &memory);
}

/* A round later, with the gradient hardly changed, there is little left to do. */
static void goes_on_from_the_last_round(void **state) {
    (void)state;
    enum { D = 60 };
    static const char *const specs[] = {"l1:3@dct", "tv:3", "monotone", "group:20:5", "nuclear:20", "group:20:5@dct"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (size_t spec = 0; spec < sizeof specs / sizeof *specs; spec++) {
        task t = task_make(context, specs[spec], D, 2, random_H(context, D, 1e6, 1.0, 5), 1.0, 60 + spec);
        const int64_t first = solve(&t, 1e-9, 2000);
        for (int i = 0; i < 2 * D; i++) t.g[i] *= 1.0 + 1e-9;
        const int64_t steps = solve(&t, 1e-8, 100);
        assert_true(steps <= first / 2);
        task_end(&t);
    }
    test_context_end(context, &memory);
}

/* A model that misleads: its H, which coordinates and factors are made of, is not what it multiplies with, or is not
 * even positive. The gradient takes over. */
static void gradient_takes_over(void **state) {
    (void)state;
    static const char *const specs[] = {"box:-1,1@dct", "group:0.6:1"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int i = 0; i < 2; i++) {
        double H[4] = {1e-3, 0.0, 0.0, 1e-3}, R[4] = {1.0, 0.5, 0.0, i == 0 ? 1.0 : 0.1}, scale[2] = {1.0, 1.0};
        if (i == 1) H[1] = H[2] = 1.0; /* eigenvalues 1 and -1, nearly */
        const gpis_model model = {
            .context = context, .d = 2, .H = H, .R = R, .scale = scale, .by_rows = true, .c = 1.0, .inverse = 4.0};
        const double x[2] = {0.1, 0.2}, g[2] = {-0.3, 0.25};
        gpis_set *set = NULL;
        gpis_inner *inner = NULL, *slow = NULL;
        bool done = false;
        assert_ok(context, test_set(context, specs[i], 2, 1, &set));
        assert_ok(context, gpis_inner_create(context, set, &model, NULL, &inner));
        assert_ok(context, gpis_inner_create(context, set, &model, &gpis_inner_fast, &slow));
        gpis_inner_begin(inner, x, g);
        for (int burst = 0; burst < 1000 && !done; burst++) assert_ok(context, gpis_inner_run(inner, 10, &done));
        assert_true(done && inner->iterations > (i == 0 ? 0 : 50)); /* by then the factor was tried */
        gpis_inner_begin(slow, x, g);
        assert_ok(context, gpis_inner_run(slow, 10000, &done));
        for (int j = 0; j < 2; j++) assert_close(inner->s[j], slow->s[j], 1e-7);
        gpis_inner_destroy(inner);
        gpis_inner_destroy(slow);
        gpis_set_destroy(set);
    }
    test_context_end(context, &memory);
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static gpis_status solve_once(gpis_context *context, void *user) {
    enum { D = 12, BURSTS = 3 };
    gpis_set *set = NULL;
    gpis_model *model = NULL;
    gpis_inner *inner = NULL;
    double *H = NULL, x[D] = {0}, g[D];
    gpis_status status = test_set(context, user, D, 1, &set);
    for (int j = 0; j < D; j++) g[j] = 1.0 + j % 5;
    if (status == GPIS_OK) status = gpis_set_project(set, x, x);
    if (status == GPIS_OK && !(H = gpis_alloc_zero(context, D * D, sizeof *H))) status = GPIS_NO_MEMORY;
    if (status == GPIS_OK) {
        for (int j = 0; j < D; j++) H[j * D + j] = pow(0.1, j); /* too much for a few gradient steps */
        status = gpis_model_create(context, D, H, 10.0, &model);
    }
    if (status == GPIS_OK) status = gpis_inner_create(context, set, model, NULL, &inner);
    if (status == GPIS_OK) gpis_inner_begin(inner, x, g);
    bool done = false;
    for (int i = 0; i < BURSTS && status == GPIS_OK && !done; i++) status = gpis_inner_run(inner, 50, &done);
    gpis_inner_destroy(inner);
    gpis_model_destroy(model);
    gpis_set_destroy(set);
    return status;
}

static void lack_of_memory(void **state) {
    (void)state;
    world w;
    world_begin(&w, 12);
    for (int spec = 0; spec < OTHER_COUNT; spec++) {
        char text[256];
        world_spec(&w, OTHERS[spec], "1", text, sizeof text);
        assert_true(test_every_allocation(solve_once, text) >= 20);
    }
    world_end(&w);
}

/* It takes no more memory than the planner expects. */
static void memory_is_foreseen(void **state) {
    (void)state;
    enum { D = 100, K = 3 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, D);
    for (int spec = 0; spec < OTHER_COUNT; spec++) {
        task t = make(context, &w, OTHERS[spec], "2", K, random_H(context, D, 1e6, 1.0, 3), 5);
        gpis_inner_destroy(t.inner);
        t.inner = NULL;
        const int64_t before = gpis_account_used(context);
        atomic_store(&context->peak, before);
        assert_ok(context, gpis_inner_create(context, t.set, t.model, NULL, &t.inner));
        gpis_inner_begin(t.inner, t.x, t.g);
        bool done = false;
        for (int i = 0; i < 2 && !done; i++) assert_ok(context, gpis_inner_run(t.inner, 50, &done));
        const double taken = (double)(atomic_load(&context->peak) - before), foreseen = gpis_inner_memory(t.set);
        if (!(taken <= foreseen)) fail_msg("%s takes %g bytes, not %g", gpis_set_spec(t.set), taken, foreseen);
        task_end(&t);
    }
    world_end(&w);
    test_context_end(context, &memory);
}

int main(void) {
    omp_set_num_threads(1); /* as inside the library */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(optimal_by_duality),      cmocka_unit_test(alternating_takes_few_steps),
        cmocka_unit_test(agrees_with_a_long_walk), cmocka_unit_test(degenerate_problems),
        cmocka_unit_test(plane_is_exact),          cmocka_unit_test(goes_on_from_the_last_round),
        cmocka_unit_test(gradient_takes_over),     cmocka_unit_test(lack_of_memory),
        cmocka_unit_test(memory_is_foreseen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
