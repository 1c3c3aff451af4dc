/* The active set method: from face to face, by steps, projected steps and releases. */
#include "inner/active_set.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "inner/active_step.h"
#include "linalg/accurate.h"

gpis_status gpis_active_set_create(gpis_context *context, gpis_set *set, const gpis_model *model,
                                   gpis_active_set **out) {
    enum { VECTORS = 11, VECTORS_OF_PENALTY = 2 };
    const int64_t d = set->d;
    gpis_active_set *a = *out = gpis_alloc_zero(context, 1, sizeof *a);
    if (!a) return GPIS_NO_MEMORY;
    a->context = context;
    a->set = set;
    a->model = model;
    a->d = d;
    double **field[VECTORS + VECTORS_OF_PENALTY] = {&a->lo,    &a->hi,    &a->sigma, &a->G,     &a->p,
                                                    &a->w,     &a->trial, &a->move,  &a->start, &a->along,
                                                    &a->signs, &a->slope, &a->kept};
    const int vectors = set->penalty ? VECTORS + VECTORS_OF_PENALTY : VECTORS;
    a->vectors = gpis_alloc_zero(context, vectors * d, sizeof *a->vectors);
    a->free = gpis_alloc(context, d, sizeof *a->free);
    if (!a->vectors || !a->free) return GPIS_NO_MEMORY;
    for (int i = 0; i < vectors; i++) *field[i] = a->vectors + i * d;
    for (int64_t j = 0; j < d; j++) set->class->bounds(set, j, &a->lo[j], &a->hi[j]);
    a->share = 1.0;
    return gpis_principal_create(context, model, &a->factor);
}

void gpis_active_set_destroy(gpis_active_set *a) {
    if (!a) return;
    gpis_principal_destroy(a->factor);
    gpis_free(a->context, a->vectors);
    gpis_free(a->context, a->free);
    gpis_free(a->context, a);
}

/* The alpha in [0, 1] with ||s + alpha p||_1 = R, or 1 if that norm stays below R. Newton's method on a convex
 * function, from the right. */
static double reach_of_sizes(const gpis_active_set *a) {
    double alpha = 1.0;
    for (int i = 0; i < 200; i++) {
        double norm = 0.0, slope = 0.0;
        for (int64_t j = 0; j < a->d; j++) {
            const double v = a->s[j] + alpha * a->p[j];
            norm += fabs(v);
            slope += v < 0.0 ? -a->p[j] : a->p[j];
        }
        if (norm <= a->set->R * (1.0 + DBL_EPSILON) || !(slope > 0.0)) break;
        alpha -= (norm - a->set->R) / slope;
    }
    return fmax(0.0, alpha);
}

/* The part of the step that stays in K, at most 1. *blocker is the entry that stops it; -1 if the sum does. */
static double reach(const gpis_active_set *a, int64_t *blocker) {
    double alpha = 1.0;
    *blocker = -1;
    if (gpis_active_signed_sum(a) && !a->tight) return reach_of_sizes(a);
    for (int64_t j = 0; j < a->d; j++) {
        if (!a->free[j] || a->p[j] == 0.0) continue;
        const double bound = gpis_active_signed_sum(a)
                                 ? (a->sigma[j] * a->p[j] < 0.0 ? 0.0 : copysign(INFINITY, a->p[j]))
                             : a->p[j] < 0.0 ? a->lo[j]
                                             : a->hi[j];
        const double until = (bound - a->s[j]) / a->p[j];
        if (until < alpha) alpha = fmax(0.0, until), *blocker = j;
    }
    if (a->set->sum != GPIS_SUM_AT_MOST_R || a->tight) return alpha;
    double direction = 0.0;
    for (int64_t j = 0; j < a->d; j++) direction += a->p[j];
    const double until = direction > 0.0 ? fmax(0.0, a->set->R - gpis_active_total(a, a->s)) / direction : INFINITY;
    if (until < alpha) alpha = until, *blocker = -1;
    return alpha;
}

/* s := s + alpha p. The entry that stopped the step is fixed; if it was the sum, the sum is tight from now on. */
static void go_to_the_bound(gpis_active_set *a, double alpha, int64_t blocker) {
    for (int64_t j = 0; j < a->d; j++) a->s[j] += alpha * a->p[j];
    if (blocker >= 0) {
        a->s[blocker] = gpis_active_signed_sum(a) ? 0.0 : a->p[blocker] < 0.0 ? a->lo[blocker] : a->hi[blocker];
        a->free[blocker] = false;
    } else {
        a->tight = true;
        for (int64_t j = 0; gpis_active_signed_sum(a) && j < a->d; j++) {
            a->sigma[j] = a->s[j] < 0.0 ? -1.0 : 1.0;
            a->free[j] = a->s[j] != 0.0;
        }
    }
    gpis_active_evaluate(a);
}

