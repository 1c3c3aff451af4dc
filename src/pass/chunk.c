/* One chunk: objective, gradient, direction, norms, Gram matrix, summary, each while the rows are in cache. */
#include "pass/chunk.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "linalg/csr.h"
#include "linalg/dense.h"
#include "linalg/exact.h"
#include "linalg/extended.h"
#include "linalg/gram.h"
#include "linalg/gram_dd.h"
#include "linalg/gram_two.h"
#include "linalg/moments.h"
#include "linalg/terms.h"
#include "pass/folds.h"

/* Each row is summed by itself first, so that an entry goes through rows + columns roundings and not rows x columns. */
static double norm2(const double *v, int64_t rows, int64_t k) {
    double sum = 0.0;
    for (int64_t i = 0; i < rows; i++) {
        double row = 0.0;
        for (int64_t c = 0; c < k; c++) row += v[i * k + c] * v[i * k + c];
        sum += row;
    }
    return sum;
}

/* R = A X - Y and G += A'R by BLAS, for a row-major `a`; if X is NULL, it counts as 0. */
static double gemm_gradient(const gpis_block *a, int64_t k, const double *X, const double *Y, double *R, double *G) {
    const int rows = (int)a->nrows, d = (int)a->d, ld = (int)a->row_stride;
    for (int64_t i = 0; Y && i < a->nrows * k; i++) R[i] = -Y[i];
    if (X)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, (int)k, d, 1.0, a->values, ld, X, (int)k,
                    Y ? 1.0 : 0.0, R, (int)k);
    if (G)
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, d, (int)k, rows, 1.0, a->values, ld, R, (int)k, 1.0, G,
                    (int)k);
    return norm2(R, a->nrows, k);
}

/* r_c = A x_c - y_c and g_c += A'r_c, response by response; if XT is NULL, X counts as 0. */
static double few_gradient(const gpis_block *a, int64_t k, const double *XT, const double *Y, double *R, double *GT) {
    const int64_t d = gpis_block_width(a);
    double sum = 0.0;
    for (int64_t c = 0; c < k; c++)
        sum += gpis_dense_gradient(a, XT ? XT + c * d : NULL, Y ? Y + c : NULL, k, R, GT ? GT + c * d : NULL);
    return sum;
}

/* The gradient for any storage: A X - Y, its squared norm, and G += A'(A X - Y), for k columns. */
static double gradient(const gpis_chunk_plan *plan, const gpis_block *chunk, int64_t k, const double *X,
                       const double *XT, const double *Y, double *R, double *G, double *low) {
    if (plan->pass->extended) return gpis_extended_gradient(chunk, k, X, Y, R, G, low);
    if (chunk->kind == GPIS_BLOCK_CSR) return gpis_csr_gradient(chunk, k, X, Y, R, G);
    if (plan->cut->transposed) return few_gradient(chunk, k, XT, Y, R, G);
    return gemm_gradient(chunk, k, X, Y, R, G);
}

/* What the chunk adds to the sums that are one number each. */
typedef struct numbers {
    double objective, AP2;
} numbers;

/* Objective, gradient and probes. For dense rows and one response, one call of the kernel handles all vectors. */
static void add_gradients(const gpis_chunk_plan *plan, const gpis_block *a, const double *Y, double *R,
                          gpis_strip *strip, numbers *here) {
    const gpis_pass *pass = plan->pass;
    double *G = strip->at[GPIS_PASS_GRADIENT], *AAV = strip->at[GPIS_PASS_PRODUCTS];
    const bool together =
        plan->cut->transposed && pass->k == 1 && pass->X && G && AAV && 1 + pass->probes <= GPIS_DENSE_VECTORS;
    if (together) {
        here->objective += gpis_dense_gradients(a, 1 + (int)pass->probes, plan->XT, Y, 1, R, G);
        return;
    }
    const double *X = plan->zero ? NULL : pass->X, *XT = plan->zero ? NULL : plan->XT;
    if (pass->X) here->objective += gradient(plan, a, pass->k, X, XT, Y, R, G, strip->low);
    if (AAV) gradient(plan, a, pass->probes, pass->V, plan->VT, NULL, R, AAV, NULL);
}

/* The chunk as row-major doubles, with its terms. */
static gpis_block unpacked(const gpis_chunk_plan *plan, const gpis_block *chunk, double *scratch) {
    double *rows = scratch + plan->cut->unpacked_at;
    gpis_block_unpack_apart(chunk, plan->cut->unpacked_ld, rows);
    gpis_block all = gpis_block_dense(GPIS_FLOAT64, chunk->row0, chunk->nrows, gpis_block_width(chunk), rows);
    all.row_stride = plan->cut->unpacked_ld;
    return all;
}

