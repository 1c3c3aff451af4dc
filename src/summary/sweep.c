/*
 * The sweep: one pass sums the products of the columns of [A 1 Y] in two doubles, by folds (linalg/gram_two.h), at
 * about the cost of a Gram matrix.
 */
#include <string.h>

#include "pass/folds.h"
#include "ranks/ranks.h"
#include "summary/summary.h"

static gpis_pass pass_of(const gpis_problem *p, const gpis_folds *folds, gpis_watch *watch) {
    return (gpis_pass){
        .k = p->k, .Y = p->Y, .terms = p->terms, .quick = true, .sparing = true, .folds = *folds, .watch = watch};
}

/* ---- underflow ---- */

static bool is_small(double square) { return square < GPIS_TINY * GPIS_TINY; }

/* The diagonal entries of all folds together. */
static double norm2(const gpis_summary *s, int64_t i) {
    double sum = 0.0;
    for (int64_t f = 0; f < s->folds; f++) sum += gpis_quadratic_entry(s->fold[f], i, i).high;
    return sum;
}

/* A response whose squares add up to less than 2^-900 is most often zero; whether it is takes a second pass. */
static gpis_status check_response(const gpis_summary *s, const gpis_problem *p) {
    double response = 0.0, sizes[2];
    for (int64_t c = 0; c < s->k; c++) response += norm2(s, s->d + 1 + c);
    if (!is_small(response)) return GPIS_OK;
    const gpis_pass pass = {.k = p->k, .Y = p->Y, .terms = p->terms, .y_sizes = sizes};
    const gpis_status status = gpis_pass_run(s->context, p->A, &pass);
    if (status != GPIS_OK || sizes[0] == 0.0 || sizes[1] > 0.0) return status;
    return gpis_fail(s->context, GPIS_BAD_DATA,
                     "y: the squares of its entries underflow; multiply y by a large number");
}

/* Squares that underflow are refused, as a solve refuses them (docs/maths, "Underflow"). */
static gpis_status check_range(const gpis_summary *s, const gpis_problem *p, const double *nonzeros) {
    for (int64_t j = 0; j < s->d; j++)
        if (nonzeros[j] > 0.0 && is_small(norm2(s, j)))
            return gpis_fail(s->context, GPIS_BAD_DATA,
                             "%s: column %s: the squares of its entries underflow; multiply it by a large number",
                             gpis_source_name(p->A), gpis_problem_label(p, j).text);
    return check_response(s, p);
}

/* ---- the sums ---- */

double gpis_summary_memory(const gpis_problem *p, const gpis_folds *folds) {
    double place;
    gpis_pass pass = pass_of(p, folds, NULL);
    pass.terms.constant = true;
    pass.terms.weights = p->weights;
    pass.summary = pass.nonzeros = &place;
    const gpis_load load = gpis_load_of(&pass, p->A->d);
    return gpis_pass_memory(p->context, p->A, &load) + 8.0 * (double)p->A->d;
}

/* One matrix behind the other, as the pass writes them, to the folds. */
static void deliver(gpis_summary *s, const double *W, double gamma, double response_error) {
    const int64_t size = s->d + 1 + s->k, numbers = 2 * size * size;
    for (int64_t f = 0; f < s->folds; f++) {
        if (W) memcpy(s->fold[f]->W, W + f * numbers, (size_t)numbers * sizeof *W);
        s->fold[f]->gamma = gamma;
        s->fold[f]->response_error = response_error;
    }
}

gpis_status gpis_summary_sweep(gpis_summary *s, const gpis_problem *p, const gpis_folds *folds, gpis_watch *watch) {
    const int64_t size = s->d + 1 + s->k;
    gpis_pass pass = pass_of(p, folds, watch);
    double *all = s->folds > 1 ? gpis_alloc(s->context, s->folds * 2 * size * size, sizeof *all) : NULL;
    double *nonzeros = gpis_alloc(s->context, p->d, sizeof *nonzeros);
    gpis_status status = nonzeros && (all || s->folds == 1) ? GPIS_OK : GPIS_NO_MEMORY;
    pass.summary = all ? all : s->fold[0]->W;
    pass.nonzeros = nonzeros;
    const gpis_load load = gpis_load_of(&pass, p->A->d);
    if (status == GPIS_OK) status = gpis_pass_run(s->context, p->A, &pass);
    if (status == GPIS_OK) deliver(s, all, gpis_pass_roundings(p->A, &load).summary, p->terms.response_error);
    gpis_free(s->context, all);
    if (status == GPIS_OK) status = check_range(s, p, nonzeros);
    gpis_free(s->context, nonzeros);
    return status;
}

/* ---- rows ---- */

/* Without weights the sum of the squares of the ones is their number, exactly. */
static void read_counts(gpis_summary *s) {
    for (int64_t f = 0; f < s->folds; f++) s->rows[f] = (int64_t)gpis_quadratic_entry(s->fold[f], s->d, s->d).high;
}

gpis_status gpis_summary_count_rows(gpis_summary *s, const gpis_problem *p, const gpis_folds *folds) {
    const int64_t here = gpis_ranks_rows_here(p->A);
    s->rows[0] = p->A->n;
    if (s->folds > 1 && !p->terms.weights) read_counts(s);
    if (s->folds == 1 || !p->terms.weights) return GPIS_OK;
    double *counts = gpis_alloc_zero(s->context, s->folds, sizeof *counts);
    gpis_status status = gpis_ranks_agree(p->A, counts ? GPIS_OK : GPIS_NO_MEMORY);
    const gpis_pass pass = {.terms = p->terms, .folds = *folds, .row0 = gpis_ranks_first_row(p->A)};
    for (int64_t i = 0; status == GPIS_OK && i < here; i++) counts[gpis_pass_fold(&pass, i)] += 1.0;
    if (status == GPIS_OK) status = gpis_ranks_sum(p->A, counts, s->folds);
    for (int64_t f = 0; status == GPIS_OK && f < s->folds; f++) s->rows[f] = (int64_t)counts[f];
    gpis_free(s->context, counts);
    return status;
}