/* The nearest point of K or, with a penalty, of the stretches that the entries are in. */
static gpis_status project(const gpis_active_set *a, double *v) {
    if (!a->slope || a->set->sum != GPIS_SUM_ANY) return a->set->class->project(a->set, v, v);
    for (int64_t j = 0; j < a->d; j++) v[j] = fmax(a->lo[j], fmin(v[j], a->hi[j]));
    return GPIS_OK;
}

/* Tries P(s + alpha p) for alpha = 1, 1/2, ... If q falls by more than `fall`, which the straight step to the bound
 * would give, s moves there and *bent is true. */
static gpis_status bend(gpis_active_set *a, double least, double fall, bool *bent) {
    *bent = false;
    for (double alpha = 1.0; alpha > fmax(least, 0.1) && !*bent; alpha *= 0.5) {
        for (int64_t j = 0; j < a->d; j++) a->trial[j] = a->s[j] + alpha * a->p[j];
        if (!gpis_all_finite(a->trial, a->d)) continue;
        const gpis_status status = project(a, a->trial);
        if (status != GPIS_OK) return status;
        double change = 0.0;
        for (int64_t j = 0; j < a->d; j++) a->move[j] = a->trial[j] - a->s[j];
        gpis_active_multiply(a, a->move, a->w);
        for (int64_t j = 0; j < a->d; j++) change += a->move[j] * (a->G[j] + 0.5 * a->w[j]);
        *bent = change < -fall;
    }
    if (!*bent) return GPIS_OK;
    memcpy(a->s, a->trial, (size_t)a->d * sizeof *a->s);
    gpis_active_evaluate(a);
    gpis_active_read(a);
    return GPIS_OK;
}

/* Takes the minimiser without a constraint if it is in K. */
static gpis_status try_free(gpis_active_set *a, bool *inside) {
    *inside = false;
    if (a->slope || !gpis_model_covers(a->model, 1, a->g)) return GPIS_OK;
    memcpy(a->trial, a->g, (size_t)a->d * sizeof *a->trial);
    gpis_model_solve(a->model, 1, a->trial);
    for (int64_t j = 0; j < a->d; j++) a->trial[j] = a->x[j] - a->trial[j];
    if (!gpis_all_finite(a->trial, a->d)) return GPIS_OK;
    const gpis_status status = a->set->class->project(a->set, a->trial, a->w);
    *inside = status == GPIS_OK && memcmp(a->w, a->trial, (size_t)a->d * sizeof *a->w) == 0;
    if (*inside) memcpy(a->s, a->trial, (size_t)a->d * sizeof *a->s);
    return status;
}

/* Block pivoting from s. Afterwards s is in K, and q(s) is not higher than before. */
static gpis_status pivot_from(gpis_active_set *a) {
    const double before = a->value;
    bool solved = false;
    memcpy(a->start, a->s, (size_t)a->d * sizeof *a->s);
    gpis_active_pivot(a, &solved);
    if (solved) return GPIS_OK;
    if (gpis_all_finite(a->s, a->d)) {
        const gpis_status status = a->set->class->project(a->set, a->s, a->s);
        if (status != GPIS_OK) return status;
        gpis_active_evaluate(a);
    }
    if (!(a->value < before)) {
        memcpy(a->s, a->start, (size_t)a->d * sizeof *a->s);
        gpis_active_evaluate(a);
    }
    gpis_active_read(a);
    return GPIS_OK;
}

/* Frees entries whose multiplier has the wrong sign: all (those not far below the worst, where there is a sum), or only
 * the worst. Returns false if there is none. */
static bool release(gpis_active_set *a, bool all) {
    const double *D = a->factor->scale, products = gpis_active_rounding(a);
    if (a->tight && a->set->sum != GPIS_SUM_IS_R && a->nu < 0.0) {
        double noise = INFINITY;
        for (int64_t j = 0; j < a->d; j++)
            if (a->free[j]) noise = fmin(noise, products / D[j] + 4.0 * DBL_EPSILON * fabs(a->g[j]));
        a->tight = !(a->nu < -noise);
        a->nu = 0.0;
        if (!a->tight && !all) return true;
    }
    double most = 0.0;
    for (int64_t j = 0; j < a->d; j++) {
        a->w[j] = !a->free[j] && gpis_active_is_wrong(a, j, products) ? gpis_active_wrong(a, j) * D[j] : 0.0;
        most = fmax(most, a->w[j]);
    }
    static const double SHARE_OF_WORST = 0.3; /* with a sum or a penalty, entries freed at once would undo each other */
    const bool apart = a->set->sum == GPIS_SUM_ANY && !a->slope;
    const double share = !all ? 1.0 : apart ? 0.0 : SHARE_OF_WORST;
    for (int64_t j = 0; most > 0.0 && j < a->d; j++) {
        if (a->w[j] == 0.0 || a->w[j] < share * most) continue;
        gpis_active_change_side(a, j);
        if (!all) break;
    }
    return most > 0.0;
}

/* Visits one face: goes to its minimum, or as far as K allows. *minimum tells which; *gain is the fall of q that the
 * step to the minimum promised. */
