/*
 * Gradient projection on iterated sketches: the rounds of the paper's Algorithms 1 and 2, which differ in their inner
 * loop only.
 */
#ifndef GPIS_SKETCHED_H
#define GPIS_SKETCHED_H

#include "method/method.h"

gpis_status gpis_sketched_rounds(gpis_run *run, const double *x0, bool accelerated);
const char *gpis_sketched_applicable(const gpis_run *run);

#endif
