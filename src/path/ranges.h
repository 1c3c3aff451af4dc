/*
 * Near-optimal ranges: how far an entry x_i can go in K while the objective F stays at most B, which is above the least
 * F by some share of it.
 *
 * Outer ends, proven. For every m > 0 and every x in K with F(x) <= B, by weak duality with the one number 1 / m,
 *
 *     x_i = (F(x) - (F(x) - m x_i)) / m  <=  (B - least over K of (F - m x_i)) / m,
 *
 * and the least value of the tilted objective F - m x_i is bounded from below by the certificate of its own near
 * minimiser x_m: f is a quadratic, so that x_m has the same kind of certificate, with g_i - m / 2 in the place of g_i.
 * The bound is tightest for the m at which F(x_m) = B, and there it is x_m itself. So m is found from a few such
 * solves, on the summary and from x, and an m that is not quite the best one costs the square of what it is off.
 *
 * Where columns of A depend on each other, A v = 0, F does not change along v, and no x_i with v_i != 0 has an end but
 * those of K. All other entries have the same ends whatever those are; their tilted objective does not change along v
 * either, and has the certificate of dependent columns (certificate/null_bound.h).
 *
 * Inner ends, attained: entry i of a point of K with F <= B, on the way from x to x_m. The truth is between the two.
 * Proof and rounding terms: docs/maths/ranges.md.
 */
#ifndef GPIS_PATH_RANGES_H
#define GPIS_PATH_RANGES_H

#include "path/fit.h"

/* The level of F. */
typedef struct gpis_range_level {
    double outer; /* every x with F(x) <= outer is to be within [lower, upper] */
    double inner; /* the points of the inner ends have F <= inner; inner <= outer */
} gpis_range_level;

/* All null vectors of A: `exact` rows v of d entries with A v = 0, then `near` rows with (A + E) v = 0 for some E with
 * ||E_j|| <= nearness ||a_j||. */
typedef struct gpis_dependent_columns {
    int64_t d, exact, near;
    const double *vectors; /* borrowed */
    double nearness;
} gpis_dependent_columns;

/* The ranges of all d k entries. x is a near minimiser of F over the set. `columns`: without any, nothing is known.
 * Ends that need its vectors that are only nearly null are those for A + E, and then *nearness is that of E, else 0. */
gpis_status gpis_ranges_find(gpis_fit *fit, const gpis_fit_set *set, const double *x, gpis_range_level level,
                             gpis_dependent_columns columns, gpis_range_ends *out, double *nearness);

#endif
