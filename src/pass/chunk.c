/* One chunk: objective, gradient, direction, norms, Gram matrix, each while the rows are in cache. */
#include "pass/chunk.h"

#include <cblas.h>
#include <string.h>

#include "linalg/csr.h"
#include "linalg/dense.h"
#include "linalg/exact.h"
#include "linalg/extended.h"

/* Row by row, so that roundings do not pile up over rows times columns. */
static double norm2(const double *v, int64_t rows, int64_t k) {
    double sum = 0.0;
    for (int64_t i = 0; i < rows; i++) {
        double row = 0.0;
        for (int64_t c = 0; c < k; c++) row += v[i * k + c] * v[i * k + c];
        sum += row;
    }
    return sum;
}

/* R = A X - Y and G += A'R by BLAS; `a` is row-major. */
static double gemm_gradient(const gpis_block *a, int64_t k, const double *X, const double *Y, double *R, double *G) {
    const int rows = (int)a->nrows, d = (int)a->d, ld = (int)a->row_stride;
    if (Y) memcpy(R, Y, (size_t)(a->nrows * k) * sizeof *R);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, (int)k, d, 1.0, a->values, ld, X, (int)k,
                Y ? -1.0 : 0.0, R, (int)k);
    if (G)
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, d, (int)k, rows, 1.0, a->values, ld, R, (int)k, 1.0, G,
                    (int)k);
    return norm2(R, a->nrows, k);
}

/* r_c = A x_c - y_c and g_c += A'r_c, response by response. */
static double few_gradient(const gpis_block *a, int64_t k, const double *XT, const double *Y, double *R, double *GT) {
    double sum = 0.0;
    for (int64_t c = 0; c < k; c++)
        sum += gpis_dense_gradient(a, XT + c * a->d, Y ? Y + c : NULL, k, R, GT ? GT + c * a->d : NULL);
    return sum;
}

/* The gradient of whatever storage: A X - Y, its squared norm, and G += A'(A X - Y), for k columns. */
static double gradient(const gpis_chunk_plan *plan, const gpis_block *chunk, int64_t k, const double *X,
                       const double *XT, const double *Y, double *R, double *G, double *low) {
    if (plan->pass->extended) return gpis_extended_gradient(chunk, k, X, Y, R, G, low);
    if (chunk->kind == GPIS_BLOCK_CSR) return gpis_csr_gradient(chunk, k, X, Y, R, G);
    if (plan->transposed) return few_gradient(chunk, k, XT, Y, R, G);
    return gemm_gradient(chunk, k, X, Y, R, G);
}

/* Objective, gradient and probes: with one response of dense rows all vectors go through the kernel together. */
static void add_gradients(const gpis_chunk_plan *plan, const gpis_block *a, const double *Y, double *R,
                          gpis_sums *sums) {
    const gpis_pass *pass = plan->pass;
    const bool together =
        plan->transposed && pass->k == 1 && pass->X && sums->G && sums->AAV && 1 + pass->probes <= GPIS_DENSE_VECTORS;
    if (together) {
        sums->objective += gpis_dense_gradients(a, 1 + (int)pass->probes, plan->XT, Y, 1, R, sums->G);
        return;
    }
    if (pass->X) sums->objective += gradient(plan, a, pass->k, pass->X, plan->XT, Y, R, sums->G, sums->low);
    if (sums->AAV) gradient(plan, a, pass->probes, pass->V, plan->VT, NULL, R, sums->AAV, NULL);
}

static void add_gram(const gpis_block *a, double *H) {
    if (a->kind == GPIS_BLOCK_CSR)
        gpis_csr_gram(a, H);
    else
        cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)a->d, (int)a->nrows, 1.0, a->values, (int)a->row_stride,
                    1.0, H, (int)a->d);
}

/* The chunk as row-major doubles. */
static gpis_block unpacked(const gpis_block *chunk, double *rows) {
    gpis_block_unpack(chunk, rows);
    return gpis_block_dense(GPIS_FLOAT64, chunk->row0, chunk->nrows, chunk->d, rows);
}

void gpis_chunk_add(const gpis_chunk_plan *plan, const gpis_block *chunk, double *R, double *rows, gpis_sums *sums) {
    const gpis_pass *pass = plan->pass;
    const double *Y = pass->Y ? pass->Y + chunk->row0 * pass->k : NULL;
    const gpis_block a = plan->unpack ? unpacked(chunk, rows) : *chunk;
    add_gradients(plan, &a, Y, R, sums);
    if (pass->P) sums->AP2 += gradient(plan, &a, pass->k, pass->P, plan->PT, NULL, R, NULL, NULL);
    if (pass->Y2) sums->Y2 += norm2(Y, a.nrows, pass->k);
    if (pass->norms2) {
        if (a.kind == GPIS_BLOCK_CSR)
            gpis_csr_column_norms(&a, sums->norms2);
        else
            gpis_dense_column_norms(&a, sums->norms2);
    }
    if (pass->gram) add_gram(&a, sums->gram);
    if (pass->misses) gpis_exact_misses(&a, pass->probes, pass->V, sums->misses);
}
