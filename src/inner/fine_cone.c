/* The cones t > ||z_g|| of groups in double-double. The formulas are those of barrier_cone.c. */
#include <math.h>

#include "inner/fine.h"

/* The entries of group c. */
static int64_t begin(const gpis_fine *f, int64_t c) { return f->flat->first[c]; }
static int64_t end(const gpis_fine *f, int64_t c) { return f->flat->first[c + 1]; }

static gpis_dd dot_of(const gpis_fine *f, int64_t c, const gpis_dd *v, const gpis_dd *w) {
    gpis_dd sum = {0.0, 0.0};
    for (int64_t i = begin(f, c); i < end(f, c); i++) {
        const int64_t j = f->flat->member[i];
        sum = gpis_dd_add(sum, gpis_dd_multiply(v[j], w[j]));
    }
    return sum;
}

gpis_dd gpis_fine_norm2(const gpis_fine *f, int64_t c, const gpis_dd *v) { return dot_of(f, c, v, v); }

gpis_dd gpis_fine_multiplier_of_norms(const gpis_fine *f, int64_t s) {
    gpis_dd most = {0.0, 0.0};
    for (int64_t c = 0; c < f->flat->groups; c++) {
        if (f->flat->group_sum[c] != s) continue;
        const gpis_dd norm = gpis_dd_sqrt(gpis_fine_norm2(f, c, f->y));
        const gpis_dd outwards = gpis_dd_add(norm, gpis_dd_of(((double)f->d + 8.0) * GPIS_DD_UNIT * norm.high));
        if (gpis_dd_subtract(outwards, most).high > 0.0) most = outwards;
    }
    return most;
}

/* t^2 - ||v||^2, from the factors of the difference. */
static gpis_dd determinant(const gpis_fine *f, int64_t c, gpis_dd t, const gpis_dd *v) {
    const gpis_dd norm = gpis_dd_sqrt(dot_of(f, c, v, v));
    return gpis_dd_multiply(gpis_dd_subtract(t, norm), gpis_dd_add(t, norm));
}

/* (*head, v) := W (*head, v), or with sign -1 W^-1. */
static void scale(const gpis_fine *f, int64_t c, double sign, gpis_dd *head, gpis_dd *v) {
    const gpis_fine_cone *cone = f->cones + c;
    const gpis_dd along = dot_of(f, c, f->w, v), one = gpis_dd_of(1.0);
    const gpis_dd factor = sign > 0.0 ? cone->eta : gpis_dd_divide(one, cone->eta);
    const gpis_dd more = gpis_dd_add(gpis_dd_scale(*head, sign), gpis_dd_divide(along, gpis_dd_add(one, cone->w)));
    for (int64_t i = begin(f, c); i < end(f, c); i++) {
        const int64_t j = f->flat->member[i];
        v[j] = gpis_dd_multiply(factor, gpis_dd_add(v[j], gpis_dd_multiply(f->w[j], more)));
    }
    *head = gpis_dd_multiply(factor, gpis_dd_add(gpis_dd_multiply(cone->w, *head), gpis_dd_scale(along, sign)));
}

static void scale_cone(gpis_fine *f, int64_t c) {
    gpis_fine_cone *cone = f->cones + c;
    const gpis_dd v = gpis_dd_sqrt(determinant(f, c, cone->t, f->z)), one = gpis_dd_of(1.0);
    const gpis_dd y = gpis_dd_sqrt(determinant(f, c, cone->y, f->y));
    const gpis_dd inner = gpis_dd_add(gpis_dd_multiply(cone->t, cone->y), dot_of(f, c, f->z, f->y));
    gpis_dd product = gpis_dd_divide(gpis_dd_divide(inner, v), y); /* at least 1 */
    if (!(product.high >= 1.0)) product = one;
    const gpis_dd twice = gpis_dd_scale(gpis_dd_sqrt(gpis_dd_scale(gpis_dd_add(one, product), 0.5)), 2.0);
    cone->size2 = gpis_dd_of(0.0);
    cone->eta = gpis_dd_sqrt(gpis_dd_divide(v, y));
    for (int64_t i = begin(f, c); i < end(f, c); i++) {
        const int64_t j = f->flat->member[i];
        const gpis_dd difference = gpis_dd_subtract(gpis_dd_divide(f->z[j], v), gpis_dd_divide(f->y[j], y));
        f->w[j] = gpis_dd_divide(difference, twice);
        f->lambda[j] = f->y[j];
        cone->size2 = gpis_dd_add(cone->size2, gpis_dd_multiply(f->w[j], f->w[j]));
    }
    cone->w = gpis_dd_sqrt(gpis_dd_add(one, cone->size2));
    cone->lambda = cone->y;
    scale(f, c, 1.0, &cone->lambda, f->lambda);
}

void gpis_fine_scale_cones(gpis_fine *f) {
    for (int64_t c = 0; c < f->flat->groups; c++) scale_cone(f, c);
}

