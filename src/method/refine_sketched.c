/*
 * Refinement with the model H of a sketch: conjugate gradients with H as the preconditioner.
 *
 *     z = H^-1 g,   p = -z + beta p,   beta = max(0, <z, g - g-> / <z-, g->),
 *     x+ = x + t p,   t = -<p, g> / <p, A'A p>
 *
 * Each step takes one pass, which measures a point x + s p, with the length s that the step before has turned out to
 * need. f is quadratic, so that the gradient there, g + s A'A p, shows t, and the gradient at x + t p is a combination
 * of the two. t / s is near 1, so that every step starts almost from a measured gradient, and no error piles up: the
 * backward error falls until only the rounding of a gradient is left of it, as it does with a QR factorisation.
 *
 * Against A'A the eigenvalues of H lie within (1 +- sqrt(d / m))^2: a step shrinks the error by sqrt(d / m).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/accurate.h"
#include "linalg/rounding.h"
#include "method/refine.h"

/* ---- the decision ---- */

/* QR factorisations hardly ever reach less; in extended precision the rounding of x to double is. */
static const double ENOUGH = 0.25 * DBL_EPSILON, ENOUGH_IF_EXACT = DBL_EPSILON / 32.0;

/* The number of steps is planned, and cut to one more where the error is near to what is wanted before that: when
 * estimates stop falling is a matter of single roundings, which differ with the partition of the rows. */
static bool is_at_its_end(const gpis_refine_facts *f) { return f->passes >= f->planned; }

/* Entries that are read in all: a few tenths of a second for all of it. In extended precision a pass takes as long as
 * so many in double. */
static const double MAX_ENTRIES = 5e8, PRICE_IF_EXACT = 8.0;

static bool is_affordable(const gpis_refine_facts *f) {
    const double spent = (double)(f->passes - f->exact_passes) + PRICE_IF_EXACT * f->exact_passes;
    return (spent + (f->exact ? PRICE_IF_EXACT : 1.0)) * f->entries <= MAX_ENTRIES;
}

bool gpis_refine_turns_exact(const gpis_refine_facts *f) {
    return !f->exact && !isnan(f->estimate) && is_at_its_end(f);
}

bool gpis_refine_goes_on(const gpis_refine_facts *f) { return f->may_measure && !is_at_its_end(f) && is_affordable(f); }

static double steps(double from, double to, double rate) { return fmax(0.0, ceil(log(from / to) / -log(rate))); }

static double enough(const gpis_refine_facts *f) { return f->exact ? ENOUGH_IF_EXACT : ENOUGH; }

void gpis_refine_plan(gpis_refine_facts *f, double error) { f->planned = f->passes + steps(error, enough(f), f->rate); }

void gpis_refine_cut(gpis_refine_facts *f, double error) {
    static const double NEAR = 16.0;
    if (error <= NEAR * enough(f)) f->planned = fmin(f->planned, f->passes + 1.0);
}

/* Before the problem is known, its residual is taken to be a hundredth of ||A|| ||x||. */
gpis_refine_passes gpis_refine_expect(double entries, double rate, double tol) {
    static const double RESIDUAL = 1e-2;
    const double affordable = MAX_ENTRIES / fmax(1.0, entries);
    const double plain = fmin(affordable, steps(RESIDUAL * sqrt(tol), ENOUGH, rate));
    const double exact = fmin((affordable - plain) / PRICE_IF_EXACT, steps(ENOUGH, ENOUGH_IF_EXACT, rate));
    return (gpis_refine_passes){.passes = floor(plain) + floor(exact), .gradients = plain + PRICE_IF_EXACT * exact};
}

/* ---- a run ---- */

typedef struct descent {
    gpis_run *run;
    double *memory;          /* owned: the arrays below are parts of it */
    double *x, *g;           /* the present point and its gradient: a combination of measured ones */
    double *z, *p, *bend;    /* as above; bend: the change of g by the latest step */
    double length, gz;       /* s; <g, z> */
    double best;             /* the least estimate, or bound of it, in the present precision */
    gpis_refine_facts facts; /* of the latest measured point */
} descent;

static double dot(const double *a, const double *b, int64_t size) {
    double sum = 0.0;
    for (int64_t i = 0; i < size; i++) sum += a[i] * b[i];
    return sum;
}

/* z := H^-1 g. */
static void precondition(descent *s) {
    memcpy(s->z, s->g, (size_t)s->run->problem->size * sizeof *s->z);
    gpis_model_solve(s->run->curvature.model, s->run->problem->k, s->z);
}

/* The estimate at a measured point, which is also among the facts; where there is none, an upper bound of it:
 * ||R^-T D^-1 g|| / (||x|| ||A||_F). Rounding alone may keep that far above the estimate, so no steps in extended
 * precision follow then. */
