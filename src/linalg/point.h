/*
 * A measured point: an x, the objective and the gradient that a reading of A found there, and how far rounding can have
 * moved each of them. Points are made by a pass (gpis_pass_point), or by the hull of such points (method/hull.h), which
 * adds the errors of the combination, or from a summary (quadratic.h), which needs no reading. Certificates take them
 * as they are. Three functions derive a point from another one: for data near A, with larger errors (certificate.c),
 * for some of the columns (certificate/face.c), and for sampled rows with their weight (method/sample.c).
 *
 * A point of a sketched or sampled problem, which only serves to find the first x, has the norms of the columns of A,
 * or zeros while those are not known; no bound is ever made from it.
 */
#ifndef GPIS_POINT_H
#define GPIS_POINT_H

/* With r = A x - y computed as r + e, and A'(r + e) as A'(r + e) + h: upper bounds on what rounding did. */
typedef struct gpis_errors {
    double residual;  /* ||e|| */
    double product;   /* |h_j| / ||a_j||, for each entry j of each response */
    double objective; /* |objective - ||A x - y||^2| */
} gpis_errors;

typedef struct gpis_point {
    const double *x, *g;  /* borrowed: d x k each; g is A'(A x - y), and NULL where only the objective was asked for */
    const double *x_low;  /* borrowed: d x k, the point is x + x_low; NULL: it is x */
    const double *g_low;  /* borrowed: d x k, the gradient is g + g_low; NULL: it is g */
    double objective;     /* ||A x - y||_F^2 */
    const double *norms2; /* borrowed: the squared norms ||a_j||^2 of the columns of A */
    gpis_errors errors;
} gpis_point;

#endif
