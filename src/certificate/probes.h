/*
 * Random probes: how far a sketched model H may be trusted, with a stated probability over our own coins and no
 * assumption on A.
 *
 * With the factor of H, W = R^-T D^-1, the matrix M = W A'A W' has A'A >= c H exactly when its smallest eigenvalue is
 * at least c. Each of a few independent random vectors starts a Lanczos process on M; its products with A'A ride along
 * in the gradient passes. After k passes a probe holds the tridiagonal matrix with diagonal alpha and next to it beta,
 * its eigenvalues theta, and (docs/maths/probes.md) lambda_min >= c as soon as
 *
 *     product of beta_1 .. beta_k / product of (theta_i - c)  <=  delta^(1/B) / sqrt(2 d / pi)
 *
 * for each of the B probes, at all k at once, with probability at least 1 - delta. Where H holds UU' for null vectors
 * of A, A'A + UU' takes the place of A'A.
 */
#ifndef GPIS_PROBES_H
#define GPIS_PROBES_H

#include "base/base.h"
#include "linalg/model.h"

enum { GPIS_PROBES = 4 }; /* with the point itself they fill the kernel of a pass */

/* What is known of M through one starting vector. */
typedef struct gpis_probe {
    double *basis; /* (most + 1) x d, orthonormal */
    /* most each: M q_i = beta_{i-1} q_{i-1} + alpha_i q_i + beta_i q_{i+1} + what is stray */
    double *alpha, *beta;
    double *theta; /* most: eigenvalues of the tridiagonal matrix, rising */
    double stray2; /* squared norms of what is stray, summed */
} gpis_probe;

typedef struct gpis_probes {
    gpis_context *context;   /* borrowed */
    const gpis_model *model; /* borrowed: whose W it is */
    int64_t d, rank;         /* columns; those that the model curves in */
    int count, most, steps;  /* probes; passes there is room for; passes made */
    double delta;
    uint64_t seed, round;
    gpis_probe *probe; /* owned: count of them */
    double *numbers;   /* owned: their arrays */
    double *work;      /* owned: d + most + 1 */
    double *WU;        /* owned: W U, d x nulls, for what the model holds of null vectors; NULL: nothing */
    double ritz_min;   /* the smallest theta seen */
    double highest;    /* lambda_max is at most this; infinite: not known */
    double lowest;     /* lambda_min is at least this; not positive: not known */
    double error;      /* of M, relative to its norm, by rounding */
} gpis_probes;

/* Columns in which the model does not curve (zeros) take no part. */
gpis_status gpis_probes_create(gpis_context *context, const gpis_model *model, int count, int most, double delta,
                               uint64_t seed, uint64_t round, gpis_probes **out);
void gpis_probes_destroy(gpis_probes *probes);

/* True while another pass can be used. */
bool gpis_probes_wanted(const gpis_probes *probes);
/* V = W' (last vector of each probe), d x count: what the next pass is to carry. */
void gpis_probes_directions(const gpis_probes *probes, double *V);
/* Takes A'A V, which it overwrites. `roundings`: of the pass (gradient). */
gpis_status gpis_probes_absorb(gpis_probes *probes, double *AAV, double roundings);
/* c with A'A >= c H, wrong with probability at most delta, if the model curves in all columns of A that are not zero;
 * not positive: nothing is known yet. */
double gpis_probes_bound(const gpis_probes *probes);
/* What that will be, about, after so many passes, for a spectrum that fills [lowest, highest]. */
double gpis_probes_expect(double lowest, double highest, double d, int steps, int count, double delta);

#endif
