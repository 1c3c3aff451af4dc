/* A result with everything that it owns. */
#ifndef GPIS_API_RESULT_H
#define GPIS_API_RESULT_H

#include "path/ranges.h"
#include "problem/problem.h"
#include "set/price.h"

/* A gpis_result with everything that gpis_result_destroy frees. `seen` points to the x and the texts here. */
typedef struct gpis_made_result {
    gpis_result seen;      /* first: a gpis_result * is a pointer to the whole */
    gpis_context *context; /* borrowed */
    double *x;             /* owned: d x k coefficients and, with an intercept, its k numbers behind them */
    bool constant;         /* there is an intercept */
    gpis_active *list;     /* owned: the active constraints; `seen.active` points to `places`, which point to them */
    const gpis_active **places; /* owned */
    char *texts;                /* owned: of GPIS_PRICE_TEXT characters each */
    int64_t room;               /* of these arrays */
    gpis_dependent_columns
        *columns; /* owned, with its vectors behind it; NULL: no null vectors, or not all are known */
    char method[16], plan[320], warning[512], checkpoint_trouble[512], unique_reason[256];
} gpis_made_result;

/* An empty result for X of the problem's shape. */
gpis_status gpis_result_create(const gpis_problem *problem, gpis_made_result **out);
/* Enters an active constraint. */
gpis_status gpis_result_enter_active(gpis_made_result *result, const gpis_price *price);
/* Keeps a copy of these null vectors. */
gpis_status gpis_result_keep_columns(gpis_made_result *result, gpis_dependent_columns columns);
/* All ranks: makes the result that of rank 0. */
gpis_status gpis_result_share(const gpis_problem *problem, gpis_made_result *result);

#endif
