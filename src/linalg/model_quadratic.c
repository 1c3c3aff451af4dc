/* The model of A'A from its summary: a factor in double-double, and the constants of A'A >= c H - slack D^2. */
#include <math.h>
#include <string.h>

#include "linalg/cholesky.h"
#include "linalg/dd_factor.h"
#include "linalg/model.h"
#include "linalg/rounding.h"

/* H = G (1 + shift on the diagonal) in double, and the scales of its columns. */
static void take_gram(gpis_model *m, const gpis_quadratic *summary, double shift) {
    const int64_t d = m->d;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++) m->H[i * d + j] = gpis_quadratic_entry(summary, i, j).high;
    for (int64_t j = 0; j < d; j++) {
        const double norm2 = m->H[j * (d + 1)];
        m->scale[j] = norm2 > 0.0 ? 1.0 / sqrt(norm2) : 1.0;
        m->H[j * (d + 1)] *= 1.0 + shift;
    }
}

/* T + shift = D^-1 G D^-1 + shift in double-double. A column of zeros gets a diagonal entry like the others. */
static void scaled_copy(gpis_model *m, const gpis_quadratic *summary, double shift) {
    const int64_t d = m->d;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = i; j < d; j++) {
            gpis_dd entry = gpis_dd_scale(gpis_dd_scale(gpis_quadratic_entry(summary, i, j), m->scale[i]), m->scale[j]);
            if (i == j && entry.high == 0.0) entry.high = 1.0;
            if (i == j) entry = gpis_dd_add(entry, gpis_dd_of(shift));
            m->R[i * d + j] = entry.high;
            m->R_low[i * d + j] = entry.low;
        }
}

/* An upper bound on ||T^-1||_F. The inverse of R in double is within (d + 2) 2^-53 |R^-1| |R| |X| of X, and
 * ||R||_F <= 1.01 sqrt(d); where that is too much, the result is infinite. */
static double inverse_norm(const gpis_model *m, double *work) {
    const double d = (double)m->d;
    const double norm = sqrt(gpis_cholesky_inverse_norm2(m->context->threads, m->d, m->R, work));
    const double error = 1.01 * (d + 2.0) * GPIS_UNIT * sqrt(d) * norm;
    return error < 0.25 ? norm * norm / ((1.0 - error) * (1.0 - error)) : INFINITY;
}

/*
 * T is off by d gamma in norm because of the summary, by 4 d U because of the scaling, and the factor and the solves
 * with it add 4 d^2 U (dd_factor.h), with U = GPIS_DD_UNIT. With E the sum of them, and H with its shift,
 *
 *     A'A >= H - (shift + E) D^2,   and without a shift   A'A >= (1 - E ||T^-1||) H.
 */
static bool find_constants(gpis_model *m, double gamma, double shift, double *work) {
    const double d = (double)m->d;
    const double error = 1.01 * d * (gamma + (4.0 * d + 4.0) * GPIS_DD_UNIT);
    m->shift = shift;
    if (shift > 0.0) {
        m->c = 1.0;
        m->slack = shift + error;
        m->inverse = shift > 2.0 * error ? 1.0 / (shift - error) : INFINITY; /* A'A >= 0 */
    } else {
        m->inverse = inverse_norm(m, work);
        m->c = 1.0 - fmax(error * m->inverse, GPIS_UNIT); /* 1 itself would be too much, however small the error is */
    }
    return isfinite(m->inverse) && m->c >= 0.5;
}

gpis_status gpis_model_of_quadratic(gpis_context *context, const gpis_quadratic *summary, double shift,
                                    const gpis_stop *stop, gpis_model **out) {
    const int64_t d = summary->d;
    double *work = gpis_alloc(context, d * d, sizeof *work);
    gpis_model *m = gpis_alloc_zero(context, 1, sizeof *m);
    bool good = false;
    *out = NULL;
    if (m) {
        *m = (gpis_model){.context = context, .d = d, .by_rows = true, .roundings = 1.0};
        double **field[] = {&m->H, &m->R, &m->R_low};
        for (size_t i = 0; i < sizeof field / sizeof *field; i++)
            *field[i] = gpis_alloc(context, d * d, sizeof(double));
        m->scale = gpis_alloc(context, d, sizeof *m->scale);
    }
    const bool has_memory = work && m && m->H && m->R && m->R_low && m->scale;
    if (has_memory) {
        take_gram(m, summary, shift);
        scaled_copy(m, summary, shift);
        good =
            gpis_dd_factor(context->threads, stop, d, m->R, m->R_low) && find_constants(m, summary->gamma, shift, work);
    }
    gpis_free(context, work);
    if (good)
        *out = m;
    else
        gpis_model_destroy(m);
    return has_memory ? GPIS_OK : GPIS_NO_MEMORY;
}

/* R^-T D^-1 V, column by column. */
void gpis_model_whiten_low(const gpis_model *m, int64_t k, double *V, double *V_low, double *work) {
    const int64_t d = m->d;
    double *high = work, *low = work + d;
    for (int64_t c = 0; c < k; c++) {
        for (int64_t j = 0; j < d; j++) {
            const gpis_dd v = gpis_dd_scale((gpis_dd){V[j * k + c], V_low[j * k + c]}, m->scale[j]);
            high[j] = v.high, low[j] = v.low;
        }
        gpis_dd_whiten(d, m->R, m->R_low, high, low);
        for (int64_t j = 0; j < d; j++) V[j * k + c] = high[j], V_low[j * k + c] = low[j];
    }
}
