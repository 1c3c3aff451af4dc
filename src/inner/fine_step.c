/*
 * The equations of one step in double-double: as in barrier_step.c, but for the change of the multipliers in the place
 * of their next values, so that digits are not lost as the steps become small, and by Cholesky factors:
 *
 *     (M   N'  ) (p  )   (-r + what the barrier adds)
 *     (N  -give) (dnu) = (pull                      ),    M = H + bounds + sums + groups + rows.
 *
 * N has the equations E, of which give is 0 and pull e - E z, the stiff rows (fine_rows.c) and the sums of sizes
 * (fine_sums.c).
 */
#include <math.h>
#include <string.h>

#include "inner/fine.h"
#include "linalg/dd_factor.h"

/* Multiplier over slack; 0 for a bound that does not exist. */
static gpis_dd weight(const gpis_fine_pair *pair) {
    return pair->slack.high > 0.0 ? gpis_dd_divide(pair->dual, pair->slack) : gpis_dd_of(0.0);
}

/* 1 + 2 ||w_1||^2 of a group. */
static gpis_dd stretch(const gpis_fine_cone *cone) {
    return gpis_dd_add(gpis_dd_of(1.0), gpis_dd_scale(cone->size2, 2.0));
}

/* h / delta of entry j of a group, and 1 / delta. */
static gpis_dd slope_of(const gpis_fine *f, const gpis_fine_cone *cone, int64_t j) {
    return gpis_dd_divide(gpis_dd_scale(gpis_dd_multiply(cone->w, f->w[j]), -2.0), stretch(cone));
}
static gpis_dd inverse_of(const gpis_fine_cone *cone) {
    return gpis_dd_divide(gpis_dd_multiply(cone->eta, cone->eta), stretch(cone));
}

/* kappa / (1 + kappa times the sum of 1 / delta) for sum s. */
static gpis_dd stiffness(const gpis_fine *f, int64_t s) {
    const gpis_dd kappa = weight(f->sums + s);
    gpis_dd sum = {0.0, 0.0};
    for (int64_t c = 0; c < f->flat->groups; c++)
        if (f->flat->group_sum[c] == s) sum = gpis_dd_add(sum, inverse_of(f->cones + c));
    return gpis_dd_divide(kappa, gpis_dd_add(gpis_dd_of(1.0), gpis_dd_multiply(kappa, sum)));
}

/* ---- the matrix ---- */

/* Adds to the barrier in z: to M itself if z = x. */
static void add_to(gpis_fine *f, int64_t i, int64_t j, gpis_dd value) {
    double *high = (f->P ? f->B : f->M) + i * f->d + j, *low = (f->P ? f->B_low : f->M_low) + i * f->d + j;
    const gpis_dd sum = gpis_dd_add((gpis_dd){*high, *low}, value);
    *high = sum.high;
    *low = sum.low;
}

static void add_bounds(gpis_fine *f) {
    for (int64_t j = 0; j < f->d; j++) add_to(f, j, j, gpis_dd_add(weight(f->lower + j), weight(f->upper + j)));
}

/* eta^-2 (I - 2 w_1 w_1' / (1 + 2 ||w_1||^2)). */
static void add_group(gpis_fine *f, int64_t c) {
    const gpis_fine_cone *cone = f->cones + c;
    const gpis_dd eta2 = gpis_dd_multiply(cone->eta, cone->eta),
                  share = gpis_dd_divide(gpis_dd_of(-2.0), stretch(cone));
    for (int64_t i = f->flat->first[c]; i < f->flat->first[c + 1]; i++)
        for (int64_t k = f->flat->first[c]; k < f->flat->first[c + 1]; k++) {
            const int64_t row = f->flat->member[i], j = f->flat->member[k];
            gpis_dd entry = gpis_dd_multiply(share, gpis_dd_multiply(f->w[row], f->w[j]));
            if (row == j) entry = gpis_dd_add(gpis_dd_of(1.0), entry);
            add_to(f, row, j, gpis_dd_divide(entry, eta2));
        }
}

