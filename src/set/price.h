/*
 * The constraints of a set that a point meets with equality, and what they cost: with a multiplier l that is normal to
 * K at x, l = sum of price times normal over these constraints. Where l = -2 g at the minimiser, the price is how much
 * the least objective falls when the constraint is loosened by one unit of its own right side; for an equation, when
 * the right side grows by one unit, and then it may be negative.
 *
 * A set that is known by the size R of a norm has one constraint, whose price is <l, x> / R, since <l, x> = price R.
 */
#ifndef GPIS_SET_PRICE_H
#define GPIS_SET_PRICE_H

#include "set/set.h"

enum { GPIS_PRICE_TEXT = 160 };

typedef struct gpis_price {
    char text[GPIS_PRICE_TEXT];
    int64_t column; /* the entry that it bounds; -1: it concerns several */
    int64_t response;
    double multiplier;
} gpis_price;

/* What is done with each price. */
typedef gpis_status (*gpis_price_fn)(void *user, const gpis_price *price);

/* All constraints of X with a price that matters: in units of entry j, l_j is known up to noise[j]. `at` is the member,
 * l the multiplier, d x k each; set->d entries of noise. */
gpis_status gpis_set_prices(gpis_set *set, const double *at, const double *l, const double *noise, gpis_price_fn take,
                            void *user);

/* The same for one column of X or, with `matrix`, for X as a whole: for sets that are made of others. */
gpis_status gpis_set_prices_part(gpis_set *set, const double *at, const double *l, const double *noise,
                                 gpis_price_fn take, void *user);

typedef struct gpis_violation {
    double most; /* the largest amount by which a constraint is broken, in its own units; for a set that is known by its
                    projection alone, the distance */
    bool broken; /* a bound is, or another constraint by more than rounding of its own terms */
} gpis_violation;

gpis_status gpis_set_violation(gpis_set *set, const double *X, gpis_violation *out);

#endif
