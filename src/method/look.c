/* A look at a few rows. */
#include "method/look.h"

#include <math.h>

#include "method/on_face.h"
#include "method/sample.h"

/* The rows, with their Gram matrix and the pass that makes it; then the model and its inner problem. */
double gpis_look_memory(const gpis_problem *p) {
    const int64_t rows = GPIS_LOOK_ROWS_PER_COLUMN * p->d;
    const double square = 8.0 * (double)p->d * (double)p->d;
    const double strips = gpis_pass_gram_strips((double)rows, (double)p->d) + 1.0;
    const double sampling = gpis_sample_memory(p->A, p->k, rows) + square * (strips + 1.0);
    return fmax(sampling, 3.0 * square + gpis_inner_memory(p->set)) + 64.0 * (double)p->d;
}

bool gpis_look_applies(const gpis_run *run) {
    const gpis_problem *p = run->problem;
    return run->prices.look > 0.0 && gpis_on_face_applies(run) && gpis_sample_is_at_hand(p->A) &&
           GPIS_LOOK_ROWS_PER_COLUMN * p->d <= p->n && gpis_look_memory(p) <= (double)gpis_account_left(run->context);
}

static bool lacks_columns(const double *H, int64_t d) {
    for (int64_t j = 0; j < d; j++)
        if (!(H[j * d + j] > 0.0)) return true;
    return false;
}

/* Minimises the sampled problem, whose gradient at x0 is g, and counts. The model owns H from here on. */
static gpis_status count_free(const gpis_run *run, double *H, int64_t rows, const double *x0, const double *g,
                              double *share) {
    enum { MAX_STEPS = 1000 }; /* of the gradient, should the exact solver give up */
    const gpis_problem *p = run->problem;
    gpis_model *model = NULL;
    gpis_inner *inner = NULL;
    bool done;
    gpis_status status = gpis_model_create(run->context, p->d, H, (double)rows, &model);
    if (status == GPIS_OK) status = gpis_inner_create(run->context, p->set, model, NULL, &inner);
    if (status == GPIS_OK) {
        gpis_inner_begin(inner, x0, g);
        status = gpis_inner_run(inner, MAX_STEPS, &done);
    }
    if (status == GPIS_OK) *share = (double)gpis_on_face_free(p, inner->s) / (double)p->d;
    gpis_inner_destroy(inner);
    gpis_model_destroy(model);
    return status;
}

gpis_status gpis_look(gpis_run *run, const double *x0, double *share) {
    const gpis_problem *p = run->problem;
    const int64_t rows = GPIS_LOOK_ROWS_PER_COLUMN * p->d;
    gpis_sample *sample = NULL;
    gpis_point point;
    double *H = gpis_alloc(run->context, p->d * p->d, sizeof *H), *g = gpis_alloc(run->context, p->d, sizeof *g);
    *share = 0.0;
    gpis_status status = H && g ? GPIS_OK : GPIS_NO_MEMORY;
    if (status == GPIS_OK)
        status = gpis_sample_create(run->context, p->A, p->Y, p->k, &p->terms, rows, run->settings->seed, 0, &sample);
    if (status == GPIS_OK) status = gpis_run_read_sample(run, sample, H, x0, g, &point);
    gpis_sample_destroy(sample);
    if (status == GPIS_OK && !lacks_columns(H, p->d)) {
        status = count_free(run, H, rows, x0, g, share);
        H = NULL; /* the model owned it */
    }
    gpis_free(run->context, g);
    gpis_free(run->context, H);
    return status;
}
