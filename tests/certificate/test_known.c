/*
 * Bounds from points and multipliers of the problem in double-double. For every member s of the set that is tried,
 *
 *     f(s) >= lower - tilt ||D (s - v)||,     f(s) >= whole,
 *
 * where f is that of quadruple precision, however early the solver stops, so however bad v and its multiplier are. And
 * where it does not stop early, the bound meets f at a member: no bound is higher than f*, so both are right. With a
 * penalty h the same holds for f + h.
 */
#include "certificate/known.h"

#include <limits.h>

#include "calls.h"
#include "certificate/problems.h"
#include "inner/spectral.h"
#include "pass/pass.h"
#include "set/draw.h"
#include "set/extend.h"

typedef __float128 quad;

enum { MAX_ENTRIES = 16, VECTORS = 7 };

/* f at x + low. */
static quad value_of(const problem *p, const double *x, const double *low) {
    quad sum = 0;
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t c = 0; c < p->k; c++) {
            quad r = -(quad)p->Y[i * p->k + c];
            for (int64_t j = 0; j < p->d; j++)
                r += (quad)p->A[i * p->d + j] * ((quad)x[j * p->k + c] + (low ? low[j * p->k + c] : 0.0));
            sum += r * r;
        }
    return sum;
}

/* A problem with its summary, and a solution of some quality. */
typedef struct setting {
    gpis_context *context;
    const problem *p;
    gpis_set *set;
    gpis_quadratic *summary;
    gpis_model *model;
    double norms2[MAX_ENTRIES];
    double memory[VECTORS][MAX_ENTRIES];
    gpis_point v;
    gpis_known_multiplier l;
} setting;

static void make_summary(setting *t, gpis_source *A) {
    const problem *p = t->p;
    assert_ok(t->context, gpis_quadratic_create(t->context, p->d, p->k, &t->summary));
    const gpis_pass pass = {.k = p->k, .Y = p->Y, .norms2 = t->norms2, .summary = t->summary->W};
    const gpis_load load = gpis_load_of(&pass, p->d);
    assert_ok(t->context, gpis_pass_run(t->context, A, &pass));
    t->summary->gamma = gpis_pass_roundings(A, &load).summary;
    assert_ok(t->context, gpis_model_of_quadratic(t->context, t->summary, 0.0, NULL, &t->model));
}

/* Over a ball of the nuclear norm: all responses together, by data over all x. */
static void solve_together(setting *t, gpis_fine_aim aim, const gpis_fine_point *at) {
    gpis_set *none = NULL;
    gpis_fine *fine = NULL;
    gpis_spectral *spectral = NULL;
    t->l = (gpis_known_multiplier){.l = t->memory[2], .l_low = t->memory[3], .off = t->memory[4]};
    assert_ok(t->context, gpis_set_none(t->context, t->set->d, &none));
    assert_ok(t->context, gpis_fine_create(t->context, none, t->summary, &fine));
    assert_ok(t->context, gpis_spectral_create(t->context, t->set, fine, &spectral));
    gpis_spectral_solve(spectral, aim, at);
    t->v = gpis_quadratic_point(t->summary, at->x, at->x_low, t->memory[5], t->memory[6], t->norms2);
    assert_ok(t->context, gpis_spectral_multiplier(t->context, t->set, &t->v, &t->l));
    gpis_spectral_destroy(spectral);
    gpis_fine_destroy(fine);
    gpis_set_destroy(none);
}

/* Counts down the steps that are left. */
static bool has_no_steps(void *user) {
    int *left = user;
    return (*left)-- <= 0;
}

