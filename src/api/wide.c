/* The first sweep over the rows, which sums A'Y and the moments of the columns for each part of the rows. */
#include "api/wide.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "api/problem.h"
#include "api/spread.h"
#include "ranks/ranks.h"

/* The sums of the first sweep. */
typedef struct first_sums {
    double *memory;  /* owned: all of them */
    double *moments; /* folds x 3 x D, about 0 */
    double *again;   /* the same about the means of all rows; NULL: they are not needed */
    double *means;   /* D */
    double *one;     /* 3 x D: moments of one part */
    double *G;       /* D x parts k: -A'Y of each part */
    double *squares; /* 2 x parts k */
    double *nonzeros;
    double *zeros; /* D x parts k: the points */
    int64_t *leave;
    double sizes[2];
} first_sums;

static int64_t folds_of(const gpis_wide *w) { return gpis_max64(1, w->folds.count); }

/* ---- underflow, as a solve refuses it (docs/maths, "Underflow") ---- */

static bool is_small(double square) { return square < GPIS_TINY * GPIS_TINY; }

static gpis_status check_range(const gpis_wide *w, const first_sums *f) {
    const gpis_problem *p = w->call->given;
    double response = 0.0;
    for (int64_t j = 0; j < p->A->d; j++) {
        double sum = 0.0;
        for (int64_t h = 0; h < folds_of(w); h++) sum += f->moments[(3 * h + 2) * w->D + j];
        if (f->nonzeros[j] > 0.0 && is_small(sum))
            return gpis_fail(p->context, GPIS_BAD_DATA,
                             "%s: column %s: the squares of its entries underflow; multiply it by a large number",
                             gpis_source_name(p->A), gpis_problem_label(p, j).text);
    }
    for (int64_t c = 0; c < p->k; c++) response += f->squares[c];
    if (!is_small(response) || f->sizes[0] == 0.0 || f->sizes[1] > 0.0) return GPIS_OK;
    return gpis_fail(p->context, GPIS_BAD_DATA,
                     "y: the squares of its entries underflow; multiply y by a large number");
}

/* ---- the sweep ---- */

static gpis_status allocate(gpis_wide *w, first_sums *f) {
    const int64_t D = w->D, points = w->parts * w->call->given->k, moments = 3 * D * folds_of(w);
    f->memory = gpis_alloc_zero(w->call->context, 2 * moments + 5 * D + 2 * D * points + 2 * points, sizeof(double));
    f->leave = gpis_alloc(w->call->context, points, sizeof *f->leave);
    if (!f->memory || !f->leave) return GPIS_NO_MEMORY;
    f->moments = f->memory;
    f->again = f->moments + moments;
    f->means = f->again + moments;
    f->one = f->means + D;
    f->nonzeros = f->one + 3 * D;
    f->G = f->nonzeros + D;
    f->zeros = f->G + D * points;
    f->squares = f->zeros + D * points;
    for (int64_t c = 0; c < points; c++) f->leave[c] = w->part[c / w->call->given->k].fold;
    return GPIS_OK;
}

static gpis_status sweep(gpis_wide *w, first_sums *f) {
    gpis_pass pass = gpis_wide_pass(w);
    pass.XS = f->zeros;
    pass.many = w->parts * pass.k;
    pass.leave = f->leave;
    pass.GS = f->G;
    pass.squares = f->squares;
    pass.V = f->means; /* zeros */
    pass.probes = 1;
    pass.moments = f->moments;
    pass.nonzeros = f->nonzeros;
    pass.y_sizes = f->sizes;
    const gpis_status status = gpis_wide_sweep(w, &pass);
    return status == GPIS_OK ? check_range(w, f) : status;
}

/* The moments of the rows of a part, in f->one. */
static void add_up(const gpis_wide *w, const double *moments, int64_t left_out, double *one) {
    memset(one, 0, (size_t)(3 * w->D) * sizeof *one);
    for (int64_t h = 0; h < folds_of(w); h++)
        for (int64_t i = 0; h != left_out && i < 3 * w->D; i++) one[i] += moments[h * 3 * w->D + i];
}

/* Whether a variance loses too many digits if it is made of moments about 0; f->means become those of all rows. */
static bool find_means(const gpis_wide *w, first_sums *f) {
    bool again = false;
    for (int64_t p = w->parts - 1; p >= 0; p--) { /* all rows are the last */
        add_up(w, f->moments, w->part[p].fold, f->one);
        for (int64_t j = 0; j < w->D - 1; j++) {
            double second;
            const double variance = gpis_spread_variance(f->one, w->D, j, 0.0, &f->means[j], &second);
            again = again || gpis_spread_is_cancelled(variance, second);
        }
    }
    return again;
}

