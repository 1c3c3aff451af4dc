/*
 * The Cholesky factor of a principal block of H that changes by a few rows at a time.
 *
 * The factor is that of the scaled block T_FF = D H_FF D, D = diag(H)^-1/2, whose diagonal is 1. F has an order, oldest
 * first: when F changes, the factor of what stands before the first index that leaves stays as it is, and the rest is
 * appended as one block,
 *
 *     B = T_new,old L^-T,    L_new L_new' = T_new,new - B B'.
 *
 * Usually the entries that came last leave first, so that a change costs far less than a new factor.
 *
 * Where the model's factor R has digits that H has lost (gpis_model.by_rows), L' is the triangle of a QR decomposition
 * of the columns of R that belong to F, T_FF = R_F'R_F, and new columns are appended in the same way.
 */
#ifndef GPIS_PRINCIPAL_H
#define GPIS_PRINCIPAL_H

#include "linalg/model.h"

typedef struct gpis_principal {
    gpis_context *context; /* borrowed */
    int64_t d;
    const gpis_model *model; /* borrowed */
    double *memory;          /* owned: scale, L and work */
    double *scale;           /* D */
    double *L;               /* by columns, lower triangle; by_rows: L' in the upper triangle, reflections below it */
    double *tau;             /* owned: d; by_rows: the factors of the reflections */
    double *panel;           /* owned: PANEL x d; by_rows: scratch of LAPACK */
    int64_t *index;          /* owned, with `old`: F, in the order of the rows of L */
    int64_t *old;            /* d; scratch */
    int64_t count;           /* of F */
    int64_t changes;         /* of the factor since it was created */
    double shift;            /* T_FF + shift I is factored; 0 unless T_FF alone cannot be */
    int64_t factored;        /* rows appended since it was created: a measure of its cost */
    double *work;            /* d */
} gpis_principal;

gpis_status gpis_principal_create(gpis_context *context, const gpis_model *model, gpis_principal **out);
void gpis_principal_destroy(gpis_principal *p);
/* Factors the block of F = {j : member[j]}. Returns false if that is not possible. */
bool gpis_principal_factor(gpis_principal *p, const bool *member);
/* v := H_FF^-1 v for the entries of v in F. The other entries of v, which has d of them, stay as they are. */
void gpis_principal_solve(gpis_principal *p, double *v);
/* One half of that for vectors of the entries in F alone, in the order of `index` and without the scaling D: with
 * T_FF = L L', V := L^-1 V if `first`, else L^-T V. V is count x columns, by columns. */
void gpis_principal_half_solve(const gpis_principal *p, bool first, int64_t columns, double *V);

#endif
