/* What the active set method (active_set.h) and block pivoting do on a face. */
#ifndef GPIS_ACTIVE_STEP_H
#define GPIS_ACTIVE_STEP_H

#include "inner/active_set.h"

/* The sum is one of sizes: entries have signs, and are fixed at zero alone. */
static inline bool gpis_active_signed_sum(const gpis_active_set *a) { return a->set->sum == GPIS_SUM_OF_SIZES_WITHIN; }

/* Hv = H v, counted. */
void gpis_active_multiply(gpis_active_set *a, const double *v, double *Hv);
/* G and q at s. */
void gpis_active_evaluate(gpis_active_set *a);
/* What the rule of the set adds up: the entries of s or their sizes. */
double gpis_active_total(const gpis_active_set *a, const double *s);
/* The least face that holds s. */
void gpis_active_read(gpis_active_set *a);
/* The step p to the minimum of the face, by the factor of H_FF, and nu. */
void gpis_active_find_step(gpis_active_set *a);
void gpis_active_take_step(gpis_active_set *a);

/* By how much the multiplier of entry j, which is not free, has the wrong sign; and whether that is more than rounding,
 * of which gpis_active_rounding is the part that all entries share. */
double gpis_active_wrong(const gpis_active_set *a, int64_t j);
double gpis_active_rounding(const gpis_active_set *a);
bool gpis_active_is_wrong(const gpis_active_set *a, int64_t j, double rounding);
/* A free entry is fixed at its nearest bound, a fixed one is freed. */
void gpis_active_change_side(gpis_active_set *a, int64_t j);

/* Block pivoting (pivot.c) from the face that was read. s may have left K unless *solved. */
void gpis_active_pivot(gpis_active_set *a, bool *solved);

#endif
