/* The audit of a given point: what gpis_check does between its arguments and its result. */
#ifndef GPIS_AUDIT_H
#define GPIS_AUDIT_H

#include "method/run.h"

/* Replaces x, d x k, by its projection on the set of the run, measures it and enters the bounds found there in the run.
 * *distance is how far x was from the set, *objective what ||Y - A x||^2 was before the projection. */
gpis_status gpis_audit(gpis_run *run, double *x, double *distance, double *objective);

#endif
