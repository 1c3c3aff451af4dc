/*
 * An audit of a point from the data alone: the point as given and its projection on the set, which is what a
 * certificate can be about, in one pass; then the bounds that a solve would end with.
 */
#include "api/audit.h"

#include <math.h>
#include <string.h>

#include "method/certify.h"
#include "method/finish.h"
#include "method/method.h"
#include "method/refine.h"
#include "set/penalty.h"

/* A point that is given for an audit, as seen from its projection x on the set. */
typedef struct given_point {
    double *x;        /* owned: the point itself, d x k; NULL: it is in the set */
    double *p;        /* owned: the point minus its projection */
    double objective; /* at the point itself */
} given_point;

/* Without rows. */
static gpis_status measure_by_summary(gpis_run *run, const double *x, given_point *given, double *g,
                                      gpis_point *point) {
    gpis_status status = GPIS_OK;
    if (given->p) status = gpis_run_measure_by_summary(run, given->x, g, point);
    if (status == GPIS_OK && given->p) given->objective = point->objective;
    return status == GPIS_OK ? gpis_run_measure_by_summary(run, x, g, point) : status;
}

/* The pass that measures x. Where another point was given, its objective comes from the same pass,
 *
 *     f(x + p) = f(x) + 2 <g, p> + ||A p||^2,
 *
 * unless the terms cancel and leave too few digits: then it gets a pass of its own. */
static gpis_status measure(gpis_run *run, const double *x, given_point *given, double *g, gpis_point *point) {
    static const double CANCELLED = 1e-3; /* what may be left of the largest term */
    double Ap2 = 0.0, along = 0.0;
    if (!gpis_run_has_rows(run)) return measure_by_summary(run, x, given, g, point);
    if (!given->p) return gpis_run_gradient(run, x, g, point);
    const gpis_pass pass = {.k = run->problem->k, .Y = run->problem->Y, .X = x, .P = given->p, .G = g, .AP2 = &Ap2};
    gpis_status status = gpis_run_measure(run, &pass, 1.5, point);
    if (status != GPIS_OK) return status;
    for (int64_t i = 0; i < run->problem->size; i++) along += 2.0 * g[i] * given->p[i];
    given->objective = point->objective + along + Ap2;
    const double largest = fmax(fmax(point->objective, Ap2), fabs(along));
    if (given->objective >= CANCELLED * largest) return GPIS_OK;
    const gpis_pass own = {.k = run->problem->k, .Y = run->problem->Y, .X = given->x, .objective = &given->objective};
    return gpis_run_pass(run, &own, 0.5);
}

/* The bounds at a point: by one Gram pass if the first order is not enough. */
static gpis_status audit(gpis_run *run, const gpis_point *point) {
    gpis_record_offer(&run->record, point);
    gpis_status status = gpis_run_certify_first(run, point);
    if (status != GPIS_OK || gpis_record_is_solved(&run->record) || run->settings->certificate == GPIS_CERTIFICATE_NONE)
        return status;
    if (!run->curvature.model && gpis_model_applicable(run)) return GPIS_OK;
    if (!run->curvature.model && !gpis_curvature_fits(run->problem)) {
        gpis_run_warn(run, "the second-order bound needs the Gram matrix, which does not fit in the memory allowed");
        return GPIS_OK;
    }
    if (!run->curvature.model) status = gpis_run_make_model(run);
    if (status == GPIS_OK) status = gpis_run_second_order(run, point, false);
    return status == GPIS_OK ? gpis_refine_estimate(run, point) : status;
}

/* Projects x on the set; what was given is kept where it is not there. */
static gpis_status project_given(gpis_run *run, double *x, given_point *given, double *distance) {
    gpis_status status = gpis_set_distance(run->problem->set, x, distance);
    if (status != GPIS_OK || !(*distance > 0.0)) return status;
    given->x = gpis_alloc(run->context, run->problem->size, sizeof(double));
    given->p = gpis_alloc(run->context, run->problem->size, sizeof(double));
    if (!given->x || !given->p) return GPIS_NO_MEMORY;
    memcpy(given->x, x, (size_t)run->problem->size * sizeof(double));
    status = gpis_set_project(run->problem->set, x, x);
    for (int64_t i = 0; i < run->problem->size; i++) given->p[i] = given->x[i] - x[i];
    return status;
}

/* Columns nearly depend on each other, and bounds in double have to allow for too much. */
static bool needs_finish(const gpis_run *run) {
    const gpis_model *model = run->curvature.model;
    return !gpis_record_is_solved(&run->record) && run->settings->certificate != GPIS_CERTIFICATE_NONE && model &&
           model->slack > 0.0 && !gpis_run_exhausted(run) && gpis_finish_fits(run->problem);
}

/* Measures x and audits it; once more in extended precision where the tolerance needs it. */
static gpis_status audit_in_double(gpis_run *run, const double *x, given_point *given, double *g) {
    gpis_point point;
    gpis_status status = measure(run, x, given, g, &point);
    if (status == GPIS_OK && !given->p) given->objective = point.objective;
    if (status == GPIS_OK) status = audit(run, &point);
    if (status != GPIS_OK || !gpis_run_needs_extended(run)) return status;
    gpis_run_extend(run);
    status = gpis_run_gradient(run, x, g, &point);
    if (status == GPIS_OK && !given->p) given->objective = point.objective;
    return status == GPIS_OK ? audit(run, &point) : status;
}

static gpis_status audit_as_needed(gpis_run *run, const double *x, given_point *given, double *g) {
    const gpis_status status = audit_in_double(run, x, given, g);
    return status == GPIS_OK && needs_finish(run) ? gpis_run_finish(run) : status;
}

/* Where b was not given: b_c = sum_i w_i (y_ic - a_i x_c) / sum_i w_i, by a pass at b = 0. */
static gpis_status find_constant(gpis_run *run, double *x, double *g) {
    const gpis_problem *p = run->problem;
    const int64_t last = p->size - p->k;
    gpis_point point;
    const gpis_status status =
        gpis_run_has_rows(run) ? gpis_run_gradient(run, x, g, &point) : gpis_run_measure_by_summary(run, x, g, &point);
    for (int64_t c = 0; status == GPIS_OK && c < p->k; c++)
        x[last + c] = -g[last + c] / run->curvature.norms2[p->d - 1];
    return status;
}

gpis_status gpis_audit(gpis_run *run, double *x, double *distance, double *objective) {
    given_point given = {0};
    double *g = gpis_alloc(run->context, run->problem->size, sizeof *g);
    gpis_status status = g ? GPIS_OK : GPIS_NO_MEMORY;
    if (status == GPIS_OK && !gpis_run_has_rows(run)) status = gpis_run_summarise(run);
    if (status == GPIS_OK && run->best_constant) status = find_constant(run, x, g);
    if (status == GPIS_OK) status = project_given(run, x, &given, distance);
    if (status == GPIS_OK) status = audit_as_needed(run, x, &given, g);
    *objective = given.objective;
    if (run->problem->set->penalty) *objective += gpis_set_height(run->problem->set, given.x ? given.x : x);
    gpis_free(run->context, given.x);
    gpis_free(run->context, given.p);
    gpis_free(run->context, g);
    return status;
}
