/* The orthonormal DCT-II and its inverse (the DCT-III), by FFTW's REDFT10 and REDFT01, which lack the scaling. */
#include <fftw3.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "linalg/dct.h"

struct gpis_dct {
    gpis_context *context; /* borrowed */
    int64_t n;
    double *buffer; /* owned: n doubles; both plans work in it, so that its alignment is that of the plans */
    fftw_plan forward, inverse;
};

gpis_status gpis_dct_create(gpis_context *context, int64_t n, gpis_dct **out) {
    if (n < 1 || n > INT_MAX)
        return gpis_fail(context, GPIS_TOO_LARGE, "a cosine transform takes 1 to %d entries, not %lld", INT_MAX,
                         (long long)n);
    gpis_dct *dct = gpis_alloc_zero(context, 1, sizeof *dct);
    if (!dct) return GPIS_NO_MEMORY;
    dct->context = context;
    dct->n = n;
    dct->buffer = gpis_alloc(context, n, sizeof(double));
    if (!dct->buffer) {
        gpis_dct_destroy(dct);
        return GPIS_NO_MEMORY;
    }
/* Creating and destroying plans are the functions of FFTW that are not thread-safe. FFTW_ESTIMATE gives the same plan,
 * hence the same bits, in every run. */
#pragma omp critical(gpis_fftw_planner)
    {
        dct->forward = fftw_plan_r2r_1d((int)n, dct->buffer, dct->buffer, FFTW_REDFT10, FFTW_ESTIMATE);
        dct->inverse = fftw_plan_r2r_1d((int)n, dct->buffer, dct->buffer, FFTW_REDFT01, FFTW_ESTIMATE);
    }
    if (!dct->forward || !dct->inverse) {
        gpis_dct_destroy(dct);
        return gpis_fail(context, GPIS_INTERNAL, "FFTW has no cosine transform of %lld entries", (long long)n);
    }
    *out = dct;
    return GPIS_OK;
}

void gpis_dct_destroy(gpis_dct *dct) {
    if (!dct) return;
#pragma omp critical(gpis_fftw_planner)
    {
        if (dct->forward) fftw_destroy_plan(dct->forward);
        if (dct->inverse) fftw_destroy_plan(dct->inverse);
    }
    gpis_free(dct->context, dct->buffer);
    gpis_free(dct->context, dct);
}

/* REDFT10 gives 2 sum_j x_j cos(...). */
void gpis_dct_forward(gpis_dct *dct, const double *x, double *z) {
    const int64_t n = dct->n;
    double *b = dct->buffer;
    memcpy(b, x, (size_t)n * sizeof *b);
    fftw_execute(dct->forward);
    const double scale = 1 / sqrt(2 * (double)n);
    z[0] = b[0] / (2 * sqrt((double)n));
    for (int64_t i = 1; i < n; i++) z[i] = b[i] * scale;
}

/* REDFT01 gives z_0 + 2 sum_i z_i cos(...). */
void gpis_dct_inverse(gpis_dct *dct, const double *z, double *x) {
    const int64_t n = dct->n;
    double *b = dct->buffer;
    const double scale = 1 / sqrt(2 * (double)n);
    b[0] = z[0] / sqrt((double)n);
    for (int64_t i = 1; i < n; i++) b[i] = z[i] * scale;
    fftw_execute(dct->inverse);
    memcpy(x, b, (size_t)n * sizeof *b);
}
