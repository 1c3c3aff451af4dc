/* The barrier method of reference.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

/* The variables z: x, then b, then the sizes u, then the norms t of the groups. */
enum { MAX_VARIABLES = 3 * MAX_COLUMNS + 1, MAX_INEQUALITIES = 8 * MAX_COLUMNS + 2 * MAX_LINEAR + MAX_SUMS + 1 };
enum { MAX_EQUALITIES = 2 * MAX_COLUMNS + MAX_LINEAR + 1, MAX_SYSTEM = MAX_VARIABLES + MAX_EQUALITIES };

typedef struct lifted {
    const combined *p;
    int size, inequalities, equalities, groups;
    int sizes_at, norms_at;                                       /* where u and t begin */
    quad G[MAX_INEQUALITIES][MAX_VARIABLES], h[MAX_INEQUALITIES]; /* G z <= h */
    quad E[MAX_EQUALITIES][MAX_VARIABLES];                        /* E z keeps its value */
    quad Q[MAX_VARIABLES][MAX_VARIABLES], c[MAX_VARIABLES];       /* F = z'Q z / 2 + c'z + constant */
    quad nu;                                                      /* the parameter of the barrier */
} lifted;

quad quad_sqrt(quad a) {
    if (!(a > 0)) return 0;
    quad s = (quad)sqrtl((long double)a);
    for (int i = 0; i < 3; i++) s = (s + a / s) / 2;
    return s;
}

/* Entries without a bound get this one. The barrier has no minimum where K is unbounded in a direction in which F is
 * constant. The minimum of F is then attained near the origin, too. */
static const double FAR = 0x1p20;

static quad size_of(quad a) { return a < 0 ? -a : a; }

quad combined_value(const combined *p, const quad *x, quad b) {
    quad F = 0;
    for (int i = 0; i < p->n; i++) {
        quad r = (quad)p->y[i] - p->offset[i] - b;
        for (int j = 0; j < p->d; j++) r -= (quad)p->A[i * p->d + j] * x[j];
        F += p->weight[i] * r * r;
    }
    for (int j = 0; j < p->d; j++) F += p->ridge[j] * x[j] * x[j] + p->lambda[j] * size_of(x[j]);
    return F;
}

quad combined_best_value(const combined *p, const double *x) {
    quad wide[MAX_COLUMNS], sum = 0, weights = 0;
    for (int j = 0; j < p->d; j++) wide[j] = x[j];
    for (int i = 0; p->constant && i < p->n; i++) {
        quad r = (quad)p->y[i] - p->offset[i];
        for (int j = 0; j < p->d; j++) r -= (quad)p->A[i * p->d + j] * x[j];
        sum += p->weight[i] * r;
        weights += p->weight[i];
    }
    return combined_value(p, wide, p->constant ? sum / weights : 0);
}

static quad *new_inequality(lifted *l, quad h) {
    l->h[l->inequalities] = h;
    return l->G[l->inequalities++];
}

static void add_bounds(lifted *l) {
    const combined *p = l->p;
    for (int j = 0; j < p->d; j++) {
        if (p->lower[j] == p->upper[j]) {
            l->E[l->equalities++][j] = 1;
            continue;
        }
        new_inequality(l, isfinite(p->lower[j]) ? -p->lower[j] : FAR)[j] = -1;
        new_inequality(l, isfinite(p->upper[j]) ? p->upper[j] : FAR)[j] = 1;
    }
}

static void add_rows(lifted *l) {
    const combined *p = l->p;
    for (int i = 0; i < p->rows; i++) {
        const double *row = p->C + i * p->d;
        const bool equal = p->row_lower[i] == p->row_upper[i];
        if (equal && i >= p->rows - p->redundant) continue;
        quad *at[2] = {equal ? l->E[l->equalities++] : NULL, NULL};
        if (!equal && isfinite(p->row_upper[i])) at[0] = new_inequality(l, p->row_upper[i]);
        if (!equal && isfinite(p->row_lower[i])) at[1] = new_inequality(l, -p->row_lower[i]);
        for (int j = 0; j < p->d; j++) {
            if (at[0]) at[0][j] = row[j];
            if (at[1]) at[1][j] = -row[j];
        }
    }
}

