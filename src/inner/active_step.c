/* The minimum of a face, its multipliers, and their rounding errors. */
#include "inner/active_step.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/accurate.h"
#include "linalg/small.h"

/* H is symmetric: if few entries of v are not zero, only their rows of H are read, unless the model's factor is more
 * accurate than H. */
void gpis_active_multiply(gpis_active_set *a, const double *v, double *Hv) {
    const int64_t d = a->d;
    int64_t count = 0;
    a->products++;
    for (int64_t j = 0; j < d; j++) count += v[j] != 0.0;
    if (d <= GPIS_SMALL || 2 * count >= d || a->model->by_rows) {
        gpis_model_apply(a->model, 1, v, Hv);
        return;
    }
    memset(Hv, 0, (size_t)d * sizeof *Hv);
    for (int64_t j = 0; j < d; j++)
        if (v[j] != 0.0) cblas_daxpy((int)d, v[j], a->model->H + j * d, 1, Hv, 1);
}

/* ---- stretches, with a penalty ---- */

static double weight_of(const gpis_active_set *a, int64_t j) { return 0.5 * a->share * a->set->penalty[j]; }

/* Puts entry j in the stretch of its bounds above 0 or below it. G follows the slope. */
static void enter_stretch(gpis_active_set *a, int64_t j, bool above) {
    a->set->class->bounds(a->set, j, &a->lo[j], &a->hi[j]);
    const bool whole = a->lo[j] >= 0.0 || a->hi[j] <= 0.0 || weight_of(a, j) == 0.0;
    if (whole) above = a->lo[j] >= 0.0;
    if (!whole && above) a->lo[j] = 0.0;
    if (!whole && !above) a->hi[j] = 0.0;
    const double slope = above ? weight_of(a, j) : -weight_of(a, j);
    a->G[j] += slope - a->slope[j];
    a->slope[j] = slope;
}

/* How fast q + h / 2 falls when entry j moves up; down. -infinity if it cannot. */
static double pull_up(const gpis_active_set *a, int64_t j, double nu) {
    double lo, hi;
    a->set->class->bounds(a->set, j, &lo, &hi);
    const double slope = a->s[j] >= 0.0 ? weight_of(a, j) : -weight_of(a, j);
    return a->s[j] < hi ? -((a->G[j] - a->slope[j]) + slope + nu) : -INFINITY;
}

static double pull_down(const gpis_active_set *a, int64_t j, double nu) {
    double lo, hi;
    a->set->class->bounds(a->set, j, &lo, &hi);
    const double slope = a->s[j] > 0.0 ? weight_of(a, j) : -weight_of(a, j);
    return a->s[j] > lo ? (a->G[j] - a->slope[j]) + slope + nu : -INFINITY;
}

/* ---- the point ---- */

/* G = g + H (s - x) and q(s), with the slopes and the rise of h / 2. */
void gpis_active_evaluate(gpis_active_set *a) {
    for (int64_t j = 0; j < a->d; j++) a->move[j] = a->s[j] - a->x[j];
    gpis_active_multiply(a, a->move, a->G);
    a->value = 0.0;
    for (int64_t j = 0; j < a->d; j++) {
        a->value += a->move[j] * (0.5 * a->G[j] + a->g[j]);
        a->G[j] += a->g[j];
    }
    for (int64_t j = 0; a->slope && j < a->d; j++) {
        a->value += weight_of(a, j) * (fabs(a->s[j]) - fabs(a->x[j]));
        a->G[j] += a->slope[j];
    }
}

double gpis_active_total(const gpis_active_set *a, const double *s) {
    gpis_sum sum = {0, 0};
    for (int64_t j = 0; j < a->d; j++) gpis_sum_add(&sum, gpis_active_signed_sum(a) ? fabs(s[j]) : s[j]);
    return gpis_sum_value(sum);
}

void gpis_active_read(gpis_active_set *a) {
    for (int64_t j = 0; j < a->d; j++) {
        if (a->slope) enter_stretch(a, j, a->s[j] > 0.0 || (a->s[j] == 0.0 && a->slope[j] > 0.0));
        a->free[j] = gpis_active_signed_sum(a) ? a->s[j] != 0.0 : a->s[j] > a->lo[j] && a->s[j] < a->hi[j];
        a->sigma[j] = gpis_active_signed_sum(a) && a->s[j] < 0.0 ? -1.0 : 1.0;
    }
    a->tight = a->set->sum == GPIS_SUM_IS_R;
    if (a->set->sum != GPIS_SUM_ANY) a->tight = a->tight || gpis_active_total(a, a->s) >= a->set->R * (1.0 - 1e-13);
}