/* kappa 1 1' for the entries of a sum; for a sum of norms, its stiffness times the slopes of the groups. */
static void add_sum(gpis_fine *f, int64_t s) {
    const gpis_flat *flat = f->flat;
    if (flat->sum[s].equal) return;
    const gpis_dd kappa = flat->sum[s].norms ? stiffness(f, s) : weight(f->sums + s);
    for (int64_t j = 0; j < f->d; j++) f->u[j] = gpis_dd_of(flat->sum_of[j] == s ? 1.0 : 0.0);
    for (int64_t c = 0; flat->sum[s].norms && c < flat->groups; c++)
        for (int64_t i = flat->first[c]; flat->group_sum[c] == s && i < flat->first[c + 1]; i++)
            f->u[flat->member[i]] = slope_of(f, f->cones + c, flat->member[i]);
    for (int64_t i = 0; i < f->d; i++) {
        if (flat->sum_of[i] != s) continue;
        const gpis_dd left = gpis_dd_multiply(kappa, f->u[i]);
        for (int64_t j = 0; j < f->d; j++)
            if (flat->sum_of[j] == s) add_to(f, i, j, gpis_dd_multiply(left, f->u[j]));
    }
}

/* M += P'B P, the upper triangle. */
static void turn_barrier(gpis_fine *f) {
    const int64_t d = f->d;
    memset(f->BP, 0, (size_t)(d * d) * sizeof *f->BP);
    memset(f->BP_low, 0, (size_t)(d * d) * sizeof *f->BP_low);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++)
            if (f->B[i * d + j] != 0.0)
                gpis_dd_subtract_multiple(d, -f->B[i * d + j], -f->B_low[i * d + j], f->P + j * d, f->P_low + j * d,
                                          f->BP + i * d, f->BP_low + i * d);
#pragma omp parallel for num_threads(gpis_threads_for(f->context->threads, 10.0 * (double)(d * d * d)))
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = 0; i < d; i++)
            if (f->P[i * d + j] != 0.0)
                gpis_dd_subtract_multiple(d - j, -f->P[i * d + j], -f->P_low[i * d + j], f->BP + i * d + j,
                                          f->BP_low + i * d + j, f->M + j * d + j, f->M_low + j * d + j);
}

/* The matrix, with this part of the shift. */
static void fill_matrix(gpis_fine *f, double part) {
    const int64_t d = f->d;
    const size_t bytes = (size_t)(d * d) * sizeof(double);
    memcpy(f->M, f->H, bytes);
    memcpy(f->M_low, f->H_low, bytes);
    if (f->P) memset(f->B, 0, bytes), memset(f->B_low, 0, bytes);
    add_bounds(f);
    for (int64_t c = 0; c < f->flat->groups; c++) add_group(f, c);
    for (int64_t s = 0; s < f->flat->sums; s++) add_sum(f, s);
    if (f->P) turn_barrier(f);
    f->stiff = 0;
    for (int64_t t = 0; t < f->limits; t++)
        gpis_fine_take_row(f, t, gpis_dd_add(weight(f->lower + d + t), weight(f->upper + d + t)));
    if (f->lift) gpis_fine_take_sizes(f);
    for (int64_t j = 0; j < d; j++) {
        const gpis_dd sum = gpis_dd_add((gpis_dd){f->M[j * (d + 1)], f->M_low[j * (d + 1)]},
                                        gpis_dd_of(f->shift[j] > 0.0 ? part * f->shift[j] : f->of_zeros));
        f->M[j * (d + 1)] = sum.high;
        f->M_low[j * (d + 1)] = sum.low;
    }
}

static int64_t first_ball(const gpis_fine *f) { return f->equalities + f->stiff; }
static int64_t unknown_multipliers(const gpis_fine *f) { return first_ball(f) + f->balls; }

/* Row r of N, in V. */
static void copy_row(gpis_fine *f, int64_t r) {
    const size_t bytes = (size_t)f->d * sizeof(double);
    const int64_t k = r - first_ball(f);
    double *row = f->V + r * f->d, *low = f->V_low + r * f->d;
    if (r < f->equalities || k >= 0) {
        memcpy(row, k < 0 ? f->EP + r * f->d : f->normal + k * f->d, bytes);
        memcpy(low, k < 0 ? f->EP_low + r * f->d : f->normal_low + k * f->d, bytes);
        return;
    }
    const gpis_polyhedron *p = f->lift->p;
    const int64_t i = f->lift->limited[f->stiff_row[r - f->equalities]];
    memset(row, 0, bytes);
    memset(low, 0, bytes);
    for (int64_t e = p->first[i]; e < p->first[i + 1]; e++) row[p->column[e]] = p->value[e];
}

/* What the equations of two rows of N give to each other. */
static gpis_dd give_of(const gpis_fine *f, int64_t r, int64_t s) {
    const int64_t k = r - first_ball(f), l = s - first_ball(f);
    if (k >= 0 && l >= 0) return f->gamma[k * f->balls + l];
    return r == s ? f->give[r] : gpis_dd_of(0.0);
}

