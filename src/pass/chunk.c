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
    double sum = 0.0;
    for (int64_t c = 0; c < k; c++)
        sum += gpis_dense_gradient(a, XT ? XT + c * a->d : NULL, Y ? Y + c : NULL, k, R, GT ? GT + c * a->d : NULL);
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

/* The chunk as row-major doubles. */
static gpis_block unpacked(const gpis_block *chunk, double *rows) {
    gpis_block_unpack(chunk, rows);
    return gpis_block_dense(GPIS_FLOAT64, chunk->row0, chunk->nrows, chunk->d, rows);
}

static void count_sizes(const double *Y, int64_t count, double sizes[2]) {
    for (int64_t i = 0; i < count; i++) {
        sizes[0] += Y[i] != 0.0 && fabs(Y[i]) < GPIS_TINY;
        sizes[1] += fabs(Y[i]) >= GPIS_TINY;
    }
}

/* All sums but the Gram matrix. */
static void add_vectors(const gpis_chunk_plan *plan, const gpis_block *a, double *R, gpis_strip *strip, numbers *here) {
    const gpis_pass *pass = plan->pass;
    const double *Y = pass->Y ? pass->Y + a->row0 * pass->k : NULL;
    double *norms2 = strip->at[GPIS_PASS_NORMS];
    add_gradients(plan, a, Y, R, strip, here);
    if (pass->P) here->AP2 += gradient(plan, a, pass->k, pass->P, plan->PT, NULL, R, NULL, NULL);
    if (pass->misses) gpis_exact_misses(a, pass->probes, pass->V, strip->at[GPIS_PASS_MISSES]);
    if (pass->nonzeros) gpis_block_count_nonzeros(a, strip->at[GPIS_PASS_NONZEROS]);
    if (pass->y_sizes && Y) count_sizes(Y, a->nrows * pass->k, strip->at[GPIS_PASS_Y_SIZES]);
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

static void add_summary(const gpis_pass *pass, const gpis_block *part, double *scratch, double *W) {
    const double *Y = pass->Y ? pass->Y + part->row0 * pass->k : NULL;
    const gpis_bordered rows = {part, pass->k, Y};
    if (pass->quick)
        gpis_gram_two_add(&rows, memory_after(part), scratch, W);
    else
        gpis_gram_dd_add(part, Y, pass->k, scratch, W);
}

/* Adds one part of the chunk. If the Gram matrix is of selected columns, these are copied to `columns`. */
static void add_part(const gpis_chunk_plan *plan, const gpis_block *part, double *scratch, double *columns,
                     gpis_strip *strip, numbers *here) {
    const gpis_pass *pass = plan->pass;
    double *gram = strip->at[GPIS_PASS_GRAM];
    gpis_block a = plan->cut->unpack ? unpacked(part, scratch + plan->cut->unpacked_at) : *part;
    add_vectors(plan, &a, scratch, strip, here);
    if (strip->at[GPIS_PASS_SUMMARY])
        add_summary(pass, part, scratch + plan->cut->summary_at, strip->at[GPIS_PASS_SUMMARY]);
    if (!gram) return;
    if (a.kind == GPIS_BLOCK_CSR && plan->position) {
        gpis_csr_gram_of(&a, plan->position, pass->count, columns, gram);
    } else if (a.kind == GPIS_BLOCK_CSR) {
        gpis_csr_gram(&a, gram);
    } else {
        if (plan->position) {
            gpis_block_columns(&a, pass->columns, pass->count, columns);
            a = gpis_block_dense(GPIS_FLOAT64, a.row0, a.nrows, pass->count, columns);
        }
        if (plan->cut->gram_by_parts || !plan->position) gpis_gram_add(&a, memory_after(part), gram);
    }
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
