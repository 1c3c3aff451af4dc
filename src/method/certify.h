/* Bounds at a measured point, entered in the record: which to try, how far to solve the inner problem for one, and when
 * the second-order bound is worth its Gram matrix. */
#ifndef GPIS_CERTIFY_H
#define GPIS_CERTIFY_H

#include "method/run.h"

/* The first-order bound at a point. */
gpis_status gpis_certify_first(gpis_record *record, const gpis_point *point);
/* The same in a run: where a constant is free, the bound of the other entries, if the sums of the columns are known
 * from the summary or from a pass of their own. */
gpis_status gpis_run_certify_first(gpis_run *run, const gpis_point *point);
/* Solves the inner problem around a point, until curvature->inner->s is good enough to go to. With a Gram matrix the
 * bounds that are found on the way are entered too. */
gpis_status gpis_certify_step(gpis_record *record, gpis_curvature *curvature, gpis_account *account,
                              const gpis_point *point);
/* The second-order bound at a point. Solves the inner problem as far as the bound is worth it or, with for_step, until
 * its solution is good enough to go to. Where dependent columns prevent a useful bound, looks for them by passes of its
 * own. */
gpis_status gpis_run_second_order(gpis_run *run, const gpis_point *point, bool for_step);
/* The bounds at a point as a gradient method wants them: first order always; second order, which costs a Gram matrix,
 * when it is likely to meet the tolerance, or if `now`. */
gpis_status gpis_run_prove(gpis_run *run, const gpis_point *point, bool now);

#endif
