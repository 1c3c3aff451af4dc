/*
 * The bound on a face: whatever columns are taken for the face, and whatever point is on it, it is infinite or true.
 * Truth is the lowest member that newton with the whole Gram matrix and a plain projected gradient find, in long
 * double.
 */
#include "certificate/face.h"

#include "calls.h"

#include "certificate/problems.h"
#include "inner/inner.h"
#include "pass/pass.h"

static const char *const KINDS[] = {
    "nonneg", "l1:#", "simplex:#", "linf:#", "box:-0.2,0.3", "box:0,inf", "box:$/lo.npy,$/hi.npy"};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS, MAX_COLUMNS = 12 };

typedef struct setting {
    gpis_context *context;
    const problem *p;
    gpis_source *A;
    gpis_set *set;
    double norms2[MAX_COLUMNS], best[MAX_COLUMNS];
    long double lowest;
} setting;

static void offer(setting *t, const double *x) {
    const long double value = problem_value(t->p, x, NULL) + membership_noise(t->p, x);
    if (!(value < t->lowest)) return;
    t->lowest = value;
    memcpy(t->best, x, (size_t)t->p->d * sizeof *x);
}

static void search(setting *t) {
    gpis_settings settings = gpis_settings_default();
    gpis_result *result = NULL;
    settings.tol = 1e-14;
    settings.max_passes = 60;
    assert_ok(t->context, test_solve(t->context, t->A, t->p->Y, 1, t->set, &settings, &result));
    offer(t, result->x);
    gpis_result_destroy(result);
    long double g[MAX_COLUMNS];
    double x[MAX_COLUMNS], trace = 0.0;
    for (int64_t j = 0; j < t->p->d; j++) trace += t->norms2[j];
    memcpy(x, t->best, sizeof x);
    for (int i = 0; i < 100 && trace > 0.0; i++) {
        problem_value(t->p, x, g);
        for (int64_t j = 0; j < t->p->d; j++) x[j] = (double)(x[j] - g[j] / trace);
        assert_ok(t->context, gpis_set_project(t->set, x, x));
    }
    offer(t, x);
}

/* A wall that entry j may wait at. */
static double wall(const gpis_set *set, int64_t j, uint64_t seed) {
    double lo, hi;
    set->class->bounds(set, j, &lo, &hi);
    if (set->sum != GPIS_SUM_ANY) return 0.0;
    if (isinf(lo) && isinf(hi)) return NAN;
    return isinf(lo) || (isfinite(hi) && seed % 2) ? hi : lo;
}

typedef struct tried {
    int finite, all, near;
} tried;

/* The best point of the face, or one near it, and the bound there. */
static void try_face(setting *t, const int64_t *columns, int64_t count, double *x, double off, uint64_t seed,
                     tried *n) {
    gpis_context *context = t->context;
    double H[MAX_COLUMNS * MAX_COLUMNS], *owned = gpis_alloc(context, count * count, sizeof *owned), g[MAX_COLUMNS],
                                         objective, gap, lead;
    gpis_face face = {columns, count, NULL, NULL};
    gpis_model *model = NULL;
    gpis_inner *inner = NULL;
    bool done;
    const gpis_pass gram = {.gram = H, .columns = columns, .count = count};
    assert_ok(context, gpis_pass_run(context, t->A, &gram));
    memcpy(owned, H, (size_t)(count * count) * sizeof *H);
    const gpis_load load = gpis_load_of(&gram, t->A->d);
    assert_ok(context, gpis_model_create(context, count, owned, gpis_pass_roundings(t->A, &load).gram, &model));
    assert_ok(context, gpis_set_select(t->set, columns, count, &face.set));
    assert_ok(context, gpis_inner_create(context, face.set, model, NULL, &inner));
    face.model = model;
    for (int round = 0; round < 3; round++) {
        const gpis_pass pass = {.k = 1, .Y = t->p->Y, .X = x, .objective = &objective, .G = g};
        assert_ok(context, gpis_pass_run(context, t->A, &pass));
        const gpis_point point = gpis_pass_point(t->A, &pass, t->norms2);
        double part[MAX_COLUMNS], part_g[MAX_COLUMNS], away[MAX_COLUMNS];
        for (int64_t c = 0; c < count; c++) part[c] = x[columns[c]], part_g[c] = g[columns[c]];
        gpis_inner_begin(inner, part, part_g);
        assert_ok(context, gpis_inner_run(inner, 500, &done));
        assert_ok(context, gpis_certificate_on_face(context, t->set, &point, &face, inner->s, &gap, &lead));
        const long double above = (long double)objective - t->lowest;
        n->all++;
        n->finite += isfinite(gap);
        n->near += isfinite(gap) && gap <= 1e-9 * (1.0 + objective);
        if (!(gap >= above))
            fail_msg("%s, d %d, %d columns: above by %.17Lg, gap %.17g, lead %g", gpis_set_spec(t->set), (int)t->p->d,
                     (int)count, above, gap, lead);
        fill_normal(away, count, seed + 9 + (uint64_t)round, round == 0 ? off : 0.0);
        for (int64_t c = 0; c < count; c++) part[c] = inner->s[c] + away[c];
        assert_ok(context, gpis_set_project(face.set, part, part));
        for (int64_t c = 0; c < count; c++) x[columns[c]] = part[c];
    }
    gpis_inner_destroy(inner);
    gpis_model_destroy(model);
    gpis_set_destroy(face.set);
}

