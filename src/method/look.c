/* A look at a few rows. */
#include "method/look.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "method/on_face.h"
#include "set/penalty.h"

/* The rows, with their Gram matrix and the pass that makes it; then the model and its inner problem. */
double gpis_look_memory(const gpis_problem *p) {
    const int64_t rows = (int64_t)gpis_look_rows((double)p->n, (double)p->d);
    const double square = 8.0 * (double)p->d * (double)p->d, vectors = 8.0 * 8.0 * (double)p->size;
    const double strips = gpis_pass_gram_strips((double)rows, (double)p->d) + 1.0;
    return gpis_sample_memory(p->A, p->k, rows) + vectors +
           fmax(square * (strips + 1.0), 3.0 * square + gpis_inner_memory(p->set));
}

bool gpis_look_applies(const gpis_run *run) {
    const gpis_problem *p = run->problem;
    return run->prices.look > 0.0 && gpis_on_face_applies(run) && gpis_sample_is_at_hand(p->A) &&
           gpis_look_rows((double)p->n, (double)p->d) <= (double)p->n &&
           gpis_look_memory(p) <= (double)gpis_account_left(run->context);
}

/* ---- a glance ---- */

/* Projected gradients with the steps of Barzilai and Borwein, x+ = P_K(x - a g), by turns
 *
 *     a = <s, s> / <s, q>  and  a = <s, q> / <q, q>,   s and q: the latest differences of x and of g
 *
 * and at first <g, g> / ||B g||^2. They need no constant of the problem, and find out soon which entries are free. A
 * ridge is left out: it hardly changes that. */
typedef struct walk {
    gpis_set *set;
    gpis_sample *sample;
    const gpis_problem *problem;
    int64_t size;
    double *x, *g, *s, *q; /* `size` each */
    int64_t lately;        /* the most entries that were free after one of the last few steps */
} walk;

static double product(const walk *w, const double *u, const double *v) { return cblas_ddot((int)w->size, u, 1, v, 1); }

/* The gradient at x, and how it has changed. */
static gpis_status measure(walk *w) {
    gpis_sample *sample = w->sample;
    double objective;
    const gpis_pass pass = {
        .k = sample->k, .Y = sample->Y, .terms = sample->terms, .X = w->x, .objective = &objective, .G = w->g};
    memcpy(w->q, w->g, (size_t)w->size * sizeof *w->g);
    const gpis_status status = gpis_pass_run(sample->context, sample->rows, &pass);
    for (int64_t i = 0; i < w->size; i++) w->q[i] = w->g[i] - w->q[i];
    return status;
}

static gpis_status first_length(walk *w, double *length) {
    gpis_sample *sample = w->sample;
    double curvature;
    const gpis_pass pass = {.k = sample->k, .terms = sample->terms, .P = w->g, .AP2 = &curvature};
    const gpis_status status = gpis_pass_run(sample->context, sample->rows, &pass);
    *length = product(w, w->g, w->g) / curvature;
    return status;
}

static gpis_status step(walk *w, double length) {
    memcpy(w->s, w->x, (size_t)w->size * sizeof *w->x);
    cblas_daxpy((int)w->size, -length, w->g, 1, w->x, 1);
    /* the objective of the sample is 1 / weight of that of all rows, and so is what a penalty counts beside it */
    const gpis_status status = gpis_set_prox(w->set, 0.5 * length / w->sample->weight, w->x, w->x);
    for (int64_t i = 0; i < w->size; i++) w->s[i] = w->x[i] - w->s[i];
    return status;
}

static gpis_status next_length(walk *w, bool even, double *length) {
    const gpis_status status = measure(w);
    const double sq = product(w, w->s, w->q);
    *length = even ? product(w, w->s, w->s) / sq : sq / product(w, w->q, w->q);
    return status;
}

/* A length that is not positive and finite is the end of the walk: it has arrived.
 *
 * Steps differ in length by a factor of ten and more. A long one brings many entries to the walls, and where A is badly
 * conditioned some of them come back. */
static gpis_status walk_on(walk *w) {
    enum { LAST_STEPS = 3 };
    double length = 0.0;
    gpis_status status = measure(w);
    if (status == GPIS_OK) status = first_length(w, &length);
    for (int left = GPIS_LOOK_STEPS; left > 0 && status == GPIS_OK && length > 0.0 && isfinite(length); left--) {
        status = step(w, length);
        if (left <= LAST_STEPS) w->lately = gpis_max64(w->lately, gpis_on_face_free(w->problem, w->x));
        if (status == GPIS_OK && left > 1) status = next_length(w, left % 2 == 0, &length);
    }
    return status;
}

gpis_status gpis_look_glance(gpis_run *run, gpis_sample *sample, const double *x0, gpis_free_share *glance) {
    const gpis_problem *p = run->problem;
    const size_t bytes = (size_t)p->size * sizeof *x0;
    double *vectors = gpis_alloc_zero(run->context, 4 * p->size, sizeof *vectors);
    if (!vectors) return GPIS_NO_MEMORY;
    walk w = {.set = p->set, .problem = p, .sample = sample, .size = p->size, .x = vectors};
    w.g = w.x + p->size;
    w.s = w.g + p->size;
    w.q = w.s + p->size;
    memcpy(w.x, x0, bytes);
    const gpis_status status = walk_on(&w);
    const double passes = (GPIS_LOOK_STEPS + 0.5) * (double)sample->rows->n / (double)p->n;
    gpis_account_enter_work(&run->account, passes, 0.0);
    *glance = (gpis_free_share){.share = 1.0};
    if (status == GPIS_OK) {
        glance->share = (double)gpis_on_face_free(p, w.x) / (double)p->d;
        glance->unsettled = fmax(0.0, (double)w.lately / (double)p->d - glance->share);
    }
    gpis_free(run->context, vectors);
    return status == GPIS_BAD_DATA ? GPIS_OK : status; /* the first pass over A finds the place and names it */
}

/* ---- the model ---- */

static bool lacks_columns(const double *H, int64_t d) {
    for (int64_t j = 0; j < d; j++)
        if (!(H[j * d + j] > 0.0)) return true;
    return false;
}

/* The model owns H from here on. */
static gpis_status take(gpis_run *run, double *H, double rows, bool *seen) {
    gpis_curvature *curvature = &run->curvature;
    const gpis_status status = gpis_curvature_take(curvature, H, rows, true);
    *seen = status == GPIS_OK && curvature->model->shift == 0.0;
    if (*seen) return gpis_curvature_complete(curvature);
    gpis_curvature_drop(curvature);
    return status;
}

gpis_status gpis_look_model(gpis_run *run, gpis_sample *sample, const double *x, double *g, gpis_point *point,
                            bool *seen) {
    const int64_t d = run->problem->d;
    double *H = gpis_alloc(run->context, d * d, sizeof *H);
    *seen = false;
    gpis_status status = H ? gpis_run_read_sample(run, sample, H, x, g, point) : GPIS_NO_MEMORY;
    if (status == GPIS_OK && !lacks_columns(H, d)) return take(run, H, (double)sample->rows->n, seen);
    gpis_free(run->context, H);
    return status;
}
