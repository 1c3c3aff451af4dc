/*
 * The finish of a run where double precision is not enough: columns of A depend on each other, nearly or exactly, or
 * are so ill conditioned that a Gram matrix in double has lost digits that matter.
 *
 * One pass computes the summary [A y]'[A y] in double-double (linalg/quadratic.h). From then on points are measured
 * without reading A, and rounds of newton with the factor of the summary cost no pass. Each round also yields the
 * second-order bound. Where the model needs a shift, the bound has a slack, and over an unbounded or very large set it
 * holds within a horizon (record.h).
 */
#ifndef GPIS_FINISH_H
#define GPIS_FINISH_H

#include "method/run.h"

/* Whether there is memory for the summary, its pass, its factor and the inner problem. */
bool gpis_finish_fits(const gpis_problem *problem);
/* Makes the summary and goes on from the best point, with what it yields for bounds; in an audit, the bounds of that
 * point alone. The run ends if it is solved. */
gpis_status gpis_run_finish(gpis_run *run);

#endif
