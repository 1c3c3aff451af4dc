/*
 * In how many directions a point of a set can move without leaving the constraints that hold it: the dimension of the
 * face of K that x lies in the inside of. On a polyhedron it is d minus the rank of the constraints that x meets with
 * equality; on the surface of a ball, d - 1. Entries that a penalty holds at zero do not move either.
 */
#ifndef GPIS_SET_DIMENSION_H
#define GPIS_SET_DIMENSION_H

#include "set/set.h"

/* Over all columns of X. NaN where the kind does not tell (nuclear with several columns, a set of the caller's own). */
gpis_status gpis_set_dimension(gpis_set *set, const double *X, double *dimension);

#endif
