/*
 * Penalties: a set K with a height h(X) = sum_j lambda_j sum_c |X_jc|, lambda_j >= 0, which is added to the objective.
 *
 * For a set with a penalty gpis_set_support_near and gpis_set_support_low give the conjugate
 *
 *     h*(l) = sup over s in K of <l, s> - h(s)
 *
 * in the place of the support function, for an l that was moved to where it is finite; and gpis_set_prox takes the
 * place of the projection. Both are known in closed form where one of these holds, for each block of a product by
 * itself:
 *
 *   bounds of single entries:    prox(v) = P(soft(v)),     h* is a sum over the entries
 *   K contains with s every t with |t_j| <= |s_j| (l1, l2, group):
 *                                prox(v) = P(soft(v)),     h*(l) = support(soft(l))
 *   x >= 0 in K, where h is linear (simplex):
 *                                prox(v) = P(v - lambda),  h*(l) = support(l - lambda)
 *
 * with soft(v)_j = sign(v_j) max(|v_j| - lambda_j, 0). Any other K is the meeting of K with all x that have the penalty
 * (extend.h, meet.c), where prox and conjugate are found by splitting. Proofs: docs/maths/certificates.md, "Penalties".
 */
#ifndef GPIS_SET_PENALTY_H
#define GPIS_SET_PENALTY_H

#include "set/set.h"

/* Whether the prox of K with this penalty is known in closed form. */
bool gpis_set_knows_prox(const gpis_set *K, const double *lambda);
/* K, for which it is, with the penalty lambda (d entries >= 0, copied). K is borrowed; the new set is for as many
 * columns as K is now. */
gpis_status gpis_set_penalise(gpis_set *K, const double *lambda, gpis_set **out);
/* The same for a set that the caller owns, and that it changes. */
gpis_status gpis_set_attach_penalty(gpis_set *set, const double *lambda);
/* Whether the penalty of a K that is a polyhedron is better carried by that kind (extend.h): where K has a sum of
 * sizes, for which there is no active-set method with a penalty here; where the prox is not known; and where K has a
 * sum and is `larger`, that is, extended by other entries or scaled. */
bool gpis_set_wants_polyhedron(const gpis_set *K, bool larger);

/* h(X), 0 without a penalty. The computed number has an error of at most gpis_set_height_error of it. */
double gpis_set_height(const gpis_set *set, const double *X);
double gpis_set_height_error(const gpis_set *set);
/* x = argmin over K of 1/2 ||x - v||^2 + step h(x); the projection without a penalty. x may be v. */
gpis_status gpis_set_prox(gpis_set *set, double step, const double *v, double *x);

#endif
