/* Which columns may be free, and the problem on them. */
#include "method/on_face.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Costs in units of one gradient pass. */
static const double ROUNDS_SAVED = 5.0;    /* rounds with probes that a face saves */
static const double NEGLIGIBLE_COST = 0.5; /* up to this it does not pay to save columns */
static const double COST_OF_ROUND = 1.5;   /* of another round, with everything that belongs to it */

static const double MAX_SHARE = 0.7; /* of all columns: with more it is nearly the whole Gram matrix */

bool gpis_on_face_applies(const gpis_run *run) {
    return gpis_face_applies(run->problem->set) && run->settings->certificate != GPIS_CERTIFICATE_NONE;
}

/* What the Gram matrix of so many columns costs. */
static double passes_for(const gpis_run *run, int64_t count) {
    const double share = (double)count / (double)run->problem->d;
    return share * share * (run->prices.gram - 1.0);
}

/* How many columns have a Gram matrix of this cost. */
static int64_t columns_for(const gpis_run *run, double passes) {
    return (int64_t)((double)run->problem->d * fmin(MAX_SHARE, sqrt(passes / (run->prices.gram - 1.0))));
}

int64_t gpis_on_face_most(const gpis_run *run) { return columns_for(run, ROUNDS_SAVED * run->prices.probing); }

int64_t gpis_on_face_free(const gpis_problem *p, const double *x) {
    int64_t count = 0;
    for (int64_t j = 0; j < p->d; j++) count += !gpis_face_is_at_wall(p->set, x, j);
    return count;
}

/* Whether there is memory for H and the pass that makes it, then for H, its factor and the inner problem's. */
static bool fits(const gpis_problem *p, int64_t count) {
    const double square = 8.0 * (double)count * (double)count;
    const gpis_load load = gpis_load_with_terms(gpis_load_worst(p->d, p->k, 0, count, false), &p->terms);
    const double pass = gpis_pass_memory(p->context, p->A, &load);
    return fmax(square + pass, 4.0 * square) <= (double)gpis_account_left(p->context);
}

/* ---- the columns ---- */

typedef struct candidate {
    double need; /* slack in units of the column: the smaller, the more likely the column becomes free */
    int64_t column;
} candidate;

static int by_need(const void *a, const void *b) {
    const candidate *p = a, *q = b;
    if (p->need != q->need) return p->need < q->need ? -1 : 1;
    return p->column < q->column ? -1 : p->column > q->column;
}

static int by_column(const void *a, const void *b) {
    const int64_t p = ((const candidate *)a)->column, q = ((const candidate *)b)->column;
    return p < q ? -1 : p > q;
}

/* Lists all columns in ascending order of need, free ones first. */
static gpis_status rank_columns(const gpis_curvature *curvature, const double *x, const double *g, candidate *list) {
    const gpis_problem *p = curvature->problem;
    bool *member = gpis_alloc(p->context, p->d, sizeof *member);
    double *slack = gpis_alloc(p->context, p->d, sizeof *slack);
    const gpis_status status = member && slack ? GPIS_OK : GPIS_NO_MEMORY;
    if (status == GPIS_OK) {
        for (int64_t j = 0; j < p->d; j++) member[j] = !gpis_face_is_at_wall(p->set, x, j);
        gpis_face_slacks(p->set, x, g, member, slack);
        for (int64_t j = 0; j < p->d; j++) {
            const double norm = sqrt(curvature->norms2[j]);
            list[j] = (candidate){member[j] ? -INFINITY : norm > 0.0 ? slack[j] / norm : INFINITY, j};
        }
        qsort(list, (size_t)p->d, sizeof *list, by_need);
    }
    gpis_free(p->context, member);
    gpis_free(p->context, slack);
    return status;
}

/* How many of the ranked columns to take; 0 if they would be too many, or none. */
static int64_t take_columns(const gpis_run *run, const candidate *list, double margin) {
    const int64_t most = gpis_on_face_most(run), negligible = gpis_min64(most, columns_for(run, NEGLIGIBLE_COST));
    int64_t count = 0, is_free = 0;
    while (is_free < run->problem->d && list[is_free].need == -INFINITY) is_free++;
    while (count < run->problem->d && list[count].need <= margin) count++;
    if (count > most || count == 0 || passes_for(run, count) > passes_for(run, is_free + is_free / 4) + COST_OF_ROUND)
        return 0;
    while (count < negligible && list[count].need < INFINITY) count++;
    return fits(run->problem, count) ? count : 0;
}

/* ---- the problem on them ---- */

