/* Points of a path: measured from a summary, certified, and solved for in general. */
#include "path/fit.h"

#include <math.h>
#include <string.h>

#include "certificate/centred.h"
#include "certificate/certificate.h"
#include "inner/inner.h"
#include "linalg/rounding.h"

gpis_status gpis_fit_create(gpis_context *context, const gpis_quadratic *data, bool constant, double tol,
                            gpis_fit **out) {
    const int64_t d = data->d, k = data->k, size = d + k;
    gpis_fit *f = *out = gpis_alloc_zero(context, 1, sizeof *f);
    if (!f) return GPIS_NO_MEMORY;
    *f = (gpis_fit){.context = context, .data = data, .d = d, .k = k, .constant = constant, .tol = tol};
    f->H = gpis_alloc(context, d * d, sizeof *f->H);
    f->b = gpis_alloc(context, d * k, sizeof *f->b);
    f->norms2 = gpis_alloc(context, d, sizeof *f->norms2);
    f->g = gpis_alloc(context, d * k, sizeof *f->g);
    f->work = gpis_alloc(context, d * k, sizeof *f->work);
    if (!f->H || !f->b || !f->norms2 || !f->g || !f->work) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < d; i++) {
        memcpy(f->H + i * d, data->W + i * size, (size_t)d * sizeof *f->H);
        memcpy(f->b + i * k, data->W + i * size + d, (size_t)k * sizeof *f->b);
        f->norms2[i] = f->H[i * d + i];
    }
    return GPIS_OK;
}

void gpis_fit_destroy(gpis_fit *f) {
    if (!f) return;
    gpis_model_destroy(f->model);
    gpis_free(f->context, f->H);
    gpis_free(f->context, f->b);
    gpis_free(f->context, f->norms2);
    gpis_free(f->context, f->g);
    gpis_free(f->context, f->work);
    gpis_free(f->context, f);
}

/* The Gram matrix in double was rounded once more. */
gpis_status gpis_fit_make_model(const gpis_fit *f, gpis_model **model) {
    double *H = gpis_alloc(f->context, f->d * f->d, sizeof *H);
    if (!H) return GPIS_NO_MEMORY;
    memcpy(H, f->H, (size_t)(f->d * f->d) * sizeof *H);
    return gpis_model_create(f->context, f->d, H, f->data->gamma / GPIS_UNIT + 1.0, model);
}

gpis_status gpis_fit_need_model(gpis_fit *f) { return f->model ? GPIS_OK : gpis_fit_make_model(f, &f->model); }

/* ---- bounds ---- */

static void enter(const gpis_fit *f, double gap, gpis_fit_value *value) {
    if (gap < value->gap) value->gap = gap;
    value->solved = value->gap <= f->tol * (value->objective - value->gap);
}

static gpis_point measure(gpis_fit *f, const gpis_fit_set *set, const double *x, gpis_fit_value *value) {
    const gpis_point point = gpis_quadratic_measure(f->data, x, f->g, f->work, f->norms2);
    *value = (gpis_fit_value){.objective = gpis_certificate_objective(set->core, &point),
                              .noise = gpis_certificate_noise(set->core, &point),
                              .gap = INFINITY};
    return point;
}

static gpis_status bound_first(const gpis_fit *f, const gpis_fit_set *set, const gpis_point *point,
                               gpis_fit_value *value) {
    double gap;
    const gpis_column_sums sums = {gpis_quadratic_row(f->data, f->d - 1), f->data->gamma};
    const gpis_status status = f->constant ? gpis_certificate_centred(f->context, set->core, point, sums, &gap)
                                           : gpis_certificate_first(f->context, set->core, point, &gap);
    if (status == GPIS_OK) enter(f, gap, value);
    return status;
}

/* s: a near minimiser of the model around the point. */
static gpis_status bound_second(gpis_fit *f, const gpis_fit_set *set, const gpis_point *point, const double *s,
                                gpis_fit_value *value) {
    gpis_second_order bound;
    const gpis_status status = gpis_certificate_second(f->context, set->all, point, f->model, f->model->c, s, &bound);
    if (status == GPIS_OK) enter(f, bound.gap, value);
    return status;
}