/* Whether something depends on the size of x_j. If nothing does, u_j stays where it is, since no minimum of the barrier
 * would hold it. */
static bool has_size(const combined *p, int j) {
    bool found = p->lambda[j] > 0;
    for (int s = 0; s < p->sums; s++) found = found || p->v[s][j] > 0.0;
    return found;
}

static void add_sizes(lifted *l) {
    const combined *p = l->p;
    for (int j = 0; j < p->d; j++) {
        const bool found = has_size(p, j);
        if (!found) l->E[l->equalities++][l->sizes_at + j] = 1;
        for (int sign = -1; found && sign <= 1; sign += 2) {
            quad *g = new_inequality(l, 0);
            g[j] = sign;
            g[l->sizes_at + j] = -1;
        }
    }
    for (int s = 0; s < p->sums; s++) {
        quad *g = new_inequality(l, p->R[s]);
        for (int j = 0; j < p->d; j++) g[l->sizes_at + j] = p->v[s][j];
    }
}

static void add_objective(lifted *l) {
    const combined *p = l->p;
    for (int i = 0; i < p->n; i++) {
        quad row[MAX_VARIABLES] = {0};
        const quad y = (quad)p->y[i] - p->offset[i];
        for (int j = 0; j < p->d; j++) row[j] = p->A[i * p->d + j];
        row[p->d] = p->constant;
        for (int j = 0; j <= p->d; j++) {
            l->c[j] -= 2 * p->weight[i] * y * row[j];
            for (int m = 0; m <= p->d; m++) l->Q[j][m] += 2 * p->weight[i] * row[j] * row[m];
        }
    }
    for (int j = 0; j < p->d; j++) {
        l->Q[j][j] += 2 * p->ridge[j];
        l->c[l->sizes_at + j] = p->lambda[j];
    }
    if (!p->constant) l->E[l->equalities++][p->d] = 1;
}

static void lift(lifted *l, const combined *p) {
    memset(l, 0, sizeof *l);
    l->p = p;
    l->sizes_at = p->d + 1;
    l->norms_at = 2 * p->d + 1;
    for (int j = 0; p->group_R > 0 && j < p->d; j++)
        if (p->group[j] >= l->groups) l->groups = (int)p->group[j] + 1;
    l->size = l->norms_at + l->groups;
    add_bounds(l);
    add_rows(l);
    add_sizes(l);
    if (l->groups > 0) {
        quad *g = new_inequality(l, p->group_R);
        for (int i = 0; i < l->groups; i++) g[l->norms_at + i] = 1;
    }
    add_objective(l);
    l->nu = l->inequalities + 2 * l->groups + (p->ball > 0);
}

/* ---- the barrier ---- */

static quad room_of(const lifted *l, int i, const quad *z) {
    quad room = l->h[i];
    for (int j = 0; j < l->size; j++) room -= l->G[i][j] * z[j];
    return room;
}

static quad ball_room(const lifted *l, const quad *z) {
    quad room = (quad)l->p->ball * l->p->ball;
    for (int j = 0; j < l->p->d; j++) room -= z[j] * z[j];
    return room;
}

static quad group_room(const lifted *l, int g, const quad *z) {
    const quad t = z[l->norms_at + g];
    quad room = t * t;
    for (int j = 0; j < l->p->d; j++)
        if (l->p->group[j] == g) room -= z[j] * z[j];
    return t > 0 ? room : -1;
}

static bool is_inside(const lifted *l, const quad *z) {
    for (int i = 0; i < l->inequalities; i++)
        if (!(room_of(l, i, z) > 0)) return false;
    for (int g = 0; g < l->groups; g++)
        if (!(group_room(l, g, z) > 0)) return false;
    return l->p->ball == 0 || ball_room(l, z) > 0;
}

