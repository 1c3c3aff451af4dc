/* Multipliers in double-double, for certificates in which an error of 2^-53 of a multiplier would be too much. */
#ifndef GPIS_SET_MULTIPLIER_H
#define GPIS_SET_MULTIPLIER_H

#include "linalg/dd.h"
#include "set/set.h"

/* A multiplier whose support function is known by the way it was made; d x k numbers each. */
typedef struct gpis_known_multiplier {
    double *l, *l_low; /* borrowed: |l + l_low - l*| <= off in each entry, for a vector l* with */
    double *off;
    gpis_dd support; /* <l*, s> <= support for all s in K */
} gpis_known_multiplier;

/* One column of X (with `matrix`, all of X) of a multiplier l + l_low, |l_low| <= 2^-53 |l| at first. */
struct gpis_multiplier {
    double *l, *l_low;    /* borrowed, in and out */
    const double *at;     /* borrowed: a point where l is nearly normal to K */
    const double *weight; /* borrowed: of each entry, how far it may be moved: the norms of the columns of A */
    double *work;         /* borrowed: as many numbers as l has */
    bool weighted;        /* out: w* below differs from l + l_low only where there is a weight */
    double value, slack;  /* out: some w* with ||l + l_low - w*|| <= slack has support_K(w*) <= value */
};

/* Replaces l + l_low by a vector near it with a finite support function: for one column, or with `matrix` for X. */
gpis_status gpis_set_support_low_part(gpis_set *set, gpis_multiplier *m);
/* The same for all of X, d x k; `weight` has d entries, and `work` 5 d k. */
gpis_status gpis_set_support_low(gpis_set *set, gpis_multiplier *m);

#endif
