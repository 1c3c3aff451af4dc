/*
 * The equations of one step of the interior-point method (barrier.h).
 *
 * The bounds t of the groups of one sum of norms are eliminated. With W^-2 = [delta h'; h ..] for each group, and
 * kappa = multiplier / slack of the sum, they satisfy
 *
 *     (diag(delta) + kappa 1 1') dt = f - <h, p>,
 *
 * and what is left for p is  eta^-2 (I - 2 w_1 w_1' / (2 w^2 - 1))  for each group and one row for the sum.
 */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "inner/barrier.h"

/* Multiplier over slack; 0 for a bound that does not exist. */
static double weight(const gpis_pair *pair) { return pair->slack > 0.0 ? pair->dual / pair->slack : 0.0; }

/* h / delta of entry j of a group, and 1 / delta. */
static double slope_of(const gpis_barrier *b, const gpis_cone *cone, int64_t j) {
    return -2.0 * cone->w * b->w[j] / (1.0 + 2.0 * cone->size * cone->size);
}
static double inverse_of(const gpis_cone *cone) {
    return cone->eta * cone->eta / (1.0 + 2.0 * cone->size * cone->size);
}

/* kappa / (1 + kappa times the sum of 1 / delta) for sum s. */
static double stiffness(const gpis_barrier *b, int64_t s) {
    const double kappa = weight(b->sums + s);
    double sum = 0.0;
    for (int64_t c = 0; c < b->flat->groups; c++)
        if (b->flat->group_sum[c] == s) sum += inverse_of(b->cones + c);
    return kappa / (1.0 + kappa * sum);
}

/* ---- the matrix ---- */

/* Row i of the stack becomes the row v in z, in units of the columns; v is cleared. */
static void put_row(gpis_barrier *b, int64_t i) {
    gpis_flat_change(b->flat, GPIS_TRANSPOSED_BACK, b->v);
    for (int64_t j = 0; j < b->d; j++) b->stack[j * b->height + i] = b->v[j] * b->unit[j];
    memset(b->v, 0, (size_t)b->d * sizeof *b->v);
}

static void put_entries(gpis_barrier *b) {
    for (int64_t j = 0; j < b->d; j++) {
        b->v[j] = sqrt(weight(b->lower + j) + weight(b->upper + j));
        if (b->v[j] > 0.0) put_row(b, j);
    }
}

/* The square root eta^-1 (I - f w_1 w_1' / ||w_1||^2), f = 1 - 1 / sqrt(2 w^2 - 1), of what is left of a group. */
static void put_group(gpis_barrier *b, int64_t c) {
    const gpis_flat *f = b->flat;
    const gpis_cone *cone = b->cones + c;
    const double size = cone->size, shrink = 1.0 - 1.0 / sqrt(1.0 + 2.0 * size * size);
    for (int64_t i = f->first[c]; i < f->first[c + 1]; i++) {
        const int64_t row = f->member[i];
        for (int64_t k = f->first[c]; k < f->first[c + 1]; k++) {
            const int64_t j = f->member[k];
            const double along = size > 0.0 ? b->w[row] / size * (b->w[j] / size) : 0.0;
            b->v[j] = ((row == j) - shrink * along) / cone->eta;
        }
        put_row(b, row);
    }
}

static void put_sum(gpis_barrier *b, int64_t s) {
    const gpis_flat *f = b->flat;
    if (f->sum[s].equal) return;
    for (int64_t j = 0; !f->sum[s].norms && j < b->d; j++)
        if (f->sum_of[j] == s) b->v[j] = sqrt(weight(b->sums + s));
    const double root = f->sum[s].norms ? sqrt(stiffness(b, s)) : 0.0;
    for (int64_t c = 0; c < f->groups; c++)
        for (int64_t i = f->first[c]; f->group_sum[c] == s && i < f->first[c + 1]; i++)
            b->v[f->member[i]] = root * slope_of(b, b->cones + c, f->member[i]);
    put_row(b, b->d + s);
}

