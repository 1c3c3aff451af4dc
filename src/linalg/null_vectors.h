/*
 * Null vectors of A, found from a model of A'A. Where the model does not have full rank to working accuracy, its null
 * vectors are nearly those of A (gpis_null_vectors_find). Where columns depend on each other exactly (duplicates, dummy
 * variables that add up to the constant, other units, several constants), some vector v with A v = 0 has entries that
 * can be guessed from their first digits (gpis_null_vectors_guess). A pass then finds out whether A v = 0 holds
 * (gpis_pass.misses).
 */
#ifndef GPIS_NULL_VECTORS_H
#define GPIS_NULL_VECTORS_H

#include "linalg/model.h"

/* Writes one null vector, accurate to about half of the digits, for each column that depends on others: row i of W (d
 * entries) has -1 at column own[i] and 0 at own[j], j other than i, so that the rows are independent. *deficit is the
 * number of such columns, *count <= most the number of rows written. The model holds no null vectors yet. */
gpis_status gpis_null_vectors_find(const gpis_model *model, int64_t most, double *W, int64_t *own, int64_t *count,
                                   int64_t *deficit);

enum { GPIS_GUESSES = 3 };
/* Guesses at the exact null vector near w, a row of W with the column `own`: at most GPIS_GUESSES rows V_i of d
 * entries, all different. Returns how many. `rows` (count x d, may be NULL) are some rows of A, whose entries serve as
 * guesses too. */
int gpis_null_vectors_guess(const gpis_model *model, const double *w, int64_t own, const double *rows, int64_t count,
                            double *V);

#endif