static gpis_status sweep_again(gpis_wide *w, first_sums *f) {
    if (!w->call->given->standardize || !find_means(w, f)) {
        f->again = NULL;
        return GPIS_OK;
    }
    gpis_pass pass = gpis_wide_pass(w);
    pass.V = f->means;
    pass.probes = 1;
    pass.moments = f->again;
    return gpis_wide_sweep(w, &pass);
}

/* ---- the parts ---- */

static gpis_status check_weights(const gpis_wide *w) {
    gpis_status status = GPIS_OK;
    for (int64_t p = 1; status == GPIS_OK && p < w->parts; p++)
        status = gpis_path_check_fold(w->call->context, w->part[p].fold, w->part[p].predicted, w->part[0].weight);
    return status;
}

/* The deviations of the columns of a part; NULL in *out: they are not standardised. */
static gpis_status find_scale(const gpis_wide *w, const first_sums *f, int64_t fold, double **out) {
    const int64_t d = w->D - 1;
    *out = NULL;
    if (!w->call->given->standardize) return GPIS_OK;
    *out = gpis_alloc(w->call->context, d, sizeof **out);
    if (!*out) return GPIS_NO_MEMORY;
    add_up(w, f->again ? f->again : f->moments, fold, f->one);
    for (int64_t j = 0; j < d; j++) {
        double mean, second;
        const double variance = gpis_spread_variance(f->one, w->D, j, f->again ? f->means[j] : 0.0, &mean, &second);
        (*out)[j] = gpis_spread_deviation(variance, mean);
    }
    return GPIS_OK;
}

static gpis_status make_ridge(const gpis_wide *w, gpis_wide_part *p) {
    const double *scale = p->part.complete.scale, ridge = p->part.problem.ridge;
    if (!(ridge > 0.0)) return GPIS_OK;
    p->ridge = gpis_alloc_zero(w->call->context, w->D, sizeof *p->ridge);
    for (int64_t j = 0; p->ridge && j < w->D - 1; j++) p->ridge[j] = scale ? ridge * scale[j] * scale[j] : ridge;
    return p->ridge ? GPIS_OK : GPIS_NO_MEMORY;
}

/* From the gradient at x = 0, with the best constant: no larger penalty has an effect. Where the sign of an entry is
 * fixed, only one sign of its gradient has one. */
static double largest_penalty(const gpis_wide *w, const gpis_wide_part *p) {
    const gpis_problem *given = w->call->given;
    const int64_t d = given->A->d, k = given->k;
    const double *scale = p->part.complete.scale, *weight = given->penalty;
    double most = 0.0;
    for (int64_t i = 0; i < d * k; i++) {
        const int64_t j = i / k, c = i % k;
        double g = p->b[i];
        if (given->intercept) g -= p->sums[j] / p->weight * p->b[d * k + c];
        const double width = (weight ? weight[j] : 1.0) * (scale ? scale[j] : 1.0);
        const bool held = p->shape.found && (g > 0.0 ? p->shape.hi[j] == 0.0 : p->shape.lo[j] == 0.0);
        if (width > 0.0 && !held) most = fmax(most, 2.0 * fabs(g) / width);
    }
    return most;
}

static gpis_status fill_part(gpis_wide *w, first_sums *f, gpis_wide_part *p) {
    gpis_path_call *c = w->call;
    const int64_t D = w->D, k = c->given->k, column = (p - w->part) * k;
    double *scale = NULL;
    gpis_status status = find_scale(w, f, p->fold, &scale);
    gpis_path_part_of_rows(&p->part, c, p->weight / w->part[0].weight, scale);
    p->sums = gpis_alloc(c->context, D, sizeof *p->sums);
    p->norms2 = gpis_alloc(c->context, D, sizeof *p->norms2);
    p->b = gpis_alloc(c->context, D * k, sizeof *p->b);
    if (status == GPIS_OK) status = p->sums && p->norms2 && p->b ? make_ridge(w, p) : GPIS_NO_MEMORY;
    if (status != GPIS_OK) return status;
    add_up(w, f->moments, p->fold, f->one);
    for (int64_t j = 0; j < D; j++) {
        p->sums[j] = f->one[D + j];
        p->norms2[j] = f->one[2 * D + j] + (p->ridge ? p->ridge[j] : 0.0);
        for (int64_t i = 0; i < k; i++) p->b[j * k + i] = -f->G[j * w->parts * k + column + i];
    }
    if (!c->options.penalised) return GPIS_OK;
    status = gpis_path_shape_find(c->context, D, &p->part.sets, 1.0, &p->shape);
    if (status == GPIS_OK) p->part.largest_penalty = largest_penalty(w, p);
    return status;
}

