/* The direction in which a model is flattest: how nearly the columns of A depend on each other, and which of them. */
#ifndef GPIS_FLATTEST_H
#define GPIS_FLATTEST_H

#include "linalg/model.h"

/* Finds a unit vector z of d entries, in units of the columns, for which ||A D^-1 z|| is about as small as it can be,
 * D = diag(||a_j||), by inverse iteration with the factor of the model. Returns that norm. */
double gpis_model_flattest(const gpis_model *model, double *z);

#endif
