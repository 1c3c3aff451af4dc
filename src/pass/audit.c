/*
 * NaN and infinity in the data. Any sum that they enter is not finite, so it is enough to look at the results of a
 * pass. Only if one is not finite are the data searched for the place.
 */
#include <math.h>

#include "linalg/accurate.h"
#include "pass/sums.h"
#include "pass/sweep.h"

static bool all_finite(const double *v, int64_t count, int threads) {
    double sum = 0.0;
    if (!v) return true;
    threads = gpis_threads_for(threads, (double)count);
    if (threads == 1) return gpis_all_finite(v, count);
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
    for (int64_t i = 0; i < count; i++) sum += 0.0 * v[i];
    return sum == 0.0;
}

bool gpis_pass_is_finite(const gpis_context *context, const gpis_pass *pass, int64_t columns) {
    const gpis_sketch *sketch = pass->sketch;
    const gpis_load load = gpis_load_of(pass, columns);
    bool finite = true;
    for (int s = 0; s < GPIS_PASS_SUMS; s++)
        finite = finite && all_finite(gpis_pass_sum_place(pass, (gpis_pass_sum)s),
                                      gpis_pass_sum_count(&load, (gpis_pass_sum)s), context->threads);
    if (!finite || !sketch) return finite;
    return all_finite(sketch->SA, sketch->m * sketch->d, context->threads) &&
           all_finite(sketch->SY, sketch->m * sketch->k, context->threads);
}

/* GPIS_BAD_DATA if an entry of V (k columns) is not finite. */
static gpis_status audit_columns(gpis_context *context, const char *name, const double *V, int64_t rows, int64_t k,
                                 int64_t row0) {
    for (int64_t i = 0; V && i < rows * k; i++)
        if (!isfinite(V[i]))
            return gpis_fail(context, GPIS_BAD_DATA, "%s: row %lld, column %lld is %g; remove or replace it", name,
                             (long long)(row0 + i / k + 1), (long long)(i % k + 1), V[i]);
    return GPIS_OK;
}

gpis_status gpis_pass_audit(gpis_context *context, gpis_source *A, const gpis_pass *pass, int64_t rows) {
    gpis_status status = gpis_source_audit(context, A);
    if (status == GPIS_OK) status = audit_columns(context, "y", pass->Y, rows, pass->k, pass->row0);
    if (status == GPIS_OK) status = audit_columns(context, "x", pass->X, A->d + pass->terms.constant, pass->k, 0);
    return status;
}

gpis_status gpis_pass_overflow(gpis_context *context, const gpis_source *A) {
    return gpis_fail(context, GPIS_BAD_DATA, "%s: sums of squares overflow; scale the data down", gpis_source_name(A));
}