/* V = R^-T N', a row for each equation, stiff row and sum of sizes, and the factor of V'V + give. Rows that depend on
 * each other up to rounding leave nothing of a pivot, which a very small part of the diagonal replaces. */
static bool factor_rows(gpis_fine *f) {
    static const double LITTLE = 1e-30;
    const int64_t d = f->d, rows = unknown_multipliers(f);
#pragma omp parallel for num_threads(gpis_threads_for(f->context->threads, 10.0 * (double)(rows * d * d)))
    for (int64_t r = 0; r < rows; r++) {
        copy_row(f, r);
        gpis_dd_whiten(d, f->M, f->M_low, f->V + r * d, f->V_low + r * d);
    }
#pragma omp parallel for num_threads(gpis_threads_for(f->context->threads, 10.0 * (double)(rows * rows * d)))
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t s = r; s < rows; s++) {
            gpis_dd sum = gpis_dd_dot(d, f->V + r * d, f->V_low + r * d, f->V + s * d, f->V_low + s * d);
            if (r == s) sum = gpis_dd_add(sum, gpis_dd_of(LITTLE * sum.high));
            sum = gpis_dd_add(sum, give_of(f, r, s));
            f->S[r * rows + s] = sum.high;
            f->S_low[r * rows + s] = sum.low;
        }
    }
    return gpis_dd_factor(f->context->threads, NULL, rows, f->S, f->S_low);
}

bool gpis_fine_factor(gpis_fine *f) {
    for (double part = f->part; part < 1e-15; part *= 1e3) {
        fill_matrix(f, part);
        if (gpis_dd_factor(f->context->threads, NULL, f->d, f->M, f->M_low))
            return unknown_multipliers(f) == 0 || factor_rows(f);
    }
    return false;
}

/* ---- the right side ---- */

/* r = G x - b + P'm, m the sum of all multipliers. */
void gpis_fine_balance(gpis_fine *f) {
    const int64_t d = f->d;
    for (int64_t i = 0; i < d; i++) {
        const int64_t s = f->flat->sum_of[i];
        f->u[i] = gpis_dd_subtract(f->upper[i].dual, f->lower[i].dual);
        if (s >= 0 && f->flat->sum[s].norms) f->u[i] = gpis_dd_subtract(f->u[i], f->y[i]);
        if (s >= 0 && !f->flat->sum[s].norms) f->u[i] = gpis_dd_add(f->u[i], f->sums[s].dual);
        for (int64_t r = 0; r < f->equalities; r++)
            if (f->E[r * d + i] != 0.0) f->u[i] = gpis_dd_add(f->u[i], gpis_dd_scale(f->nu[r], f->E[r * d + i]));
    }
    for (int64_t t = 0; t < f->limits; t++)
        gpis_fine_add_row(f, t, gpis_dd_subtract(f->upper[d + t].dual, f->lower[d + t].dual), f->u);
    if (f->lift) gpis_fine_balance_sizes(f, f->u);
    gpis_fine_turn_back(f, f->u, NULL);
    for (int64_t i = 0; i < d; i++) {
        gpis_dd gradient = gpis_dd_negate(f->b[i]);
        for (int64_t j = 0; j < d; j++) {
            const gpis_dd entry = {f->G[i * d + j], f->G_low[i * d + j]};
            gradient = gpis_dd_add(gradient, gpis_dd_multiply(entry, f->x[j]));
        }
        f->r[i] = gpis_dd_add(gradient, f->u[i]);
    }
}

gpis_dd gpis_fine_miss(const gpis_fine *f, int64_t r) {
    gpis_dd sum = gpis_dd_of(f->e[r]);
    for (int64_t j = 0; j < f->d; j++)
        if (f->E[r * f->d + j] != 0.0) sum = gpis_dd_subtract(sum, gpis_dd_scale(f->z[j], f->E[r * f->d + j]));
    return sum;
}

/* (mu - slack dual - second - dual miss) / slack: the change of a multiplier if nothing moves. */
static gpis_dd push(const gpis_fine_pair *pair, gpis_dd mu, bool correct) {
    if (!(pair->slack.high > 0.0)) return gpis_dd_of(0.0);
    const gpis_dd there = gpis_dd_multiply(pair->dual, gpis_dd_add(pair->slack, pair->miss));
    gpis_dd top = gpis_dd_subtract(mu, there);
    if (correct) top = gpis_dd_subtract(top, pair->second);
    return gpis_dd_divide(top, pair->slack);
}