/* The responses of a part of a chunk with the square roots of their weights. */
static const double *weighted(const gpis_block *part, const double *Y, int64_t k, double *out) {
    if (!Y || !part->weights) return Y;
    gpis_block rows = gpis_block_dense(GPIS_FLOAT64, part->row0, part->nrows, k, Y);
    rows.weights = part->weights;
    gpis_block_unpack(&rows, out);
    return out;
}

static void count_sizes(const gpis_block *rows, const double *Y, int64_t k, double sizes[2]) {
    for (int64_t i = 0; i < rows->nrows * k; i++) {
        const double size = gpis_root_weight(rows->weights, i / k) * fabs(Y[i]);
        sizes[0] += size != 0.0 && size < GPIS_TINY;
        sizes[1] += size >= GPIS_TINY;
    }
}

/* Sums that look at the rows as they are stored. */
static void add_exact(const gpis_pass *pass, const gpis_block *a, const double *Y, gpis_strip *strip) {
    if (pass->misses) gpis_exact_misses(a, pass->probes, pass->V, strip->at[GPIS_PASS_MISSES]);
    if (pass->nonzeros && !pass->sparing) gpis_block_count_nonzeros(a, strip->at[GPIS_PASS_NONZEROS]);
    if (pass->y_sizes && Y) count_sizes(a, Y, pass->k, strip->at[GPIS_PASS_Y_SIZES]);
    if (pass->moments && pass->folds.count <= 1) gpis_moments_add(a, pass->V, strip->at[GPIS_PASS_MOMENTS]);
}

/* The moments of each row to those of its fold. */
static void add_moments_by_folds(const gpis_pass *pass, const gpis_block *a, const int64_t *fold, double *moments) {
    for (int64_t i = 0; i < a->nrows; i++) {
        const gpis_block row = gpis_block_rows(a, i, 1);
        gpis_moments_add(&row, pass->V, moments + fold[i] * 3 * gpis_block_width(a));
    }
}

/* ---- many points ---- */

/* A X for the columns of XS. Compressed rows have no weights here: those come with the residuals. */
static void multiply_many(const gpis_block *a, const gpis_pass *pass, double *R) {
    const int64_t many = pass->many;
    if (a->kind == GPIS_BLOCK_CSR) {
        gpis_block plain = *a;
        plain.weights = NULL;
        gpis_csr_gradient(&plain, many, pass->XS, NULL, R, NULL);
        return;
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)a->nrows, (int)many, (int)a->d, 1.0, a->values,
                (int)a->row_stride, pass->XS, (int)many, 0.0, R, (int)many);
}

/*
 * R := the factors of the rows in the gradients, from A X: with r = A x - y that is w r, or sqrt(w) r where the rows
 * and Y have the square roots of their weights, and 0 in the rows that a column leaves out. The sum of w r^2 of the
 * part goes to `here`, 2 x many, which is zero before.
 */
static void finish_residuals(const gpis_pass *pass, int64_t rows, const double *weights, const double *Y,
                             const int64_t *fold, double *R, double *here) {
    const int64_t many = pass->many;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t c = 0; c < many; c++) {
            const bool out = fold && pass->leave[c] == fold[i];
            const double r = R[i * many + c] - (Y ? Y[i * pass->k + c % pass->k] : 0.0);
            const double factor = weights ? weights[i] * r : r;
            here[(out ? many : 0) + c] += factor * r;
            R[i * many + c] = out ? 0.0 : factor;
        }
}

static void add_many(const gpis_chunk_plan *plan, const gpis_block *a, const double *Y, const int64_t *fold,
                     double *scratch, gpis_strip *strip) {
    const gpis_pass *pass = plan->pass;
    const int64_t many = pass->many;
    double *here = scratch, *R = scratch + 2 * many, *GS = strip->at[GPIS_PASS_MANY_GRADIENTS];
    memset(here, 0, (size_t)(2 * many) * sizeof *here);
    multiply_many(a, pass, R);
    finish_residuals(pass, a->nrows, a->kind == GPIS_BLOCK_CSR ? a->weights : NULL, Y, fold, R, here);
    for (int64_t i = 0; strip->at[GPIS_PASS_SQUARES] && i < 2 * many; i++) strip->at[GPIS_PASS_SQUARES][i] += here[i];
    if (!GS) return;
    if (a->kind == GPIS_BLOCK_CSR)
        gpis_csr_add_products(a, many, R, GS);
    else
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)a->d, (int)many, (int)a->nrows, 1.0, a->values,
                    (int)a->row_stride, R, (int)many, 1.0, GS, (int)many);
}

