/*
 * Paths on a summary: every point's bound holds, by a reference in quadruple precision, and nearly every point is
 * proven to the tolerance; by the exact path where it applies.
 */
#include "lasso.h"
#include "path/walk.h"
#include "set/extend.h"
#include "set/penalty.h"

/* How the sets of the values are made: from a spec with # in the place of the radius, or with a penalty. */
typedef struct maker {
    gpis_context *context;
    const char *spec; /* the set; with a penalty that of the entries */
    int64_t d;        /* without the constant */
    bool constant, penalised;
    gpis_set *K; /* of the value at hand */
} maker;

static gpis_status make(void *user, double value, gpis_fit_set *out) {
    maker *m = user;
    char text[64];
    const char *place = strchr(m->spec, '#');
    double penalty[64];
    for (int64_t j = 0; j < m->d; j++) penalty[j] = value;
    snprintf(text, sizeof text, "%.*s%.17g%s", place ? (int)(place - m->spec) : (int)strlen(m->spec), m->spec,
             place ? value : 0.0, place ? place + 1 : "");
    if (!place) snprintf(text, sizeof text, "%s", m->spec);
    const gpis_extension core = {.penalty = m->penalised ? penalty : NULL},
                         all = {.constant = true, .penalty = core.penalty};
    gpis_status status = test_set(m->context, text, m->d, 1, &m->K);
    out->core = m->K;
    if (status == GPIS_OK && m->penalised) status = gpis_set_extend(m->context, m->K, &core, &out->core);
    out->all = out->core;
    if (status == GPIS_OK && m->constant) status = gpis_set_extend(m->context, m->K, &all, &out->all);
    return status;
}

static void destroy(void *user, gpis_fit_set *set) {
    maker *m = user;
    if (set->all != set->core) gpis_set_destroy(set->all);
    if (set->core != m->K) gpis_set_destroy(set->core);
    gpis_set_destroy(m->K);
    m->K = NULL;
    *set = (gpis_fit_set){0};
}

enum { POINTS = 8, N = 24, D = 7, FULL = D + 1 };

typedef struct counts {
    int points, solved, walked;
} counts;

/* One path, in penalties and in the radii that belong to them, against the reference. */
static void check_paths(gpis_context *context, flavour what, bool constant, bool nonnegative, uint64_t seed,
                        counts *n) {
    problem p = problem_make(what, N, D, 1, seed);
    const lasso l = lasso_make(&p, constant, nonnegative);
    gpis_quadratic *summary = lasso_summary(context, &l);
    gpis_fit *fit = NULL;
    maker m = {context, nonnegative ? "nonneg" : "none", D, constant, true, NULL};
    gpis_path_sets sets = {make, destroy, &m, true};
    double values[POINTS], radii[POINTS], X[POINTS * FULL], largest;
    quad x[FULL] = {0}, best[POINTS], fit_best[POINTS];
    gpis_fit_value points[POINTS];
    bool found;
    assert_ok(context, gpis_fit_create(context, summary, constant, 1e-9, &fit));
    assert_ok(context, gpis_path_walk_largest(fit, &sets, &largest, &found));
    assert_true(found);
    gpis_path_walk walk = {.fit = fit, .sets = &sets, .count = POINTS, .values = values, .X = X, .points = points};
    for (int i = 0; i < POINTS; i++) {
        values[i] = 0.9 * largest * pow(1e-3, (double)i / POINTS);
        best[i] = lasso_solve(&l, values[i], x);
        fit_best[i] = lasso_objective(&l, x, 0.0);
        radii[i] = 0.0;
        for (int64_t j = 0; j < D; j++) radii[i] += (double)(x[j] < 0 ? -x[j] : x[j]);
    }
    for (int by_radius = 0; by_radius < 2; by_radius++) {
        m.penalised = sets.penalised = !by_radius;
        m.spec = by_radius ? (nonnegative ? "l1:# & nonneg" : "l1:#") : m.spec;
        walk.values = by_radius ? radii : values;
        assert_ok(context, gpis_path_walk_run(&walk));
        for (int i = 0; i < POINTS; i++) {
            const double *xi = X + i * l.d;
            const quad F = lasso_objective_at(&l, xi, by_radius ? 0.0 : values[i]);
            const quad over = F - (by_radius ? fit_best[i] : best[i]);
            if (!((double)over <= points[i].gap))
                fail_msg("flavour %d, constant %d, nonneg %d, seed %d, point %d, by radius %d: %g above, gap %g", what,
                         constant, nonnegative, (int)seed, i, by_radius, (double)over, points[i].gap);
            assert_close(points[i].objective, (double)F, 1e-10 * (double)F + 1e-25);
            n->solved += points[i].solved;
            n->points++;
        }
        n->walked += (int)walk.walked;
    }
    gpis_fit_destroy(fit);
    gpis_quadratic_destroy(summary);
    free(l.W);
    problem_clear(&p);
}

static void bounds_hold_and_suffice(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    static const flavour flavours[] = {FINE, SCALED, DUPLICATE, ZERO, ZERO_AND_DUPLICATE, WIDE, COHERENT};
    counts n = {0};
    for (size_t f = 0; f < sizeof flavours / sizeof *flavours; f++)
        for (int constant = 0; constant < 2; constant++)
            for (int nonnegative = 0; nonnegative < 2; nonnegative++)
                for (uint64_t seed = 0; seed < 4; seed++)
                    check_paths(context, flavours[f], constant, nonnegative, 10 * seed + 1, &n);
    print_message("%d points, %d proven, %d of them by the exact path\n", n.points, n.solved, n.walked);
    assert_true(n.solved >= 0.99 * n.points && n.walked >= 0.97 * n.points);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_hold_and_suffice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