/* Adds -log(q) for a quadratic room q with the gradient dq and the diagonal second derivative: 2 s_j. */
static void add_curved(const lifted *l, quad q, const quad *dq, const quad *s, quad *gradient,
                       quad H[MAX_VARIABLES][MAX_VARIABLES]) {
    for (int i = 0; i < l->size; i++) {
        gradient[i] -= dq[i] / q;
        H[i][i] -= 2 * s[i] / q;
        for (int j = 0; j < l->size; j++) H[i][j] += dq[i] * dq[j] / (q * q);
    }
}

static void add_ball(const lifted *l, const quad *z, quad *gradient, quad H[MAX_VARIABLES][MAX_VARIABLES]) {
    quad dq[MAX_VARIABLES] = {0}, s[MAX_VARIABLES] = {0};
    for (int j = 0; j < l->p->d; j++) dq[j] = -2 * z[j], s[j] = -1;
    add_curved(l, ball_room(l, z), dq, s, gradient, H);
}

static void add_group(const lifted *l, int g, const quad *z, quad *gradient, quad H[MAX_VARIABLES][MAX_VARIABLES]) {
    quad dq[MAX_VARIABLES] = {0}, s[MAX_VARIABLES] = {0};
    for (int j = 0; j < l->p->d; j++)
        if (l->p->group[j] == g) dq[j] = -2 * z[j], s[j] = -1;
    dq[l->norms_at + g] = 2 * z[l->norms_at + g];
    s[l->norms_at + g] = 1;
    add_curved(l, group_room(l, g, z), dq, s, gradient, H);
}

/* The gradient and the second derivatives of t F + barrier. */
static void differentiate(const lifted *l, quad t, const quad *z, quad *gradient,
                          quad H[MAX_VARIABLES][MAX_VARIABLES]) {
    for (int i = 0; i < l->size; i++) {
        gradient[i] = t * l->c[i];
        for (int j = 0; j < l->size; j++) {
            gradient[i] += t * l->Q[i][j] * z[j];
            H[i][j] = t * l->Q[i][j];
        }
    }
    for (int e = 0; e < l->inequalities; e++) {
        const quad room = room_of(l, e, z);
        for (int i = 0; i < l->size; i++) {
            if (l->G[e][i] == 0) continue;
            gradient[i] += l->G[e][i] / room;
            for (int j = 0; j < l->size; j++)
                if (l->G[e][j] != 0) H[i][j] += l->G[e][i] * l->G[e][j] / (room * room);
        }
    }
    if (l->p->ball > 0) add_ball(l, z, gradient, H);
    for (int g = 0; g < l->groups; g++) add_group(l, g, z, gradient, H);
}

/* ---- Newton's method ---- */

/* Solves M x = r by elimination with row pivots; a pivot that is nothing but rounding leaves its unknown at 0. */
static void eliminate(int size, quad M[MAX_SYSTEM][MAX_SYSTEM], quad *r) {
    for (int c = 0; c < size; c++) {
        int best = c;
        for (int i = c + 1; i < size; i++)
            if (size_of(M[i][c]) > size_of(M[best][c])) best = i;
        for (int j = 0; j < size; j++) {
            const quad kept = M[c][j];
            M[c][j] = M[best][j], M[best][j] = kept;
        }
        const quad kept = r[c];
        r[c] = r[best], r[best] = kept;
        for (int i = c + 1; i < size; i++) {
            const quad factor = M[c][c] != 0 ? M[i][c] / M[c][c] : 0;
            if (factor == 0) continue;
            for (int j = c; j < size; j++) M[i][j] -= factor * M[c][j];
            r[i] -= factor * r[c];
        }
    }
    for (int i = size - 1; i >= 0; i--) {
        for (int j = i + 1; j < size; j++) r[i] -= M[i][j] * r[j];
        r[i] = M[i][i] != 0 ? r[i] / M[i][i] : 0;
    }
}

