/* Kernels over a chunk of compressed rows. */
#ifndef GPIS_CSR_H
#define GPIS_CSR_H

#include "linalg/block.h"

/*
 * For X of d x k and one chunk, with R of nrows x k:
 *     R = A X - Y     (Y NULL: R = A X)
 *     G += A'R        (G NULL: not wanted), d x k
 * Returns ||R||_F^2. Weights and a column of ones have the effects that they have in dense.h: the sum of w ||r||^2 is
 * returned, and R becomes w R. In what follows, d counts the column of ones, too.
 */
double gpis_csr_gradient(const gpis_block *chunk, int64_t k, const double *X, const double *Y, double *R, double *G);

/* G += A'R for R of nrows x k, without weights. */
void gpis_csr_add_products(const gpis_block *chunk, int64_t k, const double *R, double *G);

/* H += the upper triangle of A'A of the chunk, d x d. */
void gpis_csr_gram(const gpis_block *chunk, double *H);

/* The same for `count` selected columns, count x count; position[j] is the index of column j among them, -1 if it is
 * not one of them. `row` is scratch of 2 count doubles. Columns increase along a row, and positions with them. */
void gpis_csr_gram_of(const gpis_block *chunk, const int32_t *position, int64_t count, double *row, double *H);

/* norms2[j] += sum of squares of column j of the chunk. */
void gpis_csr_column_norms(const gpis_block *chunk, double *norms2);

#endif
