/*
 * The minimum over the whole space where A is so ill conditioned that even A'A in double-double has lost digits: two
 * passes in the place of one.
 *
 *     W  = [A Y]'[A Y],   W + shift ~ R'R,   T = R^-1 rounded to double     (of the finish, which has made W)
 *     W~ = [A T, Y]'[A T, Y]                                                one more pass, in double-double
 *     z  = argmin ||A T z - Y||,   x = T z
 *
 * T is what it is: every x is T z for one z, and the least objective is the same. Where A has a condition number of
 * 1e16, A T has one of perhaps 1e3, and W~ has all the digits that W has lost. The bound on f* that comes from z holds
 * for every x. The rows of A T are sums of two doubles (source/turn_columns.c), so that W~ is summed for twice as many
 * columns, and those of high and low parts are added up.
 *
 * With rho_j = (d + 1) U sum_l ||a_l|| |t_lj| / ||A t_j||, the error of column j of A T is at most rho_j of its norm;
 * so each entry of W~ is within gamma ||w_i|| ||w_j|| of the exact one for
 *
 *     gamma = (1 + rho)^2 (gamma of the pass + 4 U) + 2 rho + rho^2,     rho the largest rho_j.
 */
#include <math.h>
#include <string.h>

#include "certificate/certificate.h"
#include "cost/cost.h"
#include "linalg/accurate.h"
#include "method/finish.h"

typedef struct turned {
    gpis_run *run;     /* borrowed */
    double *memory;    /* owned: the arrays below are parts of it */
    double *T;         /* d x d */
    double *z, *z_low; /* d x k each, as the others */
    double *g, *g_low;
    double *step;
    double *norms2;       /* d: the squared norms of the columns of A T */
    gpis_source *source;  /* owned: A T */
    gpis_quadratic *sums; /* owned: those of the pass, of 2 d columns */
    gpis_quadratic *own;  /* owned: W~ */
    gpis_model *model;    /* owned: of W~ */
} turned;

/* A is read by this run alone and in one piece; a term that is not one of its rows would not be turned with them. */
static bool applies(const gpis_run *run) {
    enum { MAX_COLUMNS = 300, PASSES = 2 };
    const gpis_problem *p = run->problem;
    const bool may_pass = run->settings->max_passes == 0 || run->account.passes + PASSES <= run->settings->max_passes;
    return p->set->shape == GPIS_SHAPE_WHOLE && p->d <= MAX_COLUMNS && p->n >= p->d && !p->terms.constant &&
           !p->terms.ridge && !run->audit && !run->replay && gpis_source_piece(p->A) == p->A && may_pass &&
           !gpis_run_exhausted(run);
}

/* T := D^-1 R^-1, with the smallest shift for which there is a factor. */
static gpis_status make_transform(turned *t, const gpis_quadratic *summary, bool *made) {
    static const double SHIFT[] = {0.0, 1e-28, 1e-27, 1e-26, 1e-25, 1e-24};
    const int64_t d = summary->d;
    const gpis_stop stop = gpis_run_stop(t->run);
    gpis_model *model = NULL;
    gpis_status status = GPIS_OK;
    for (size_t i = 0; status == GPIS_OK && !model && i < sizeof SHIFT / sizeof *SHIFT; i++)
        status = gpis_model_of_quadratic(t->run->context, summary, SHIFT[i], &stop, &model);
    *made = status == GPIS_OK && model;
    if (*made) {
        memset(t->T, 0, (size_t)(d * d) * sizeof *t->T);
        for (int64_t j = 0; j < d; j++) t->T[j * d + j] = 1.0;
        gpis_model_unwhiten(model, d, t->T);
        *made = gpis_all_finite(t->T, d * d);
    }
    gpis_model_destroy(model);
    return status;
}

static gpis_status sum_up(turned *t) {
    gpis_run *run = t->run;
    const gpis_problem *p = run->problem;
    gpis_source_info info;
    gpis_status status = gpis_source_turn(run->context, p->A, t->T, &t->source);
    if (status == GPIS_OK) status = gpis_quadratic_create(run->context, 2 * p->d, p->k, &t->sums);
    if (status != GPIS_OK) return status;
    const gpis_pass pass = {.k = p->k, .Y = p->Y, .terms = p->terms, .summary = t->sums->W};
    const gpis_load load = gpis_load_of(&pass, 2 * p->d);
    gpis_account_begin_pass(&run->account);
    status = gpis_pass_run(run->context, t->source, &pass);
    gpis_source_describe(p->A, &info);
    gpis_account_enter_pass(&run->account, 4.0 * gpis_cost_summary_ratio(p->A, p->k) / (double)p->k,
                            (double)info.bytes);
    t->sums->gamma = gpis_pass_roundings(t->source, &load).summary;
    return status;
}

/* The largest rho_j; the norms of columns are known up to few roundings, hence the 1.01. */
static double error_of_columns(const turned *t) {
    const int64_t d = t->run->problem->d;
    double rho = 0.0;
    for (int64_t j = 0; j < d; j++) {
        double sum = 0.0;
        for (int64_t l = 0; l < d; l++) sum += sqrt(t->run->curvature.norms2[l]) * fabs(t->T[l * d + j]);
        rho = fmax(rho, (double)(d + 1) * GPIS_DD_UNIT * 1.01 * sum / sqrt(t->norms2[j]));
    }
    return rho;
}