/* (*head, v) := the x with lambda o x = (*head, v), where a o b = (<a, b>, a_0 b_1 + b_0 a_1). */
static void divide(const gpis_fine *f, int64_t c, gpis_dd *head, gpis_dd *v) {
    const gpis_fine_cone *cone = f->cones + c;
    const gpis_dd inside = determinant(f, c, cone->lambda, f->lambda);
    const gpis_dd top = gpis_dd_subtract(gpis_dd_multiply(cone->lambda, *head), dot_of(f, c, f->lambda, v));
    const gpis_dd first = gpis_dd_divide(top, inside);
    for (int64_t i = begin(f, c); i < end(f, c); i++) {
        const int64_t j = f->flat->member[i];
        v[j] = gpis_dd_divide(gpis_dd_subtract(v[j], gpis_dd_multiply(first, f->lambda[j])), cone->lambda);
    }
    *head = first;
}

void gpis_fine_cone_sides(gpis_fine *f, gpis_dd mu, bool correct) {
    for (int64_t c = 0; c < f->flat->groups; c++) {
        gpis_fine_cone *cone = f->cones + c;
        const gpis_dd square =
            gpis_dd_add(gpis_dd_multiply(cone->lambda, cone->lambda), dot_of(f, c, f->lambda, f->lambda));
        cone->right = gpis_dd_subtract(mu, square);
        if (correct) cone->right = gpis_dd_subtract(cone->right, cone->second);
        for (int64_t i = begin(f, c); i < end(f, c); i++) {
            const int64_t j = f->flat->member[i];
            f->right[j] = gpis_dd_scale(gpis_dd_multiply(cone->lambda, f->lambda[j]), -2.0);
            if (correct) f->right[j] = gpis_dd_subtract(f->right[j], f->second[j]);
        }
        divide(f, c, &cone->right, f->right);
        scale(f, c, -1.0, &cone->right, f->right);
    }
}

/* dy = right - W^-2 dv, and the product of W^-1 dv and W dy. */
static void find_dual(gpis_fine *f, int64_t c, bool keep) {
    gpis_fine_cone *cone = f->cones + c;
    const int64_t *member = f->flat->member;
    gpis_dd head = cone->dt;
    for (int64_t i = begin(f, c); i < end(f, c); i++) f->u[member[i]] = f->p[member[i]];
    scale(f, c, -1.0, &head, f->u);
    for (int64_t i = begin(f, c); i < end(f, c); i++) f->v[member[i]] = f->u[member[i]];
    const gpis_dd scaled = head;
    scale(f, c, -1.0, &head, f->u);
    cone->dy = gpis_dd_subtract(cone->right, head);
    for (int64_t i = begin(f, c); i < end(f, c); i++)
        f->dy[member[i]] = gpis_dd_subtract(f->right[member[i]], f->u[member[i]]);
    if (!keep) return;
    gpis_dd dy = cone->dy;
    for (int64_t i = begin(f, c); i < end(f, c); i++) f->u[member[i]] = f->dy[member[i]];
    scale(f, c, 1.0, &dy, f->u);
    cone->second = gpis_dd_add(gpis_dd_multiply(scaled, dy), dot_of(f, c, f->v, f->u));
    for (int64_t i = begin(f, c); i < end(f, c); i++) {
        const int64_t j = member[i];
        f->second[j] = gpis_dd_add(gpis_dd_multiply(scaled, f->u[j]), gpis_dd_multiply(dy, f->v[j]));
    }
}

void gpis_fine_cone_duals(gpis_fine *f, bool keep) {
    for (int64_t c = 0; c < f->flat->groups; c++) find_dual(f, c, keep);
}

/* The longest step for which (t, v) + step (dt, dv) stays in the cone. */
static double reach(const gpis_fine *f, int64_t c, gpis_dd t, const gpis_dd *v, gpis_dd dt, const gpis_dd *dv) {
    const double inside = determinant(f, c, t, v).high, A = determinant(f, c, dt, dv).high;
    const double half = gpis_dd_subtract(gpis_dd_multiply(t, dt), dot_of(f, c, v, dv)).high;
    const double square = half * half - A * inside;
    const double below = square >= 0.0 ? sqrt(square) - half : 0.0;
    return below > 0.0 ? inside / below : INFINITY;
}

double gpis_fine_cone_reach(const gpis_fine *f, double most) {
    for (int64_t c = 0; c < f->flat->groups; c++) {
        const gpis_fine_cone *cone = f->cones + c;
        most = fmin(most, reach(f, c, cone->t, f->z, cone->dt, f->p));
        most = fmin(most, reach(f, c, cone->y, f->y, cone->dy, f->dy));
    }
    return most;
}

/* a + step da. */
static gpis_dd moved(gpis_dd a, double step, gpis_dd da) { return gpis_dd_add(a, gpis_dd_scale(da, step)); }

gpis_dd gpis_fine_cone_gap(const gpis_fine *f, double step) {
    gpis_dd gap = {0.0, 0.0};
    for (int64_t c = 0; c < f->flat->groups; c++) {
        const gpis_fine_cone *cone = f->cones + c;
        const gpis_dd first = gpis_dd_multiply(moved(cone->t, step, cone->dt), moved(cone->y, step, cone->dy));
        gap = gpis_dd_add(gap, first);
        for (int64_t i = begin(f, c); i < end(f, c); i++) {
            const int64_t j = f->flat->member[i];
            const gpis_dd product = gpis_dd_multiply(moved(f->z[j], step, f->p[j]), moved(f->y[j], step, f->dy[j]));
            gap = gpis_dd_add(gap, product);
        }
    }
    return gap;
}