static gpis_dd push_of_bounds(const gpis_fine *f, int64_t j, gpis_dd mu, bool correct) {
    return gpis_dd_subtract(push(f->lower + j, mu, correct), push(f->upper + j, mu, correct));
}

/* dt := (diag(delta) + kappa 1 1')^-1 applied to dt, for all groups. */
static void solve_bounds(gpis_fine *f) {
    const gpis_flat *flat = f->flat;
    for (int64_t s = 0; s < flat->sums; s++) {
        if (!flat->sum[s].norms) continue;
        gpis_dd sum = {0.0, 0.0};
        for (int64_t c = 0; c < flat->groups; c++)
            if (flat->group_sum[c] == s)
                sum = gpis_dd_add(sum, gpis_dd_multiply(f->cones[c].dt, inverse_of(f->cones + c)));
        sum = gpis_dd_multiply(sum, stiffness(f, s));
        for (int64_t c = 0; c < flat->groups; c++)
            if (flat->group_sum[c] == s)
                f->cones[c].dt = gpis_dd_multiply(gpis_dd_subtract(f->cones[c].dt, sum), inverse_of(f->cones + c));
    }
}

/* The right side of the equation of t: y_0 - sigma, and the changes that cone and sum want. */
static gpis_dd side_of(const gpis_fine *f, int64_t c, gpis_dd mu, bool correct) {
    const gpis_fine_pair *sum = f->sums + f->flat->group_sum[c];
    const gpis_dd off = gpis_dd_subtract(f->cones[c].y, sum->dual);
    return gpis_dd_add(off, gpis_dd_subtract(f->cones[c].right, push(sum, mu, correct)));
}

/* What bounds, sums and groups add to the right side, in z. */
static void fill_barrier_side(gpis_fine *f, gpis_dd mu, bool correct, gpis_dd *side) {
    const gpis_flat *flat = f->flat;
    for (int64_t j = 0; j < f->d; j++) {
        const int64_t s = flat->sum_of[j];
        side[j] = push_of_bounds(f, j, mu, correct);
        if (s >= 0 && !flat->sum[s].norms) side[j] = gpis_dd_subtract(side[j], push(f->sums + s, mu, correct));
    }
    for (int64_t t = 0; t < f->limits; t++) gpis_fine_push_row(f, t, push_of_bounds(f, f->d + t, mu, correct), side);
    if (f->lift) gpis_fine_push_sizes(f, (gpis_fine_push){push, mu, correct}, side);
    for (int64_t c = 0; c < flat->groups; c++) f->cones[c].dt = side_of(f, c, mu, correct);
    solve_bounds(f);
    for (int64_t c = 0; c < flat->groups; c++)
        for (int64_t i = flat->first[c]; i < flat->first[c + 1]; i++) {
            const int64_t j = flat->member[i];
            const gpis_dd h = gpis_dd_divide(slope_of(f, f->cones + c, j), inverse_of(f->cones + c));
            side[j] = gpis_dd_add(side[j], gpis_dd_subtract(f->right[j], gpis_dd_multiply(h, f->cones[c].dt)));
        }
}

/* The right side of the equation of the step, in `step`. */
static void fill_side(gpis_fine *f, gpis_dd mu, bool correct) {
    fill_barrier_side(f, mu, correct, f->step);
    gpis_fine_turn_back(f, f->step, NULL);
    for (int64_t j = 0; j < f->d; j++) f->step[j] = gpis_dd_subtract(f->step[j], f->r[j]);
    for (int64_t r = 0; r < f->equalities; r++) {
        f->pull[r] = gpis_fine_miss(f, r);
        const gpis_dd pull = gpis_dd_scale(f->pull[r], f->rho[r]);
        for (int64_t j = 0; j < f->d; j++) {
            const gpis_dd entry = {f->EP[r * f->d + j], f->EP_low[r * f->d + j]};
            f->step[j] = gpis_dd_add(f->step[j], gpis_dd_multiply(pull, entry));
        }
    }
}

/* ---- the solution ---- */

