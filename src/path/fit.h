/*
 * A fit: the rows that the points of a path share, as a summary of the columns of the complete problem
 * (linalg/quadratic.h), with what is made of it once: the Gram matrix in double, the norms of the columns and, where a
 * point needs it, the model with its factor. Points are measured and certified from the summary; nothing reads A.
 */
#ifndef GPIS_FIT_H
#define GPIS_FIT_H

#include <stdatomic.h>

#include "linalg/model.h"
#include "linalg/quadratic.h"
#include "set/set.h"

typedef struct gpis_fit {
    gpis_context *context;      /* borrowed */
    const gpis_quadratic *data; /* borrowed: d columns, with the ridge */
    int64_t d, k;
    bool constant;      /* the last column is that of an intercept, which is free in every set */
    double tol;         /* relative gap that counts as solved */
    double *H, *b;      /* owned: d x d and d x k; A'A and A'Y */
    double *norms2;     /* owned: ||a_j||^2 */
    double *g;          /* owned: d x k; half the gradient at the point that was measured last */
    double *work;       /* owned: d x k */
    gpis_model *model;  /* owned: of H; NULL until a point needs it */
    atomic_llong *done; /* borrowed, set by the owner: counts the points of paths that are solved; NULL: nobody asks */
    const gpis_stop *stop; /* borrowed, set by the owner: asked between points, and within solves; NULL: nobody asks */
} gpis_fit;

/* The set of a point, in two forms. */
typedef struct gpis_fit_set {
    gpis_set *all;  /* of all d entries */
    gpis_set *core; /* without the constant, with a penalty if there is one; the same as `all` where there is none */
} gpis_fit_set;

/* What is known of a point. */
typedef struct gpis_fit_value {
    double objective; /* with the penalty */
    double gap;       /* proven bound on objective - the best possible one; infinite: none */
    double noise;     /* of the objective, by rounding errors of the summary: a smaller gap cannot be proven */
    bool solved;      /* gap <= tol (objective - gap) */
    bool limited;     /* rounding errors of the summary, not the point, keep the gap from falling further */
} gpis_fit_value;

gpis_status gpis_fit_create(gpis_context *context, const gpis_quadratic *data, bool constant, double tol,
                            gpis_fit **out);
void gpis_fit_destroy(gpis_fit *fit);

/* Makes fit->model if it is not there yet. */
gpis_status gpis_fit_need_model(gpis_fit *fit);
/* Makes another model of the same rows. */
gpis_status gpis_fit_make_model(const gpis_fit *fit, gpis_model **model);
/* Measures x, d x k, which is in the set up to rounding, with its gradient in fit->g, and bounds its gap by the
 * gradient alone or, if that is not enough, by the model. */
gpis_status gpis_fit_measure(gpis_fit *fit, const gpis_fit_set *set, const double *x, gpis_fit_value *out);
/* Solves over the set from x, in rounds of the general solver on the model (inner/inner.h), until the point is solved
 * or nothing moves any more. x becomes the best point. GPIS_STOPPED if fit->stop says so. */
gpis_status gpis_fit_solve(gpis_fit *fit, const gpis_fit_set *set, double *x, gpis_fit_value *out);

#endif
