/* Points of the finish, and the way from one to the next. */
#include "method/finish_place.h"

#include <math.h>
#include <string.h>

#include "linalg/dd.h"

static void measure(const gpis_finish *f, gpis_place *at) {
    at->point = gpis_quadratic_point(f->summary, at->x, NULL, at->g, at->g_low, f->run->curvature.norms2);
}

static bool asks_run(void *user) {
    gpis_finish *f = user;
    f->stopped = f->stopped || gpis_run_is_to_stop(f->run);
    return f->stopped;
}

bool gpis_finish_is_stopped(gpis_finish *f) { return asks_run(f); }

gpis_status gpis_finish_begin(gpis_finish *f) {
    const int64_t size = f->run->problem->size;
    f->memory = gpis_alloc(f->run->context, 7 * size, sizeof *f->memory);
    if (!f->memory) return GPIS_NO_MEMORY;
    double **field[] = {&f->here.x, &f->here.g, &f->here.g_low, &f->there.x, &f->there.g, &f->there.g_low};
    for (int i = 0; i < 6; i++) *field[i] = f->memory + i * size;
    f->kept = f->memory + 6 * size;
    f->kept_objective = INFINITY;
    f->stop = (gpis_stop){asks_run, f};
    memcpy(f->here.x, f->run->record.best, (size_t)size * sizeof(double));
    measure(f, &f->here);
    return GPIS_OK;
}

/* <b + sign a, there.x - here.x> in double-double, for the gradients a = here.g and b = there.g. */
static double along_step(const gpis_finish *f, double sign) {
    const gpis_place *a = &f->here, *b = &f->there;
    gpis_dd sum = {0.0, 0.0};
    for (int64_t i = 0; i < f->run->problem->size; i++) {
        const gpis_dd g = gpis_dd_add((gpis_dd){sign * a->g[i], sign * a->g_low[i]}, (gpis_dd){b->g[i], b->g_low[i]});
        sum = gpis_dd_add(sum, gpis_dd_multiply(g, gpis_dd_two_sum(b->x[i], -a->x[i])));
    }
    return gpis_dd_value(sum);
}

/* h(there) - h(here), entry by entry in double-double, since most of it cancels. */
static double rise_of_penalty(const gpis_finish *f) {
    const gpis_problem *p = f->run->problem;
    const double *lambda = p->set->penalty;
    gpis_dd sum = {0.0, 0.0};
    for (int64_t i = 0; lambda && i < p->size; i++) {
        const gpis_dd change = gpis_dd_two_sum(fabs(f->there.x[i]), -fabs(f->here.x[i]));
        sum = gpis_dd_add(sum, gpis_dd_multiply(gpis_dd_of(lambda[i / p->k]), change));
    }
    return gpis_dd_value(sum);
}

/* F(here) - F(there): f(there) - f(here) = <g + g', there - here>, which shows smaller falls than the difference of the
 * objectives does. */
static double fall_of_step(const gpis_finish *f) { return -(along_step(f, 1.0) + rise_of_penalty(f)); }

/* The step went too far, or in a direction in which the model is wrong: goes to the lowest point on the way, where h is
 * at most what it is on the straight line between its ends. */
static gpis_status shorten_step(gpis_finish *f) {
    const gpis_problem *p = f->run->problem;
    const double change = -fall_of_step(f), curvature = along_step(f, -1.0); /* 2 <g, p> + <p, G p>, and <p, G p> */
    const double t = curvature > 0.0 ? 0.5 * (curvature - change) / curvature : 0.0;
    if (!(t > 0.0 && t < 1.0)) return GPIS_OK;
    for (int64_t i = 0; i < p->size; i++) f->there.x[i] = f->here.x[i] + t * (f->there.x[i] - f->here.x[i]);
    const gpis_status status = gpis_set_project(p->set, f->there.x, f->there.x);
    measure(f, &f->there);
    return status;
}

gpis_status gpis_finish_step(gpis_finish *f, const double *s) {
    gpis_status status = GPIS_OK;
    memcpy(f->there.x, s, (size_t)f->run->problem->size * sizeof(double));
    measure(f, &f->there);
    f->fall = fall_of_step(f);
    if (!(f->fall > 0.0)) {
        status = shorten_step(f);
        f->fall = fall_of_step(f);
    }
    if (status != GPIS_OK || !(f->fall > 0.0)) return status;
    const gpis_place before = f->here;
    f->here = f->there;
    f->there = before;
    if (!f->rough) gpis_record_replace(&f->run->record, &f->here.point);
    return GPIS_OK;
}

/* ---- points that are kept ---- */

bool gpis_finish_is_settled(const gpis_record *record) {
    return gpis_record_is_solved(record) && gpis_record_bound(record).horizon == 0.0;
}

void gpis_finish_keep(gpis_finish *f) {
    const gpis_record *record = &f->run->record;
    if (gpis_record_settled(record) != GPIS_SETTLED_BY_TOLERANCE) return;
    if (!(record->objective < f->kept_objective * (1.0 - record->tol))) return;
    f->kept_bound = record->within;
    f->kept_objective = record->objective;
    memcpy(f->kept, record->best, (size_t)f->run->problem->size * sizeof *f->kept);
}

/* Smaller shifts have led to points that are farther away, and hardly lower or without a bound: goes back to the one
 * that was kept. */
void gpis_finish_go_back(gpis_finish *f) {
    gpis_record *record = &f->run->record;
    const bool lower = record->objective < f->kept_objective * (1.0 - record->tol);
    const bool solved = gpis_record_settled(record) == GPIS_SETTLED_BY_TOLERANCE;
    if (isinf(f->kept_objective) || gpis_finish_is_settled(record) || (lower && solved)) return;
    memcpy(f->here.x, f->kept, (size_t)f->run->problem->size * sizeof *f->kept);
    measure(f, &f->here);
    gpis_record_replace(record, &f->here.point);
    gpis_record_enter_within(record, &f->here.point, f->kept_bound);
}