static gpis_status visit(gpis_active_set *a, bool *minimum, double *gain) {
    int64_t blocker;
    double slope = 0.0;
    a->faces++;
    gpis_active_find_step(a);
    for (int64_t j = 0; j < a->d; j++) slope += a->G[j] * a->p[j];
    const double alpha = reach(a, &blocker);
    *minimum = alpha >= 1.0;
    *gain = -0.5 * slope;
    if (*minimum) {
        gpis_active_take_step(a);
        return GPIS_OK;
    }
    bool bent;
    const gpis_status status = bend(a, 2.0 * alpha, fmax(0.0, -slope * alpha * (1.0 - 0.5 * alpha)), &bent);
    if (status == GPIS_OK && !bent) go_to_the_bound(a, alpha, blocker);
    return status;
}

/* Visits faces one after the other, starting from s in K. It is solved if at a minimum there is nothing to free, and
 * solving for it once more changes nothing. */
static gpis_status walk(gpis_active_set *a, int64_t faces, bool *solved) {
    double released = INFINITY, gain; /* q when entries were last freed */
    enum { MAX_REFINEMENTS = 3 };
    int refined = 0;
    for (int64_t i = 0; i < faces && !*solved; i++) {
        bool minimum;
        if (gpis_is_stopped(a->stop) || !gpis_principal_factor(a->factor, a->free)) break;
        const gpis_status status = visit(a, &minimum, &gain);
        if (status != GPIS_OK) return status;
        if (!minimum) continue;
        const bool fell = a->value < released - 1e-14 * fabs(released);
        if (release(a, fell))
            released = a->value;
        else
            *solved = gain <= 1e-13 * fabs(a->value) || ++refined == MAX_REFINEMENTS;
    }
    return GPIS_OK;
}

/* ---- smaller and smaller penalties ---- */

/* The largest |G_j| / (lambda_j / 2) at s: where s is 0, a penalty so many times as large would keep it there. A
 * lambda_j that is so small beside G_j that it is lost in the rounding of G_j holds nothing, and is not waited for: it
 * may be as small as 1e-320, and the ratio infinite. */
static double largest_share(const gpis_active_set *a) {
    static const double MAX_SHARE = 1.0 / DBL_EPSILON;
    double share = 1.0;
    for (int64_t j = 0; j < a->d; j++)
        if (a->set->penalty[j] > 0.0) share = fmax(share, fabs(a->G[j] - a->slope[j]) / (0.5 * a->set->penalty[j]));
    return fmin(share, MAX_SHARE);
}

/*
 * From zero, by penalties each a third of the one before: few entries are free at first, and few change from one
 * penalty to the next, so that there are never more of them than have to be. s becomes the last point, if that is
 * lower than it was.
 */
static gpis_status descend(gpis_active_set *a, bool *solved) {
    static const double NEXT = 1.0 / 3.0;
    const double before = a->value;
    gpis_status status = GPIS_OK;
    memcpy(a->kept, a->s, (size_t)a->d * sizeof *a->s);
    memset(a->s, 0, (size_t)a->d * sizeof *a->s);
    status = a->set->class->project(a->set, a->s, a->s);
    if (status != GPIS_OK) return status;
    gpis_active_evaluate(a);
    for (a->share = largest_share(a); a->share > 1.0 && status == GPIS_OK && !gpis_is_stopped(a->stop);) {
        a->share = fmax(1.0, NEXT * a->share);
        *solved = false;
        gpis_active_evaluate(a);
        gpis_active_read(a);
        status = pivot_from(a);
        if (status == GPIS_OK) status = walk(a, 20 + a->d / 2, solved);
    }
    a->share = 1.0;
    gpis_active_evaluate(a);
    if (a->value < before || status != GPIS_OK) return status;
    *solved = false;
    memcpy(a->s, a->kept, (size_t)a->d * sizeof *a->s);
    gpis_active_evaluate(a);
    return status;
}

gpis_status gpis_active_set_solve(gpis_active_set *a, const double *x, const double *g, double *s, bool *solved) {
    enum { FIRST_WALK = 10 };
    const int64_t most =
        100 + 2 * a->d; /* faces: far more than are needed, unless rounding errors lead it in circles */
    a->x = x, a->g = g, a->s = s;
    gpis_status status = try_free(a, solved);
    gpis_active_evaluate(a);
    if (a->set->sum != GPIS_SUM_ANY && a->set->R == 0.0) *solved = true;
    for (int64_t length = FIRST_WALK, faces = 0; faces < most && !*solved; faces += length, length += length / 2) {
        if (gpis_is_stopped(a->stop)) break;
        gpis_active_read(a);
        if (status == GPIS_OK) status = pivot_from(a);
        if (status == GPIS_OK) status = walk(a, length, solved);
        if (status == GPIS_OK && a->slope && !*solved && faces == 0) status = descend(a, solved);
        if (status != GPIS_OK) return status;
    }
    return status;
}
