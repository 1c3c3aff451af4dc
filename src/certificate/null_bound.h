/*
 * The second-order bound where columns of A depend on each other: A N_i' = 0 for the null vectors N_i of the model.
 *
 * f does not change along a null vector v. Therefore (docs/maths, "Dependent columns") the bound
 *     f(x) - f* <= 1/4 <2g + l, (c H)^-1 (2g + l)> + support(l) - <l, x>
 * holds as in certificate.h, for those multipliers l that have <l, v> = 0 exactly.
 */
#ifndef GPIS_CERTIFICATE_NULL_BOUND_H
#define GPIS_CERTIFICATE_NULL_BOUND_H

#include "certificate/certificate.h"

/*
 * Makes <l, N_i> = 0 for the `count` rows N_i of d entries. Only entries of l with a large size[j] |l_j| change, as
 * many as there are independent N_i; entries that are 0 stay 0. The true entries of N_i are within `blur` of those
 * given (NULL: they are exact). The true entries of l, which need not be doubles, are then within off[j] of those in l.
 * *found is false if rounding errors make it impossible to tell the rank of the N_i.
 */
gpis_status gpis_null_bound_annihilate(gpis_context *context, int64_t count, int64_t d, const double *N,
                                       const double *blur, const double *size, double *l, double *off, bool *found);

/* Whether the support function of the set is finite for every l that is orthogonal to some known vectors: so for
 * bounded sets, and for tv, in which x may move by a constant. */
bool gpis_null_bound_suits(const gpis_set *set);
/* For those sets: makes l (d x k) such a multiplier. The norm of its error is at most *off; infinite if that was not
 * possible. */
gpis_status gpis_null_bound_clean(gpis_context *context, const gpis_set *set, const gpis_model *model, double *l,
                                  double *off);

/* For all sets: support(l) - <l, x> and 1/2 ||2 g + l|| in the norm of (c H)^-1, for the larger set in which only those
 * bounds ("walls") are left that s has reached. `l` is the multiplier at s (d x k); l and v (d x k) are overwritten. */
gpis_status gpis_null_bound(gpis_context *context, const gpis_set *set, const gpis_point *point,
                            const gpis_model *model, double c, const double *s, double *l, double *v, double *linear,
                            double *half_norm);

#endif
