/*
 * One step of Newton's method for P S + S P = 2 mu I, P = N^-1. In the coordinates of N's eigenvectors P = diag(p), and
 * a change E of P changes M by -(the solution of G D P + D = G M E), so that
 *
 *     dS_ab = -2 lambda^2 tr(E) / tr(P) delta_ab + sum over c of (E_cb T_abc + E_ca T_bac),
 *     T_abc = <m_a, (p_b G + I)^-1 G m_c>.
 *
 * With E = P^1/2 F P^1/2, K = P^1/2 S P^1/2 and theta_ab = p_a / (p_a + p_b) the equation E S + S E + P dS + dS P =
 * 2 mu I - P S - S P is, row by row, divided by (p_a + p_b) / (p_a p_b)^1/2,
 *
 *     sum over c of (theta_ab F_ac K_cb + theta_ba K_ac F_cb) + (P^1/2 dS P^1/2)_ab = mu delta_ab - K_ab,
 *
 * in which all quantities are of the size of mu, however P is graded.
 */
#include <lapacke.h>
#include <math.h>

#include "inner/spectral.h"
#include "linalg/dd_factor.h"

static double p_of(const gpis_spectral *s, int64_t c) { return 1.0 / s->nu[c].high; }

/* ---- T ---- */

static gpis_dd product(int64_t d, const gpis_dd *u, const gpis_dd *v) {
    gpis_dd sum = {0.0, 0.0};
    for (int64_t j = 0; j < d; j++) sum = gpis_dd_add(sum, gpis_dd_multiply(u[j], v[j]));
    return sum;
}

/* G m_c, with the shift, from the rows of G. */
static void multiply_by_G(gpis_spectral *s) {
    const gpis_fine *f = s->fine;
    const int64_t d = s->d;
    for (int64_t c = 0; c < s->k; c++)
        for (int64_t i = 0; i < d; i++) {
            gpis_dd sum = gpis_dd_scale(s->m[c * d + i], s->shift * f->shift[i]);
            for (int64_t j = 0; j < d; j++)
                sum = gpis_dd_add(sum,
                                  gpis_dd_multiply((gpis_dd){f->G[i * d + j], f->G_low[i * d + j]}, s->m[c * d + j]));
            s->Gm[c * d + i] = sum;
        }
}

/* T_abc for all a: (p_b G + I)^-1 = nu_b (G + nu_b)^-1. */
static void fill_column(gpis_spectral *s, int64_t b, int64_t c) {
    const int64_t d = s->d, k = s->k;
    const double *R = s->factor + b * d * d, *low = s->low + b * d * d;
    gpis_dd *u = s->Gm + k * d;
    for (int64_t j = 0; j < d; j++) s->v[j] = s->Gm[c * d + j].high, s->v_low[j] = s->Gm[c * d + j].low;
    gpis_dd_whiten(d, R, low, s->v, s->v_low);
    gpis_dd_unwhiten(d, R, low, s->v, s->v_low);
    for (int64_t j = 0; j < d; j++) u[j] = gpis_dd_multiply(s->nu[b], (gpis_dd){s->v[j], s->v_low[j]});
    for (int64_t a = 0; a < k; a++) s->T[(a * k + b) * k + c] = gpis_dd_value(product(d, s->m + a * d, u));
}

/* ---- the equations ---- */

/* The number of entry (a, b), a <= b, of a symmetric matrix. */
static int64_t place(int64_t k, int64_t a, int64_t b) { return a * k - a * (a - 1) / 2 + (b - a); }

/* F with ones at (i, j) and (j, i), which is zero elsewhere, and E for that F. */
static double unit_change(int64_t i, int64_t j, int64_t a, int64_t b) {
    return (a == i && b == j) || (a == j && b == i) ? 1.0 : 0.0;
}
static double change(const gpis_spectral *s, int64_t i, int64_t j, int64_t a, int64_t b) {
    return sqrt(p_of(s, i)) * sqrt(p_of(s, j)) * unit_change(i, j, a, b);
}

/* Entry (a, b) of P^1/2 dS P^1/2 for that F. */
static double curvature(const gpis_spectral *s, double trace, int64_t i, int64_t j, int64_t a, int64_t b) {
    const int64_t k = s->k;
    double sum = a == b && i == j ? -2.0 * s->lambda2 * p_of(s, i) / trace : 0.0;
    for (int64_t c = 0; c < k; c++)
        sum += change(s, i, j, c, b) * s->T[(a * k + b) * k + c] + change(s, i, j, c, a) * s->T[(b * k + a) * k + c];
    return sqrt(p_of(s, a)) * sqrt(p_of(s, b)) * sum;
}

/* Entry (a, b) of the first sum for that F. */
static double slope(const gpis_spectral *s, int64_t i, int64_t j, int64_t a, int64_t b) {
    const double theta = p_of(s, a) / (p_of(s, a) + p_of(s, b));
    double sum = 0.0;
    for (int64_t c = 0; c < s->k; c++)
        sum += theta * unit_change(i, j, a, c) * s->K[c * s->k + b] +
               (1.0 - theta) * s->K[a * s->k + c] * unit_change(i, j, c, b);
    return sum;
}

/* In units of mu at the present point, with which all terms shrink. */
static void fill_equations(gpis_spectral *s, double mu) {
    const int64_t k = s->k, q = k * (k + 1) / 2;
    double trace = 0.0;
    for (int64_t c = 0; c < k; c++) trace += p_of(s, c);
    for (int64_t a = 0; a < k; a++)
        for (int64_t b = a; b < k; b++) {
            const int64_t row = place(k, a, b);
            for (int64_t i = 0; i < k; i++)
                for (int64_t j = i; j < k; j++)
                    s->matrix[place(k, i, j) * q + row] =
                        (curvature(s, trace, i, j, a, b) + slope(s, i, j, a, b)) / s->mu;
            s->side[row] = ((a == b ? mu : 0.0) - s->K[a * k + b]) / s->mu;
        }
}

bool gpis_spectral_direction(gpis_spectral *s, double mu) {
    const int64_t k = s->k, q = k * (k + 1) / 2;
    multiply_by_G(s);
    for (int64_t b = 0; b < k; b++)
        for (int64_t c = 0; c < k; c++) fill_column(s, b, c);
    fill_equations(s, mu);
    if (LAPACKE_dgesv_work(LAPACK_COL_MAJOR, (int)q, 1, s->matrix, (int)q, s->pivots, s->side, (int)q) != 0)
        return false;
    bool finite = true;
    for (int64_t a = 0; a < k; a++)
        for (int64_t b = 0; b < k; b++) {
            s->step[a * k + b] = s->side[place(k, a < b ? a : b, a < b ? b : a)];
            finite = finite && isfinite(s->step[a * k + b]);
        }
    return finite;
}