gpis_status gpis_fit_measure(gpis_fit *f, const gpis_fit_set *set, const double *x, gpis_fit_value *value) {
    const gpis_point point = measure(f, set, x, value);
    gpis_status status = bound_first(f, set, &point, value);
    if (status != GPIS_OK || value->solved) return status;
    status = gpis_fit_need_model(f);
    return status == GPIS_OK ? bound_second(f, set, &point, x, value) : status;
}

/* ---- the general solver ---- */

/* One solve: the inner problem, the best point so far and what is known of it. */
typedef struct round_state {
    gpis_inner *inner;
    double *x;    /* d x k: the point of the round */
    double lower; /* the best lower bound on the objective, of all rounds */
    gpis_fit_value best;
} round_state;

/* Minimises the model around the point in bursts, until a bound is good enough or the solver is done. */
static gpis_status run_inner(gpis_fit *f, const gpis_fit_set *set, const gpis_point *point, round_state *r,
                             gpis_fit_value *value) {
    enum { FIRST_BURST = 50, MAX_STEPS = 4000 };
    const int64_t before = r->inner->iterations;
    bool done = false;
    gpis_inner_begin(r->inner, point->x, point->g);
    for (int64_t burst = FIRST_BURST; !done && r->inner->iterations - before < MAX_STEPS; burst += burst / 2) {
        gpis_status status = gpis_inner_run(r->inner, burst, &done);
        if (status == GPIS_OK) status = bound_second(f, set, point, r->inner->dual, value);
        if (status != GPIS_OK || value->solved) return status;
        if (value->gap - 2.0 * gpis_inner_fall(r->inner) <= 0.2 * f->tol * value->objective) break;
    }
    return GPIS_OK;
}

/* Measures r->x and keeps it if it is the best point; leaves the next point in r->x. */
static gpis_status make_round(gpis_fit *f, const gpis_fit_set *set, round_state *r, double *x) {
    gpis_fit_value value;
    const gpis_point point = measure(f, set, r->x, &value);
    gpis_status status = bound_first(f, set, &point, &value);
    if (status == GPIS_OK && !value.solved) status = run_inner(f, set, &point, r, &value);
    if (status != GPIS_OK) return status;
    r->lower = fmax(r->lower, value.objective - value.gap);
    if (value.objective < r->best.objective) {
        memcpy(x, r->x, (size_t)(f->d * f->k) * sizeof *x);
        r->best = value;
    }
    enter(f, r->best.objective - r->lower + r->best.noise, &r->best); /* a bound from another point has its own noise */
    if (!r->best.solved) memcpy(r->x, r->inner->s, (size_t)(f->d * f->k) * sizeof *x);
    return GPIS_OK;
}

gpis_status gpis_fit_solve(gpis_fit *f, const gpis_fit_set *set, double *x, gpis_fit_value *out) {
    enum { MAX_ROUNDS = 12 };
    round_state r = {.lower = -INFINITY, .best = {.objective = INFINITY, .gap = INFINITY}};
    gpis_status status = gpis_fit_need_model(f);
    r.x = gpis_alloc(f->context, f->d * f->k, sizeof *r.x);
    if (status == GPIS_OK && !r.x) status = GPIS_NO_MEMORY;
    if (status == GPIS_OK) status = gpis_inner_create(f->context, set->all, f->model, NULL, &r.inner);
    if (status == GPIS_OK) r.inner->stop = f->stop;
    if (status == GPIS_OK) status = gpis_set_project(set->all, x, r.x);
    for (int i = 0; status == GPIS_OK && i < MAX_ROUNDS && !r.best.solved; i++) {
        const double before = r.best.gap;
        status = make_round(f, set, &r, x);
        if (status == GPIS_OK && gpis_is_stopped(f->stop))
            status = gpis_fail(f->context, GPIS_STOPPED, "stopped within a path");
        if (i > 2 && r.best.gap >= 0.5 * before) break;
    }
    *out = r.best;
    gpis_inner_destroy(r.inner);
    gpis_free(f->context, r.x);
    return status;
}
