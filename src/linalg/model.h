/*
 * A model H of A'A with its factor, and a bound on how well it represents A'A.
 *
 * With D = diag(||a_j||), the scaled matrix T = D^-1 H D^-1 has a unit diagonal, whatever the units of the columns, and
 * T = R'R. Where the Gram matrix is too near to singular for its own rounding errors, H is H + shift D^2, or R comes
 * from rows whose Gram matrix it is (gpis_model_hold_rows).
 *
 * What holds:   A'A >= c H - slack D^2   as matrices.
 *
 * If A v = 0 is known to hold exactly for some v (gpis_model_add_null), H also contains UU', which has curvature along
 * v:
 *
 *               A'A + UU' >= c H - slack D^2,   and every p is q + a combination of the v, with U'q = 0.
 *
 * If A v = 0 holds only up to rounding of the data, these statements are about another matrix A + E, for which it holds
 * exactly: ||E_j|| <= nearness ||a_j|| for each column j (docs/maths, "Nearly dependent columns").
 *
 * A column of zeros has zeros in H too, since there is no curvature along it; in the factor it has a 1 on the diagonal.
 * So H^-1 below is the inverse over the other columns, and nothing may be concluded from a vector that has an entry at
 * a column of zeros (gpis_model_covers).
 */
#ifndef GPIS_MODEL_H
#define GPIS_MODEL_H

#include "base/base.h"
#include "linalg/quadratic.h"

typedef struct gpis_model {
    gpis_context *context; /* borrowed */
    int64_t d;
    double *H;        /* d x d; owned */
    double *R;        /* d x d, upper triangle; owned */
    double *R_low;    /* d x d, the factor is R + R_low; owned; NULL: it is R */
    double *scale;    /* 1 / ||a_j||, 1 for a zero column; owned */
    bool by_rows;     /* R comes from a QR decomposition, and has digits that H has lost */
    double shift;     /* 0 unless H was too near to singular */
    double c;         /* 1 minus a rounding term */
    double slack;     /* 0 unless shifted */
    double inverse;   /* an upper bound on the norm of T^-1 */
    double roundings; /* of a sum in H */
    int64_t nulls;    /* number of known null vectors of A */
    double *N, *U;    /* owned: nulls x d each: A N_i' = 0, and the part of H for it */
    double nearness;  /* 0: the statements are about A itself; else about some A + E, with E as above */
} gpis_model;

/* Makes a model of H = A'A (both triangles), of which each entry was computed with at most `roundings` roundings. Owns
 * H from then on, also after a failure. */
gpis_status gpis_model_create(gpis_context *context, int64_t d, double *H, double roundings, gpis_model **out);
/* (A + E) N_i' = 0 exactly, ||E_j|| <= nearness ||a_j||, for `count` rows N_i of d entries, copied; with those that the
 * model has already they are linearly independent. A shift that is not needed any more is removed. To be called before
 * gpis_model_hold_rows. */
gpis_status gpis_model_add_null(gpis_model *model, int64_t count, const double *N, double nearness);
/*
 * Replaces H by B'B, B of m x d, row-major, by a QR decomposition of B with columns of unit norm: B'B loses its
 * smallest eigenvalues at condition numbers above 1e7, but R keeps them up to 1e13. The bound on A'A does not hold any
 * more: c is set to 1 and slack to 0, and the caller has to correct them. Known null vectors stay in the model. If B
 * does not have full rank to working accuracy, the model is not changed.
 */
gpis_status gpis_model_hold_rows(gpis_model *model, int64_t m, const double *B);
/*
 * Makes a model of the Gram matrix of a summary, with its factor in double-double (R_low): it keeps eigenvalues of T
 * down to 1e-25 or so. Without a shift, A'A >= c H; *out is NULL where rounding errors of the summary would leave less
 * than c = 1/2. With a shift, H is H + shift D^2 and the slack little more than the shift. `by_rows` is set, since H
 * has lost digits that R has.
 */
gpis_status gpis_model_of_quadratic(gpis_context *context, const gpis_quadratic *summary, double shift,
                                    const gpis_stop *stop, gpis_model **out);
void gpis_model_destroy(gpis_model *model);

/* No direction is missing from H to working accuracy: it needed no shift, or its factor comes from rows that have full
 * rank. */
bool gpis_model_has_full_rank(const gpis_model *model);
/* HV = H V, for V of d x k. */
void gpis_model_apply(const gpis_model *model, int64_t k, const double *V, double *HV);
/* False if V has a nonzero entry at a column of zeros: then <V, H^-1 V> is infinite, and gpis_model_whiten is not
 * valid. */
bool gpis_model_covers(const gpis_model *model, int64_t k, const double *V);
/* V := R^-T D^-1 V, so that ||V||_F^2 becomes <V, H^-1 V>. */
void gpis_model_whiten(const gpis_model *model, int64_t k, double *V);
/* The same in double-double, V + V_low by the factor R + R_low; `work` has 2 d numbers. */
void gpis_model_whiten_low(const gpis_model *model, int64_t k, double *V, double *V_low, double *work);
/* V := D^-1 R^-1 V, the transpose of whiten. */
void gpis_model_unwhiten(const gpis_model *model, int64_t k, double *V);
/* An upper bound on the norm of R^-T D^-1; infinite if there is a column of zeros. */
double gpis_model_whitening(const gpis_model *model);
/* V := H^-1 V. */
void gpis_model_solve(const gpis_model *model, int64_t k, double *V);

#endif
