/* Rows held in memory: what kinds share that differ only in where their rows come from. */
#ifndef GPIS_STORED_H
#define GPIS_STORED_H

#include "source/source.h"

/* ---- dense: element (i, j) is values[i * ld + j] or values[i + j * ld] ---- */
typedef struct gpis_stored_dense {
    const void *values; /* borrowed, or the same as `owned` */
    int64_t ld;
    void *owned; /* NULL where the values belong to someone else */
} gpis_stored_dense;

/* A source over a dense array. On success it owns dense.owned (which may be NULL); on failure the caller still does. */
gpis_status gpis_stored_dense_new(gpis_context *context, const gpis_source_class *class, const char *name,
                                  gpis_stored_dense dense, gpis_type type, gpis_order order, int64_t n, int64_t d,
                                  gpis_source **out);
/* Sets the fields of a source of dense rows: shape, type, order. */
void gpis_stored_dense_describe(gpis_source *source, gpis_type type, gpis_order order, int64_t n, int64_t d);
gpis_status gpis_stored_dense_block(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out);
void gpis_stored_dense_destroy(gpis_source *source);

/* ---- compressed rows ---- */
typedef struct gpis_stored_csr {
    const int64_t *indptr;
    const int32_t *indices;
    const void *values;
    bool owned; /* whether the three arrays belong to the source */
} gpis_stored_csr;

/* As gpis_stored_dense_new. The arrays must have been checked. */
gpis_status gpis_stored_csr_new(gpis_context *context, const gpis_source_class *class, const char *name,
                                gpis_stored_csr csr, gpis_type type, int64_t n, int64_t d, gpis_source **out);
gpis_status gpis_stored_csr_block(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out);
void gpis_stored_csr_destroy(gpis_source *source);
void gpis_stored_csr_free(gpis_context *context, gpis_stored_csr *csr); /* frees the arrays, if owned */

/* Consecutive compressed rows, to be checked. */
typedef struct gpis_stored_csr_window {
    const char *name;    /* for messages */
    int64_t row0, nrows; /* of the whole matrix */
    int64_t d;
    int64_t first; /* number of the entry at indices[0] among all entries of the matrix */
    const int64_t *indptr;
    const int32_t *indices;
} gpis_stored_csr_window;
/* GPIS_BAD_DATA unless all columns are in range and those of each row increase. indptr must have been checked. */
gpis_status gpis_stored_csr_check_columns(gpis_context *context, const gpis_stored_csr_window *window);
/* Checks indptr as well, except for indptr[nrows], which must be the length of `indices`: for a whole matrix, or for
 * rows whose arrays hold nothing else. */
gpis_status gpis_stored_csr_check(gpis_context *context, const gpis_stored_csr_window *all);

/* ---- files: one function for each format; open.c chooses by the ending ---- */

gpis_status gpis_open_npy(gpis_context *context, const char *path, const gpis_open_options *options, gpis_source **out);
gpis_status gpis_open_csv(gpis_context *context, const char *path, const gpis_open_options *options, gpis_source **out);
gpis_status gpis_open_mtx(gpis_context *context, const char *path, const gpis_open_options *options, gpis_source **out);
gpis_status gpis_open_libsvm(gpis_context *context, const char *path, const gpis_open_options *options,
                             gpis_source **out);

#endif
