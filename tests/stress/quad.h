/*
 * quad.h: small dense linear algebra in quadruple precision (113 bits), for the reference of the stress suite.
 *
 * Matrices are column-major: element (i, j) of an m x p matrix M is M[i + j * m]. Nothing here knows gpis.
 */
#ifndef GPIS_STRESS_QUAD_H
#define GPIS_STRESS_QUAD_H

#include <quadmath.h>
#include <stddef.h>
#include <stdint.h>

typedef __float128 quad;

/* Zeroed memory; ends the process when there is none, which the parent then counts as a crash of the suite. */
void *stress_allocate(size_t count, size_t size);
#define ALLOCATE(type, count) ((type *)stress_allocate((size_t)(count) > 0 ? (size_t)(count) : 1, sizeof(type)))

quad quad_dot(int64_t n, const quad *x, const quad *y);
quad quad_norm(int64_t n, const quad *x);
void quad_add(int64_t n, quad a, const quad *x, quad *y); /* y += a x */

/* A power of two near |value|; 1 for 0. Scaling by it is exact. */
quad quad_power_of_two(quad value);

/* Householder QR of M (m x p): M becomes R in its upper triangle and zeros below, B (m x k) becomes Q'B. The backward
 * error of each column is of the order of p 2^-113 of that column's norm, however the columns are scaled. */
void quad_qr(int64_t m, int64_t p, quad *M, int64_t k, quad *B);

/* M P = Q R with column pivoting; columns whose remainder is at most `tolerance` times their own norm depend on those
 * before. Columns j with late[j] != 0 are taken after all others (late NULL: there are none). */
typedef struct quad_factor {
    int64_t m, p, rank;
    quad *R;        /* m x p, owned */
    int64_t *order; /* order[j]: column of M that is column j of R; owned */
    quad kept;      /* smallest remainder, relative to its column, among the independent columns */
    quad dropped;   /* largest among the dependent ones; 0: there are none */
} quad_factor;

/* B (m x k), where not NULL, becomes Q'B. */
quad_factor quad_pivoted(int64_t m, int64_t p, const quad *M, const int *late, quad tolerance, int64_t k, quad *B);
void quad_factor_clear(quad_factor *f);
/* z = a minimiser of ||M z - b||, with zeros for dependent columns. */
void quad_least_squares(int64_t m, int64_t p, const quad *M, const quad *b, quad tolerance, quad *z);
/* The same for ||M z - b||^2 + 2 <cost, z>. Where that has no minimum, z is a direction in which it falls for ever
 * along dependent columns, and non-zero is returned. */
int quad_least_with_cost(int64_t m, int64_t p, const quad *M, const quad *b, const quad *cost, quad tolerance, quad *z);
/* ||w||^2 for the w in the range of M with M_j'w = e_j for all independent columns j. `outside`: the largest difference
 * among the dependent ones that are not late. */
quad quad_inverse_norm2(const quad_factor *f, const quad *e, const int *late, quad *outside);

/* One-sided Jacobi: W (m x p) becomes U diag(sigma), V (p x p) with M = U diag(sigma) V'. */
void quad_svd(int64_t m, int64_t p, quad *W, quad *sigma, quad *V);

#endif
