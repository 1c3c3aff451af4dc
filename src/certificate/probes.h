/*
 * Random probes: how far a sketched model H may be trusted, with a stated probability over our own coins and no
 * assumption on A.
 *
 * With the factor of H, W = R^-T D^-1, the matrix M = W A'A W' has A'A >= c H exactly when its smallest eigenvalue is
 * at least c. Each of a few independent random vectors starts a Lanczos process on M; its products with A'A ride along
 * in the gradient passes. After k passes every probe holds the Krylov space of dimension k, and (docs/maths/probes.md),
 * with tanh(eta)^2 = epsilon and cosh((2k - 1) eta) = sqrt(2 d / pi) / (delta / 2)^(1/B),
 *
 *     lambda_max <= ritz_max / (1 - epsilon),
 *     lambda_min >= (ritz_min - epsilon lambda_max) / (1 - epsilon),
 *
 * both at once, for all k, with probability at least 1 - delta.
 */
#ifndef GPIS_PROBES_H
#define GPIS_PROBES_H

#include "base/base.h"
#include "linalg/model.h"

typedef struct gpis_probes {
    gpis_context *context;   /* borrowed */
    const gpis_model *model; /* borrowed: whose W it is */
    int64_t d, rank;         /* columns; those that are not zero */
    const double *norms2;    /* borrowed: squared norms of the columns of A */
    int count, most, steps;  /* probes; passes there is room for; passes made */
    double delta;
    uint64_t seed, round;
    double *basis;     /* owned: count x (most + 1) x d, orthonormal for each probe */
    double *projected; /* owned: count x most x most: the basis' products with M */
    double *image;     /* owned: d x count */
    double ritz_min, ritz_max;
    double error; /* of M, relative to its norm, by rounding */
} gpis_probes;

/* `norms2`: squared norms of the columns of A. Columns of zeros take no part: they curve neither f nor the model. */
gpis_status gpis_probes_create(gpis_context *context, const gpis_model *model, const double *norms2, int count,
                               int most, double delta, uint64_t seed, uint64_t round, gpis_probes **out);
void gpis_probes_destroy(gpis_probes *probes);

/* True while another pass can be used. */
bool gpis_probes_wanted(const gpis_probes *probes);
/* V = W' (last vector of each probe), d x count: what the next pass is to carry. */
void gpis_probes_directions(const gpis_probes *probes, double *V);
/* Takes A'A V, which it overwrites. `roundings`: of the pass (gradient). */
gpis_status gpis_probes_absorb(gpis_probes *probes, double *AAV, double roundings);
/* c with A'A >= c H, wrong with probability at most delta; not positive: nothing is known yet. */
double gpis_probes_bound(const gpis_probes *probes);

#endif