/* Objective, gradient, products and norms. */
static void add_vectors(const gpis_chunk_plan *plan, const gpis_block *a, const double *Y, double *R, gpis_strip *strip,
                        numbers *here) {
    const gpis_pass *pass = plan->pass;
    double *norms2 = strip->at[GPIS_PASS_NORMS];
    add_gradients(plan, a, Y, R, strip, here);
    if (pass->P) here->AP2 += gradient(plan, a, pass->k, pass->P, plan->PT, NULL, R, NULL, NULL);
    if (!norms2) return;
    if (a->kind == GPIS_BLOCK_CSR)
        gpis_csr_column_norms(a, norms2);
    else
        gpis_dense_column_norms(a, norms2);
}

/* The memory that follows a part, which is usually the next part: it is fetched into cache meanwhile. */
static gpis_ahead memory_after(const gpis_block *part) {
    if (!gpis_block_is_row_major(part)) return (gpis_ahead){NULL, 0};
    const int64_t bytes = part->nrows * part->row_stride * (part->type == GPIS_FLOAT32 ? 4 : 8);
    return (gpis_ahead){(const char *)part->values + bytes, bytes};
}

/* Sorts the rows of a part by their folds: those of fold f are picked[begin[f]] to picked[begin[f + 1] - 1]. */
static void sort_by_fold(const gpis_pass *pass, const gpis_block *part, int64_t *begin, int64_t *picked) {
    const int64_t folds = pass->folds.count, n = part->nrows;
    int64_t *fold = picked + n; /* of each row */
    memset(begin, 0, (size_t)(folds + 2) * sizeof *begin);
    gpis_pass_folds(pass, part->row0, n, fold);
    for (int64_t i = 0; i < n; i++) begin[fold[i] + 2]++;
    for (int64_t f = 0; f < folds; f++) begin[f + 2] += begin[f + 1];
    for (int64_t i = 0; i < n; i++) picked[begin[fold[i] + 1]++] = i;
}

/* The summary of each fold by itself. */
static void add_by_folds(const gpis_chunk_plan *plan, const gpis_bordered *rows, gpis_ahead ahead, double *scratch,
                         double *W) {
    const gpis_pass *pass = plan->pass;
    const int64_t p = gpis_bordered_columns(rows);
    int64_t *begin = (int64_t *)(scratch + plan->cut->folds_at - plan->cut->summary_at);
    int64_t *picked = begin + pass->folds.count + 2;
    sort_by_fold(pass, rows->rows, begin, picked);
    for (int64_t f = 0; f < pass->folds.count; f++) {
        gpis_bordered some = *rows;
        some.picked = picked + begin[f];
        some.count = begin[f + 1] - begin[f];
        if (some.count > 0) gpis_gram_two_add(&some, ahead, scratch, W + f * 2 * p * p);
        ahead = (gpis_ahead){NULL, 0};
    }
}

/* Whether the squares of column j, in the folds that this strip has seen, are all too small to tell it from zero. */
static bool is_small_so_far(const gpis_pass *pass, const double *W, int64_t p, int64_t j) {
    for (int64_t f = 0; f < gpis_max64(1, pass->folds.count); f++)
        if (W[f * 2 * p * p + j * (p + 1)] >= GPIS_TINY * GPIS_TINY) return false;
    return true;
}

/* Looks at the entries of columns that may be zero. Those of compressed rows are looked at all together. */
static void look_for_nonzeros(const gpis_pass *pass, const gpis_block *a, const double *W, double *nonzeros) {
    const int64_t p = gpis_block_width(a) + pass->k;
    for (int64_t j = 0; j < a->d; j++) {
        if (nonzeros[j] > 0.0 || !is_small_so_far(pass, W, p, j)) continue;
        if (a->kind == GPIS_BLOCK_CSR) {
            gpis_block_count_nonzeros(a, nonzeros);
            return;
        }
        for (int64_t i = 0; i < a->nrows && nonzeros[j] == 0.0; i++)
            nonzeros[j] = gpis_block_entry(a, i, j) != 0.0 && (!a->weights || a->weights[i] != 0.0) ? 1.0 : 0.0;
    }
}

static void add_summary(const gpis_chunk_plan *plan, const gpis_block *part, gpis_ahead ahead, double *scratch,
                        double *W) {
    const gpis_pass *pass = plan->pass;
    const double *Y = pass->Y ? pass->Y + part->row0 * pass->k : NULL;
    const gpis_bordered rows = {.rows = part, .k = pass->k, .Y = Y};
    if (pass->quick && pass->folds.count > 1)
        add_by_folds(plan, &rows, ahead, scratch, W);
    else if (pass->quick)
        gpis_gram_two_add(&rows, ahead, scratch, W);
    else
        gpis_gram_dd_add(part, Y, pass->k, scratch, W);
}

