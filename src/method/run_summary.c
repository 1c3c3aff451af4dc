/*
 * The summary of a run: one pass sums [A Y]'[A Y] in two doubles, about as fast as it would sum the Gram matrix alone
 * (linalg/gram_two.h). From then on points are measured without reading A, with errors that are known (docs/maths,
 * "Points from a summary"). Where these are too large for the tolerance, the run goes back to passes.
 */
#include <math.h>
#include <string.h>

#include "linalg/rounding.h"
#include "method/run.h"

/* The Gram matrix in one double, which the caller frees. */
static double *gram_of(const gpis_run *run) {
    const int64_t d = run->problem->d, size = d + run->problem->k;
    double *H = gpis_alloc(run->context, d * d, sizeof *H);
    for (int64_t i = 0; H && i < d; i++) memcpy(H + i * d, run->summary->W + i * size, (size_t)d * sizeof *H);
    return H;
}

/* Its entries have been rounded once more. */
static gpis_status take_model(gpis_run *run) {
    double *H = gram_of(run);
    return H ? gpis_run_take_model(run, H, run->summary->gamma / GPIS_UNIT + 1.0, NULL) : GPIS_NO_MEMORY;
}

/* The starting point, so that the pass can be reported with what it found there. */
static gpis_status measure_start(gpis_run *run) {
    gpis_point point;
    if (isfinite(run->record.objective)) return GPIS_OK;
    double *g = gpis_alloc(run->context, run->problem->size, sizeof *g);
    if (!g) return GPIS_NO_MEMORY;
    const gpis_status status = gpis_run_measure_by_summary(run, run->record.best, g, &point);
    if (status == GPIS_OK) gpis_record_offer(&run->record, &point);
    gpis_free(run->context, g);
    return status;
}

static gpis_status make_summary(gpis_run *run) {
    const gpis_problem *p = run->problem;
    gpis_quadratic_destroy(run->made_summary);
    gpis_status status = gpis_quadratic_create(run->context, p->d, p->k, &run->made_summary);
    if (status != GPIS_OK) return status;
    const gpis_pass pass = {.k = p->k, .Y = p->Y, .quick = true, .summary = run->made_summary->W};
    const gpis_load load = gpis_run_load(p, &pass);
    status = gpis_run_pass(run, &pass, (double)p->d / 4.0);
    run->made_summary->response_error = p->terms.response_error;
    run->made_summary->gamma = gpis_pass_roundings(p->A, &load).summary;
    run->summary = run->made_summary;
    return status;
}

/* Squares of the rows do not underflow: that was checked when the summary was made. */
static void take_summary(gpis_run *run) {
    const gpis_pass sums = {.k = run->problem->k, .summary = run->problem->summary->W};
    run->summary = run->problem->summary;
    gpis_curvature_take_norms(&run->curvature, &sums);
    run->range = GPIS_RANGE_CHECKED;
    run->response_checked = true;
}

gpis_status gpis_run_summarise(gpis_run *run) {
    gpis_status status = GPIS_OK;
    if (gpis_run_has_rows(run))
        status = make_summary(run);
    else
        take_summary(run);
    if (status != GPIS_OK) return status;
    run->by_summary = true;
    gpis_record_set_coarse(&run->record, true);
    status = measure_start(run);
    return status == GPIS_OK ? take_model(run) : status;
}

gpis_status gpis_run_measure_by_summary(gpis_run *run, const double *x, double *g, gpis_point *point) {
    double *work = gpis_alloc(run->context, run->problem->size, sizeof *work);
    if (!work) return GPIS_NO_MEMORY;
    *point = gpis_quadratic_measure(run->summary, x, g, work, run->curvature.norms2);
    gpis_free(run->context, work);
    return GPIS_OK;
}

void gpis_run_leave_summary(gpis_run *run) {
    gpis_run_report(run);
    run->by_summary = false;
    gpis_record_set_coarse(&run->record, false);
    gpis_record_forget_objective(&run->record);
    gpis_quadratic_destroy(run->made_summary);
    run->summary = run->made_summary = NULL;
}

bool gpis_run_needs_rows(const gpis_run *run) {
    return run->by_summary && !gpis_run_exhausted(run) && gpis_record_is_limited_by_noise(&run->record);
}
