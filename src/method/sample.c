/* Drawing rows, copying them, and their Gram matrix. */
#include "method/sample.h"

#include <math.h>
#include <string.h>

#include "pass/pass.h"
#include "pass/ridge.h"
#include "pass/sweep.h"
#include "sketch/permutation.h"

bool gpis_sample_is_at_hand(const gpis_source *A) { return gpis_source_can_pick(A); }

double gpis_sample_memory(const gpis_source *A, int64_t k, int64_t m) {
    return gpis_source_pick_memory(A, m) + (double)m * (double)((k + 2) * (int64_t)sizeof(double)) + (double)A->n / 8.0;
}

/* ---- which rows ---- */

/* Draws m row numbers, in ascending order: they are marked among all n, then collected. */
static gpis_status draw(gpis_context *context, int64_t n, int64_t m, uint64_t seed, uint64_t round, int64_t **out) {
    enum { BITS = 64 };
    const int64_t words = (n + BITS - 1) / BITS;
    int64_t *numbers = gpis_alloc(context, m, sizeof *numbers), count = 0;
    uint64_t *marks = gpis_alloc_zero(context, words, sizeof *marks);
    *out = numbers;
    if (!numbers || !marks) {
        gpis_free(context, marks);
        return GPIS_NO_MEMORY;
    }
#pragma omp parallel for num_threads(gpis_threads_for(context->threads, 4.0 * (double)m)) schedule(static)
    for (int64_t r = 0; r < m; r++) numbers[r] = gpis_draw(seed, round, n, r);
    for (int64_t r = 0; r < m; r++) marks[numbers[r] / BITS] |= UINT64_C(1) << (numbers[r] % BITS);
    for (int64_t w = 0; w < words; w++)
        for (uint64_t left = marks[w]; left; left &= left - 1) numbers[count++] = w * BITS + __builtin_ctzll(left);
    gpis_free(context, marks);
    return GPIS_OK;
}

/* The rows `numbers` of an array of k columns; NULL and GPIS_OK if there are none. */
static gpis_status copy_rows(const gpis_sample *s, const double *from, int64_t k, const int64_t *numbers,
                             double **out) {
    const int64_t m = s->rows->n;
    if (k == 0 || !from) return GPIS_OK;
    *out = gpis_alloc(s->context, m * k, sizeof **out);
    if (!*out) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < m; i++) memcpy(*out + i * k, from + numbers[i] * k, (size_t)k * sizeof *from);
    return GPIS_OK;
}

/* ---- the sample ---- */

static gpis_status fill(gpis_sample *s, gpis_source *A, const double *Y, const gpis_terms *terms,
                        const int64_t *numbers, int64_t m) {
    gpis_status status = gpis_source_pick(s->context, A, numbers, m, &s->rows);
    if (status == GPIS_OK) status = copy_rows(s, Y, s->k, numbers, &s->Y);
    if (status == GPIS_OK) status = copy_rows(s, terms->weights, 1, numbers, &s->weights);
    s->terms = (gpis_terms){.weights = s->weights, .constant = terms->constant};
    return status;
}

gpis_status gpis_sample_create(gpis_context *context, gpis_source *A, const double *Y, int64_t k,
                               const gpis_terms *terms, int64_t m, uint64_t seed, uint64_t round, gpis_sample **out) {
    *out = NULL;
    if (m < 1 || m > A->n)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "a sample has from 1 to the %lld rows of A, not %lld",
                         (long long)A->n, (long long)m);
    int64_t *numbers = NULL;
    gpis_sample *s = gpis_alloc(context, 1, sizeof *s);
    if (!s) return GPIS_NO_MEMORY;
    *s = (gpis_sample){.context = context, .k = k, .weight = (double)A->n / (double)m};
    gpis_status status = draw(context, A->n, m, seed, round, &numbers);
    if (status == GPIS_OK) status = fill(s, A, Y, terms, numbers, m);
    gpis_free(context, numbers);
    if (status == GPIS_OK)
        *out = s;
    else
        gpis_sample_destroy(s);
    return status;
}

void gpis_sample_destroy(gpis_sample *s) {
    if (!s) return;
    gpis_source_destroy(s->rows);
    gpis_free(s->context, s->Y);
    gpis_free(s->context, s->weights);
    gpis_free(s->context, s);
}

static void scale(double *v, int64_t count, double by, int threads) {
#pragma omp parallel for num_threads(gpis_threads_for(threads, (double)count)) schedule(static)
    for (int64_t i = 0; i < count; i++) v[i] *= by;
}

/* All rows are meant to be sqrt(weight) times as long: so are the residuals and their errors. */
static void scale_point(const gpis_sample *s, int64_t d, double *G, gpis_point *point) {
    const double root = sqrt(s->weight);
    scale(G, d * s->k, s->weight, 1);
    point->objective *= s->weight;
    point->errors.residual *= root;
    point->errors.product *= root;
    point->errors.objective *= s->weight;
}

gpis_status gpis_sample_gram(gpis_sample *s, const double *ridge, double *H, const double *X, double *G,
                             const double *norms2, gpis_point *point) {
    const int64_t d = s->rows->d + s->terms.constant;
    double objective;
    gpis_pass pass = {
        .k = s->k, .Y = s->Y, .terms = s->terms, .X = X, .objective = X ? &objective : NULL, .G = G, .gram = H};
    const gpis_status status = gpis_pass_run(s->context, s->rows, &pass);
    if (status != GPIS_OK) return status;
    if (X) {
        *point = gpis_pass_point(s->rows, &pass, norms2);
        scale_point(s, d, G, point);
        pass.objective = &point->objective;
    }
    scale(H, d * d, s->weight, s->context->threads);
    pass.terms.ridge = ridge;
    gpis_ridge_add(&pass, d);
    for (int64_t j = 0; j < d; j++) /* no entry of H is larger than the largest on the diagonal */
        if (!isfinite(H[j * d + j])) return gpis_pass_overflow(s->context, s->rows);
    return GPIS_OK;
}

/* A QR decomposition takes m d^2, where the Gram matrix of sparse rows took far less. So only some rows are used. */
gpis_status gpis_sample_hold(const gpis_sample *s, gpis_model *model) {
    enum { ROWS_PER_COLUMN = 8 };
    const int64_t d = s->rows->d + s->terms.constant, m = s->rows->n, held = gpis_min64(m, ROWS_PER_COLUMN * d);
    const double bytes = 8.0 * (double)d * (double)(2 * held + 2 * d + 2) + 1e6;
    if (bytes > (double)gpis_account_left(s->context)) return GPIS_OK; /* without it the rounds take longer */
    double *B = gpis_alloc(s->context, held * d, sizeof *B);
    gpis_block all;
    gpis_status status = B ? s->rows->class->block(s->rows, 0, m, NULL, &all) : GPIS_NO_MEMORY;
    if (status == GPIS_OK) {
        all.weights = s->weights;
        all.constant = s->terms.constant;
        for (int64_t i = 0; i < held; i++) {
            const gpis_block row = gpis_block_rows(&all, i * m / held, 1);
            gpis_block_unpack(&row, B + i * d);
        }
        scale(B, held * d, sqrt(s->weight * (double)m / (double)held), s->context->threads);
        status = gpis_model_hold_rows(model, held, B);
    }
    gpis_free(s->context, B);
    return status;
}
