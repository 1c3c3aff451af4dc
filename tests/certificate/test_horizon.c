/*
 * Bounds within a horizon, from models of a summary: for every member s of the set that is tried, with r = ||D (s -
 * x)||,
 *
 *     f(x) - f(s) <= base + slack r^2,     f(x) - f(s) <= tilted + tilt r + slack r^2,     f(x) - f(s) <= gap,
 *
 * and f(x) - f(s) <= base + tilt r for the first-order bound,
 * where both values of f are those of quadruple precision. Members are random ones, near and far, and the best ones
 * that a solve finds; points between two members are members too.
 */
#include "calls.h"
#include "certificate/certificate.h"

#include "certificate/problems.h"
#include "inner/inner.h"
#include "linalg/quadratic.h"
#include "pass/pass.h"

typedef __float128 quad;

enum { MAX_ENTRIES = 16 };

static quad value_of(const problem *p, const double *x) {
    quad sum = 0;
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t c = 0; c < p->k; c++) {
            quad r = -(quad)p->Y[i * p->k + c];
            for (int64_t j = 0; j < p->d; j++) r += (quad)p->A[i * p->d + j] * x[j * p->k + c];
            sum += r * r;
        }
    return sum;
}

/* What the bounds at one point need. */
typedef struct setting {
    gpis_context *context;
    const problem *p;
    gpis_set *set;
    gpis_quadratic *summary;
    double norms2[MAX_ENTRIES];
    double x[MAX_ENTRIES], best[MAX_ENTRIES];
    gpis_point point; /* at x */
    quad value;       /* f(x) */
} setting;

static void make_summary(setting *t, gpis_source *A) {
    const problem *p = t->p;
    assert_ok(t->context, gpis_quadratic_create(t->context, p->d, p->k, &t->summary));
    const gpis_pass pass = {.k = p->k, .Y = p->Y, .norms2 = t->norms2, .summary = t->summary->W};
    const gpis_load load = gpis_load_of(&pass, p->d);
    assert_ok(t->context, gpis_pass_run(t->context, A, &pass));
    t->summary->gamma = gpis_pass_roundings(A, &load).summary;
}

static void find_best(setting *t, gpis_source *A) {
    gpis_settings settings = gpis_settings_default();
    gpis_result *result = NULL;
    settings.max_passes = 6;
    assert_ok(t->context, test_solve(t->context, A, t->p->Y, t->p->k, t->set, &settings, &result));
    memcpy(t->best, result->x, (size_t)(t->p->d * t->p->k) * sizeof *t->best);
    gpis_result_destroy(result);
}

/* ||D (s - x)||, where a column of zeros counts like the longest one. */
static double distance(const setting *t, const double *s) {
    double sum = 0.0, longest = 0.0;
    for (int64_t j = 0; j < t->p->d; j++) longest = fmax(longest, t->norms2[j]);
    for (int64_t i = 0; i < t->p->d * t->p->k; i++) {
        const double norm2 = t->norms2[i / t->p->k], move = s[i] - t->x[i];
        sum += (norm2 > 0.0 ? norm2 : longest) * move * move;
    }
    return sqrt(sum) * (1.0 + 1e-12);
}

/* A member of the set, how far it is from x, and by how much f falls up to there. */
typedef struct member {
    const double *s;
    double r;
    quad fall, noise;
} member;

static void check_second(const setting *t, const gpis_model *model, gpis_second_order b, const member *m) {
    const double slack = model->slack * m->r * m->r;
    const quad fall = m->fall - m->noise;
    if (fall > (quad)b.base + slack || fall > (quad)b.tilted + b.tilt * m->r + slack || fall > (quad)b.gap)
        fail_msg("%s, shift %g: f falls by %g at distance %g; base %g, tilted %g, tilt %g, gap %g",
                 gpis_set_spec(t->set), model->shift, (double)fall, m->r, b.base, b.tilted, b.tilt, b.gap);
}

static void check_first(const setting *t, gpis_tilted b, const member *m) {
    if (m->fall - m->noise > (quad)b.base + b.tilt * m->r)
        fail_msg("%s: f falls by %g at distance %g; first order: base %g, tilt %g", gpis_set_spec(t->set),
                 (double)m->fall, m->r, b.base, b.tilt);
}

/* Members that are not worse than x are within the reach of a set that is unbounded along one line. */
static void check_line(const setting *t, double reach, const member *m) {
    if (m->fall >= 0 && m->r > reach)
        fail_msg("%s: not worse at distance %g; reach %g", gpis_set_spec(t->set), m->r, reach);
}

/* Members on the way to `to` and beyond it. */
static void check_towards(const setting *t, const gpis_model *model, gpis_second_order b, gpis_tilted first,
                          const double *to) {
    double s[MAX_ENTRIES];
    const int64_t size = t->p->d * t->p->k;
    const double reach = gpis_certificate_line_reach(t->set, &t->point, model);
    for (double step = 1e-6; step < 1e7; step *= 100.0) {
        for (int64_t i = 0; i < size; i++) s[i] = t->x[i] + step * (to[i] - t->x[i]);
        assert_ok(t->context, gpis_set_project(t->set, s, s));
        const member m = {s, distance(t, s), t->value - value_of(t->p, s), membership_noise(t->p, s)};
        check_second(t, model, b, &m);
        check_first(t, first, &m);
        check_line(t, reach, &m);
    }
}

/* The bounds at t->x with this shift, by inner problems that are solved well and badly. Returns whether one was
 * finite. */
