/*
 * The theorems beside what happens: by how much one round multiplies a = ||A (x - x*)||.
 *
 * The problem has no active constraint, so that a^2 = f - f*, and the widest cone, W = sqrt(d). Bounds hold for a round
 * with probability 1 - delta; what was measured is the worst of all rounds and trials. Two figures:
 *   1. inner problems solved exactly, against m: the factor is rho. Proposition 2, the direct bound of
 *      docs/maths/theory.md, sqrt(d/m), and rounds with Gaussian and with count sketches.
 *   2. k inner iterations with the fixed step of Theorem 1, a Gaussian sketch, against k:
 *        Theorem 1    alpha^k (1 + rho) sqrt(L/mu) + rho                       GPIS
 *        Theorem 2    rho + (1 + rho) sqrt(L/mu) sqrt(sigma / k)               GPIS
 *        Theorem 3    rho + (1 + rho) sqrt(L/mu) 2 sqrt(sigma) / (k + 1)       Acc-GPIS
 *      2 and 3 corrected, with R <= (1 + rho)^2 a^2 / mu as in docs/maths/theory.md.
 * At the paper's own m = 4 d to 10 d none of them promises anything, so m is larger here and d small.
 */
#include <math.h>

#include "experiment.h"

enum { ROWS = 1600, COLUMNS = 10, ROUNDS = 3, TRIALS = 5, QUICK_TRIALS = 1, FIGURE_ROWS = 1600 };
static const double COND = 10.0, NOISE = 0.1, DELTA = 0.01;
static const int64_t SIZES[SKETCH_SIZES] = {80, 160, 320, 640, 1000, 1600};
static const int64_t INNER[INNER_LENGTHS] = {1, 3, 10, 30, 100, 300};

/* ---- bounds -------------------------------------------------------------------------------------------------------
 */

/* `direct`: with the direct bound on rho in the place of Proposition 2. inner = 0: exactly solved. */
static int bound(gpis_context *context, int64_t m, int64_t inner, bool direct, gpis_bounds *out) {
    gpis_bounds_problem p = gpis_bounds_default();
    p.m = m;
    p.d = COLUMNS;
    p.cond = COND;
    p.width = sqrt(COLUMNS);
    p.inner = inner;
    p.direct = direct;
    gpis_status status = gpis_bounds_theta(context, DELTA, direct, &p.theta);
    if (status == GPIS_OK) status = gpis_bounds_compute(context, &p, out);
    return status == GPIS_OK ? 0 : cli_fail_status(context, status);
}

static int find_bounds(study *s, gpis_context *context) {
    gpis_bounds b;
    int code = 0;
    for (int i = 0; i < SKETCH_SIZES && code == 0; i++) {
        s->m[i] = (double)SIZES[i];
        s->rule_of_thumb[i] = sqrt((double)COLUMNS / (double)SIZES[i]);
        code = bound(context, SIZES[i], 0, false, &b);
        s->proposition[i] = b.rho;
        if (code == 0) code = bound(context, SIZES[i], 0, true, &b);
        s->direct[i] = b.rho_direct;
    }
    for (int i = 0; i < INNER_LENGTHS && code == 0; i++) {
        s->inner[i] = (double)INNER[i];
        code = bound(context, FIGURE_ROWS, INNER[i], false, &b);
        /* The floors are in units of sqrt(L R) and have 1 - rho below: a round adds so much of them. */
        const double per_round = (1.0 + b.rho) * sqrt(COND) * (1.0 - b.rho);
        s->theorem[0][i] = b.round_gpis;
        s->theorem[1][i] = b.rho < 1.0 ? b.rho + per_round * b.floor_gpis : INFINITY;
        s->theorem[2][i] = b.round_acc;
    }
    return code;
}

/* ---- rounds measured ------------------------------------------------------------------------------------------------
 */

typedef struct rounds {
    double best;     /* f* */
    int64_t m;       /* rows of the sketch; another number means that a sketch was found bad and made larger */
    double previous; /* f - f* before the round; negative: this is the first report */
    double worst;    /* largest factor */
    int64_t made;
} rounds;

/* A gpis_progress_fn: the factor of the round that has just ended. */
static int measure(void *user, const gpis_progress *p) {
    rounds *r = user;
    const double excess = fmax(0.0, p->objective - r->best);
    if (r->previous > 0.0) {
        const double factor = p->m == r->m ? sqrt(excess / r->previous) : 1.0;
        r->worst = fmax(r->worst, factor);
        r->made++;
    }
    r->previous = excess;
    return r->made == ROUNDS || cli_interrupted();
}

