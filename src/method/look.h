/*
 * A look at a few rows: how many entries of the answer are likely to be free. The problem on a small sample of the rows
 * takes no pass. A glance at it, by a few projected gradient steps, tells few free entries from many. Where they are
 * few, the model of the sample is good enough to find out which, and the rounds go on with it (newton_weigh.c).
 */
#ifndef GPIS_LOOK_H
#define GPIS_LOOK_H

#include "method/newton_plan.h"
#include "method/run.h"
#include "method/sample.h"

/* Bytes that a look takes, from above. */
double gpis_look_memory(const gpis_problem *problem);
/* Whether the plan wants a look, the rows for it are in memory, and there is memory for it. */
bool gpis_look_applies(const gpis_run *run);
/* What some steps from x0 on the sampled problem show: the share of the entries that are free after the last one, and
 * how much more it was after one of the steps before. All are free if the rows are of no use: their numbers are not
 * finite. */
gpis_status gpis_look_glance(gpis_run *run, gpis_sample *sample, const double *x0, gpis_free_share *glance);
/* Makes a model of the sample, and its inner problem. Measures x on the sampled problem, with its gradient in g. *seen
 * is false, and there is no model, if the rows show too little: a column has no entry in them, or columns depend on
 * each other. */
gpis_status gpis_look_model(gpis_run *run, gpis_sample *sample, const double *x, double *g, gpis_point *point,
                            bool *seen);

#endif
