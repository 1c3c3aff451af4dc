/*
 * The Cholesky factor of a principal block of H, one index at a time: G_FF = R'R for F in the order in which the
 * indices came, in units in which the diagonal of H is 1.
 *
 * An index that comes costs a triangular solve, R'r = G_Fj and rho^2 = G_jj - ||r||^2, and one that leaves costs a
 * sweep of plane rotations over the columns behind it. So a change takes O(|F|^2) operations, wherever in F it is;
 * principal.h is for changes of many indices at once.
 */
#ifndef GPIS_BLOCK_FACTOR_H
#define GPIS_BLOCK_FACTOR_H

#include "base/base.h"

typedef struct gpis_block_factor {
    gpis_context *context; /* borrowed */
    int64_t d;
    const double *H; /* borrowed: d x d, both triangles */
    double *scale;   /* owned: 1 / sqrt(H_jj), 0 for a column of zeros */
    double *R;       /* owned: by columns, upper triangle, d numbers for each */
    int64_t *index;  /* owned: F */
    int64_t count;   /* of F */
} gpis_block_factor;

gpis_status gpis_block_factor_create(gpis_context *context, int64_t d, const double *H, gpis_block_factor **out);
void gpis_block_factor_destroy(gpis_block_factor *f);

/* Adds index j at the end of F. False, and F is as before, if its column depends on those of F to working accuracy. */
bool gpis_block_factor_add(gpis_block_factor *f, int64_t j);
/* Takes out the index at place p of F; those behind it move up by one. */
void gpis_block_factor_remove(gpis_block_factor *f, int64_t p);
/* v := H_FF^-1 v for `count` numbers in the order of F. */
void gpis_block_factor_solve(const gpis_block_factor *f, double *v);

#endif
