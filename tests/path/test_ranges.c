/*
 * Near-optimal ranges of two entries, against brute force in long double: the least objective for a given first entry,
 * by a search over the second, and the first entry at which it reaches the level, by bisection.
 */
#include "path/ranges.h"

#include "certificate/problems.h"
#include "set/extend.h"

enum { N = 12, D = 2 };

/* A problem of two entries; the second can be a free constant. */
typedef struct tiny {
    long double W[3][3]; /* of [a1 a2 y] */
    double lambda;       /* of a penalty of both */
    char kind;           /* n: none, p: nonneg, 1: l1, 2: l2, b: box */
    double R;
    bool constant;
} tiny;

static long double objective(const tiny *t, int first, long double v, long double w) {
    const long double x[2] = {first ? w : v, first ? v : w};
    long double F = t->W[2][2];
    for (int i = 0; i < 2; i++) {
        F += t->lambda * fabsl(x[i]) - 2 * x[i] * t->W[i][2];
        for (int j = 0; j < 2; j++) F += x[i] * x[j] * t->W[i][j];
    }
    return F;
}

/* Where the other entry may be. */
static void limits(const tiny *t, int first, long double v, long double *lo, long double *hi) {
    const long double far = 1e3L;
    const bool free = t->constant && first == 0; /* the other one is the constant */
    *lo = free || t->kind == 'n' ? -far
          : t->kind == 'p'       ? 0
          : t->kind == 'b'       ? -t->R
          : t->kind == '1'       ? -(t->R - fabsl(v))
                                 : -sqrtl(fmaxl(0, (long double)t->R * t->R - v * v));
    *hi = free || t->kind == 'n' || t->kind == 'p' ? far : -*lo;
    if (t->constant && first == 1 && t->kind != 'n')
        *lo = t->kind == 'p' ? 0 : -t->R, *hi = t->kind == 'p' ? far : t->R;
}

/* Whether entry `first` can be v at all. */
static bool allowed(const tiny *t, int first, long double v) {
    if (t->kind == 'n' || (t->constant && first == 1)) return true;
    return t->kind == 'p' ? v >= 0 : fabsl(v) <= t->R;
}

static long double least(const tiny *t, int first, long double v) {
    long double lo, hi;
    if (!allowed(t, first, v)) return INFINITY;
    limits(t, first, v, &lo, &hi);
    for (int i = 0; i < 100; i++) { /* golden section, without the bookkeeping */
        const long double a = lo + 0.4L * (hi - lo), b = lo + 0.6L * (hi - lo);
        if (objective(t, first, v, a) < objective(t, first, v, b))
            hi = b;
        else
            lo = a;
    }
    return objective(t, first, v, (lo + hi) / 2);
}

/* The end of {v : least(v) <= B} from v inside, in a direction. */
static long double end_of(const tiny *t, int first, long double inside, long double sign, long double B) {
    long double in = inside, out = inside + sign;
    while (least(t, first, out) <= B && fabsl(out) < 1e3L) out = inside + 2 * (out - inside);
    for (int i = 0; i < 50; i++) {
        const long double middle = (in + out) / 2;
        if (least(t, first, middle) <= B)
            in = middle;
        else
            out = middle;
    }
    return in;
}

static gpis_quadratic *summary_of(gpis_context *context, const tiny *t) {
    gpis_quadratic *s = NULL;
    assert_ok(context, gpis_quadratic_create(context, D, 1, &s));
    for (int i = 0; i < 9; i++) {
        s->W[i] = (double)t->W[i / 3][i % 3];
        s->W[9 + i] = (double)(t->W[i / 3][i % 3] - s->W[i]);
    }
    s->gamma = 0x1p-60; /* the sums are in long double */
    return s;
}

/* How the second column depends on the first. */
typedef enum kind_of_columns { APART, SAME_COLUMN, ZERO_COLUMN } kind_of_columns;

static tiny draw(char kind, double lambda, bool constant, kind_of_columns columns, uint64_t seed) {
    tiny t = {.lambda = lambda, .kind = kind, .R = 0.7, .constant = constant};
    double rows[N * 3];
    gpis_random_normal(seed, 3, 0, N * 3, rows);
    for (int i = 0; i < N; i++) {
        if (constant)
            rows[3 * i + 1] = 1.0;
        else
            rows[3 * i + 1] = columns == ZERO_COLUMN
                                  ? 0.0
                                  : 0.7 * rows[3 * i] + (columns == SAME_COLUMN ? 0.3 * rows[3 * i] : rows[3 * i + 1]);
        rows[3 * i + 2] += rows[3 * i] - 0.4 * rows[3 * i + 1];
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) t.W[a][b] += (long double)rows[3 * i + a] * rows[3 * i + b];
    }
    return t;
}

