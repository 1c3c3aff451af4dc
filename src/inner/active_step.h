/* Steps on one face, which the active set method (active_set.h) and block pivoting (pivot.c) share. */
#ifndef GPIS_ACTIVE_STEP_H
#define GPIS_ACTIVE_STEP_H

#include "inner/active_set.h"

/* The sum is one of sizes |s_j|: free entries have a sign, and the others are fixed at zero. */
static inline bool gpis_active_signed_sum(const gpis_active_set *a) { return a->set->sum == GPIS_SUM_OF_SIZES_WITHIN; }

/* Hv = H v. Counts the product. */
void gpis_active_multiply(gpis_active_set *a, const double *v, double *Hv);
/* Computes G and q at s. */
void gpis_active_evaluate(gpis_active_set *a);
/* The sum that the set limits: of the entries of s, or of their sizes. */
double gpis_active_total(const gpis_active_set *a, const double *s);
/* Finds the smallest face that contains s. */
void gpis_active_read(gpis_active_set *a);
/* Finds the step p to the minimum of the face, by the factor of H_FF, and nu. */
void gpis_active_find_step(gpis_active_set *a);
void gpis_active_take_step(gpis_active_set *a);

/* By how much the multiplier of entry j, which is not free, has the wrong sign. */
double gpis_active_wrong(const gpis_active_set *a, int64_t j);
/* The part of the rounding error of a multiplier that all entries share. */
double gpis_active_rounding(const gpis_active_set *a);
/* Whether the multiplier of entry j has the wrong sign by more than rounding explains. */
bool gpis_active_is_wrong(const gpis_active_set *a, int64_t j, double rounding);
/* Fixes a free entry at its nearest bound, or frees a fixed one. */
void gpis_active_change_side(gpis_active_set *a, int64_t j);

/* Block pivoting (pivot.c) from the present face. Unless *solved, s may be outside K. */
void gpis_active_pivot(gpis_active_set *a, bool *solved);

#endif
