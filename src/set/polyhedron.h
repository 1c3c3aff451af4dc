/*
 * A polyhedron as a list of constraints:
 *
 *     lo_j <= x_j <= hi_j,    lower_i <= <c_i, x> <= upper_i,    sum over j of w_kj |x_j| <= R_k,  w_kj >= 0.
 *
 * Sets that are made of such constraints alone, and their products, intersections and extensions, are collected into
 * one list, and are then one set of the kind `polyhedron` or, where the list is a simpler kind, that.
 */
#ifndef GPIS_SET_POLYHEDRON_H
#define GPIS_SET_POLYHEDRON_H

#include "set/set.h"

typedef struct gpis_polyhedron {
    gpis_context *context; /* borrowed */
    int64_t d;
    double *lo, *hi; /* owned: d; infinite where there is no bound */
    int64_t rows;
    int64_t *first;        /* owned: row i has the entries first[i] ... first[i + 1] - 1 of column and value */
    int64_t *column;       /* owned: ascending within a row */
    double *value;         /* owned: none is 0 */
    double *lower, *upper; /* owned: rows; infinite where there is no bound */
    char **row_name;       /* owned, and each text in it; NULL: the row has no name */
    int64_t sums;          /* sums of sizes */
    double *weight;        /* owned: sums x d */
    double *R;             /* owned: sums */
    char **sum_name;       /* owned, and each text in it */
    int64_t row_room, entry_room, sum_room; /* of the arrays */
} gpis_polyhedron;

gpis_status gpis_polyhedron_create(gpis_context *context, int64_t d, gpis_polyhedron **out);
void gpis_polyhedron_destroy(gpis_polyhedron *p); /* NULL is fine */

/* Adds lo <= x_j <= hi to the bounds that x_j has: the tighter ones hold. */
void gpis_polyhedron_add_bounds(gpis_polyhedron *p, int64_t j, double lo, double hi);
/* Adds lower <= sum of value[i] x_(column[i]) <= upper; entries that are 0 are left out. A row of one entry becomes a
 * bound, if that is exact. The columns are ascending; `name` may be NULL and is copied. */
gpis_status gpis_polyhedron_add_row(gpis_polyhedron *p, int64_t count, const int64_t *column, const double *value,
                                    double lower, double upper, const char *name);
/* Adds sum of weight[i] |x_(column[i])| <= R; for R = 0 the entries are held at 0. */
gpis_status gpis_polyhedron_add_sum(gpis_polyhedron *p, int64_t count, const int64_t *column, const double *weight,
                                    double R, const char *name);

/* Whether the set is made of such constraints alone. */
bool gpis_polyhedron_describes(const gpis_set *set);
/* Adds the constraints of a set, whose entry i is entry columns[i] (NULL: i) here. With `scale`, of set->d entries, it
 * is scale_i x_i that is in the set. */
gpis_status gpis_polyhedron_add_set(gpis_polyhedron *p, const gpis_set *set, const int64_t *columns,
                                    const double *scale);

/* The constraints of such a set, of its columns each. They do not change and are made once; the set keeps them. */
gpis_status gpis_polyhedron_of(gpis_set *set, const gpis_polyhedron **out);

/* Makes a set of the list, of a simpler kind where there is one, and takes the list: it is destroyed with the set, or
 * here. Fails, with the names of the constraints that conflict, if no x meets them. `spec` is the text of the set,
 * `names` those of the entries (NULL: none), `penalty` is copied (NULL: none). */
gpis_status gpis_polyhedron_finish(gpis_polyhedron *p, const char *spec, const char *const *names,
                                   const double *penalty, gpis_set **out);

/* For a set of the kind polyhedron: makes the multiplier l, one column, exactly complementary to the point s. It
 * becomes l + l_low, which is within *lost of a vector w with, for every z of K, <w, z - x> <= *linear        (with a
 * penalty: h(x) - h(z) + <w, z - x> <= *linear), a sum of terms that are each >= 0 where x is in K, and 0 where x is s.
 */
gpis_status gpis_polyhedron_complementary(gpis_set *set, const double *x, const double *s, double *l, double *l_low,
                                          double *linear, double *lost);

#endif
