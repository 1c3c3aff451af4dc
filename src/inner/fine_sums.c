/*
 * Weighted sums of sizes and l1 penalties of the problem in double-double, for the entries x_j that may have either
 * sign. Each has a size t_j of its own with
 *
 *     t_j - x_j >= 0,    t_j + x_j >= 0,    sum over j of w_kj t_j <= R_k,    and lambda_j t_j in the objective,
 *
 * where entries of one sign count as x_j or -x_j in the sums. The sizes are eliminated from each step. With a and b the
 * multipliers over the slacks of the two pairs of entry j, sigma = (a - b) / (a + b), rt_j the gradient of the
 * Lagrangian in t_j and v_k the change of the multiplier of sum k,
 *
 *     dt_j = (-rt_j + push_a + push_b - (b - a) p_j - sum over k of w_kj v_k) / (a + b),
 *
 * so that the matrix gets 4 a b / (a + b) on its diagonal, and each sum is one more equation with
 *
 *     <n_k, p> - sum over l of Gamma_kl v_l = pull_k,    n_kj = sigma_j w_kj,
 *     Gamma_kl = sum over j of w_kj w_lj / (a + b), and 1 / omega of the sum's own pair on the diagonal.
 *
 * As with stiff rows (fine_rows.c), a part rho_k n_k n_k' of what these equations amount to goes into the matrix, which
 * may have no curvature of its own there: with D = diag(rho) and v = D (N p - pull) + dnu, what is left is
 *
 *     N p - (Gamma^-1 - D)^-1 dnu = pull.
 */
#include <math.h>

#include "inner/fine.h"
#include "linalg/dd_factor.h"

static const gpis_dd ZERO = {0.0, 0.0}, ONE = {1.0, 0.0};

static double share_of(const gpis_fine *f, int64_t k, int64_t j) { return f->lift->p->weight[k * f->lift->p->d + j]; }

/* What an entry of one sign counts as. */
static double sign_of(const gpis_fine *f, int64_t j) { return f->lift->p->lo[j] < 0.0 ? -1.0 : 1.0; }

static gpis_dd weight(const gpis_fine_pair *pair) { return gpis_dd_divide(pair->dual, pair->slack); }
static gpis_dd stiffness(const gpis_fine *f, int64_t j) {
    return gpis_dd_add(weight(f->plus + j), weight(f->minus + j));
}

/* ---- the starting point, and where it is ---- */

void gpis_fine_open_sizes(gpis_fine *f) {
    for (int64_t j = 0; j < f->own; j++) {
        f->plus[j] = f->minus[j] = (gpis_fine_pair){0};
        if (!gpis_fine_is_split(f, j)) continue;
        const double x = f->x[j].high;
        double room = f->omega * f->near[j];
        for (int64_t k = 0; k < f->balls; k++)
            if (share_of(f, k, j) > 0.0) room = fmin(room, f->lift->p->R[k] * f->unit / share_of(f, k, j));
        f->t[j] = gpis_dd_of(fabs(x) + room);
        f->plus[j].slack = gpis_dd_of(f->t[j].high - x);
        f->minus[j].slack = gpis_dd_of(f->t[j].high + x);
    }
    for (int64_t k = 0; k < f->balls; k++) {
        static const double LEAST = 1e-3; /* distance from the boundary, as a share of R */
        const double R = f->lift->p->R[k] * f->unit, room = R - gpis_fine_size_of_sum(f, k).high;
        f->ball[k] = (gpis_fine_pair){.slack = gpis_dd_of(fmax(room, LEAST * R))};
    }
}

gpis_dd gpis_fine_size_of_sum(const gpis_fine *f, int64_t k) {
    gpis_dd sum = ZERO;
    for (int64_t j = 0; j < f->own; j++) {
        const gpis_dd size = gpis_fine_is_split(f, j) ? f->t[j] : gpis_dd_scale(f->x[j], sign_of(f, j));
        if (share_of(f, k, j) > 0.0) sum = gpis_dd_add(sum, gpis_dd_scale(size, share_of(f, k, j)));
    }
    return sum;
}

/* sum over k of w_kj u_k. */
static gpis_dd along_sums(const gpis_fine *f, int64_t j, gpis_dd (*u)(const gpis_fine *, int64_t)) {
    gpis_dd sum = ZERO;
    for (int64_t k = 0; k < f->balls; k++)
        if (share_of(f, k, j) > 0.0) sum = gpis_dd_add(sum, gpis_dd_scale(u(f, k), share_of(f, k, j)));
    return sum;
}

static gpis_dd dual_of(const gpis_fine *f, int64_t k) { return f->ball[k].dual; }
static gpis_dd change_of(const gpis_fine *f, int64_t k) { return f->dball[k]; }