/* The set of the problem: of the first entry alone where the second is the constant. */
static void make_set(gpis_context *context, const tiny *t, gpis_set **K, gpis_fit_set *set) {
    const int64_t d = t->constant ? 1 : 2;
    double penalty[2] = {t->lambda, t->lambda};
    char text[64];
    snprintf(text, sizeof text,
             t->kind == 'n'   ? "none"
             : t->kind == 'p' ? "nonneg"
             : t->kind == '1' ? "l1:%.17g"
             : t->kind == '2' ? "l2:%.17g"
                              : "box:%.17g,%.17g",
             t->kind == 'b' ? -t->R : t->R, t->R);
    assert_ok(context, test_set(context, text, d, 1, K));
    const gpis_extension core = {.penalty = t->lambda > 0 ? penalty : NULL},
                         all = {.penalty = core.penalty, .constant = true};
    set->core = *K;
    if (core.penalty) assert_ok(context, gpis_set_extend(context, *K, &core, &set->core));
    set->all = set->core;
    if (t->constant) assert_ok(context, gpis_set_extend(context, *K, &all, &set->all));
}

static void check(gpis_context *context, const tiny *t, double eps) {
    gpis_quadratic *summary = summary_of(context, t);
    gpis_fit *fit = NULL;
    gpis_set *K = NULL;
    gpis_fit_set set;
    gpis_fit_value value;
    gpis_range_ends ranges[D];
    double x[D] = {0}, nearness;
    make_set(context, t, &K, &set);
    assert_ok(context, gpis_fit_create(context, summary, t->constant, 1e-12, &fit));
    assert_ok(context, gpis_fit_solve(fit, &set, x, &value));
    const double B = (1.0 + eps) * value.objective;
    const gpis_range_level level = {B * (1.0 + 1e-15) + value.noise, (1.0 + eps) * (value.objective - value.gap)};
    assert_ok(context, gpis_ranges_find(fit, &set, x, level, (gpis_dependent_columns){0}, ranges, &nearness));
    for (int i = 0; i < (t->constant && t->lambda > 0 ? 1 : D); i++) {
        const gpis_range_ends *r = &ranges[i];
        const double upper = (double)end_of(t, i, x[i], 1, B), lower = (double)end_of(t, i, x[i], -1, B);
        const double width = upper - lower + 1e-12, near = 1e-9 * (1.0 + fabs(upper) + fabs(lower));
        const bool sound = r->upper >= upper - near && r->lower <= lower + near && r->inner_upper <= upper + near &&
                           r->inner_lower >= lower - near;
        const bool tight = r->upper - upper <= 2e-3 * width && lower - r->lower <= 2e-3 * width &&
                           upper - r->inner_upper <= 2e-3 * width && r->inner_lower - lower <= 2e-3 * width;
        if (!sound || !tight)
            fail_msg("kind %c, lambda %g, constant %d, eps %g, entry %d: [%.9g [%.9g %.9g] %.9g], truth [%.9g %.9g]",
                     t->kind, t->lambda, t->constant, eps, i, r->lower, r->inner_lower, r->inner_upper, r->upper, lower,
                     upper);
    }
    if (set.all != set.core) gpis_set_destroy(set.all);
    if (set.core != K) gpis_set_destroy(set.core);
    gpis_set_destroy(K);
    gpis_fit_destroy(fit);
    gpis_quadratic_destroy(summary);
}

static void ends_are_those_of_brute_force(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    static const char kinds[] = "np12b";
    static const double levels[] = {1e-4, 0.02, 0.5};
    for (const char *kind = kinds; *kind; kind++)
        for (int penalised = 0; penalised < 2; penalised++)
            for (int constant = 0; constant < 2; constant++)
                for (uint64_t seed = 1; seed < 4; seed++) {
                    if (penalised && *kind != 'n' && *kind != 'p') continue;
                    if (constant && penalised) continue; /* the reference penalises both entries */
                    const tiny t = draw(*kind, penalised ? 3.0 : 0.0, constant, APART, seed);
                    for (int l = 0; l < 3; l++) check(context, &t, levels[l]);
                }
    test_context_end(context, &memory);
}

/* A'A is singular: there is a range all the same where a set or a penalty of both entries holds them. */
static void dependent_columns_have_ranges(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int columns = SAME_COLUMN; columns <= ZERO_COLUMN; columns++)
        for (int kind = 0; kind < 4; kind++)
            for (uint64_t seed = 1; seed < 4; seed++) {
                /* over an l1 ball the ends of equal columns are proven, but can be far from the truth */
                if (columns == SAME_COLUMN && kind == 2) continue;
                const tiny t = draw("np12"[kind], kind < 2 ? 3.0 : 0.0, false, (kind_of_columns)columns, seed);
                check(context, &t, 0.02);
            }
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ends_are_those_of_brute_force),
                                       cmocka_unit_test(dependent_columns_have_ranges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
