/* The factor of a principal block, index by index. */
#include "inner/block_factor.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

gpis_status gpis_block_factor_create(gpis_context *context, int64_t d, const double *H, gpis_block_factor **out) {
    gpis_block_factor *f = *out = gpis_alloc_zero(context, 1, sizeof *f);
    if (!f) return GPIS_NO_MEMORY;
    f->context = context;
    f->d = d;
    f->H = H;
    f->scale = gpis_alloc(context, d, sizeof *f->scale);
    f->R = gpis_alloc(context, d * d, sizeof *f->R);
    f->index = gpis_alloc(context, d, sizeof *f->index);
    if (!f->scale || !f->R || !f->index) return GPIS_NO_MEMORY;
    for (int64_t j = 0; j < d; j++) f->scale[j] = H[j * d + j] > 0.0 ? 1.0 / sqrt(H[j * d + j]) : 0.0;
    return GPIS_OK;
}

void gpis_block_factor_destroy(gpis_block_factor *f) {
    if (!f) return;
    gpis_free(f->context, f->scale);
    gpis_free(f->context, f->R);
    gpis_free(f->context, f->index);
    gpis_free(f->context, f);
}

/* One half of a solve: v := R^-T v or R^-1 v. */
static void half_solve(const gpis_block_factor *f, bool transposed, double *v) {
    if (f->count == 0) return;
    cblas_dtrsv(CblasColMajor, CblasUpper, transposed ? CblasTrans : CblasNoTrans, CblasNonUnit, (int)f->count, f->R,
                (int)f->d, v, 1);
}

bool gpis_block_factor_add(gpis_block_factor *f, int64_t j) {
    /* What is left of a column that depends on the others is rounding: so many units for each of the sums. */
    const double least = 64.0 * ((double)f->count + 2.0) * DBL_EPSILON;
    double *r = f->R + f->count * f->d;
    const double *row = f->H + j * f->d;
    for (int64_t i = 0; i < f->count; i++) r[i] = row[f->index[i]] * f->scale[j] * f->scale[f->index[i]];
    half_solve(f, true, r);
    const double left = 1.0 - cblas_ddot((int)f->count, r, 1, r, 1);
    if (!(f->scale[j] > 0.0) || !(left > least)) return false;
    r[f->count] = sqrt(left);
    f->index[f->count++] = j;
    return true;
}

/* Rotations of rows first, first + 1, ... with the rows behind them. */
enum { BATCH = 64 };
typedef struct rotations {
    double c[BATCH], s[BATCH];
} rotations;

/* Takes rows i and i + 1 of a column through rotation i - first, for i from `first` to `last` - 1. */
static void rotate(const rotations *q, int64_t first, int64_t last, double *column) {
    for (int64_t i = first; i < last; i++) {
        const double c = q->c[i - first], s = q->s[i - first], a = column[i], b = column[i + 1];
        column[i] = c * a + s * b;
        column[i + 1] = c * b - s * a;
    }
}

/* Without column p those behind it have one number below the diagonal. The rotation of column k makes that number zero,
 * after the column has been through the rotations of the columns before it; some rotations at a time, so that they stay
 * near. */
void gpis_block_factor_remove(gpis_block_factor *f, int64_t p) {
    rotations q;
    memmove(f->index + p, f->index + p + 1, (size_t)(f->count - p - 1) * sizeof *f->index);
    f->count--;
    for (int64_t k = p; k < f->count; k++)
        memcpy(f->R + k * f->d, f->R + (k + 1) * f->d, (size_t)(k + 2) * sizeof *f->R);
    for (int64_t first = p; first < f->count; first += BATCH) {
        const int64_t last = gpis_min64(f->count, first + BATCH);
        for (int64_t k = first; k < f->count; k++) {
            double *column = f->R + k * f->d;
            rotate(&q, first, gpis_min64(k, last), column);
            if (k >= last) continue;
            const double length = hypot(column[k], column[k + 1]);
            q.c[k - first] = column[k] / length;
            q.s[k - first] = column[k + 1] / length;
            column[k] = length;
        }
    }
}

void gpis_block_factor_solve(const gpis_block_factor *f, double *v) {
    for (int64_t i = 0; i < f->count; i++) v[i] *= f->scale[f->index[i]];
    half_solve(f, true, v);
    half_solve(f, false, v);
    for (int64_t i = 0; i < f->count; i++) v[i] *= f->scale[f->index[i]];
}
