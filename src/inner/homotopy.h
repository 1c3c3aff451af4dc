/*
 * The path of an l1 penalty, exactly: the minimisers of
 *
 *     1/2 <x, H x> - <b, x> + nu sum_j w_j |x_j|    over  lo_j <= x_j <= hi_j,   lo_j <= 0 <= hi_j,
 *
 * for all nu from infinity down to 0. They are a piecewise linear function of nu, and the sum r = sum_j w_j |x_j| grows
 * as nu falls: so the same path has the minimisers over {r <= R} for every R, with nu as the multiplier of the sum.
 *
 * An entry is fixed at 0 or at a bound, or is free, with a sign. With G = H x - b, s the signs and F the free entries,
 * optimality is G_F = -nu (w s)_F, and for those at 0, |G_j| <= nu w_j (one side of it where a bound is 0). As nu falls
 * by t, with v = H_FF^-1 (w s)_F and q = H_.F v,
 *
 *     x_F := x_F + t v,     G := G + t q,     r := r + t <w s, v>,
 *
 * until an entry reaches 0 or a bound, which fixes it, or one of the inequalities becomes an equation, which frees its
 * entry. Each such step costs O(d |F|): one change of a factor (block_factor.h), two triangular solves and one product.
 *
 * An entry with w_j = 0 is free from the start and has no bounds: an intercept, or a column exempt from the sum. A
 * column that depends on those of F is left out until one of them leaves; its inequality stays an equation meanwhile,
 * so that nothing is lost. Where rounding or ties make the same entries come and go without end, the walk gives up, and
 * the caller solves by other means.
 */
#ifndef GPIS_HOMOTOPY_H
#define GPIS_HOMOTOPY_H

#include "inner/block_factor.h"

/* What is fixed: d numbers each, borrowed. */
typedef struct gpis_homotopy_terms {
    int64_t d;
    const double *H, *b; /* H is d x d */
    const double *weight;
    const double *lo, *hi; /* may be infinite */
} gpis_homotopy_terms;

typedef struct gpis_homotopy {
    gpis_context *context; /* borrowed */
    gpis_homotopy_terms terms;
    gpis_block_factor *factor; /* owned: of H_FF */
    signed char *state;        /* owned: d; see homotopy.c */
    double *x, *G;             /* owned: the point of the path, and H x - b there */
    double nu, sum;            /* where it is: nu, and r at x */
    double *v, *q;             /* owned: how x_F, in the order of the factor, and G change */
    double growth;             /* <w s, v>: how r changes */
    bool lost;                 /* the walk has given up: x is not on the path any more */
    int64_t steps;             /* changes of F so far */
    int64_t idle;              /* of these, those since nu has fallen last */
} gpis_homotopy;

/* Begins at the largest nu for which no entry with a weight has left 0. */
gpis_status gpis_homotopy_create(gpis_context *context, const gpis_homotopy_terms *terms, gpis_homotopy **out);
void gpis_homotopy_destroy(gpis_homotopy *h);
/* Whether the terms are such as the walk can begin with. */
bool gpis_homotopy_suits(const gpis_homotopy_terms *terms);

/* Goes on to the point of this nu, which is not above h->nu; or to that where the sum is R, or to nu = 0 where no nu
 * has so large a sum. False: the walk has given up. */
bool gpis_homotopy_go_to_nu(gpis_homotopy *h, double nu);
bool gpis_homotopy_go_to_sum(gpis_homotopy *h, double R);
/* Takes the gradient H x - b as it was measured at h->x, with errors that are smaller than those of the walk, and moves
 * x to the minimum of its face for the same nu (or, with `hold_sum`, the same sum, which R is to be). The gradient is
 * updated likewise. */
void gpis_homotopy_correct(gpis_homotopy *h, const double *G, bool hold_sum, double R);

#endif