static gpis_status estimate(descent *s, const gpis_point *point, double *backward_error) {
    const gpis_run *run = s->run;
    const int64_t d = run->problem->d, size = run->problem->size;
    double columns2 = 0.0;
    const gpis_status status = gpis_refine_measure_error(run, point, backward_error);
    s->facts.estimate = *backward_error;
    if (status != GPIS_OK || !isnan(*backward_error)) return status;
    double *white = gpis_alloc(run->context, size, sizeof *white);
    if (!white) return GPIS_NO_MEMORY;
    memcpy(white, point->g, (size_t)size * sizeof *white);
    gpis_model_whiten(run->curvature.model, run->problem->k, white);
    for (int64_t j = 0; j < d; j++) columns2 += point->norms2[j];
    *backward_error = gpis_norm2(white, size) / (gpis_norm2(point->x, size) * sqrt(columns2));
    gpis_free(run->context, white);
    return GPIS_OK;
}

/* Makes a measured point the answer if its backward error is the smallest so far. */
static gpis_status judge(descent *s, const gpis_point *point) {
    gpis_refine_facts *f = &s->facts;
    double error;
    const gpis_status status = estimate(s, point, &error);
    f->may_measure = !gpis_run_exhausted(s->run);
    if (status != GPIS_OK) return status;
    if (f->passes == 0) gpis_refine_plan(f, error);
    if (!is_at_its_end(f) && !(s->best <= error)) gpis_refine_cut(f, error);
    if (!(error < s->best)) return GPIS_OK;
    s->best = error;
    return gpis_refine_take(s->run, point) ? gpis_refine_estimate(s->run, point) : GPIS_OK;
}

/* Goes from the measured point, which is at a distance of s p, to the lowest point on the line. */
static bool search_line(descent *s, const gpis_point *point) {
    const int64_t size = s->run->problem->size;
    double along = 0.0, curved = 0.0;
    for (int64_t i = 0; i < size; i++) {
        const double step = point->x[i] - s->x[i];
        along += s->g[i] * step;
        curved += (point->g[i] - s->g[i]) * step;
    }
    const double share = -along / curved;
    if (!(share > 0.0 && isfinite(share))) return false;
    for (int64_t i = 0; i < size; i++) {
        s->bend[i] = share * (point->g[i] - s->g[i]);
        s->x[i] = (1.0 - share) * s->x[i] + share * point->x[i];
        s->g[i] += s->bend[i];
    }
    s->length *= share;
    return true;
}

/* The next direction. */
static void turn(descent *s) {
    const int64_t size = s->run->problem->size;
    precondition(s);
    const double beta = fmax(0.0, dot(s->z, s->bend, size) / s->gz);
    s->gz = dot(s->g, s->z, size);
    for (int64_t i = 0; i < size; i++) s->p[i] = beta * s->p[i] - s->z[i];
}

/* One step; `x` and `g` get the measured point. *on: another one may follow. */
static gpis_status make_step(descent *s, double *x, double *g, bool *on) {
    const gpis_problem *p = s->run->problem;
    const gpis_pass pass = {.k = p->k, .Y = p->Y, .X = x, .extended = s->facts.exact, .G = g};
    gpis_point point;
    for (int64_t i = 0; i < p->size; i++) x[i] = s->x[i] + s->length * s->p[i];
    *on = gpis_all_finite(x, p->size);
    if (!*on) return GPIS_OK;
    s->facts.passes++;
    s->facts.exact_passes += s->facts.exact;
    gpis_status status = gpis_run_measure(s->run, &pass, 1.0, &point);
    if (status == GPIS_OK) status = judge(s, &point);
    *on = status == GPIS_OK && search_line(s, &point);
    if (*on) turn(s);
    return status;
}

/* From now on gradients come from extended precision. Estimates of the two precisions do not compare. */
static void turn_exact(descent *s) {
    s->facts.exact = true;
    s->best = INFINITY;
    gpis_refine_plan(&s->facts, ENOUGH);
    for (int64_t i = 0; i < s->run->problem->size; i++) s->p[i] = -s->z[i];
}

static gpis_status begin(descent *s, const gpis_point *from) {
    const int64_t size = s->run->problem->size;
    s->memory = gpis_alloc(s->run->context, 5 * size, sizeof *s->memory);
    if (!s->memory) return GPIS_NO_MEMORY;
    double **field[] = {&s->x, &s->g, &s->z, &s->p, &s->bend};
    for (int i = 0; i < 5; i++) *field[i] = s->memory + i * size;
    memcpy(s->x, from->x, (size_t)size * sizeof *s->x);
    memcpy(s->g, from->g, (size_t)size * sizeof *s->g);
    memset(s->p, 0, (size_t)(2 * size) * sizeof *s->p);
    s->gz = 1.0;
    turn(s);
    return judge(s, from);
}

gpis_status gpis_refine_with_sketch(gpis_run *run, const gpis_point *from, double *x, double *g) {
    const gpis_problem *p = run->problem;
    descent s = {.run = run,
                 .length = 1.0,
                 .best = INFINITY,
                 .facts = {.rate = sqrt(fmin(0.9, (double)p->d / (double)run->m)),
                           .entries = (double)p->A->nonzeros,
                           .exact = run->extended}};
    bool on = true;
    gpis_status status = begin(&s, from);
    while (status == GPIS_OK && on && gpis_refine_goes_on(&s.facts)) {
        status = make_step(&s, x, g, &on);
        if (gpis_refine_turns_exact(&s.facts)) turn_exact(&s);
    }
    gpis_free(run->context, s.memory);
    return status;
}
