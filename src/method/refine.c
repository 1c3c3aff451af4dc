/* Refinement: when to take another step, what the step is, and what is known at a point that was not measured. */
#include "method/refine.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/accurate.h"
#include "linalg/backward.h"
#include "linalg/rounding.h"

/* Above a condition number of about 1e5, its square times the rounding errors of A'r can be more than QR loses. */
static const double SENSITIVE_INVERSE = 1e10;

/* ---- the decision ---- */

gpis_refinement gpis_refine_decide(const gpis_refine_facts *f) {
    enum { MAX_PASSES = 6 };
    static const double ENOUGH = 0.5 * DBL_EPSILON; /* what rounding x to double costs; QR factorisations reach it */
    static const double SURE = 0.01;    /* where the estimate is not known, steps that shrink the error so much */
    static const double PROGRESS = 0.5; /* a measured step that shrinks the estimate by less only shows rounding */
    if (isnan(f->estimate)) return f->rate <= SURE ? GPIS_REFINE_STEP : GPIS_REFINE_STOP;
    if (f->sensitive && !f->exact && f->may_measure && f->passes == 0) return GPIS_REFINE_MEASURE;
    if (f->estimate > PROGRESS * f->before) return GPIS_REFINE_STOP;
    if (f->rate * f->estimate <= ENOUGH) return GPIS_REFINE_STEP;
    if (f->rate >= 1.0) return GPIS_REFINE_STOP;
    return f->may_measure && f->passes < MAX_PASSES ? GPIS_REFINE_MEASURE : GPIS_REFINE_STEP;
}

/* An entry of T is off by about sqrt(roundings) units, so T by sqrt(d) times that in norm, and its factor by as much as
 * d additions are. A factor that does not come from the Gram matrix in double (by_rows) is off by d units itself, and
 * its square is not involved. */
double gpis_refine_rate(const gpis_model *m) {
    const double d = (double)m->d;
    const double rate = m->by_rows ? 8.0 * d * GPIS_UNIT * sqrt(m->inverse)
                                   : sqrt(d) * (sqrt(m->roundings) + sqrt(d)) * GPIS_UNIT * m->inverse;
    return fmin(1.0, rate);
}

/* ---- a run ---- */

bool gpis_refine_applies(const gpis_run *run) {
    const gpis_curvature *c = &run->curvature;
    if (run->problem->set->shape != GPIS_SHAPE_WHOLE || !c->model) return false;
    if (!c->sketched) return !(c->model->shift > 0.0);
    return run->settings->certificate != GPIS_CERTIFICATE_NONE && gpis_model_has_full_rank(c->model);
}

bool gpis_refine_is_small(const gpis_problem *p) {
    enum { MAX_ENTRIES = 1 << 16 }; /* a pass in extended precision takes a few tenths of a millisecond */
    return p->set->shape == GPIS_SHAPE_WHOLE && p->n <= MAX_ENTRIES / p->d;
}

static bool is_answer(const gpis_run *run, const gpis_point *point) {
    return memcmp(run->record.best, point->x, (size_t)run->problem->size * sizeof *point->x) == 0;
}

gpis_status gpis_refine_measure_error(const gpis_run *run, const gpis_point *point, double *backward_error) {
    const gpis_problem *p = run->problem;
    *backward_error = NAN;
    if (p->set->shape != GPIS_SHAPE_WHOLE || p->k > 1 || !run->curvature.model || !point->g) return GPIS_OK;
    return gpis_backward_error(run->curvature.model, point, backward_error);
}

gpis_status gpis_refine_estimate(gpis_run *run, const gpis_point *point) {
    return is_answer(run, point) ? gpis_refine_measure_error(run, point, &run->backward_error) : GPIS_OK;
}

/* ---- steps ---- */

/* to := from - H^-1 g. */
static void step(const gpis_run *run, const gpis_point *from, double *to) {
    const int64_t size = run->problem->size;
    for (int64_t i = 0; i < size; i++) to[i] = -from->g[i];
    gpis_model_solve(run->curvature.model, run->problem->k, to);
    for (int64_t i = 0; i < size; i++) to[i] += from->x[i];
}

/*
 * How far f can be from f(x1) at x, which is not measured, from what is known at x1. With p = x - x1 and the errors e
 * and h of the gradient at x1 (linalg/point.h),
 *
 *     f(x) - f(x1) = 2 <A'r, p> + ||A p||^2,    |<g - A'r, p>| <= ||e|| ||A p|| + eta sum_j ||a_j|| ||p_j||,
 *     0 <= ||A p||^2 <= <p, H p> + E ||D p||^2,
 *
 * E being the error of T in norm. p and Hp are memory for d x k numbers each.
 */