static void solve_with(setting *t, double goal, double shift, int steps) {
    const gpis_stop stop = {has_no_steps, &steps};
    double x[MAX_ENTRIES] = {0};
    gpis_fine *fine = NULL;
    const gpis_fine_point at = {t->memory[0], t->memory[1]};
    const gpis_fine_aim aim = {.goal = goal, .shift = shift, .stop = &stop};
    if (gpis_spectral_applies(t->set)) {
        solve_together(t, aim, &at);
        return;
    }
    t->l = (gpis_known_multiplier){.l = t->memory[2], .l_low = t->memory[3], .off = t->memory[4]};
    assert_ok(t->context, gpis_set_project(t->set, x, x));
    assert_ok(t->context, gpis_fine_create(t->context, t->set, t->summary, &fine));
    for (int64_t c = 0; c < t->p->k; c++) gpis_fine_solve(fine, c, x, aim, &at, &t->l);
    gpis_fine_destroy(fine);
    t->v = gpis_quadratic_point(t->summary, at.x, at.x_low, t->memory[5], t->memory[6], t->norms2);
}

static void solve(setting *t, double goal, int steps) { solve_with(t, goal, GPIS_FINE_HIDDEN, steps); }

/* The penalty at s. */
static quad height_of(const setting *t, const double *s) {
    quad sum = 0;
    for (int64_t i = 0; t->set->penalty && i < t->p->d * t->p->k; i++)
        sum += (quad)t->set->penalty[i / t->p->k] * (quad)fabs(s[i]);
    return sum;
}

/* How much lower than the best member f + h can be at a point that is a member up to rounding. */
static double noise_of(const setting *t, const double *s) {
    return membership_noise(t->p, s) + 4.0 * gpis_set_rounding(t->p->d) * (double)height_of(t, s);
}

static void check_at(const setting *t, gpis_known_bound b, const double *s) {
    const quad f = value_of(t->p, s, NULL) + height_of(t, s) + noise_of(t, s);
    const double away = gpis_known_distance(t->set, &t->v, s);
    if (f < (quad)b.lower - (quad)b.tilt * away || f < (quad)b.whole)
        fail_msg("%s: f is %.17g at distance %g; lower %.17g, tilt %g, whole %.17g", gpis_set_spec(t->set), (double)f,
                 away, b.lower, b.tilt, b.whole);
}

/* Members on the way from v to `to` and beyond it. */
static void check_towards(const setting *t, gpis_known_bound b, const double *to) {
    double s[MAX_ENTRIES];
    for (double step = 1e-6; step < 1e7; step *= 100.0) {
        for (int64_t i = 0; i < t->p->d * t->p->k; i++) s[i] = t->v.x[i] + step * (to[i] - t->v.x[i]);
        assert_ok(t->context, gpis_set_project(t->set, s, s));
        check_at(t, b, s);
    }
}

static void check_solution(const setting *t, uint64_t seed, bool solved) {
    const int64_t size = t->p->d * t->p->k;
    double s[MAX_ENTRIES];
    const gpis_known_bound b = gpis_certificate_known(t->set, &t->v, &t->l, t->model);
    assert_true(fabs((double)(value_of(t->p, t->v.x, t->v.x_low) - t->v.objective)) <= t->v.errors.objective);
    for (uint64_t i = 0; i < 3; i++) {
        fill_normal(s, size, seed + i, pow(1e3, (double)i));
        assert_ok(t->context, gpis_set_project(t->set, s, s));
        check_towards(t, b, s);
    }
    assert_ok(t->context, gpis_set_approach(t->set, t->v.x, s));
    check_at(t, b, s);
    const double y = gpis_quadratic_response_norm(t->summary), f = (double)(value_of(t->p, s, NULL) + height_of(t, s));
    const double noise = noise_of(t, s) + t->v.errors.objective + 1e-26 * y * y;
    if (solved && !(f - b.lower <= 1e-13 * f + noise))
        fail_msg("%s: f is %.17g at the solution, and the bound %.17g", gpis_set_spec(t->set), f, b.lower);
    double longest2 = 0.0;
    for (int64_t j = 0; j < t->p->d; j++) longest2 = fmax(longest2, t->norms2[j]);
    const double wide = 1e-26 * y * sqrt(longest2) * gpis_set_radius(t->set);
    if (solved && gpis_set_is_bounded(t->set) && !(f - b.whole <= 1e-13 * f + noise + wide))
        fail_msg("%s: f is %.17g at the solution, and the bound on all of K %.17g", gpis_set_spec(t->set), f, b.whole);
}