/* The face: entries that are free in the best point, some of them left out or added at random. */
static void try_problem(gpis_context *context, const world *w, flavour what, const char *pattern, const char *R,
                        uint64_t seed, tried *n) {
    problem p = problem_make(what, 3 + (int64_t)(seed % 40), w->d, 1, seed);
    setting t = {.context = context, .p = &p, .A = problem_source(context, &p), .lowest = INFINITY};
    t.set = problem_set(context, w, pattern, R, 1);
    const gpis_pass pass = {.norms2 = t.norms2};
    assert_ok(context, gpis_pass_run(context, t.A, &pass));
    search(&t);
    for (uint64_t choice = 0; choice < 4; choice++) {
        int64_t columns[MAX_COLUMNS], count = 0;
        double x[MAX_COLUMNS], part[MAX_COLUMNS];
        for (int64_t j = 0; j < p.d; j++) {
            const uint32_t bits = gpis_random_bits(seed, 5 + choice, (uint64_t)j).v[0];
            const bool is_free = !gpis_face_is_at_wall(t.set, t.best, j);
            x[j] = choice < 2 && !is_free ? t.best[j] : wall(t.set, j, bits >> 8);
            if (isnan(x[j]) || (choice == 0 ? is_free : choice == 1 ? is_free || bits % 3 == 0 : bits % 2))
                columns[count++] = j;
        }
        if (count == 0) continue;
        gpis_set *selected = NULL;
        assert_ok(context, gpis_set_select(t.set, columns, count, &selected));
        for (int64_t c = 0; c < count; c++) part[c] = t.best[columns[c]];
        assert_ok(context, gpis_set_project(selected, part, part));
        for (int64_t c = 0; c < count; c++) x[columns[c]] = part[c];
        gpis_set_destroy(selected);
        try_face(&t, columns, count, x, choice % 2 ? 0.1 : 1e-4, seed, n);
    }
    gpis_source_destroy(t.A);
    gpis_set_destroy(t.set);
    problem_clear(&p);
}

static void infinite_or_true(void **state) {
    (void)state;
    static const char *const radii[] = {"1.5", "0.3", "20", "0"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    uint64_t seed = 500;
    assert_ok(context, gpis_context_set_threads(context, 1));
    tried n = {0};
    for (int64_t d = 2; d <= MAX_COLUMNS; d += 5) {
        world w;
        world_begin(&w, d);
        for (int what = 0; what < FLAVOURS; what++)
            for (int kind = 0; kind < KIND_COUNT; kind++)
                for (int again = 0; again < 6; again++, seed += 3)
                    try_problem(context, &w, what, KINDS[kind], radii[seed % 4], seed, &n);
        world_end(&w);
    }
    /* and not for want of trying: many are finite, and many of those say that the point is as good as the best */
    if (!(n.all > 4000 && 10 * n.finite > 2 * n.all && 10 * n.near > n.all))
        fail_msg("of %d bounds %d are finite, %d near zero", n.all, n.finite, n.near);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(infinite_or_true)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