/* Column i of W~ is the sum of columns i and d + i of the sums; a response has one column. */
static gpis_dd add_parts(const gpis_quadratic *sums, int64_t d, int64_t i, int64_t j) {
    const int64_t is[] = {i < d ? i : i + d, d + i}, js[] = {j < d ? j : j + d, d + j};
    gpis_dd sum = gpis_quadratic_entry(sums, is[0], js[0]);
    if (i < d) sum = gpis_dd_add(sum, gpis_quadratic_entry(sums, is[1], js[0]));
    if (j < d) sum = gpis_dd_add(sum, gpis_quadratic_entry(sums, is[0], js[1]));
    if (i < d && j < d) sum = gpis_dd_add(sum, gpis_quadratic_entry(sums, is[1], js[1]));
    return sum;
}

static gpis_status collapse(turned *t) {
    const gpis_problem *p = t->run->problem;
    const int64_t d = p->d, size = d + p->k;
    const gpis_status status = gpis_quadratic_create(t->run->context, d, p->k, &t->own);
    if (status != GPIS_OK) return status;
    for (int64_t i = 0; i < size; i++)
        for (int64_t j = 0; j < size; j++) {
            const gpis_dd entry = add_parts(t->sums, d, gpis_min64(i, j), gpis_max64(i, j));
            t->own->W[i * size + j] = entry.high;
            t->own->W[size * size + i * size + j] = entry.low;
        }
    for (int64_t j = 0; j < d; j++) t->norms2[j] = gpis_quadratic_entry(t->own, j, j).high;
    const double rho = error_of_columns(t);
    t->own->gamma = 1.01 * ((1.0 + rho) * (1.0 + rho) * (t->sums->gamma + 4.0 * GPIS_DD_UNIT) + 2.0 * rho + rho * rho);
    t->own->response_error = p->terms.response_error;
    return GPIS_OK;
}

/* Goes to the minimiser z, from 0, where a step of newton leaves an error of 1e-10 or less of what it was. */
static gpis_point minimise(turned *t) {
    enum { STEPS = 6 };
    const gpis_problem *p = t->run->problem;
    gpis_point point;
    memset(t->z, 0, (size_t)(2 * p->size) * sizeof *t->z);
    for (int i = 0;; i++) {
        point = gpis_quadratic_point(t->own, t->z, t->z_low, t->g, t->g_low, t->norms2);
        if (i == STEPS) return point;
        for (int64_t l = 0; l < p->size; l++) t->step[l] = -t->g[l];
        gpis_model_solve(t->model, p->k, t->step);
        for (int64_t l = 0; l < p->size; l++) {
            const gpis_dd next = gpis_dd_add((gpis_dd){t->z[l], t->z_low[l]}, gpis_dd_of(t->step[l]));
            t->z[l] = next.high;
            t->z_low[l] = next.low;
        }
    }
}

/* The bound at z is one on f*, whatever x is. */
static gpis_status enter_bound(turned *t, const gpis_point *point) {
    gpis_run *run = t->run;
    gpis_second_order bound;
    const gpis_status status =
        gpis_certificate_second(run->context, run->problem->set, point, t->model, t->model->c, t->z, &bound);
    if (status == GPIS_OK) gpis_record_enter_proven(&run->record, NULL, point->objective - bound.gap);
    return status;
}

/* x = T z rounded to double, measured in extended precision. */
static gpis_status go_back(turned *t) {
    gpis_run *run = t->run;
    const gpis_problem *p = run->problem;
    double *x = t->step;
    gpis_point point;
    for (int64_t l = 0; l < p->d; l++)
        for (int64_t c = 0; c < p->k; c++) {
            gpis_dd sum = gpis_dd_of(0.0);
            for (int64_t j = 0; j < p->d; j++) {
                const gpis_dd z = {t->z[j * p->k + c], t->z_low[j * p->k + c]};
                sum = gpis_dd_add(sum, gpis_dd_scale(z, t->T[l * p->d + j]));
            }
            x[l * p->k + c] = sum.high;
        }
    if (!gpis_all_finite(x, p->size)) return GPIS_OK;
    const gpis_pass pass = {.k = p->k, .Y = p->Y, .X = x, .extended = true, .G = t->g};
    const gpis_status status = gpis_run_measure(run, &pass, 1.0, &point);
    if (status == GPIS_OK) gpis_record_offer(&run->record, &point);
    return status;
}

static gpis_status begin(turned *t) {
    const int64_t d = t->run->problem->d, size = t->run->problem->size;
    t->memory = gpis_alloc(t->run->context, d * d + d + 5 * size, sizeof *t->memory);
    if (!t->memory) return GPIS_NO_MEMORY;
    double **field[] = {&t->z, &t->z_low, &t->g, &t->g_low, &t->step};
    t->T = t->memory;
    t->norms2 = t->T + d * d;
    for (int i = 0; i < 5; i++) *field[i] = t->norms2 + d + i * size;
    return GPIS_OK;
}

static void end(turned *t) {
    gpis_model_destroy(t->model);
    gpis_quadratic_destroy(t->own);
    gpis_quadratic_destroy(t->sums);
    gpis_source_destroy(t->source);
    gpis_free(t->run->context, t->memory);
}

gpis_status gpis_finish_turned(gpis_run *run, const gpis_quadratic *summary) {
    turned t = {.run = run};
    bool made = false;
    if (!applies(run)) return GPIS_OK;
    const gpis_stop stop = gpis_run_stop(run);
    gpis_status status = begin(&t);
    if (status == GPIS_OK) status = make_transform(&t, summary, &made);
    if (status == GPIS_OK && made) status = sum_up(&t);
    if (status == GPIS_OK && made) status = collapse(&t);
    if (status == GPIS_OK && made) status = gpis_model_of_quadratic(run->context, t.own, 0.0, &stop, &t.model);
    if (status == GPIS_OK && t.model) {
        const gpis_point point = minimise(&t);
        status = enter_bound(&t, &point);
        if (status == GPIS_OK) status = go_back(&t);
    }
    end(&t);
    return status;
}