static void try_set(gpis_context *context, gpis_set *set, const problem *p, uint64_t seed) {
    setting t = {.context = context, .p = p, .set = set};
    gpis_source *A = problem_source(context, p);
    make_summary(&t, A);
    for (int steps = 0; steps < 12; steps += 3) {
        solve(&t, 1e-31, steps);
        check_solution(&t, seed + 7, false);
    }
    for (double goal = 10.0; goal > 1e-31; goal *= 1e-10) {
        solve(&t, goal, INT_MAX);
        check_solution(&t, seed + 7, goal < 1e-25);
    }
    gpis_model_destroy(t.model);
    gpis_quadratic_destroy(t.summary);
    gpis_source_destroy(A);
}

static void try_problem(gpis_context *context, const world *w, flavour what, const char *pattern, uint64_t seed) {
    static const char *const radii[] = {"1.5", "0.3", "1e6", "0"};
    const int64_t k = 1 + (int64_t)(seed % 2);
    problem p = problem_make(what, 7 + (int64_t)(seed % 3) * 20, w->d, k, seed);
    gpis_set *set = problem_set(context, w, pattern, radii[seed % 4], k);
    if (gpis_flat_exists(set) || gpis_spectral_applies(set)) try_set(context, set, &p, seed);
    gpis_set_destroy(set);
    problem_clear(&p);
}

static void holds_and_is_met(void **state) {
    (void)state;
    static const int64_t sizes[] = {2, 5};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    uint64_t seed = 9000;
    for (int i = 0; i < 2; i++) {
        world w;
        world_begin(&w, sizes[i]);
        for (int spec = 0; spec < SPEC_COUNT; spec++)
            for (int what = 0; what < FLAVOURS; what++, seed += 3) try_problem(context, &w, what, SPECS[spec], seed);
        world_end(&w);
    }
    test_context_end(context, &memory);
}

/* Rows, bounds and weighted sums together, which are solved with further entries, with a penalty and without. */
static void holds_for_polyhedra(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (uint64_t seed = 1; seed <= 30; seed++)
        for (int what = 0; what < FLAVOURS && seed % 4 != 0; what++) { /* d = 1 may leave nothing but zeros of A */
            double lambda[FACES_D];
            random_polyhedron drawn;
            gpis_set *penalised = NULL;
            draw(context, seed, &drawn);
            for (int j = 0; j < drawn.f.d; j++) lambda[j] = whole(seed, 700 + j, 0, 3);
            problem p = problem_make(what, 7 + (int64_t)(seed % 3) * 20, drawn.f.d, 1, seed + 100);
            assert_ok(context, gpis_set_extend(context, drawn.set, &(gpis_extension){.penalty = lambda}, &penalised));
            if (gpis_lift_applies(drawn.set)) try_set(context, drawn.set, &p, seed);
            if (gpis_lift_applies(penalised)) try_set(context, penalised, &p, seed);
            gpis_set_destroy(penalised);
            problem_clear(&p);
            let_go(&drawn);
        }
    test_context_end(context, &memory);
}

/*
 * Two columns are equal up to rounding of the second, and a shift of the model keeps x from going far along their
 * difference. The bounds are far away, and no row is in effect: what the shift leaves of the gradient is not their
 * price, which would cost about the size of K, but an imbalance, which costs nothing near v.
 */
