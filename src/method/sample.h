/*
 * A sample: some rows of A as a small problem of their own.
 *
 *     E[ (n/m) B'B ] = A'A    for B: m rows of A, drawn uniformly without replacement
 *
 * It is the sketch of the kind `sample` for a matrix that is in memory, without a pass over A: the same rows for the
 * same (seed, round), whatever the number of threads. They are copied in ascending order, so that an ordinary pass
 * walks them; compressed rows stay compressed, dense ones become rows of doubles. A dense sketch of m rows costs m d^2
 * to multiply; m sparse rows of r entries cost m r^2 / 2.
 *
 * Uniform sampling can miss what matters: a few rows that carry most of A are in the sample only by chance, and a
 * column with few entries may have none there. Whether (n/m) B'B is close to A'A has to be tested, by probes.
 */
#ifndef GPIS_SAMPLE_H
#define GPIS_SAMPLE_H

#include "linalg/model.h"
#include "linalg/point.h"
#include "linalg/terms.h"
#include "source/source.h"

typedef struct gpis_sample {
    gpis_context *context; /* borrowed */
    gpis_source *rows;     /* owned: B */
    double *Y;             /* owned: the same rows of Y, m x k; NULL when k is 0 */
    double *weights;       /* owned: of the same rows; NULL: there are none */
    gpis_terms terms;      /* of the rows: their weights and the constant column, without the ridge */
    int64_t k;
    double weight; /* n / m */
} gpis_sample;

/* Whether single rows can be read at random: A is in memory and in one piece. */
bool gpis_sample_is_at_hand(const gpis_source *A);
/* An estimate, from above, of the bytes that a sample holds while it is made. */
double gpis_sample_memory(const gpis_source *A, int64_t k, int64_t m);

/* Draws m rows of A, for which gpis_sample_is_at_hand, of Y (n x k; not read if k is 0) and of the weights. */
gpis_status gpis_sample_create(gpis_context *context, gpis_source *A, const double *Y, int64_t k,
                               const gpis_terms *terms, int64_t m, uint64_t seed, uint64_t round, gpis_sample **out);
void gpis_sample_destroy(gpis_sample *sample); /* NULL is fine */
/* Computes H = (n/m) B'B + diag(ridge), for a ridge of d numbers (NULL: none). With X (d x k), measures that point of
 * the sampled problem as well: (n/m) ||B X - Y||^2, and (n/m) B'(B X - Y) in G, both with the ridge; the point borrows
 * `norms2`. d counts a constant column. */
gpis_status gpis_sample_gram(gpis_sample *sample, const double *ridge, double *H, const double *X, double *G,
                             const double *norms2, gpis_point *point);
/* Makes the factor of the model, whose H is that of this sample, from the rows (gpis_model_hold_rows) if memory allows.
 */
gpis_status gpis_sample_hold(const gpis_sample *sample, gpis_model *model);

#endif