/* dnu = (V'V + give)^-1 (V'w - pull), and w - V dnu in the place of w. */
static void solve_rows(gpis_fine *f, double *w, double *w_low) {
    const int64_t rows = unknown_multipliers(f);
    double *n = (double *)f->wide, *n_low = n + rows;
    for (int64_t r = 0; r < rows; r++) {
        const gpis_dd along = gpis_dd_dot(f->d, f->V + r * f->d, f->V_low + r * f->d, w, w_low);
        const int64_t k = r - first_ball(f);
        const gpis_dd side = gpis_dd_subtract(along, k < 0 ? f->pull[r] : f->pull_ball[k]);
        n[r] = side.high, n_low[r] = side.low;
    }
    gpis_dd_whiten(rows, f->S, f->S_low, n, n_low);
    gpis_dd_unwhiten(rows, f->S, f->S_low, n, n_low);
    for (int64_t r = 0; r < rows; r++) {
        f->dnu[r] = (gpis_dd){n[r], n_low[r]};
        gpis_dd_subtract_multiple(f->d, n[r], n_low[r], f->V + r * f->d, f->V_low + r * f->d, w, w_low);
    }
}

/* step := the solution for the right side `step`; p is the same in z. */
static void solve(gpis_fine *f) {
    double *w = (double *)f->u, *w_low = w + f->d;
    for (int64_t j = 0; j < f->d; j++) w[j] = f->step[j].high, w_low[j] = f->step[j].low;
    gpis_dd_whiten(f->d, f->M, f->M_low, w, w_low);
    if (unknown_multipliers(f) > 0) solve_rows(f, w, w_low);
    gpis_dd_unwhiten(f->d, f->M, f->M_low, w, w_low);
    for (int64_t j = 0; j < f->d; j++) f->p[j] = f->step[j] = (gpis_dd){w[j], w_low[j]};
    gpis_fine_turn_in(f, f->p);
}

/* The step of a pair when what its slack stands for grows by `growth`. */
static void move_pair(gpis_fine_pair *pair, gpis_dd growth, gpis_dd mu, bool correct) {
    if (!(pair->slack.high > 0.0)) return;
    pair->dslack = gpis_dd_add(growth, pair->miss);
    pair->ddual = gpis_dd_subtract(push(pair, mu, correct), gpis_dd_multiply(weight(pair), growth));
    if (!correct) pair->second = gpis_dd_multiply(pair->dslack, pair->ddual);
}

static void move_pairs(gpis_fine *f, gpis_dd mu, bool correct) {
    const gpis_flat *flat = f->flat;
    for (int64_t j = 0; j < f->d; j++) f->u[j] = gpis_dd_of(0.0); /* what each sum grows by */
    for (int64_t j = 0; j < f->d; j++) {
        const int64_t s = flat->sum_of[j];
        move_pair(f->lower + j, f->p[j], mu, correct);
        move_pair(f->upper + j, gpis_dd_negate(f->p[j]), mu, correct);
        if (s >= 0 && !flat->sum[s].norms) f->u[s] = gpis_dd_add(f->u[s], f->p[j]);
    }
    for (int64_t t = 0; t < f->limits; t++) {
        const gpis_dd growth = gpis_fine_row_growth(f, t);
        move_pair(f->lower + f->d + t, growth, mu, correct);
        move_pair(f->upper + f->d + t, gpis_dd_negate(growth), mu, correct);
    }
    if (f->lift) gpis_fine_move_sizes(f, f->dnu + first_ball(f), (gpis_fine_push){push, mu, correct}, move_pair);
    for (int64_t c = 0; c < flat->groups; c++)
        f->u[flat->group_sum[c]] = gpis_dd_add(f->u[flat->group_sum[c]], f->cones[c].dt);
    for (int64_t s = 0; s < flat->sums; s++) move_pair(f->sums + s, gpis_dd_negate(f->u[s]), mu, correct);
}

void gpis_fine_direction(gpis_fine *f, gpis_dd mu, bool correct) {
    const gpis_flat *flat = f->flat;
    gpis_fine_cone_sides(f, mu, correct);
    fill_side(f, mu, correct);
    solve(f);
    for (int64_t c = 0; c < flat->groups; c++) {
        gpis_dd along = {0.0, 0.0}; /* <h, p> / delta */
        for (int64_t i = flat->first[c]; i < flat->first[c + 1]; i++) {
            const int64_t j = flat->member[i];
            along = gpis_dd_add(along, gpis_dd_multiply(slope_of(f, f->cones + c, j), f->p[j]));
        }
        const gpis_dd side = side_of(f, c, mu, correct);
        f->cones[c].dt = gpis_dd_subtract(side, gpis_dd_divide(along, inverse_of(f->cones + c)));
    }
    solve_bounds(f);
    move_pairs(f, mu, correct);
    gpis_fine_cone_duals(f, !correct);
}