static gpis_status make_face(const gpis_problem *p, candidate *list, int64_t count, gpis_on_face **out) {
    gpis_on_face *face = gpis_alloc_zero(p->context, 1, sizeof *face);
    if (!face) return GPIS_NO_MEMORY;
    *out = face;
    face->problem = p;
    face->count = count;
    face->columns = gpis_alloc(p->context, count, sizeof *face->columns);
    face->x = gpis_alloc(p->context, count, sizeof(double));
    face->g = gpis_alloc(p->context, count, sizeof(double));
    face->H = gpis_alloc(p->context, count * count, sizeof(double));
    if (!face->columns || !face->x || !face->g || !face->H) return GPIS_NO_MEMORY;
    qsort(list, (size_t)count, sizeof *list, by_column);
    for (int64_t c = 0; c < count; c++) face->columns[c] = list[c].column;
    return gpis_set_select(p->set, face->columns, count, &face->set);
}

gpis_status gpis_on_face_create(const gpis_run *run, const double *x, const double *g, double margin,
                                gpis_on_face **out) {
    *out = NULL;
    candidate *list = gpis_alloc(run->context, run->problem->d, sizeof *list);
    if (!list) return GPIS_NO_MEMORY;
    gpis_status status = rank_columns(&run->curvature, x, g, list);
    const int64_t count = status == GPIS_OK ? take_columns(run, list, margin) : 0;
    if (count > 0) status = make_face(run->problem, list, count, out);
    if (*out) (*out)->stop = &run->curvature.stop;
    gpis_free(run->context, list);
    if (status == GPIS_OK) return GPIS_OK;
    gpis_on_face_destroy(*out);
    *out = NULL;
    return status;
}

void gpis_on_face_destroy(gpis_on_face *face) {
    if (!face) return;
    gpis_context *context = face->problem->context;
    gpis_inner_destroy(face->inner);
    gpis_model_destroy(face->model);
    gpis_set_destroy(face->set);
    gpis_free(context, face->columns);
    gpis_free(context, face->H);
    gpis_free(context, face->x);
    gpis_free(context, face->g);
    gpis_free(context, face);
}

gpis_status gpis_on_face_take_gram(gpis_on_face *face, const gpis_load *load) {
    const gpis_problem *p = face->problem;
    const double roundings = gpis_pass_roundings(p->A, load).gram;
    double *H = face->H;
    face->H = NULL;
    gpis_status status = gpis_model_create(p->context, face->count, H, roundings, &face->model);
    if (status == GPIS_OK) status = gpis_inner_create(p->context, face->set, face->model, NULL, &face->inner);
    if (status == GPIS_OK) face->inner->stop = face->stop;
    return status;
}

bool gpis_on_face_contains(const gpis_on_face *face, const double *x) {
    const gpis_problem *p = face->problem;
    for (int64_t j = 0, c = 0; j < p->d; j++) {
        const bool inside = c < face->count && face->columns[c] == j;
        c += inside;
        if (!inside && !gpis_face_is_at_wall(p->set, x, j)) return false;
    }
    return true;
}

/* The sets that have faces have exact solvers: one burst goes to the end, or as far as rounding allows. */
static gpis_status minimise(gpis_on_face *face, const double *x, const double *g) {
    enum { MAX_STEPS = 5000 }; /* of the gradient, should the exact solver give up */
    bool done;
    for (int64_t c = 0; c < face->count; c++) {
        face->x[c] = x[face->columns[c]];
        face->g[c] = g[face->columns[c]];
    }
    gpis_inner_begin(face->inner, face->x, face->g);
    return gpis_inner_run(face->inner, MAX_STEPS, &done);
}

gpis_status gpis_on_face_solve(gpis_on_face *face, gpis_record *record, gpis_account *account, const gpis_point *point,
                               double *next, bool *holds) {
    const gpis_problem *p = face->problem;
    const gpis_face here = {face->columns, face->count, face->set, face->model};
    const int64_t before = face->inner->iterations;
    double gap, lead;
    gpis_status status = minimise(face, point->x, point->g);
    if (status != GPIS_OK) return status;
    gpis_account_enter_inner(account, face->inner->iterations - before);
    memcpy(next, point->x, (size_t)p->d * sizeof *next);
    for (int64_t c = 0; c < face->count; c++) next[face->columns[c]] = face->inner->s[c];
    status = gpis_certificate_on_face(p->context, p->set, point, &here, face->inner->s, &gap, &lead);
    if (status != GPIS_OK) return status;
    gpis_record_enter_proven(record, point, gpis_record_objective_at(record, point) - gap);
    *holds = lead > 0.0 || !face->stepped;
    face->stepped = true;
    return GPIS_OK;
}