static double change_bound(const gpis_run *run, const gpis_point *from, const double *x, double *p, double *Hp) {
    const int64_t d = run->problem->d, k = run->problem->k;
    const gpis_model *m = run->curvature.model;
    const double E = (double)d * (m->roundings + 4.0 * (double)d) * GPIS_UNIT;
    double along = 0.0, curved = 0.0, sum = 0.0, sum2 = 0.0;
    for (int64_t i = 0; i < d * k; i++) p[i] = x[i] - from->x[i];
    gpis_model_apply(m, k, p, Hp);
    for (int64_t i = 0; i < d * k; i++) along += fabs(from->g[i] * p[i]), curved += fabs(p[i] * Hp[i]);
    for (int64_t j = 0; j < d; j++) {
        const double size = gpis_norm2(p + j * k, k);
        sum += sqrt(from->norms2[j]) * size;
        sum2 += from->norms2[j] * size * size;
    }
    const double most = curved + E * sum2; /* ||A p||^2 is at most this */
    const double gradient = from->errors.residual * sqrt(most) + from->errors.product * sum;
    return 1.01 * (2.0 * along + 2.0 * gradient + most); /* 1.01 covers the rounding of this computation */
}

bool gpis_refine_take(gpis_run *run, const gpis_point *point) {
    const gpis_record *record = &run->record;
    if (point->objective > record->objective + record->noise + point->errors.objective) return false;
    return gpis_record_exchange(&run->record, point);
}

/* The last step, which is not measured; false if that leaves f too uncertain. `work` is memory for 3 d x k numbers, of
 * which the first are the next x. */
static bool take_step(gpis_run *run, const gpis_point *from, double rate, double *work) {
    const int64_t size = run->problem->size;
    double *x = work;
    step(run, from, x);
    if (!gpis_all_finite(x, size) || !is_answer(run, from)) return true; /* there is nothing to gain */
    const double change = change_bound(run, from, x, work + size, work + 2 * size);
    if (!gpis_record_move(&run->record, x, change)) return false;
    if (run->backward_error > 0.0) run->backward_error = fmax(GPIS_UNIT, rate * run->backward_error);
    return true;
}

/* Estimates the backward error of a point, and makes the point the answer if that is smaller than the one before. */
static gpis_status judge(gpis_run *run, const gpis_point *point, gpis_refine_facts *facts) {
    const gpis_status status = gpis_refine_measure_error(run, point, &facts->estimate);
    facts->may_measure = !gpis_run_exhausted(run);
    const bool better = !(facts->estimate >= facts->before);
    if (better && (is_answer(run, point) || gpis_refine_take(run, point))) run->backward_error = facts->estimate;
    return status;
}

/* The record is not told: what was measured in double precision stays comparable. */
static gpis_status measure(gpis_run *run, const double *x, double *g, gpis_point *point) {
    const gpis_pass pass = {.k = run->problem->k, .Y = run->problem->Y, .X = x, .extended = true, .G = g};
    return gpis_run_measure(run, &pass, 1.0, point);
}

static gpis_status refine_by_model(gpis_run *run, const gpis_point *from, double *x, double *g) {
    const int64_t size = run->problem->size;
    gpis_refine_facts facts = {.before = isnan(run->backward_error) ? INFINITY : run->backward_error,
                               .rate = gpis_refine_rate(run->curvature.model),
                               .exact = run->extended,
                               .sensitive = run->curvature.model->inverse > SENSITIVE_INVERSE};
    gpis_refinement next = GPIS_REFINE_STOP;
    gpis_point point = *from;
    double *work = gpis_alloc(run->context, 3 * size, sizeof *work);
    gpis_status status = work ? judge(run, &point, &facts) : GPIS_NO_MEMORY;
    while (status == GPIS_OK && (next = gpis_refine_decide(&facts)) != GPIS_REFINE_STOP) {
        if (next == GPIS_REFINE_STEP && (take_step(run, &point, facts.rate, work) || !facts.may_measure)) break;
        step(run, &point, work);
        memcpy(x, work, (size_t)size * sizeof *x);
        facts.before = facts.exact ? facts.estimate : INFINITY; /* estimates of the two precisions do not compare */
        facts.passes++;
        facts.exact = true;
        status = measure(run, x, g, &point);
        if (status == GPIS_OK) status = judge(run, &point, &facts);
        if (next == GPIS_REFINE_STEP) break;
    }
    gpis_free(run->context, work);
    return status;
}

gpis_status gpis_refine(gpis_run *run, const gpis_point *from, double *x, double *g) {
    return (run->curvature.sketched ? gpis_refine_with_sketch : refine_by_model)(run, from, x, g);
}