void gpis_fine_balance_sizes(gpis_fine *f, gpis_dd *u) {
    for (int64_t j = 0; j < f->own; j++) {
        const gpis_dd sums = along_sums(f, j, dual_of);
        if (gpis_fine_is_split(f, j)) {
            const gpis_dd both = gpis_dd_add(f->plus[j].dual, f->minus[j].dual);
            f->rt[j] = gpis_dd_subtract(gpis_dd_add(gpis_dd_of(gpis_fine_penalty(f, j)), sums), both);
            u[j] = gpis_dd_add(u[j], gpis_dd_subtract(f->plus[j].dual, f->minus[j].dual));
        } else
            u[j] = gpis_dd_add(u[j], gpis_dd_scale(sums, sign_of(f, j)));
    }
}

/* ---- the matrix ---- */

/* Gamma, and D in rho. With Gamma <= balls diag(Gamma), half of Gamma^-1 at least is left beside D. */
static void fill_gamma(gpis_fine *f) {
    const int64_t q = f->balls;
    for (int64_t k = 0; k < q; k++)
        for (int64_t l = 0; l < q; l++) {
            gpis_dd sum = k == l ? gpis_dd_divide(ONE, weight(f->ball + k)) : ZERO;
            for (int64_t j = 0; j < f->own; j++) {
                const double both = share_of(f, k, j) * share_of(f, l, j);
                if (both > 0.0 && gpis_fine_is_split(f, j))
                    sum = gpis_dd_add(sum, gpis_dd_divide(gpis_dd_of(both), stiffness(f, j)));
            }
            f->gamma[k * q + l] = sum;
        }
    for (int64_t k = 0; k < q; k++) {
        double size = 0.0;
        for (int64_t j = 0; j < f->own; j++) size += share_of(f, k, j) * f->near[j];
        f->rho_ball[k] = fmin(1.0 / (size * size), 0.5 / ((double)q * f->gamma[k * q + k].high));
    }
}

/* gamma := (Gamma^-1 - D)^-1 = Gamma (I - D Gamma)^-1, by elimination in the columns of both: the pivots are near 1. */
static void shorten_gamma(gpis_fine *f) {
    const int64_t q = f->balls;
    gpis_dd *gamma = f->gamma, *B = f->gamma_scratch;
    for (int64_t k = 0; k < q; k++)
        for (int64_t l = 0; l < q; l++)
            B[k * q + l] = gpis_dd_subtract(k == l ? ONE : ZERO, gpis_dd_scale(gamma[k * q + l], f->rho_ball[k]));
    for (int64_t c = 0; c < q; c++) {
        const gpis_dd pivot = B[c * q + c];
        for (int64_t k = 0; k < q; k++) {
            B[k * q + c] = gpis_dd_divide(B[k * q + c], pivot);
            gamma[k * q + c] = gpis_dd_divide(gamma[k * q + c], pivot);
        }
        for (int64_t l = 0; l < q; l++) {
            const gpis_dd factor = B[c * q + l];
            for (int64_t k = 0; k < q && l != c; k++) {
                B[k * q + l] = gpis_dd_subtract(B[k * q + l], gpis_dd_multiply(factor, B[k * q + c]));
                gamma[k * q + l] = gpis_dd_subtract(gamma[k * q + l], gpis_dd_multiply(factor, gamma[k * q + c]));
            }
        }
    }
}

/* n_k in normal. */
static void fill_normal(gpis_fine *f, int64_t k) {
    double *high = f->normal + k * f->d, *low = f->normal_low + k * f->d;
    for (int64_t j = 0; j < f->d; j++) {
        gpis_dd n = ZERO;
        if (j < f->own && share_of(f, k, j) > 0.0) {
            const gpis_dd a = weight(f->plus + j), b = weight(f->minus + j);
            n = gpis_dd_of(sign_of(f, j));
            if (gpis_fine_is_split(f, j)) n = gpis_dd_divide(gpis_dd_subtract(a, b), gpis_dd_add(a, b));
            n = gpis_dd_scale(n, share_of(f, k, j));
        }
        high[j] = n.high, low[j] = n.low;
    }
}

