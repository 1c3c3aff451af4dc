/* Norms, model and inner problem of a run. */
#include "method/curvature.h"

#include <math.h>

gpis_status gpis_curvature_begin(gpis_curvature *c, const gpis_problem *problem) {
    *c = (gpis_curvature){.problem = problem};
    c->norms2 = gpis_alloc_zero(problem->context, problem->d, sizeof *c->norms2);
    return c->norms2 ? GPIS_OK : GPIS_NO_MEMORY;
}

void gpis_curvature_set_stop(gpis_curvature *c, gpis_stop stop) { c->stop = stop; }

static void drop_inner(gpis_curvature *c) {
    gpis_inner_destroy(c->inner);
    c->inner = NULL;
}

void gpis_curvature_drop(gpis_curvature *c) {
    drop_inner(c);
    gpis_model_destroy(c->model);
    c->model = NULL;
    c->sketched = false;
}

void gpis_curvature_clear(gpis_curvature *c) {
    if (!c->problem) return;
    gpis_curvature_drop(c);
    gpis_free(c->problem->context, c->norms2);
    gpis_free(c->problem->context, c->dependence.vectors);
    *c = (gpis_curvature){0};
}

/* ---- norms of the columns ---- */

/* The Gram matrix of all columns, alone or as a part of the summary, of which *ld numbers make a row; NULL: none. */
static const double *whole_gram(const gpis_curvature *c, const gpis_pass *pass, int64_t *ld) {
    *ld = c->problem->d + (pass->summary ? pass->k : 0);
    return pass->summary ? pass->summary : pass->columns ? NULL : pass->gram;
}

double *gpis_curvature_norms_place(const gpis_curvature *c, const gpis_pass *pass) {
    int64_t ld;
    return !c->norms_known && pass->X && !whole_gram(c, pass, &ld) ? c->norms2 : NULL;
}

void gpis_curvature_take_norms(gpis_curvature *c, const gpis_pass *pass) {
    int64_t ld;
    const double *gram = whole_gram(c, pass, &ld);
    for (int64_t j = 0; !c->norms_known && gram && j < c->problem->d; j++) c->norms2[j] = gram[j * (ld + 1)];
    c->norms_known = c->norms_known || pass->X || gram;
}

double gpis_curvature_largest_norm2(const gpis_curvature *c) {
    double largest2 = 0.0;
    for (int64_t j = 0; j < c->problem->d; j++) largest2 = fmax(largest2, c->norms2[j]);
    return largest2;
}

/* ---- the model ---- */

/* First H and its pass; then H, its factor and the inner problem. A model that is replaced gives its memory back only
 * after the pass. */
bool gpis_curvature_fits(const gpis_problem *p) {
    const double square = 8.0 * (double)p->d * (double)p->d;
    const gpis_load load = gpis_load_with_terms(gpis_load_worst(p->d, p->k, 0, p->d, false), &p->terms);
    const double gram = gpis_pass_memory(p->context, p->A, &load);
    return fmax(square + gram, 2.0 * square + gpis_inner_memory(p->set)) <= (double)gpis_account_left(p->context);
}

gpis_status gpis_curvature_take(gpis_curvature *c, double *H, double roundings, bool sketched) {
    gpis_curvature_drop(c);
    c->sketched = sketched;
    return gpis_model_create(c->problem->context, c->problem->d, H, roundings, &c->model);
}

gpis_status gpis_curvature_hold_sketch(gpis_curvature *c, const gpis_sketch *sketch) {
    const gpis_problem *p = c->problem;
    if (p->terms.ridge) return GPIS_OK; /* its rows are not among those of the sketch */
    const double rows = (double)(sketch->m + c->dependence.exact + 2 * p->d + 2); /* of d numbers, for the factor */
    if (8.0 * (double)p->d * rows + 1e6 > (double)gpis_account_left(p->context)) return GPIS_OK;
    return gpis_model_hold_rows(c->model, sketch->m, sketch->SA);
}

gpis_status gpis_curvature_hold_sample(gpis_curvature *c, const gpis_sample *sample) {
    return c->problem->terms.ridge ? GPIS_OK : gpis_sample_hold(sample, c->model);
}

static gpis_status make_inner(gpis_curvature *c) {
    const gpis_status status = gpis_inner_create(c->problem->context, c->problem->set, c->model, NULL, &c->inner);
    if (status == GPIS_OK) c->inner->stop = &c->stop;
    return status;
}

gpis_status gpis_curvature_add_null(gpis_curvature *c, int64_t count, const double *vectors, double nearness) {
    const bool had_inner = c->inner;
    drop_inner(c);
    const gpis_status status = gpis_model_add_null(c->model, count, vectors, nearness);
    return status == GPIS_OK && had_inner ? make_inner(c) : status;
}

gpis_status gpis_curvature_complete(gpis_curvature *c) {
    c->dependence.full_rank = c->dependence.full_rank || c->model->by_rows;
    if (c->sketched) c->model->c = c->model->slack = 0.0; /* probes compare the factor, shifted or not, with A'A */
    return make_inner(c);
}

gpis_status gpis_curvature_take_model(gpis_curvature *c, gpis_model *model) {
    gpis_curvature_drop(c);
    c->model = model;
    c->sketched = false;
    return make_inner(c);
}

void gpis_curvature_set_c(gpis_curvature *c, double value) { c->model->c = value; }

/* Rounding to floats acts like noise of 1e-7 in the matrix T with a unit diagonal, so the norm of the inverse of T must
 * stay well below 1e7. model->inverse is an upper bound on that norm: it adds up the reciprocals of all eigenvalues,
 * not of the smallest one alone. So the limit is generous. */
bool gpis_curvature_is_too_coarse(const gpis_curvature *c) {
    static const double MAX_INVERSE = 3e7;
    return c->model->shift > 0.0 || c->model->inverse > MAX_INVERSE;
}
