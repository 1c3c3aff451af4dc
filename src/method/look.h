/*
 * A look at a few rows: how many entries of the answer are likely to be free. The problem on a small sample of the rows
 * is solved, which takes no pass. Nothing but the choice of a way depends on what is seen.
 */
#ifndef GPIS_LOOK_H
#define GPIS_LOOK_H

#include "method/run.h"

/* Bytes that a look takes, from above. */
double gpis_look_memory(const gpis_problem *problem);
/* Whether a look is worth its price, the rows for it are in memory, and there is memory for it. */
bool gpis_look_applies(const gpis_run *run);
/* The share of the entries that are free in the solution for the sampled rows, searched from x0. It is 0 if the sample
 * shows nothing: a column has no entry in it. */
gpis_status gpis_look(gpis_run *run, const double *x0, double *share);

#endif