/* The step of Newton's method, in units in which the second derivatives have a diagonal of ones; returns the square of
 * the decrement. */
static quad find_step(const lifted *l, quad t, const quad *z, quad *step) {
    static quad M[MAX_SYSTEM][MAX_SYSTEM];
    quad gradient[MAX_VARIABLES], H[MAX_VARIABLES][MAX_VARIABLES], unit[MAX_VARIABLES], r[MAX_SYSTEM] = {0}, sum = 0;
    differentiate(l, t, z, gradient, H);
    memset(M, 0, sizeof M);
    for (int i = 0; i < l->size; i++) unit[i] = H[i][i] > 0 ? 1 / quad_sqrt(H[i][i]) : 1;
    for (int i = 0; i < l->size; i++) {
        r[i] = -gradient[i] * unit[i];
        for (int j = 0; j < l->size; j++) M[i][j] = H[i][j] * unit[i] * unit[j];
        M[i][i] += (quad)1e-24;
        for (int e = 0; e < l->equalities; e++) M[i][l->size + e] = M[l->size + e][i] = l->E[e][i] * unit[i];
    }
    eliminate(l->size + l->equalities, M, r);
    for (int i = 0; i < l->size; i++) {
        step[i] = r[i] * unit[i];
        sum -= step[i] * gradient[i];
    }
    return sum;
}

/* Moves z to the centre for this t. */
static bool centre(const lifted *l, quad t, quad *z) {
    enum { MAX_STEPS = 200 };
    quad last = -1;
    for (int i = 0; i < MAX_STEPS; i++) {
        quad step[MAX_VARIABLES], trial[MAX_VARIABLES];
        const quad decrement2 = find_step(l, t, z, step);
        if (decrement2 < (quad)1e-12 || (last >= 0 && last < (quad)1e-4 && decrement2 >= last))
            return decrement2 < (quad)1e-3;
        last = decrement2;
        quad length = decrement2 > (quad)0.06 ? 1 / (1 + quad_sqrt(decrement2)) : 1;
        for (int half = 0; half < 200; half++, length /= 2) {
            for (int j = 0; j < l->size; j++) trial[j] = z[j] + length * step[j];
            if (is_inside(l, trial)) break;
        }
        memcpy(z, trial, sizeof trial);
    }
    return false;
}

static void start(const lifted *l, quad *z) {
    const combined *p = l->p;
    quad room = 1;
    memset(z, 0, MAX_VARIABLES * sizeof *z);
    for (int j = 0; j < p->d; j++) z[j] = p->inside[j];
    for (int tries = 0; tries < 200; tries++, room /= 2) { /* sizes just large enough to be inside of all sums */
        for (int j = 0; j < p->d; j++) z[l->sizes_at + j] = size_of(z[j]) + room;
        for (int g = 0; g < l->groups; g++) {
            quad sum = 0;
            for (int j = 0; j < p->d; j++) sum += p->group[j] == g ? z[j] * z[j] : 0;
            z[l->norms_at + g] = quad_sqrt(sum) + room;
        }
        if (is_inside(l, z)) return;
    }
}

bool combined_bracket(const combined *p, quad *lowest, quad *highest) {
    static lifted l;
    quad z[MAX_VARIABLES];
    lift(&l, p);
    start(&l, z);
    if (!is_inside(&l, z)) return false;
    quad t = l.nu / combined_value(p, z, z[p->d]);
    for (int i = 0; i < 200; i++, t *= 32) {
        if (!centre(&l, t, z)) return false;
        *highest = combined_value(p, z, z[p->d]);
        *lowest = *highest - 2 * l.nu / t;
        if (2 * l.nu / t <= (quad)1e-17 * *highest) return true;
    }
    return false;
}
