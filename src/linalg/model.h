/*
 * A model H of A'A with its factor, and how far it may be trusted.
 *
 * With D = diag(||a_j||), the scaled matrix T = D^-1 H D^-1 has a unit diagonal, whatever the units of the columns, and
 * T = R'R. Where the Gram matrix is too near to singular for its own rounding errors, H is H + shift D^2, or R comes
 * from rows whose Gram matrix it is (gpis_model_hold_rows).
 *
 * What holds:   A'A >= c H - slack D^2   as matrices.
 *
 * Where A v = 0 exactly is known for some v (gpis_model_add_null), H holds UU' as well, which curves along them:
 *
 *               A'A + UU' >= c H - slack D^2,   and every p is q + a combination of the v, with U'q = 0.
 *
 * Where A v = 0 holds but for rounding of the data, all of this is said of another matrix A + E, for which it holds
 * exactly: ||E_j|| <= nearness ||a_j|| for each column j (docs/maths, "Nearly dependent columns").
 *
 * A column of zeros has zeros in H too, which is the truth about its curvature; in the factor it has a 1 on the
 * diagonal. So H^-1 below is the inverse over the other columns, and nothing may be concluded from a vector that has an
 * entry at a column of zeros (gpis_model_covers).
 */
#ifndef GPIS_MODEL_H
#define GPIS_MODEL_H

#include "base/base.h"

typedef struct gpis_model {
    gpis_context *context; /* borrowed */
    int64_t d;
    double *H;        /* d x d; owned */
    double *R;        /* d x d, upper triangle; owned */
    double *scale;    /* 1 / ||a_j||, 1 for a zero column; owned */
    bool by_rows;     /* R is of a QR decomposition: H has lost digits that R holds */
    double shift;     /* 0 unless H was too near to singular */
    double c;         /* 1 less a rounding term */
    double slack;     /* 0 unless shifted */
    double inverse;   /* >= the norm of T^-1 */
    double roundings; /* of a sum in H */
    int64_t nulls;    /* null vectors of A that are known */
    double *N, *U;    /* nulls x d each; owned: A N_i' = 0, and what H holds for it */
    double nearness;  /* 0: the claims are about A itself; else about some A + E that is so near to it */
} gpis_model;

/* Takes H = A'A (both triangles), computed with at most `roundings` roundings a sum; owns it from then on, also on
 * failure. */
gpis_status gpis_model_create(gpis_context *context, int64_t d, double *H, double roundings, gpis_model **out);
/* (A + E) N_i' = 0 exactly, ||E_j|| <= nearness ||a_j||, for `count` rows N_i of d entries, copied; with those that the
 * model has already they are independent. A shift that is not needed any more goes. To be called before hold_rows. */
gpis_status gpis_model_add_null(gpis_model *model, int64_t count, const double *N, double nearness);
/*
 * Holds (B)'(B) instead, B of m x d, row-major, by a QR decomposition of B in units of its columns: what B'B loses at
 * condition numbers above 1e7, R keeps up to 1e13. The claim on A'A is void then: c = 1 and slack = 0 are the caller's
 * to correct. Null vectors that are known stay in it. Where B has no full rank to working accuracy, the model stays as
 * it is.
 */
gpis_status gpis_model_hold_rows(gpis_model *model, int64_t m, const double *B);
void gpis_model_destroy(gpis_model *model);

/* HV = H V, for V of d x k. */
void gpis_model_apply(const gpis_model *model, int64_t k, const double *V, double *HV);
/* False when V has an entry other than 0 at a column of zeros: then <V, H^-1 V> is infinite, whatever whiten says. */
bool gpis_model_covers(const gpis_model *model, int64_t k, const double *V);
/* V := R^-T D^-1 V, so that ||V||_F^2 becomes <V, H^-1 V>. */
void gpis_model_whiten(const gpis_model *model, int64_t k, double *V);
/* V := D^-1 R^-1 V, the transpose of whiten. */
void gpis_model_unwhiten(const gpis_model *model, int64_t k, double *V);
/* A bound on the norm of R^-T D^-1; infinite where there is a column of zeros. */
double gpis_model_whitening(const gpis_model *model);
/* V := H^-1 V. */
void gpis_model_solve(const gpis_model *model, int64_t k, double *V);

#endif
