/*
 * The backward error of an approximate least-squares solution, by the estimate of Karlson and Walden.
 *
 * The backward error of x is the smallest ||E||_F for which x is a minimiser of ||y - (A + E) x||. With r = A x - y and
 * g = A'r it is, up to a factor between 1 and sqrt(2) (Gratton, Jiranek and Titley-Peloquin, 2012),
 *
 *     1/||x||  ||(A'A + (||r||/||x||)^2 I)^(-1/2) g||  =  ||(||x||^2 A'A + ||r||^2 I)^(-1/2) g||.
 *
 * With H = D R'R D in the place of A'A (linalg/model.h) this is ||P^-T D^-1 g|| for the triangle P with
 * P'P = ||x||^2 R'R + ||r||^2 D^-2.
 */
#ifndef GPIS_BACKWARD_H
#define GPIS_BACKWARD_H

#include "linalg/model.h"
#include "linalg/point.h"

/* For so many columns P takes 10 ms, or 0.1 s where it is a QR factorisation. */
enum { GPIS_BACKWARD_MAX_COLUMNS = 1000 };

/* The estimate at a measured point with one response, divided by ||A||_F. *estimate is NaN where there is none: more
 * columns than GPIS_BACKWARD_MAX_COLUMNS; no memory left; or a model with a shift that hides the small singular
 * values of A. */
gpis_status gpis_backward_error(const gpis_model *model, const gpis_point *point, double *estimate);
/* The bytes that it allocates meanwhile. */
double gpis_backward_memory(int64_t d);

#endif
