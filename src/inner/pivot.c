/*
 * Block pivoting: go to the minimum of a face, in K or not; then fix every entry that is outside its bounds and free
 * every entry whose multiplier has the wrong sign, all at once. Usually a handful of faces lead to the one where
 * nothing is wrong, the minimiser, from however far away. But it can go round in circles. So if a face does not have
 * fewer wrong entries than any face before, only the worst entries are freed (all at once they would undo each other),
 * and after PATIENCE such faces it ends.
 */
#include "inner/active_step.h"

#include <math.h>

#include "linalg/accurate.h"

static bool any_free(const gpis_active_set *a) {
    for (int64_t j = 0; j < a->d; j++)
        if (a->free[j]) return true;
    return false;
}

/* The free entry j is outside its bounds. */
static bool is_outside(const gpis_active_set *a, int64_t j) {
    if (gpis_active_signed_sum(a)) return a->tight && a->sigma[j] * a->s[j] <= 0.0;
    return a->s[j] < a->lo[j] || a->s[j] > a->hi[j];
}

/* By how much the worst multiplier is wrong, in the units of D G; 0 if none is. */
static double worst(const gpis_active_set *a) {
    double most = 0.0;
    for (int64_t j = 0; j < a->d; j++)
        if (!a->free[j]) most = fmax(most, gpis_active_wrong(a, j) * a->factor->scale[j]);
    return most;
}

/* Fixes every entry that is outside its bounds, and frees every entry whose multiplier is wrong by at least `share` of
 * the worst. Returns how many entries were outside or wrong. */
static int64_t exchange(gpis_active_set *a, double share) {
    const double products = gpis_active_rounding(a), least = share * worst(a);
    int64_t count = 0;
    for (int64_t j = 0; j < a->d; j++) {
        if (a->free[j] ? !is_outside(a, j) : !gpis_active_is_wrong(a, j, products)) continue;
        count++;
        if (a->free[j] || gpis_active_wrong(a, j) * a->factor->scale[j] >= least) gpis_active_change_side(a, j);
    }
    return count;
}

/* Decides at the minimum of the face whether the sum is tight on the next one. Returns whether that has changed. */
static bool exchange_sum(gpis_active_set *a) {
    if (a->set->sum != GPIS_SUM_AT_MOST_R) return false;
    const bool tight = a->tight ? a->nu >= 0.0 : gpis_active_total(a, a->s) > a->set->R;
    const bool changed = tight != a->tight;
    a->tight = tight;
    if (!tight) a->nu = 0.0;
    return changed;
}

void gpis_active_pivot(gpis_active_set *a, bool *solved) {
    enum { PATIENCE = 10 };
    static const double SHARE_OF_WORST = 0.3;
    int64_t least = INT64_MAX;
    if (gpis_active_signed_sum(a)) a->tight = true; /* the minimiser without a constraint is outside K */
    for (int tries = 0; tries < PATIENCE && !*solved;) {
        if (gpis_is_stopped(a->stop) || !gpis_principal_factor(a->factor, a->free)) return;
        a->faces++;
        gpis_active_find_step(a);
        gpis_active_take_step(a);
        if (!gpis_all_finite(a->G, a->d)) return;
        const bool sum = exchange_sum(a);
        const int64_t count = exchange(a, tries > 0 ? SHARE_OF_WORST : 0.0) + sum;
        *solved = count == 0;
        tries = count < least ? 0 : tries + 1;
        least = gpis_min64(least, count);
        if (a->tight && !any_free(a)) return;
        if (count > 0) gpis_active_evaluate(a);
    }
}
