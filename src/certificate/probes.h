/*
 * Random probes: how far a sketched model H may be trusted, with a stated probability over our own random numbers and
 * no assumption about A.
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

enum { GPIS_PROBES = 4 }; /* a pass multiplies A with so many vectors beside the point at little extra cost */

/* What is known of M through one starting vector. */
typedef struct gpis_probe {
    double *basis; /* (most + 1) x d, orthonormal */
    /* most each: M q_i = beta_{i-1} q_{i-1} + alpha_i q_i + beta_i q_{i+1} + stray part, which rounding causes */
    double *alpha, *beta;
    double *theta; /* most: eigenvalues of the tridiagonal matrix, ascending */
    double stray2; /* sum of the squared norms of the stray parts */
} gpis_probe;

typedef struct gpis_probes {
    gpis_context *context;   /* borrowed */
    const gpis_model *model; /* borrowed: H, with the factor that gives W */
    int64_t d, rank;         /* columns; columns along which the model has curvature */
    int count, most, steps;  /* probes; the largest number of passes; passes made */
    double delta;
    uint64_t seed, round;
    gpis_probe *probe; /* owned: count of them */
    double *numbers;   /* owned: their arrays */
    double *work;      /* owned: d + most + 1 */
    double *WU;        /* owned: W U, d x nulls, for the null vectors of the model; NULL: there are none */
    double ritz_min;   /* the smallest theta seen */
    double highest;    /* lambda_max is at most this; infinite: not known */
    double lowest;     /* lambda_min is at least this; not positive: not known */
    double error;      /* of M, relative to its norm, by rounding: the largest of all steps */
} gpis_probes;

/* Columns along which the model has no curvature (columns of zeros) take no part. */
gpis_status gpis_probes_create(gpis_context *context, const gpis_model *model, int count, int most, double delta,
                               uint64_t seed, uint64_t round, gpis_probes **out);
void gpis_probes_destroy(gpis_probes *probes);

/* True while another pass can be used. */
bool gpis_probes_wanted(const gpis_probes *probes);
/* V = W' (last vector of each probe), d x count: what the next pass is to carry. */
void gpis_probes_directions(const gpis_probes *probes, double *V);
/* Takes the result A'A V of the pass, and overwrites it. `roundings`: those of the products in that pass. */
gpis_status gpis_probes_absorb(gpis_probes *probes, double *AAV, double roundings);
/* Returns c with A'A >= c H, which is wrong with probability at most delta, if the model has curvature along all
 * columns of A that are not zero. Not positive: nothing is known yet. */
double gpis_probes_bound(const gpis_probes *probes);
/* An estimate of gpis_probes_bound after so many passes, for a spectrum that fills [lowest, highest]. */
double gpis_probes_expect(double lowest, double highest, double d, int steps, int count, double delta);

#endif
