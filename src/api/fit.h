/*
 * How well an answer fits: R^2, root mean square, degrees of freedom and variance. It takes sums over Y alone, which
 * are made before the solve, and no reading of A:
 *
 *     SSR = objective - penalty - ridge terms,    SST = sum_i w_i ||y_i - mean||^2.
 */
#ifndef GPIS_API_FIT_H
#define GPIS_API_FIT_H

#include "api/result.h"
#include "problem/problem.h"

/* What the rows of Y add up to, over all ranks. */
typedef struct gpis_total {
    double rows;    /* of positive weight */
    double weight;  /* the sum of w */
    double squares; /* SST */
} gpis_total;

/* All ranks: sums the response of a complete problem, whose offset is subtracted. `summary`: that of [A 1 Y] for a
 * problem without rows, which counts all rows as rows of positive weight; NULL: there are rows. */
gpis_status gpis_total_find(const gpis_problem *problem, const gpis_quadratic *summary, gpis_total *total);
/* Enters the fit of a finished result; `degrees` is entered already. */
void gpis_fit_enter(const gpis_problem *problem, const gpis_total *total, gpis_result *result);

#endif
