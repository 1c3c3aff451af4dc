/*
 * A set as a list of simple constraints in coordinates z, x = T z:
 *
 *     lo_j <= z_j <= hi_j,   sums of entries that are >= 0,   sums of 2-norms of groups of entries,   E z = e.
 *
 * Each entry is in at most one sum. T is made of the coordinates of transforms, monotone and tv (gpis_set_class.turn),
 * each for the entries of its block. All kinds have this form, alone, in products and under transforms, but for those
 * that work on X as a matrix, those of the user, and sets with a penalty.
 */
#ifndef GPIS_FLAT_H
#define GPIS_FLAT_H

#include "set/set.h"

typedef struct gpis_flat_sum {
    double R;
    bool equal; /* the sum is R; else at most R */
    bool norms; /* of the 2-norms of groups; else of entries, which are >= 0 */
} gpis_flat_sum;

/* The entries columns[0 ... set->d - 1] of z are those of `set`, which has other coordinates. */
typedef struct gpis_flat_turn {
    const gpis_set *set; /* borrowed */
    int64_t *columns;    /* owned */
} gpis_flat_turn;

typedef struct gpis_flat {
    gpis_context *context; /* borrowed */
    int64_t d;
    double *lo, *hi;         /* owned: d; of entries in a sum of norms infinite */
    int64_t *sum_of;         /* owned: d; the sum that entry j is in; -1: none */
    int64_t *member, *first; /* owned: group c has the entries member[first[c]] ... member[first[c + 1] - 1] */
    int64_t *group_sum;      /* owned: d; the sum that a group is in */
    gpis_flat_sum *sum;      /* owned: d */
    int64_t sums, groups, rows;
    bool given;            /* E and e are as the caller of the library has given them */
    double *E, *e;         /* owned: rows x d, which are independent, and rows */
    gpis_flat_turn *turns; /* owned: from the outermost to the innermost */
    int64_t turn_count;
    double *in, *out; /* owned: d; scratch */
} gpis_flat;

/* Whether the set has this form. */
bool gpis_flat_exists(const gpis_set *set);
/* Adds the numbers of sums and of equalities that it will have, at most. */
void gpis_flat_count(const gpis_set *set, int64_t *sums, int64_t *rows);
/* For one column of X. With `given`, the rows of E are equations as they were given, else orthonormal. */
gpis_status gpis_flat_create(gpis_context *context, gpis_set *set, bool given, gpis_flat **out);
/* Whether the set bounds a sum of 2-norms of groups of entries. */
bool gpis_flat_is_of_norms(const gpis_set *set);
/* Adds the sum of norms of such a set, or the sum of sizes of another, whose entry i is columns[i] here. */
void gpis_flat_add_norms(gpis_flat *f, const gpis_set *set, const int64_t *columns);
/* Without constraints, for others to add: d entries, and memory for `rows` equations. */
gpis_status gpis_flat_open(gpis_context *context, int64_t d, int64_t rows, gpis_flat **out);
/* Makes rows z_j = lo_j for entries without freedom, which have no bounds any more. */
void gpis_flat_fix(gpis_flat *f);
void gpis_flat_destroy(gpis_flat *f);
/* Changes coordinates of v in place: z = T^-1 x, x = T z, T'v, or T^-T v. */
void gpis_flat_change(const gpis_flat *f, gpis_way way, double *v);

#endif