/* With R'R the matrix, R^-T E' and its QR decomposition. */
static void factor_rows(gpis_barrier *b) {
    const int d = (int)b->d, count = (int)b->equalities;
    if (count == 0) return;
    memcpy(b->rows, b->E, (size_t)(b->equalities * b->d) * sizeof *b->rows);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, d, count, 1.0, b->stack, (int)b->height,
                b->rows, d);
    LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, d, count, b->rows, d, b->rows_tau, b->work, GPIS_BARRIER_PANEL * d);
}

void gpis_barrier_factor(gpis_barrier *b) {
    const int64_t d = b->d, above = b->height - d;
    memset(b->stack, 0, (size_t)(b->height * d) * sizeof *b->stack);
    memset(b->v, 0, (size_t)d * sizeof *b->v);
    for (int64_t j = 0; j < d; j++) /* the model's factor, in units of the columns */
        for (int64_t i = 0; i <= j; i++) b->stack[j * b->height + above + i] = b->model->R[i * d + j];
    put_entries(b);
    for (int64_t c = 0; c < b->flat->groups; c++) put_group(b, c);
    for (int64_t s = 0; s < b->flat->sums; s++) put_sum(b, s);
    LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, (lapack_int)b->height, (lapack_int)d, b->stack, (lapack_int)b->height, b->tau,
                        b->work, (lapack_int)(GPIS_BARRIER_PANEL * d));
    factor_rows(b);
}

/* ---- the right side ---- */

/* (mu - second - dual miss) / slack: what a pair adds to the gradient at the next point. */
static double push(const gpis_pair *pair, double mu, bool correct) {
    return pair->slack > 0.0 ? (mu - (correct ? pair->second : 0.0) - pair->dual * pair->miss) / pair->slack : 0.0;
}

/* dt := (diag(delta) + kappa 1 1')^-1 applied to dt, for all groups. */
static void solve_bounds(gpis_barrier *b) {
    const gpis_flat *f = b->flat;
    for (int64_t s = 0; s < f->sums; s++) {
        if (!f->sum[s].norms) continue;
        double sum = 0.0;
        for (int64_t c = 0; c < f->groups; c++)
            if (f->group_sum[c] == s) sum += b->cones[c].dt * inverse_of(b->cones + c);
        sum *= stiffness(b, s);
        for (int64_t c = 0; c < f->groups; c++)
            if (f->group_sum[c] == s) b->cones[c].dt = (b->cones[c].dt - sum) * inverse_of(b->cones + c);
    }
}

/* The right side of the equation of t: y_0 plus that of the cone, less the push of the sum. */
static double side_of(const gpis_barrier *b, int64_t c, double mu, bool correct) {
    return b->cones[c].y + b->cones[c].right - push(b->sums + b->flat->group_sum[c], mu, correct);
}

/* The right side of the equation of the step, in `step`: -G, and what the barrier adds. */
static void fill_side(gpis_barrier *b, double mu, bool correct) {
    const gpis_flat *f = b->flat;
    for (int64_t j = 0; j < b->d; j++) {
        const int64_t s = f->sum_of[j];
        b->step[j] = push(b->lower + j, mu, correct) - push(b->upper + j, mu, correct);
        if (s >= 0 && !f->sum[s].norms && !f->sum[s].equal) b->step[j] -= push(b->sums + s, mu, correct);
    }
    for (int64_t c = 0; c < f->groups; c++) b->cones[c].dt = side_of(b, c, mu, correct);
    solve_bounds(b);
    for (int64_t c = 0; c < f->groups; c++)
        for (int64_t i = f->first[c]; i < f->first[c + 1]; i++) {
            const int64_t j = f->member[i];
            const double h = slope_of(b, b->cones + c, j) / inverse_of(b->cones + c);
            b->step[j] += b->y[j] + b->right[j] - h * b->cones[c].dt;
        }
    gpis_flat_change(f, GPIS_TRANSPOSED_BACK, b->step);
    for (int64_t j = 0; j < b->d; j++) b->step[j] -= b->G[j];
}

