/*
 * Columns that depend on others. Where the model of A'A has no full rank to working accuracy, its null vectors are
 * those of A, nearly; and where columns depend on each other exactly (duplicates, dummy variables that add up to the
 * constant, other units), some of them are vectors of small fractions, which can be guessed from their first digits.
 * Whether A v = 0 is then for a pass to say (gpis_pass.misses).
 */
#ifndef GPIS_DEPENDENT_H
#define GPIS_DEPENDENT_H

#include "linalg/model.h"

typedef struct gpis_dependence {
    int64_t deficit;    /* columns that depend on others, to working accuracy */
    int64_t columns[2]; /* one of them that there is no guess for, and the one it leans on most; -1: there is none */
} gpis_dependence;

/* How many columns depend on others, and guesses at null vectors: rows N_i of d entries, *count <= most of them,
 * independent. The model knows none yet. */
gpis_status gpis_dependent_find(const gpis_model *model, int64_t most, double *N, int64_t *count,
                                gpis_dependence *found);
/* The two columns that count most in v, in units of the columns; the same twice where there is one only. */
void gpis_dependent_columns(const gpis_model *model, const double *v, int64_t columns[2]);

#endif
