/*
 * The backward error of an approximate least-squares solution, by the estimate of Karlson and Walden.
 *
 * The backward error of x is the smallest ||E||_F for which x is a minimiser of ||y - (A + E) x||. With r = A x - y and
 * g = A'r it is, up to a factor between 1 and sqrt(2) (Gratton, Jiranek and Titley-Peloquin, 2012),
 *
 *     1/||x||  ||(A'A + (||r||/||x||)^2 I)^(-1/2) g||  =  ||(||x||^2 A'A + ||r||^2 I)^(-1/2) g||.
 *
 * With H = (R D)'(R D) in the place of A'A (linalg/model.h) this is ||P^-T D^-1 g|| for the triangle P of the QR
 * factorisation of ||x|| R on top of ||r|| D^-1, which needs no square of the condition number of A.
 */
#ifndef GPIS_BACKWARD_H
#define GPIS_BACKWARD_H

#include "linalg/model.h"
#include "linalg/point.h"

/* The factorisation takes about as long as the Cholesky factor of the model, but on one thread: 0.1 s for so many
 * columns. */
enum { GPIS_BACKWARD_MAX_COLUMNS = 1000 };

/* The estimate at a measured point with one response, divided by ||A||_F. *estimate is NaN where there is none: more
 * columns than GPIS_BACKWARD_MAX_COLUMNS; no memory left; or a model that was shifted, whose factor does not have the
 * small singular values of A. */
gpis_status gpis_backward_error(const gpis_model *model, const gpis_point *point, double *estimate);
/* The bytes that it allocates meanwhile. */
double gpis_backward_memory(int64_t d);

#endif