/* ---- the solution ---- */

/* How far the equalities are from being met: the first entries of `out`. */
static void find_misses(const gpis_barrier *b, double *out) {
    const gpis_flat *f = b->flat;
    int64_t r = 0;
    for (; r < f->rows; r++) out[r] = f->e[r] - cblas_ddot((int)b->d, f->E + r * b->d, 1, b->z, 1);
    for (int64_t s = 0; s < f->sums; s++) {
        if (!f->sum[s].equal) continue;
        out[r] = f->sum[s].R;
        for (int64_t j = 0; j < b->d; j++)
            if (f->sum_of[j] == s) out[r] -= b->z[j];
        r++;
    }
}

/* step := the solution for the right side `step`, subject to the equalities: with R'R the matrix and Q S = R^-T E',
 * step = R^-1 (w - Q Q'w + Q S^-T (e - E z)), w = R^-T step. p is the same in z. */
static void solve(gpis_barrier *b) {
    const int d = (int)b->d, count = (int)b->equalities, height = (int)b->height;
    for (int64_t j = 0; j < b->d; j++) b->step[j] *= b->unit[j];
    cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, d, b->stack, height, b->step, 1);
    if (count > 0) {
        find_misses(b, b->v);
        cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, count, b->rows, d, b->v, 1);
        LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', d, 1, count, b->rows, d, b->rows_tau, b->step, d, b->work,
                            GPIS_BARRIER_PANEL * d);
        memcpy(b->step, b->v, (size_t)count * sizeof *b->step);
        LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'N', d, 1, count, b->rows, d, b->rows_tau, b->step, d, b->work,
                            GPIS_BARRIER_PANEL * d);
    }
    cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, d, b->stack, height, b->step, 1);
    for (int64_t j = 0; j < b->d; j++) b->step[j] *= b->unit[j];
    memcpy(b->p, b->step, (size_t)b->d * sizeof *b->p);
    gpis_flat_change(b->flat, GPIS_TO_INSIDE, b->p);
}

/* The step of a pair when what its slack stands for grows by `growth`. */
static void move_pair(gpis_pair *pair, double growth, double mu, bool correct) {
    if (!(pair->slack > 0.0)) return;
    pair->dslack = growth + pair->miss;
    pair->ddual = push(pair, mu, correct) - pair->dual - pair->dual / pair->slack * growth;
    if (!correct) pair->second = pair->dslack * pair->ddual;
}

static void move_pairs(gpis_barrier *b, double mu, bool correct) {
    const gpis_flat *f = b->flat;
    memset(b->v, 0, (size_t)b->d * sizeof *b->v); /* what each sum grows by */
    for (int64_t j = 0; j < b->d; j++) {
        move_pair(b->lower + j, b->p[j], mu, correct);
        move_pair(b->upper + j, -b->p[j], mu, correct);
        if (f->sum_of[j] >= 0 && !f->sum[f->sum_of[j]].norms) b->v[f->sum_of[j]] += b->p[j];
    }
    for (int64_t c = 0; c < f->groups; c++) b->v[f->group_sum[c]] += b->cones[c].dt;
    for (int64_t s = 0; s < f->sums; s++) move_pair(b->sums + s, -b->v[s], mu, correct);
}

void gpis_barrier_direction(gpis_barrier *b, double mu, bool correct) {
    const gpis_flat *f = b->flat;
    gpis_barrier_cone_sides(b, mu, correct);
    fill_side(b, mu, correct);
    solve(b);
    for (int64_t c = 0; c < f->groups; c++) {
        double along = 0.0; /* <h, p> / delta */
        for (int64_t i = f->first[c]; i < f->first[c + 1]; i++)
            along += slope_of(b, b->cones + c, f->member[i]) * b->p[f->member[i]];
        b->cones[c].dt = side_of(b, c, mu, correct) - along / inverse_of(b->cones + c);
    }
    solve_bounds(b);
    move_pairs(b, mu, correct);
    gpis_barrier_cone_duals(b, !correct);
}