typedef struct way {
    const char *method, *sketch;
    int64_t m, inner; /* inner = 0: solved exactly, which is what `none` as the set does */
    double step;      /* fixed step; 0: none is needed */
} way;

/* The worst factor over all rounds and trials. */
static int worst_round(problem *p, double best, const way *w, const study *s, uint64_t seed, double *worst) {
    gpis_settings settings = gpis_settings_default();
    settings.method = w->method;
    settings.sketch = w->sketch;
    settings.m = w->m;
    settings.certificate = GPIS_CERTIFICATE_NONE;
    settings.max_passes = 4 * ROUNDS;
    settings.restart = GPIS_RESTART_NONE;
    settings.fixed_step = w->step;
    char inner[24];
    snprintf(inner, sizeof inner, "%lld", (long long)w->inner);
    if (w->inner > 0) settings.inner = inner;
    settings.progress = measure;
    *worst = 0.0;
    for (int64_t t = 0; t < s->trials; t++) {
        rounds r = {.best = best, .m = w->m, .previous = -1.0};
        gpis_result *result = NULL;
        settings.seed = seed + (uint64_t)t;
        settings.progress_user = &r;
        const gpis_status status = gpis_solve(p->posed, &settings, &result);
        gpis_result_destroy(result);
        if (status != GPIS_OK) return cli_fail_status(p->context, status);
        if (cli_interrupted()) return CLI_INTERRUPTED;
        *worst = fmax(*worst, r.worst);
    }
    return 0;
}

static int measure_sizes(study *s, problem *p, double best, reproduce_options *o) {
    int code = 0;
    for (int i = 0; i < SKETCH_SIZES && code == 0; i++) {
        const way gaussian = {.method = "gpis", .sketch = "gaussian", .m = SIZES[i]};
        const way count = {.method = "gpis", .sketch = "count", .m = SIZES[i]};
        code = worst_round(p, best, &gaussian, s, o->seed, &s->gaussian[i]);
        if (code == 0) code = worst_round(p, best, &count, s, o->seed, &s->count[i]);
    }
    return code;
}

static int measure_inner(study *s, problem *p, double best, reproduce_options *o) {
    gpis_bounds b;
    int code = bound(p->context, FIGURE_ROWS, 1, false, &b);
    for (int i = 0; i < INNER_LENGTHS && code == 0; i++) {
        /* The largest eigenvalue L of A'A is n by the recipe. */
        way w = {.method = "gpis", .sketch = "gaussian", .m = FIGURE_ROWS, .inner = INNER[i], .step = b.step / ROWS};
        code = worst_round(p, best, &w, s, o->seed, &s->gpis[i]);
        w.method = "acc-gpis";
        if (code == 0) code = worst_round(p, best, &w, s, o->seed, &s->acc_gpis[i]);
    }
    return code;
}

int study_run(study *s, reproduce_options *o) {
    /* An l1 ball that the solution is well inside of: inner loops project on it, and nothing else. */
    static const char *const sets[] = {"none", "l1:1e6"};
    int (*const measurements[])(study *, problem *, double, reproduce_options *) = {measure_sizes, measure_inner};
    const gen_options options = {
        .numbers = {.n = ROWS, .d = COLUMNS, .k = -1, .sparsity = COLUMNS, .cond = COND, .noise = NOISE},
        .form = GEN_SPARSE,
        .seed = o->seed};
    int code = 0;
    s->n = ROWS;
    s->d = COLUMNS;
    s->rows = FIGURE_ROWS;
    s->cond = COND;
    s->delta = DELTA;
    s->trials = o->quick ? QUICK_TRIALS : TRIALS;
    for (int i = 0; i < 2 && code == 0; i++) {
        problem p = {0};
        gpis_result *result = NULL;
        fprintf(stderr, "[%d of %d] bounds, %s: ", ++o->done, o->total,
                i == 0 ? "rounds against the rows of the sketch" : "rounds against inner iterations");
        code = problem_open(&p, &options, 0, sets[i]);
        if (code == 0) code = problem_solve(&p, 1e-13, &result);
        if (code == 0 && i == 0) code = find_bounds(s, p.context);
        if (code == 0) code = measurements[i](s, &p, result->objective, o);
        if (code == 0) fputs("done\n", stderr);
        gpis_result_destroy(result);
        problem_close(&p);
    }
    s->run = code == 0;
    return code;
}