static void leaves_far_bounds_alone(void **state) {
    (void)state;
    enum { N = 40, D = 4 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    problem p = problem_make(FINE, N, D, 1, 77);
    for (int i = 0; i < N; i++) p.A[i * D + 2] = 1e-7 * 3.7 * p.A[i * D + 1];
    gpis_source *A = problem_source(context, &p);
    gpis_set *box = NULL, *rows = NULL, *both = NULL;
    const double lo[D] = {-1e12, -1e12, -1e12, -1e12}, hi[D] = {1e12, 1e12, 1e12, 1e12};
    const double C[2 * D] = {1, 1, 0, 0, 0, 1, 0, -1}, lower[] = {-1e12, -1e12}, upper[] = {1e12, 1e12};
    assert_ok(context, gpis_set_box(context, lo, hi, D, &box));
    assert_ok(context, gpis_set_linear(context, C, lower, upper, 2, D, NULL, &rows));
    assert_ok(context, gpis_set_intersection(context, 2, (gpis_set *[]){box, rows}, &both));
    assert_true(gpis_lift_applies(both));
    setting t = {.context = context, .p = &p, .set = both};
    make_summary(&t, A);
    solve_with(&t, 1e-20, 1e-20, INT_MAX);
    const gpis_known_bound b = gpis_certificate_known(t.set, &t.v, &t.l, t.model);
    const double f = (double)value_of(&p, t.v.x, t.v.x_low);
    assert_true(f > 1e-3 && f - b.lower <= 1e-9 * f && b.tilt <= 1e-9 * sqrt(f));
    gpis_model_destroy(t.model);
    gpis_quadratic_destroy(t.summary);
    gpis_source_destroy(A);
    gpis_set_destroy(both);
    gpis_set_destroy(box);
    gpis_set_destroy(rows);
    problem_clear(&p);
    test_context_end(context, &memory);
}

/* One column a, one row, and the multiplier 0, which is one for every set: with v = -1 and y = 1, 2 g = -2 a (1 + a),
 * and nothing is lost but the square of a s - a v. */
static gpis_known_bound bound_of_one(gpis_context *context, const char *spec, double a, quad *f) {
    double y = 1.0;
    const problem p = {.n = 1, .d = 1, .k = 1, .A = &a, .Y = &y};
    gpis_source *A = problem_source(context, &p);
    gpis_set *set = NULL;
    assert_ok(context, test_set(context, spec, 1, 1, &set));
    setting t = {.context = context, .p = &p, .set = set, .memory = {{-1.0}}};
    make_summary(&t, A);
    t.l = (gpis_known_multiplier){.l = t.memory[2], .l_low = t.memory[3], .off = t.memory[4]};
    t.v = gpis_quadratic_point(t.summary, t.memory[0], t.memory[1], t.memory[5], t.memory[6], t.norms2);
    *f = value_of(&p, t.memory[0], NULL);
    const gpis_known_bound b = gpis_certificate_known(set, &t.v, &t.l, t.model);
    gpis_model_destroy(t.model);
    gpis_quadratic_destroy(t.summary);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    return b;
}

static void is_sharp_in_one_dimension(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    const double a = 1e-6;
    quad f;
    gpis_known_bound b = bound_of_one(context, "linf:1", a, &f);
    assert_true(b.lower <= f && b.lower > f - 1e-14);
    assert_true(b.tilt >= 2.0 * (1.0 + a) && b.tilt < 2.0 * (1.0 + a) + 1e-8); /* |r| / |a| */
    const quad end = (1 - (quad)a) * (1 - (quad)a);                            /* f at the other end, s = 1 */
    assert_true(b.whole <= end && b.whole > end - 1e-11);
    b = bound_of_one(context, "none", a, &f);
    assert_true(b.whole <= 0.0 && b.whole > -1e-8); /* f* = 0 */
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(holds_and_is_met), cmocka_unit_test(holds_for_polyhedra),
                                       cmocka_unit_test(leaves_far_bounds_alone),
                                       cmocka_unit_test(is_sharp_in_one_dimension)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