/* The Gram matrix of all columns, or of those that are selected, which are copied to `columns`. */
static void add_gram(const gpis_chunk_plan *plan, gpis_block a, gpis_ahead ahead, double *columns, double *gram) {
    const gpis_pass *pass = plan->pass;
    if (a.kind == GPIS_BLOCK_CSR && plan->position) {
        gpis_csr_gram_of(&a, plan->position, pass->count, columns, gram);
    } else if (a.kind == GPIS_BLOCK_CSR) {
        gpis_csr_gram(&a, gram);
    } else {
        if (plan->position) {
            gpis_block_columns(&a, pass->columns, pass->count, columns);
            a = gpis_block_dense(GPIS_FLOAT64, a.row0, a.nrows, pass->count, columns);
        }
        if (plan->cut->gram_by_parts || !plan->position) gpis_gram_add(&a, ahead, gram);
    }
}

/* The folds of the rows of a part, for sums that go row by row. */
static const int64_t *folds_of_rows(const gpis_chunk_plan *plan, const gpis_block *part, double *scratch) {
    const gpis_pass *pass = plan->pass;
    if (!pass->moments && !pass->XS) return NULL;
    int64_t *fold = (int64_t *)(scratch + plan->cut->folds_at);
    gpis_pass_folds(pass, part->row0, part->nrows, fold);
    return fold;
}

/* Adds one part of the chunk. Rows with terms are unpacked for some sums; others need them as they are stored: those
 * that know of terms and are exact, or more so than the square root of a weight. */
static void add_part(const gpis_chunk_plan *plan, const gpis_block *part, double *scratch, double *columns,
                     gpis_strip *strip, numbers *here) {
    const gpis_pass *pass = plan->pass;
    const gpis_cut *cut = plan->cut;
    const bool terms = part->weights || part->constant;
    const gpis_block a = cut->unpack ? unpacked(plan, part, scratch) : *part;
    const gpis_block *stored = terms ? part : &a;
    const double *Y = pass->Y ? pass->Y + part->row0 * pass->k : NULL;
    const int64_t *fold = plan->pass->folds.count > 1 ? folds_of_rows(plan, part, scratch) : NULL;
    add_exact(pass, stored, Y, strip);
    if (pass->moments && fold) add_moments_by_folds(pass, stored, fold, strip->at[GPIS_PASS_MOMENTS]);
    if (pass->XS && cut->unpack)
        add_many(plan, &a, weighted(part, Y, pass->k, scratch + cut->responses_at), fold, scratch, strip);
    else if (pass->XS)
        add_many(plan, &a, Y, fold, scratch, strip);
    if (pass->extended || !cut->unpack)
        add_vectors(plan, stored, Y, scratch, strip, here);
    else
        add_vectors(plan, &a, weighted(part, Y, pass->k, scratch + cut->responses_at), scratch, strip, here);
    if (strip->at[GPIS_PASS_SUMMARY])
        add_summary(plan, stored, memory_after(part), scratch + cut->summary_at, strip->at[GPIS_PASS_SUMMARY]);
    if (pass->nonzeros && pass->sparing)
        look_for_nonzeros(pass, stored, strip->at[GPIS_PASS_SUMMARY], strip->at[GPIS_PASS_NONZEROS]);
    if (strip->at[GPIS_PASS_GRAM]) add_gram(plan, a, memory_after(part), columns, strip->at[GPIS_PASS_GRAM]);
}

/* The chunk is added part by part. Each part is summed by itself first, so that no term goes through more roundings
 * than if the chunk were added at once. */
void gpis_chunk_add(const gpis_chunk_plan *plan, const gpis_block *chunk, double *scratch, gpis_strip *strip) {
    const gpis_cut *cut = plan->cut;
    const int64_t count = plan->pass->count;
    const bool collect = plan->position && chunk->kind == GPIS_BLOCK_DENSE && !cut->gram_by_parts;
    double *columns = scratch + cut->columns_at;
    numbers here = {0};
    for (int64_t i = 0; i < chunk->nrows; i += cut->part_rows) {
        const gpis_block part = gpis_block_rows(chunk, i, gpis_min64(cut->part_rows, chunk->nrows - i));
        add_part(plan, &part, scratch, collect ? columns + i * count : columns, strip, &here);
    }
    if (strip->at[GPIS_PASS_OBJECTIVE]) *strip->at[GPIS_PASS_OBJECTIVE] += here.objective;
    if (strip->at[GPIS_PASS_AP2]) *strip->at[GPIS_PASS_AP2] += here.AP2;
    if (!collect) return;
    const gpis_block all = gpis_block_dense(GPIS_FLOAT64, chunk->row0, chunk->nrows, count, columns);
    gpis_gram_add(&all, (gpis_ahead){NULL, 0}, strip->at[GPIS_PASS_GRAM]);
}