static bool check_point(setting *t, double shift, uint64_t seed) {
    const int64_t size = t->p->d * t->p->k;
    double g[MAX_ENTRIES], low[MAX_ENTRIES], random[MAX_ENTRIES];
    gpis_model *model;
    gpis_inner *inner = NULL;
    bool done, finite = false;
    assert_ok(t->context, gpis_model_of_quadratic(t->context, t->summary, shift, NULL, &model));
    if (!model) return false;
    assert_ok(t->context, gpis_inner_create(t->context, t->set, model, NULL, &inner));
    const gpis_point point = t->point = gpis_quadratic_point(t->summary, t->x, NULL, g, low, t->norms2);
    t->value = value_of(t->p, t->x);
    gpis_tilted first;
    assert_ok(t->context, gpis_certificate_first_tilted(t->context, t->set, &point, &first));
    gpis_inner_begin(inner, t->x, g);
    for (int64_t effort = 1; effort <= 60; effort += 59) {
        gpis_second_order b;
        assert_ok(t->context, gpis_inner_run(inner, effort, &done));
        assert_ok(t->context, gpis_certificate_second(t->context, t->set, &point, model, model->c, inner->dual, &b));
        finite = finite || isfinite(b.base) || (isfinite(b.tilted) && isfinite(b.tilt));
        check_towards(t, model, b, first, t->best);
        for (uint64_t i = 0; i < 2; i++) {
            fill_normal(random, size, seed + i, pow(1e3, (double)i));
            assert_ok(t->context, gpis_set_project(t->set, random, random));
            check_towards(t, model, b, first, random);
        }
    }
    gpis_inner_destroy(inner);
    gpis_model_destroy(model);
    return finite;
}

static void try_problem(gpis_context *context, const world *w, flavour what, const char *pattern, int64_t k,
                        uint64_t seed, int *finite) {
    static const char *const radii[] = {"1.5", "0.3", "1e6", "0"};
    static const double shifts[] = {0.0, 1e-20, 1e-6};
    problem p = problem_make(what, 7 + (int64_t)(seed % 3) * 20, w->d, k, seed);
    gpis_set *set = problem_set(context, w, pattern, radii[seed % 4], k);
    gpis_source *A = problem_source(context, &p);
    setting t = {.context = context, .p = &p, .set = set};
    double random[MAX_ENTRIES];
    make_summary(&t, A);
    find_best(&t, A);
    fill_normal(random, p.d * k, seed + 1, 1.0);
    for (int near = 0; near < 3; near++) {
        const double step = near == 0 ? 1.0 : near == 1 ? 1e-5 : 0.0;
        for (int64_t i = 0; i < p.d * k; i++) t.x[i] = t.best[i] + step * random[i];
        assert_ok(context, gpis_set_project(set, t.x, t.x));
        *finite += check_point(&t, shifts[(seed + (uint64_t)near) % 3], seed + 9);
    }
    gpis_quadratic_destroy(t.summary);
    gpis_source_destroy(A);
    gpis_set_destroy(set);
    problem_clear(&p);
}

static void never_below_the_truth(void **state) {
    (void)state;
    static const int64_t sizes[] = {2, 5};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    uint64_t seed = 4000;
    for (int i = 0; i < 2; i++) {
        world w;
        world_begin(&w, sizes[i]);
        for (int spec = 0; spec < SPEC_COUNT; spec++) {
            int finite = 0;
            for (int what = 0; what < FLAVOURS; what++, seed += 3)
                try_problem(context, &w, what, SPECS[spec], 1 + (int64_t)(seed % 2), seed, &finite);
            if (finite == 0) fail_msg("%s: no bound at all", SPECS[spec]);
        }
        world_end(&w);
    }
    test_context_end(context, &memory);
}

/* y = 0, K = {t e}: from x = e on, all members up to -e are not worse, and no others. So the reach is the distance of
 * -e but for rounding: a tenth less would be too little. */
static void ends_where_the_line_does(void **state) {
    (void)state;
    enum { N = 9 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int64_t d = 2; d <= 8; d += 3) {
        double A[N * 8], Y[N] = {0}, minus[8], g[8], low[8];
        fill_normal(A, N * d, 77 + (uint64_t)d, 1.0);
        for (int64_t i = 0; i < N; i++) A[i * d] *= 30.0;
        const problem p = {.n = N, .d = d, .k = 1, .A = A, .Y = Y};
        gpis_source *source = problem_source(context, &p);
        setting t = {.context = context, .p = &p};
        gpis_model *model;
        assert_ok(context, test_set(context, "tv:0", d, 1, &t.set));
        make_summary(&t, source);
        assert_ok(context, gpis_model_of_quadratic(context, t.summary, 0.0, NULL, &model));
        assert_non_null(model);
        for (int64_t j = 0; j < d; j++) t.x[j] = 1.0, minus[j] = -1.0;
        t.point = gpis_quadratic_point(t.summary, t.x, NULL, g, low, t.norms2);
        const double reach = gpis_certificate_line_reach(t.set, &t.point, model);
        const member m = {.s = minus, .r = distance(&t, minus) / (1.0 + 1e-12)};
        check_line(&t, reach, &m);
        if (!(reach <= 1.001 * m.r)) fail_msg("the line ends at distance %g; reach %g", m.r, reach);
        gpis_model_destroy(model);
        gpis_quadratic_destroy(t.summary);
        gpis_set_destroy(t.set);
        gpis_source_destroy(source);
    }
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(never_below_the_truth),
                                       cmocka_unit_test(ends_where_the_line_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
