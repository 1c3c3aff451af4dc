/* Minibatches: products with a few rows, for dense and compressed rows. */
#include "pass/batch.h"

#include <cblas.h>
#include <lapacke.h>
#include <string.h>

gpis_status gpis_batches_start(gpis_context *context, gpis_source *A, const double *Y, int64_t k,
                               const gpis_terms *terms, int64_t rows, gpis_batches *out) {
    *out = (gpis_batches){.A = A, .Y = Y, .terms = *terms, .k = k, .rows = rows, .count = (A->n + rows - 1) / rows};
    const bool plain = A->type == GPIS_FLOAT64 && A->order == GPIS_ROW_MAJOR && !terms->weights && !terms->constant;
    if (A->block_kind == GPIS_BLOCK_CSR || plain) return GPIS_OK;
    out->unpacked = gpis_alloc(context, rows * (A->d + terms->constant), sizeof(double));
    return out->unpacked ? GPIS_OK : GPIS_NO_MEMORY;
}

void gpis_batches_end(gpis_context *context, gpis_batches *b) { gpis_free(context, b->unpacked); }

static int64_t batch_rows(const gpis_batches *b, int64_t index) {
    return gpis_min64(b->rows, b->A->n - index * b->rows);
}

void gpis_batch_take(gpis_batches *b, int64_t index, gpis_block *out) {
    b->A->class->block(b->A, index * b->rows, batch_rows(b, index), NULL, out);
    out->weights = b->terms.weights ? b->terms.weights + out->row0 : NULL;
    out->constant = b->terms.constant;
    if (!b->unpacked) return;
    gpis_block_unpack(out, b->unpacked);
    *out = gpis_block_dense(GPIS_FLOAT64, out->row0, out->nrows, gpis_block_width(out), b->unpacked);
}

/* The factor of row i of a batch: the square root of its weight. */
static double root_of(const gpis_batches *b, const gpis_block *a, int64_t i) {
    return gpis_root_weight(b->terms.weights, a->row0 + i);
}

static double csr_value(const gpis_block *a, int64_t p) {
    return a->type == GPIS_FLOAT64 ? ((const double *)a->values)[p] : (double)((const float *)a->values)[p];
}

/* R holds Y. */
static void csr_residual(const gpis_batches *b, const gpis_block *a, const double *X, double *R) {
    const int64_t k = b->k;
    for (int64_t i = 0; i < a->nrows; i++) {
        double *r = R + i * k;
        for (int64_t c = 0; c < k; c++) r[c] = -r[c];
        for (int64_t p = a->indptr[i]; p < a->indptr[i + 1]; p++)
            for (int64_t c = 0; c < k; c++) r[c] += csr_value(a, p) * X[a->indices[p] * k + c];
        for (int64_t c = 0; a->constant && c < k; c++) r[c] += X[a->d * k + c];
        for (int64_t c = 0; a->weights && c < k; c++) r[c] *= root_of(b, a, i);
    }
}

void gpis_batch_residual(const gpis_batches *b, const gpis_block *a, const double *X, double *R) {
    const int64_t k = b->k;
    memcpy(R, b->Y + a->row0 * k, (size_t)(a->nrows * k) * sizeof *R);
    if (a->kind == GPIS_BLOCK_CSR) {
        csr_residual(b, a, X, R);
        return;
    }
    for (int64_t i = 0; b->terms.weights && i < a->nrows * k; i++) R[i] *= root_of(b, a, i / k);
    if (k == 1) {
        cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)a->nrows, (int)a->d, 1.0, a->values, (int)a->row_stride, X, 1,
                    -1.0, R, 1);
    } else {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)a->nrows, (int)k, (int)a->d, 1.0, a->values,
                    (int)a->row_stride, X, (int)k, -1.0, R, (int)k);
    }
}

void gpis_batch_adjoint(const gpis_batches *b, const gpis_block *a, const double *R, double *G) {
    const int64_t k = b->k;
    if (a->kind == GPIS_BLOCK_CSR) {
        for (int64_t i = 0; i < a->nrows; i++) {
            const double root = root_of(b, a, i);
            for (int64_t p = a->indptr[i]; p < a->indptr[i + 1]; p++)
                for (int64_t c = 0; c < k; c++) G[a->indices[p] * k + c] += csr_value(a, p) * (root * R[i * k + c]);
            for (int64_t c = 0; a->constant && c < k; c++) G[a->d * k + c] += root * R[i * k + c];
        }
    } else if (k == 1) {
        cblas_dgemv(CblasRowMajor, CblasTrans, (int)a->nrows, (int)a->d, 1.0, a->values, (int)a->row_stride, R, 1, 1.0,
                    G, 1);
    } else {
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)a->d, (int)k, (int)a->nrows, 1.0, a->values,
                    (int)a->row_stride, R, (int)k, 1.0, G, (int)k);
    }
}

/* Rows i and j of a CSR block: a merge of two increasing lists. */
static double csr_row_product(const gpis_block *a, int64_t i, int64_t j) {
    double sum = a->constant;
    int64_t p = a->indptr[i], q = a->indptr[j];
    while (p < a->indptr[i + 1] && q < a->indptr[j + 1]) {
        const int32_t u = a->indices[p], v = a->indices[q];
        if (u == v) sum += csr_value(a, p) * csr_value(a, q);
        p += u <= v;
        q += v <= u;
    }
    return sum;
}

/* From A_j A_j', which has the same largest eigenvalue and is only rows x rows. Its trace is not below that. */
double gpis_batch_norm2(const gpis_batches *b, const gpis_block *a, double *work) {
    const int rows = (int)a->nrows;
    double *eigenvalues = work + b->rows * b->rows, trace = 0.0;
    if (a->kind == GPIS_BLOCK_CSR) {
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = i; j < rows; j++)
                work[i * rows + j] = root_of(b, a, i) * root_of(b, a, j) * csr_row_product(a, i, j);
    } else {
        cblas_dsyrk(CblasRowMajor, CblasUpper, CblasNoTrans, rows, (int)a->d, 1.0, a->values, (int)a->row_stride, 0.0,
                    work, rows);
    }
    /* the upper triangle in row-major order is the lower one in LAPACK's column-major order */
    for (int64_t i = 0; i < rows; i++) trace += work[i * rows + i];
    if (LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', rows, work, rows, eigenvalues) != 0) return trace;
    return eigenvalues[rows - 1];
}
