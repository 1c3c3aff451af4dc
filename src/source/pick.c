/* Copies of some rows of a source, as a source of their own: compressed rows stay compressed, dense ones become
 * doubles. */
#include <string.h>

#include "source/stored.h"

static gpis_status copy_dense(gpis_context *context, const gpis_block *A, const int64_t *numbers, int64_t m,
                              gpis_source **out) {
    static const gpis_source_class class = {
        .kind = "sample", .block = gpis_stored_dense_block, .destroy = gpis_stored_dense_destroy};
    double *rows = gpis_alloc(context, m * A->d, sizeof *rows);
    if (!rows) return GPIS_NO_MEMORY;
#pragma omp parallel for num_threads(gpis_threads_for(context->threads, (double)(m * A->d))) schedule(dynamic, 64)
    for (int64_t i = 0; i < m; i++) {
        const gpis_block row = gpis_block_rows(A, numbers[i], 1);
        gpis_block_unpack(&row, rows + i * A->d);
    }
    const gpis_stored_dense dense = {.values = rows, .ld = A->d, .owned = rows};
    const gpis_status status =
        gpis_stored_dense_new(context, &class, NULL, dense, GPIS_FLOAT64, GPIS_ROW_MAJOR, m, A->d, out);
    if (status != GPIS_OK) gpis_free(context, rows);
    return status;
}

static gpis_status copy_csr(gpis_context *context, const gpis_block *A, const int64_t *numbers, int64_t m,
                            gpis_source **out) {
    static const gpis_source_class class = {
        .kind = "sample", .block = gpis_stored_csr_block, .destroy = gpis_stored_csr_destroy};
    const int64_t width = A->type == GPIS_FLOAT64 ? sizeof(double) : sizeof(float);
    int64_t *indptr = gpis_alloc(context, m + 1, sizeof *indptr), entries = 0;
    for (int64_t i = 0; indptr && i < m; i++) {
        indptr[i] = entries;
        entries += A->indptr[numbers[i] + 1] - A->indptr[numbers[i]];
    }
    int32_t *indices = indptr ? gpis_alloc(context, entries, sizeof *indices) : NULL;
    char *values = indices ? gpis_alloc(context, entries, (size_t)width) : NULL;
    gpis_stored_csr csr = {indptr, indices, values, true};
    gpis_status status = GPIS_NO_MEMORY;
    if (values) {
        indptr[m] = entries;
#pragma omp parallel for num_threads(gpis_threads_for(context->threads, (double)entries)) schedule(dynamic, 64)
        for (int64_t i = 0; i < m; i++) {
            const int64_t from = A->indptr[numbers[i]], count = indptr[i + 1] - indptr[i];
            memcpy(indices + indptr[i], A->indices + from, (size_t)count * sizeof *indices);
            memcpy(values + indptr[i] * width, (const char *)A->values + from * width, (size_t)(count * width));
        }
        status = gpis_stored_csr_new(context, &class, NULL, csr, A->type, m, A->d, out);
    }
    if (status != GPIS_OK) gpis_stored_csr_free(context, &csr);
    return status;
}

bool gpis_source_can_pick(const gpis_source *A) { return A->resident; }

double gpis_source_pick_memory(const gpis_source *A, int64_t m) {
    const double dense = (double)(A->d * (int64_t)sizeof(double));
    return (double)m * (A->block_kind == GPIS_BLOCK_CSR ? gpis_source_row_bytes(A) : dense);
}

gpis_status gpis_source_pick(gpis_context *context, gpis_source *A, const int64_t *numbers, int64_t m,
                             gpis_source **out) {
    gpis_block all;
    *out = NULL;
    gpis_status status = gpis_source_unchanged(A);
    if (status == GPIS_OK) status = A->class->block(A, 0, A->n, NULL, &all);
    if (status == GPIS_OK)
        status = A->block_kind == GPIS_BLOCK_CSR ? copy_csr(context, &all, numbers, m, out)
                                                 : copy_dense(context, &all, numbers, m, out);
    if (status == GPIS_OK) status = gpis_source_unchanged(A);
    if (status == GPIS_OK) return GPIS_OK;
    gpis_source_destroy(*out);
    *out = NULL;
    return status;
}
