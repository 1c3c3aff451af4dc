/*
 * The second-order bound where columns of A depend on each other: A N_i' = 0 for the null vectors of the model.
 *
 * f does not change along a null vector v, so neither g nor any p is needed there, and (docs/maths, "Dependent
 * columns") f(x) - f* <= 1/4 <2g + l, (c H)^-1 (2g + l)> + support(l) - <l, x> holds as ever, for those l that have <l,
 * v> = 0 exactly.
 */
#ifndef GPIS_CERTIFICATE_NULL_BOUND_H
#define GPIS_CERTIFICATE_NULL_BOUND_H

#include "certificate/certificate.h"

/*
 * Makes <l, N_i> = 0 for the `count` rows N_i of d entries, by changing entries of l of large size[j] |l_j| only, as
 * many as there are independent N_i among them; entries that are 0 stay 0. The true entries of N_i are within blur[j]
 * of those given (NULL: they are exact), those of l, which need not be doubles either, within off[j] of those in l.
 * *found: false where the rank of the N_i cannot be told for rounding errors.
 */
gpis_status gpis_null_bound_annihilate(gpis_context *context, int64_t count, int64_t d, const double *N,
                                       const double *blur, const double *size, double *l, double *off, bool *found);

/* True for the sets whose support function is finite wherever <l, v> = 0 for some known v: those that are bounded, and
 * tv, which lets x move by a constant. */
bool gpis_null_bound_suits(const gpis_set *set);
/* For those: makes l (d x k) such a multiplier up to *off, in the norm; infinite: that was not possible. */
gpis_status gpis_null_bound_clean(gpis_context *context, const gpis_set *set, const gpis_model *model, double *l,
                                  double *off);

/* For all sets: the bound without the rounding errors of the pass, for the set that has only those walls of K that s
 * has reached: the multiplier l of s (d x k), which is overwritten as v (d x k) is, c being that of the model less what
 * else it pays. */
gpis_status gpis_null_bound(gpis_context *context, const gpis_set *set, const gpis_point *point,
                            const gpis_model *model, double c, const double *s, double *l, double *v, double *bound);

#endif
