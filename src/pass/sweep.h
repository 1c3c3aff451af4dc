/* The steps of a pass over a source in one piece, for a pass over several of them (ranks/). */
#ifndef GPIS_SWEEP_H
#define GPIS_SWEEP_H

#include "pass/pass.h"

/* One sweep over a source in one piece. The sketch absorbs the rows but is not finished; results are not checked. */
gpis_status gpis_pass_sweep(gpis_context *context, gpis_source *A, const gpis_pass *pass);
/* True if all results of the pass over a source with so many columns, the constant not counted, are finite. */
bool gpis_pass_is_finite(const gpis_context *context, const gpis_pass *pass, int64_t columns);
/* Looks for the first entry of A, of the first `rows` rows of Y, or of X that is not finite: GPIS_BAD_DATA, with its
 * row and column in the message. */
gpis_status gpis_pass_audit(gpis_context *context, gpis_source *A, const gpis_pass *pass, int64_t rows);
/* All data are finite, but a sum is not: GPIS_BAD_DATA, with a message that says so. */
gpis_status gpis_pass_overflow(gpis_context *context, const gpis_source *A);

#endif
