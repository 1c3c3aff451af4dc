/*
 * The finish of a run where double precision is not enough: columns of A depend on each other, nearly or exactly, or
 * are so ill conditioned that a Gram matrix in double has lost digits that matter.
 *
 * One pass computes the summary [A y]'[A y] in double-double (linalg/quadratic.h). From then on points are measured
 * without reading A. The problem is solved in double-double (inner/fine.h), which yields a bound by its multipliers,
 * and an x that is its solution rounded to double. Where that is not enough, or every x is allowed, rounds of newton
 * with the factor of the summary follow, which cost no pass. Each of them yields the second-order bound. Over an
 * unbounded or very large set bounds may hold within a horizon (record.h).
 */
#ifndef GPIS_FINISH_H
#define GPIS_FINISH_H

#include "method/run.h"

/* Whether there is memory for the summary, its pass, its factor and the inner problem. */
bool gpis_finish_fits(const gpis_problem *problem);
/* Its factors of d^3 operations in double-double would take hundreds of times as long as a QR decomposition of A, which
 * has fewer rows than columns, and K is unbounded: the run ends without it. */
bool gpis_finish_is_dear(const gpis_problem *problem);
/* Makes the summary and goes on from the best point, with what it yields for bounds; in an audit, the bounds of that
 * point alone. The run ends if it is solved. */
gpis_status gpis_run_finish(gpis_run *run);

/* Where every x is allowed and the summary itself has lost too many digits: solves the problem in other coordinates, by
 * two more passes, and enters the bound and the best point that follow (turned.c). */
gpis_status gpis_finish_turned(gpis_run *run, const gpis_quadratic *summary);

/* Curved sets that meet polyhedra have no exact solver in double, and alternating directions creep where columns are
 * badly scaled. The solver in double-double needs no more than the summary that such a run has anyway: it goes on from
 * the best point, with what it proves. *quick: the problem is so small that this comes first. */
bool gpis_run_may_shortcut(const gpis_run *run, bool *quick);
gpis_status gpis_run_shortcut(gpis_run *run);

#endif
