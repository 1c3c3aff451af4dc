/* The model of a run: how it is made of all rows, of a sketch or of a sample. */
#include <math.h>

#include "linalg/coarse.h"
#include "method/dependence.h"
#include "method/run.h"
#include "pass/ridge.h"
#include "pass/sweep.h"
#include "ranks/ranks.h"

/* ---- the Gram matrix ---- */

gpis_status gpis_run_make_model(gpis_run *run) {
    const gpis_problem *p = run->problem;
    double *H = gpis_alloc(run->context, p->d * p->d, sizeof *H);
    if (!H) return GPIS_NO_MEMORY;
    const gpis_pass pass = {.k = p->k, .Y = p->Y, .gram = H};
    const gpis_status status = gpis_run_pass(run, &pass, (double)p->d / 4.0);
    if (status != GPIS_OK) {
        gpis_free(run->context, H);
        return status;
    }
    const gpis_load load = gpis_run_load(p, &pass);
    return gpis_run_take_model(run, H, gpis_pass_roundings(p->A, &load).gram, NULL);
}

/* ---- a sketch ---- */

bool gpis_run_coarse_pays(const gpis_run *run, const gpis_sketch *sketch) {
    return gpis_cost_single_pays((double)sketch->m, (double)run->problem->d, gpis_ranks_count(run->problem->A));
}

gpis_status gpis_run_sketch_gram(gpis_run *run, const gpis_sketch *sketch, bool coarse, double *H, const double *x,
                                 double *g, gpis_point *point) {
    const gpis_problem *p = run->problem;
    double objective;
    gpis_pass pass = {.k = sketch->k,
                      .Y = sketch->SY,
                      .terms = {.ridge = p->terms.ridge},
                      .X = x,
                      .objective = x ? &objective : NULL,
                      .G = g,
                      .gram = H};
    gpis_status status = GPIS_OK;
    if (coarse) {
        pass.gram = NULL;
        status = gpis_coarse_gram(run->context, sketch->SA, sketch->m, p->d, H);
        if (status == GPIS_OK) gpis_ridge_add_diagonal(p->terms.ridge, p->d, H);
    }
    if (status == GPIS_OK && (pass.gram || x))
        status =
            gpis_ranks_pass_over(run->context, p->A, sketch->SA, sketch->m, p->d, &pass, run->curvature.norms2, point);
    gpis_account_enter_work(&run->account, (double)(sketch->m * p->d) / (4.0 * (double)(p->n * p->k)), 0.0);
    return status;
}

/* ---- a sample ---- */

/* Enters the reading and the products of the sampled rows. */
static void enter_sample(gpis_account *account, const gpis_problem *p, const gpis_source *rows) {
    gpis_source_info info;
    gpis_source_describe(rows, &info);
    const double a_row = (double)info.nonzeros / (double)info.rows;
    gpis_account_enter_work(account, (double)info.rows / (double)p->n * (0.25 + 0.25 * a_row / (double)p->k),
                            (double)info.bytes);
}

/* A message about numbers that are not finite is to name their place in A, not in the sample. */
static gpis_status name_the_place(const gpis_problem *p, gpis_status status) {
    if (status != GPIS_BAD_DATA) return status;
    const gpis_pass pass = {.k = p->k, .Y = p->Y};
    const gpis_status there = gpis_pass_audit(p->context, p->A, &pass, p->n);
    return there == GPIS_OK ? status : there;
}

static bool lacks_columns(const double *H, int64_t d) {
    for (int64_t j = 0; j < d; j++)
        if (H[j * d + j] == 0.0) return true;
    return false;
}

/* The diagonal entries of columns that the sample has missed, from A. */
static gpis_status complete_diagonal(gpis_run *run, double *H, const double *x, double *g, gpis_point *point,
                                     bool *on_A) {
    const gpis_curvature *curvature = &run->curvature;
    const int64_t d = run->problem->d;
    gpis_status status = GPIS_OK;
    if (!curvature->norms_known) {
        status = gpis_run_gradient(run, x, g, point);
        *on_A = status == GPIS_OK;
    }
    for (int64_t j = 0; status == GPIS_OK && j < d; j++)
        if (H[j * d + j] == 0.0) H[j * d + j] = curvature->norms2[j];
    return status;
}

gpis_status gpis_run_read_sample(gpis_run *run, gpis_sample *sample, double *H, const double *x, double *g,
                                 gpis_point *point) {
    enter_sample(&run->account, run->problem, sample->rows);
    return name_the_place(run->problem,
                          gpis_sample_gram(sample, run->problem->terms.ridge, H, x, g, run->curvature.norms2, point));
}

gpis_status gpis_run_sample_gram(gpis_run *run, uint64_t round, double *H, const double *x, double *g,
                                 gpis_point *point, bool *on_A, gpis_sample **sample) {
    const gpis_problem *p = run->problem;
    *on_A = false;
    gpis_status status = gpis_sample_create(run->context, p->A, p->Y, x ? p->k : 0, &p->terms, run->m,
                                            run->settings->seed, round, sample);
    if (status != GPIS_OK) return status;
    gpis_account_enter_sketch(&run->account);
    status = gpis_run_read_sample(run, *sample, H, x, g, point);
    if (status == GPIS_OK && lacks_columns(H, p->d)) status = complete_diagonal(run, H, x, g, point, on_A);
    if (status == GPIS_OK) return GPIS_OK;
    gpis_sample_destroy(*sample);
    *sample = NULL;
    return status;
}

/* ---- any of them ---- */

gpis_status gpis_run_take_model(gpis_run *run, double *H, double roundings, const gpis_origin *origin) {
    gpis_curvature *curvature = &run->curvature;
    gpis_status status = gpis_curvature_take(curvature, H, roundings, origin != NULL);
    if (status != GPIS_OK || (origin && origin->coarse && gpis_curvature_is_too_coarse(curvature))) return status;
    status = gpis_run_settle_dependence(run);
    if (status == GPIS_OK && origin && curvature->model->shift > 0.0)
        status = origin->sketch ? gpis_curvature_hold_sketch(curvature, origin->sketch)
                                : gpis_curvature_hold_sample(curvature, origin->sample);
    return status == GPIS_OK ? gpis_curvature_complete(curvature) : status;
}