static gpis_status fill_parts(gpis_wide *w, first_sums *f) {
    gpis_status status = GPIS_OK;
    for (int64_t p = 0; p < w->parts; p++) {
        add_up(w, f->moments, w->part[p].fold, f->one);
        w->part[p].weight = f->one[w->D - 1];
        if (p > 0) w->part[p].predicted = f->moments[(3 * p - 2) * w->D - 1];
    }
    status = check_weights(w);
    for (int64_t p = 0; status == GPIS_OK && p < w->parts; p++) status = fill_part(w, f, &w->part[p]);
    w->call->rows_weight = w->part[0].weight;
    return status;
}

/* ---- begin and end ---- */

/* Checks and allocations: first those that a rank makes alone, then those that all ranks make together. */
static gpis_status prepare(gpis_wide *w, bool folds, uint64_t seed) {
    gpis_path_call *c = w->call;
    const gpis_summary_options o = gpis_path_summary_options(c, folds, seed);
    gpis_status status = gpis_summary_check_folds(c->given, &o);
    if (status == GPIS_OK) status = gpis_complete_begin(&w->rows, &w->complete);
    if (status == GPIS_OK) status = gpis_complete_response(&w->complete);
    if (folds) w->complete.problem.terms.fold = c->options.fold;
    w->part = gpis_alloc_zero(c->context, w->parts, sizeof *w->part);
    for (int64_t p = 0; w->part && p < w->parts; p++) w->part[p].fold = p - 1;
    if (status == GPIS_OK && !w->part) status = GPIS_NO_MEMORY;
    status = gpis_ranks_agree(c->given->A, status);
    return status == GPIS_OK ? gpis_complete_together(&w->complete) : status;
}

/* The sum of the weights of the rows of all ranks. */
static gpis_status sum_weights(const gpis_problem *given, double *out) {
    const int64_t here = gpis_ranks_rows_here(given->A);
    *out = given->weights ? 0.0 : (double)here;
    for (int64_t i = 0; given->weights && i < here; i++) *out += given->weights[i];
    return gpis_ranks_sum(given->A, out, 1);
}

static gpis_status begin_on_ranks(gpis_wide *w, bool folds) {
    gpis_path_call *c = w->call;
    double *scale = NULL;
    int64_t passes = 0;
    if (folds || !c->options.values)
        return gpis_fail(c->context, GPIS_NOT_APPLICABLE,
                         "the Gram matrix of %" PRId64
                         " columns does not fit in memory, and on several ranks there is no other way to %s: raise "
                         "the limit (option memory), or %s",
                         c->given->A->d, folds ? "cross-validate" : "find the largest value of a path",
                         folds ? "use one process" : "give the values");
    gpis_status status = sum_weights(c->given, &c->rows_weight);
    if (status == GPIS_OK && c->given->standardize) status = gpis_spread_find(&w->complete.problem, &scale, &passes);
    gpis_path_part_of_rows(&w->part[0].part, c, 1.0, scale);
    for (int64_t i = 0; i < passes; i++) gpis_path_count_sweep(c);
    return status;
}

gpis_status gpis_wide_begin(gpis_wide *w, gpis_path_call *c, bool folds, uint64_t seed) {
    *w = (gpis_wide){.call = c, .rows = gpis_problem_rows(c->given), .D = c->given->A->d + 1, .parts = 1};
    if (folds) w->folds = (gpis_folds){.count = gpis_path_folds(c), .seed = seed}, w->parts += w->folds.count;
    first_sums f = {0};
    gpis_status status = prepare(w, folds, seed);
    if (status == GPIS_OK && gpis_ranks_count(c->given->A) > 1) return begin_on_ranks(w, folds);
    if (status == GPIS_OK) status = allocate(w, &f);
    if (status == GPIS_OK) status = sweep(w, &f);
    if (status == GPIS_OK) status = sweep_again(w, &f);
    if (status == GPIS_OK) status = fill_parts(w, &f);
    gpis_free(c->context, f.memory);
    gpis_free(c->context, f.leave);
    return status;
}

void gpis_wide_end(gpis_wide *w) {
    if (!w->call) return;
    gpis_context *context = w->call->context;
    for (int64_t i = 0; w->part && i < w->parts; i++) {
        gpis_wide_part *p = &w->part[i];
        gpis_path_part_end(&p->part);
        gpis_free(context, p->sums);
        gpis_free(context, p->norms2);
        gpis_free(context, p->b);
        gpis_free(context, p->ridge);
        gpis_free(context, p->shape.memory);
    }
    gpis_free(context, w->part);
    gpis_complete_end(&w->complete);
    *w = (gpis_wide){0};
}
