/*
 * Rows lower_i <= <c_i, x> <= upper_i of the problem in double-double. Each has pairs of its own, like the bounds of an
 * entry, after those of the entries. With omega the multiplier over the slack, a row adds omega c_i c_i' to the matrix
 * of the step and its push times c_i to the right side. That would drown the matrix where omega is large, as it is for
 * a row that is met with equality in the end. Of such a stiff row the matrix takes rho c_i c_i' alone, rho about the
 * curvature of a column, and the rest of its multiplier's step is an unknown,
 *
 *     dnu = (omega - rho) <c_i, p> - push,    so that    <c_i, p> - dnu / (omega - rho) = push / (omega - rho).
 */
#include "inner/fine.h"

gpis_dd gpis_fine_row_value(const gpis_fine *f, int64_t t, const gpis_dd *v) {
    const gpis_polyhedron *p = f->lift->p;
    const int64_t i = f->lift->limited[t];
    gpis_dd sum = {0.0, 0.0};
    for (int64_t e = p->first[i]; e < p->first[i + 1]; e++)
        sum = gpis_dd_add(sum, gpis_dd_scale(v[p->column[e]], p->value[e]));
    return sum;
}

void gpis_fine_add_row(const gpis_fine *f, int64_t t, gpis_dd times, gpis_dd *to) {
    const gpis_polyhedron *p = f->lift->p;
    const int64_t i = f->lift->limited[t];
    for (int64_t e = p->first[i]; e < p->first[i + 1]; e++)
        to[p->column[e]] = gpis_dd_add(to[p->column[e]], gpis_dd_scale(times, p->value[e]));
}

/* Adds omega c_t c_t' to the upper triangle of the matrix, which is all that the factor reads. */
static void add_square(gpis_fine *f, int64_t t, gpis_dd omega) {
    const gpis_polyhedron *p = f->lift->p;
    const int64_t i = f->lift->limited[t];
    for (int64_t a = p->first[i]; a < p->first[i + 1]; a++) {
        const gpis_dd left = gpis_dd_scale(omega, p->value[a]);
        for (int64_t b = a; b < p->first[i + 1]; b++) {
            const int64_t at = p->column[a] * f->d + p->column[b];
            const gpis_dd sum = gpis_dd_add((gpis_dd){f->M[at], f->M_low[at]}, gpis_dd_scale(left, p->value[b]));
            f->M[at] = sum.high;
            f->M_low[at] = sum.low;
        }
    }
}

double gpis_fine_row_size(const gpis_fine *f, int64_t t) {
    const gpis_polyhedron *p = f->lift->p;
    const int64_t i = f->lift->limited[t];
    double sum = 0.0;
    for (int64_t e = p->first[i]; e < p->first[i + 1]; e++) sum += fabs(p->value[e]) * f->near[p->column[e]];
    return sum;
}

void gpis_fine_take_row(gpis_fine *f, int64_t t, gpis_dd omega) {
    static const double MANY_TIMES = 2.0;
    const double size = f->near[f->d + t], rho = 1.0 / (size * size);
    f->stiff_at[t] = -1;
    if (!(omega.high > MANY_TIMES * rho)) {
        add_square(f, t, omega);
        return;
    }
    add_square(f, t, gpis_dd_of(rho));
    f->give[f->equalities + f->stiff] = gpis_dd_divide(gpis_dd_of(1.0), gpis_dd_subtract(omega, gpis_dd_of(rho)));
    f->stiff_at[t] = f->stiff;
    f->stiff_row[f->stiff++] = t;
}

/* Of a stiff row the sum would have lost the digits that matter, since omega multiplies it. */
gpis_dd gpis_fine_row_growth(const gpis_fine *f, int64_t t) {
    const int64_t r = f->equalities + f->stiff_at[t];
    if (f->stiff_at[t] < 0) return gpis_fine_row_value(f, t, f->p);
    return gpis_dd_add(f->pull[r], gpis_dd_multiply(f->give[r], f->dnu[r]));
}

void gpis_fine_push_row(gpis_fine *f, int64_t t, gpis_dd push, gpis_dd *side) {
    const int64_t r = f->equalities + f->stiff_at[t];
    if (f->stiff_at[t] < 0)
        gpis_fine_add_row(f, t, push, side);
    else
        f->pull[r] = gpis_dd_multiply(push, f->give[r]);
}
