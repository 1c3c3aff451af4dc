/* The model of a run: what it costs, how it is made and taken. */
#include <math.h>

#include "cost/cost.h"
#include "linalg/coarse.h"
#include "method/run.h"
#include "ranks/ranks.h"

double gpis_run_model_cost(const gpis_run *run) { return gpis_cost_gram_ratio(run->problem->A); }

/* H and its pass; then H, its factor and what the inner problem takes. A model that is replaced gives back
 * its own only then. */
bool gpis_run_model_fits(const gpis_run *run) {
    const double square = 8.0 * (double)run->problem->d * (double)run->problem->d;
    const gpis_load load = gpis_load_worst(run->problem->d, run->problem->k, 0, run->problem->d, false);
    const double gram = gpis_pass_memory(run->context, run->problem->A, &load);
    return fmax(square + gram, 2.0 * square + gpis_inner_memory(run->problem->set)) <=
           (double)gpis_account_left(run->context);
}

gpis_status gpis_run_make_model(gpis_run *run, const double *x, double *g, gpis_point *point) {
    double *H = gpis_alloc(run->context, run->problem->d * run->problem->d, sizeof *H);
    if (!H) return GPIS_NO_MEMORY;
    const gpis_pass pass = {.k = run->problem->k, .Y = run->problem->Y, .X = x, .G = g, .gram = H};
    const double products = (double)run->problem->d / 4.0; /* of the Gram matrix, in units of a gradient */
    const gpis_status status =
        x ? gpis_run_measure(run, &pass, products + 1.0, point) : gpis_run_pass(run, &pass, products);
    if (status != GPIS_OK) {
        gpis_free(run->context, H);
        return status;
    }
    const gpis_load load = gpis_load_of(&pass, run->problem->d);
    return gpis_run_take_model(run, H, gpis_pass_roundings(run->problem->A, &load).gram, NULL);
}

bool gpis_run_coarse_pays(const gpis_run *run, const gpis_sketch *sketch) {
    return gpis_cost_single_pays((double)sketch->m, (double)run->problem->d, gpis_ranks_count(run->problem->A));
}

gpis_status gpis_run_sketch_gram(gpis_run *run, const gpis_sketch *sketch, bool coarse, double *H, const double *x,
                                 double *g, gpis_point *point) {
    double objective;
    gpis_pass pass = {.k = sketch->k, .Y = sketch->SY, .X = x, .objective = x ? &objective : NULL, .G = g, .gram = H};
    gpis_status status = GPIS_OK;
    if (coarse) {
        pass.gram = NULL;
        status = gpis_coarse_gram(run->context, sketch->SA, sketch->m, run->problem->d, H);
    }
    if (status == GPIS_OK && (pass.gram || x))
        status = gpis_ranks_pass_over(run->context, run->problem->A, sketch->SA, sketch->m, &pass, run->norms2, point);
    run->epochs += (double)(sketch->m * run->problem->d) / (4.0 * (double)(run->problem->n * run->problem->k));
    return status;
}

/* Rounding to floats is like noise of 1e-7 in the matrix with a unit diagonal. `inverse` bounds the norm of its inverse
 * by the sum of all eigenvalues of that, so it is larger than the true norm, and the limit is generous. */
bool gpis_run_model_is_too_coarse(const gpis_run *run) {
    static const double MOST = 3e7;
    return run->model->shift > 0.0 || run->model->inverse > MOST;
}

/* H has lost digits that its rows still have; slower without, where there is no room for them. */
static gpis_status hold_sketch(gpis_run *run, const gpis_sketch *sketch) {
    const double room =
        8.0 * (double)run->problem->d * (double)(sketch->m + run->nulls + 2 * run->problem->d + 2) + 1e6;
    if (room > (double)gpis_account_left(run->context)) return GPIS_OK;
    return gpis_model_hold_rows(run->model, sketch->m, sketch->SA);
}

gpis_status gpis_run_take_model(gpis_run *run, double *H, double roundings, const gpis_origin *origin) {
    gpis_inner_destroy(run->inner);
    gpis_model_destroy(run->model);
    run->inner = NULL;
    run->model = NULL;
    run->sketched = origin != NULL;
    gpis_status status = gpis_model_create(run->context, run->problem->d, H, roundings, &run->model);
    if (status != GPIS_OK || (origin && origin->coarse && gpis_run_model_is_too_coarse(run))) return status;
    status = gpis_run_settle_dependence(run);
    if (status == GPIS_OK && run->sketched && run->model->shift > 0.0)
        status = origin->sketch ? hold_sketch(run, origin->sketch) : gpis_sample_hold(origin->sample, run->model);
    run->full_rank = run->full_rank || (run->model && run->model->by_rows);
    if (status != GPIS_OK) return status;
    return gpis_inner_create(run->context, run->problem->set, run->model, NULL, &run->inner);
}
