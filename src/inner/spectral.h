/*
 * The problem over a ball of the nuclear norm, sum of the singular values of X <= R, in double-double from its summary:
 * the counterpart of fine.h for the set that holds all responses together.
 *
 * With a symmetric N > 0 of k x k, the X that solves G X + X N = B has the multiplier M = B - G X = X N. It is optimal
 * if ||M||_2 = lambda and <M, X> = lambda R, which is so if
 *
 *     S = lambda^2 I - M'M >= 0,   N^-1 S = 0,   lambda = R / tr(N^-1):
 *
 * then tr(N^-1 M'M) = lambda^2 tr(N^-1) = lambda R. These are k (k + 1) / 2 equations, however many columns A has. The
 * path S = mu N leads there, as mu shrinks from a multiple N of the identity to 0; at each of its points the bound by
 * duality is within k mu of q(X). One evaluation costs k Cholesky factors of G + nu_c I, where the nu_c are the
 * eigenvalues of N, which may be as large, for directions that X does not have, or as small as they like.
 */
#ifndef GPIS_SPECTRAL_H
#define GPIS_SPECTRAL_H

#include "inner/fine.h"

typedef struct gpis_spectral {
    const gpis_fine *fine; /* borrowed: the data of the problem, in its units */
    gpis_context *context; /* borrowed */
    int64_t d, k;
    double R;                /* in the units of x there */
    double shift;            /* the part of the diagonal that is added to G */
    double *factor, *low;    /* owned: k factors of d x d: of G + shift + nu_c I */
    gpis_dd *B, *x, *m, *Gm; /* owned: k x d; a row for each response, or for each eigenvector of N */
    gpis_dd *nu, *tried;     /* owned: k; eigenvalues of N, at the present point and at the one that is tried */
    gpis_dd *Q, *Q_tried;    /* owned: k x k; their eigenvectors, by columns */
    gpis_dd *S;              /* owned: k x k, in these coordinates */
    gpis_dd *turned;         /* owned: k x k; the eigenvectors of a step */
    gpis_dd *square;         /* owned: k x k; scratch */
    double *T;               /* owned: k x k x k; <m_b, (G + nu_c)^-1 nu_c G m_a> at (b k + c) k + a */
    double *K, *step;        /* owned: k x k; N^-1/2 S N^-1/2, and the step of N^-1 in the same scale */
    double *matrix, *side;   /* owned: q x q and q, q = k (k + 1) / 2 */
    int32_t *pivots;         /* owned: q */
    double *v, *v_low;       /* owned: d; scratch */
    double lambda2, mu;      /* lambda^2 and tr(N^-1 S) / k at the present point */
    int64_t steps;           /* made since it was created */
} gpis_spectral;

/* Whether a set is such a ball, with several responses. */
bool gpis_spectral_applies(const gpis_set *set);
/* `fine` is of the same summary and any set; it is borrowed. */
gpis_status gpis_spectral_create(gpis_context *context, const gpis_set *set, const gpis_fine *fine,
                                 gpis_spectral **out);
void gpis_spectral_destroy(gpis_spectral *s);
/* The largest number of bytes that it holds. */
double gpis_spectral_memory(int64_t d, int64_t k);
/* Solves for all responses; v, d x k, is filled. */
void gpis_spectral_solve(gpis_spectral *s, gpis_fine_aim aim, const gpis_fine_point *v);
/* l = -2 g at v, and its support function. */
gpis_status gpis_spectral_multiplier(gpis_context *context, const gpis_set *set, const gpis_point *v,
                                     gpis_known_multiplier *l);

/* ---- spectral_step.c ---- */

/* The step towards a point of the path with this mu: P^1/2 (I + step) P^1/2 would be the next P = N^-1. False if there
 * is none. */
bool gpis_spectral_direction(gpis_spectral *s, double mu);

#endif