void gpis_fine_take_sizes(gpis_fine *f) {
    for (int64_t j = 0; j < f->own; j++) {
        if (!gpis_fine_is_split(f, j)) continue;
        const gpis_dd both = gpis_dd_multiply(weight(f->plus + j), weight(f->minus + j));
        const gpis_dd more = gpis_dd_divide(gpis_dd_scale(both, 4.0), stiffness(f, j));
        const int64_t at = j * (f->d + 1);
        const gpis_dd sum = gpis_dd_add((gpis_dd){f->M[at], f->M_low[at]}, more);
        f->M[at] = sum.high, f->M_low[at] = sum.low;
    }
    fill_gamma(f);
    for (int64_t k = 0; k < f->balls; k++) {
        const double *high = f->normal + k * f->d, *low = f->normal_low + k * f->d;
        fill_normal(f, k);
        for (int64_t i = 0; i < f->d; i++)
            if (high[i] != 0.0)
                gpis_dd_subtract_multiple(f->d, -f->rho_ball[k] * high[i], -f->rho_ball[k] * low[i], high, low,
                                          f->M + i * f->d, f->M_low + i * f->d);
    }
    shorten_gamma(f);
}

/* ---- the right side, and the step ---- */

void gpis_fine_push_sizes(gpis_fine *f, gpis_fine_push push, gpis_dd *side) {
    for (int64_t j = 0; j < f->own; j++) {
        if (!gpis_fine_is_split(f, j)) continue;
        const gpis_dd a = weight(f->plus + j), b = weight(f->minus + j), both = gpis_dd_add(a, b);
        const gpis_dd of_plus = push.of(f->plus + j, push.mu, push.correct);
        const gpis_dd of_minus = push.of(f->minus + j, push.mu, push.correct);
        const gpis_dd left = gpis_dd_subtract(gpis_dd_multiply(a, of_minus), gpis_dd_multiply(b, of_plus));
        const gpis_dd turned = gpis_dd_multiply(gpis_dd_subtract(a, b), f->rt[j]);
        side[j] = gpis_dd_add(side[j], gpis_dd_divide(gpis_dd_subtract(gpis_dd_scale(left, 2.0), turned), both));
        f->want[j] = gpis_dd_subtract(gpis_dd_add(of_plus, of_minus), f->rt[j]);
    }
    for (int64_t k = 0; k < f->balls; k++) {
        const gpis_dd own = push.of(f->ball + k, push.mu, push.correct);
        gpis_dd pull = gpis_dd_divide(own, weight(f->ball + k));
        for (int64_t j = 0; j < f->own; j++)
            if (gpis_fine_is_split(f, j) && share_of(f, k, j) > 0.0)
                pull = gpis_dd_add(pull, gpis_dd_scale(gpis_dd_divide(f->want[j], stiffness(f, j)), share_of(f, k, j)));
        f->pull_ball[k] = gpis_dd_negate(pull);
        const gpis_dd times = gpis_dd_scale(f->pull_ball[k], f->rho_ball[k]);
        for (int64_t j = 0; j < f->own; j++) {
            const gpis_dd n = {f->normal[k * f->d + j], f->normal_low[k * f->d + j]};
            side[j] = gpis_dd_add(side[j], gpis_dd_multiply(times, n));
        }
    }
}

void gpis_fine_move_sizes(gpis_fine *f, const gpis_dd *dnu, gpis_fine_push push, gpis_fine_move move) {
    for (int64_t k = 0; k < f->balls; k++) {
        gpis_dd met = ZERO; /* <n_k, p> - pull_k */
        for (int64_t l = 0; l < f->balls; l++)
            met = gpis_dd_add(met, gpis_dd_multiply(f->gamma[k * f->balls + l], dnu[l]));
        f->dball[k] = gpis_dd_add(dnu[k], gpis_dd_scale(met, f->rho_ball[k]));
    }
    for (int64_t k = 0; k < f->balls; k++) {
        const gpis_dd own = push.of(f->ball + k, push.mu, push.correct);
        const gpis_dd growth = gpis_dd_divide(gpis_dd_subtract(own, f->dball[k]), weight(f->ball + k));
        move(f->ball + k, growth, push.mu, push.correct);
    }
    for (int64_t j = 0; j < f->own; j++) {
        if (!gpis_fine_is_split(f, j)) continue;
        const gpis_dd a = weight(f->plus + j), b = weight(f->minus + j), both = gpis_dd_add(a, b);
        const gpis_dd left = gpis_dd_subtract(f->want[j], along_sums(f, j, change_of));
        const gpis_dd of_a = gpis_dd_scale(gpis_dd_multiply(a, f->p[j]), 2.0);
        const gpis_dd of_b = gpis_dd_scale(gpis_dd_multiply(b, f->p[j]), 2.0);
        const gpis_dd apart = gpis_dd_divide(gpis_dd_subtract(left, of_b), both); /* dt - p */
        const gpis_dd along = gpis_dd_divide(gpis_dd_add(left, of_a), both);      /* dt + p */
        f->dt[j] = gpis_dd_scale(gpis_dd_add(apart, along), 0.5);
        move(f->plus + j, apart, push.mu, push.correct);
        move(f->minus + j, along, push.mu, push.correct);
    }
}