/* H_FF^-1 sigma_F in `along`, which stays the same as long as the face does. */
static void find_along(gpis_active_set *a) {
    const size_t bytes = (size_t)a->d * sizeof(double);
    for (int64_t j = 0; j < a->d; j++) a->w[j] = a->free[j] ? a->sigma[j] : 0.0;
    if (a->along_factor == a->factor->changes && memcmp(a->w, a->signs, bytes) == 0) return;
    a->along_factor = a->factor->changes;
    memcpy(a->signs, a->w, bytes);
    memcpy(a->along, a->w, bytes);
    gpis_principal_solve(a->factor, a->along);
}

/* p and nu as in active_set.h. The sum drifts by rounding, and the step brings it back to R. */
void gpis_active_find_step(gpis_active_set *a) {
    for (int64_t j = 0; j < a->d; j++) a->p[j] = a->free[j] ? -a->G[j] : 0.0;
    gpis_principal_solve(a->factor, a->p);
    a->nu = 0.0;
    if (!a->tight) return;
    double along = 0.0, curvature = 0.0;
    gpis_sum missing = {a->set->R, 0};
    find_along(a);
    for (int64_t j = 0; j < a->d; j++)
        if (a->free[j]) {
            along += a->sigma[j] * a->p[j];
            curvature += a->sigma[j] * a->along[j];
            gpis_sum_add(&missing, -a->sigma[j] * a->s[j]);
        }
    if (curvature > 0.0) a->nu = (along - gpis_sum_value(missing)) / curvature;
    for (int64_t j = 0; j < a->d; j++) a->p[j] -= a->nu * a->along[j];
}

/* s := s + p. Where H_FF is ill conditioned, p misses the sum by more than the last digits; the largest entry is then
 * corrected by the difference. */
void gpis_active_take_step(gpis_active_set *a) {
    int64_t largest = 0;
    gpis_sum excess = {-a->set->R, 0};
    for (int64_t j = 0; j < a->d; j++) {
        a->s[j] += a->p[j];
        if (a->tight && a->free[j]) gpis_sum_add(&excess, a->sigma[j] * a->s[j]);
        if (fabs(a->s[j]) > fabs(a->s[largest])) largest = j;
    }
    if (a->tight) a->s[largest] -= a->sigma[largest] * gpis_sum_value(excess);
    gpis_active_evaluate(a);
}

double gpis_active_wrong(const gpis_active_set *a, int64_t j) {
    const double nu = a->tight ? a->nu : 0.0;
    if (gpis_active_signed_sum(a)) return fabs(a->G[j]) - nu;
    if (a->slope) return fmax(0.0, fmax(pull_up(a, j, nu), pull_down(a, j, nu)));
    if (!(a->lo[j] < a->hi[j])) return 0.0;
    return a->s[j] <= a->lo[j] ? -(a->G[j] + nu) : a->G[j] + nu;
}

/* The rounding error of an entry of D G, without that of g_j: the sum over i of H_ji (s_i - x_i) is rounded, and so is
 * s_i itself; |H_ji| <= 1 / (D_i D_j). */
double gpis_active_rounding(const gpis_active_set *a) {
    double sum = 0.0;
    for (int64_t j = 0; j < a->d; j++) sum += (4.0 * fabs(a->s[j] - a->x[j]) + fabs(a->s[j])) / a->factor->scale[j];
    return DBL_EPSILON * sum;
}

bool gpis_active_is_wrong(const gpis_active_set *a, int64_t j, double products) {
    const double D = a->factor->scale[j], terms = fabs(a->g[j]) + (a->slope ? weight_of(a, j) : 0.0);
    return gpis_active_wrong(a, j) * D > products + 4.0 * DBL_EPSILON * terms * D;
}

void gpis_active_change_side(gpis_active_set *a, int64_t j) {
    a->free[j] = !a->free[j];
    if (a->free[j] && a->slope) {
        const double nu = a->tight ? a->nu : 0.0;
        enter_stretch(a, j, a->s[j] > 0.0 || (a->s[j] == 0.0 && pull_up(a, j, nu) > pull_down(a, j, nu)));
    }
    if (!a->free[j])
        a->s[j] = gpis_active_signed_sum(a) ? 0.0 : fmax(a->lo[j], fmin(a->s[j], a->hi[j]));
    else if (gpis_active_signed_sum(a))
        a->sigma[j] = a->G[j] > 0.0 ? -1.0 : 1.0;
}
