/* The ridge of a pass: what the rows sqrt(ridge_j) e_j below A add to its sums (linalg/terms.h). */
#ifndef GPIS_RIDGE_H
#define GPIS_RIDGE_H

#include "pass/pass.h"

/* Adds to each result that the pass asks for; nothing without a ridge. X, V, G and so on have D rows. */
void gpis_ridge_add(const gpis_pass *pass, int64_t D);
/* H += diag(ridge), for H of D x D; NULL: none. */
void gpis_ridge_add_diagonal(const double *ridge, int64_t D, double *H);
/* The same for a summary W of D columns and k responses, in double-double. */
void gpis_ridge_add_summary(const double *ridge, int64_t D, int64_t k, double *W);
/* The roundings of a pass, with those of these additions. */
gpis_roundings gpis_ridge_roundings(gpis_roundings roundings, const gpis_load *load);

#endif
