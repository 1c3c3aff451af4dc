/*
 * The cones t > ||z_g|| of groups, as in barrier.h. With v = (t, z_g), det v = t^2 - ||z_g||^2, and J = diag(1, -I):
 *
 *     eta^2 = sqrt(det v / det y),    (w, w_1) = (v / sqrt(det v) + J y / sqrt(det y)) / (2 c),
 *     c^2 = (1 + <v, y> / sqrt(det v det y)) / 2,    W = eta [w w_1'; w_1 I + w_1 w_1' / (1 + w)].
 */
#include <math.h>

#include "inner/barrier.h"

/* The entries of group c. */
static int64_t begin(const gpis_barrier *b, int64_t c) { return b->flat->first[c]; }
static int64_t end(const gpis_barrier *b, int64_t c) { return b->flat->first[c + 1]; }

static double norm_of(const gpis_barrier *b, int64_t c, const double *v) {
    double sum = 0.0;
    for (int64_t i = begin(b, c); i < end(b, c); i++) sum = hypot(sum, v[b->flat->member[i]]);
    return sum;
}

static double dot_of(const gpis_barrier *b, int64_t c, const double *v, const double *w) {
    double sum = 0.0;
    for (int64_t i = begin(b, c); i < end(b, c); i++) sum += v[b->flat->member[i]] * w[b->flat->member[i]];
    return sum;
}

/* sqrt(t^2 - norm^2), from the factors of the difference. */
static double depth(double t, double norm) { return sqrt(fmax(t - norm, 0.0)) * sqrt(t + norm); }

/* (*head, v) := W (*head, v), or with sign -1 W^-1. */
static void scale(const gpis_barrier *b, int64_t c, double sign, double *head, double *v) {
    const gpis_cone *cone = b->cones + c;
    const double along = dot_of(b, c, b->w, v), factor = sign > 0.0 ? cone->eta : 1.0 / cone->eta;
    const double more = sign * *head + along / (1.0 + cone->w);
    for (int64_t i = begin(b, c); i < end(b, c); i++) {
        const int64_t j = b->flat->member[i];
        v[j] = factor * (v[j] + b->w[j] * more);
    }
    *head = factor * (cone->w * *head + sign * along);
}

static void scale_cone(gpis_barrier *b, int64_t c) {
    gpis_cone *cone = b->cones + c;
    const double v = depth(cone->t, norm_of(b, c, b->z)), y = depth(cone->y, norm_of(b, c, b->y));
    const double product = cone->t / v * (cone->y / y) + dot_of(b, c, b->z, b->y) / v / y;
    const double twice = 2.0 * sqrt(0.5 * (1.0 + fmax(product, 1.0)));
    double size2 = 0.0;
    cone->eta = sqrt(v / y);
    for (int64_t i = begin(b, c); i < end(b, c); i++) {
        const int64_t j = b->flat->member[i];
        b->w[j] = (b->z[j] / v - b->y[j] / y) / twice;
        b->lambda[j] = b->y[j];
        size2 += b->w[j] * b->w[j];
    }
    cone->size = sqrt(size2);
    cone->w = sqrt(1.0 + size2);
    cone->lambda = cone->y;
    scale(b, c, 1.0, &cone->lambda, b->lambda);
}

void gpis_barrier_scale_cones(gpis_barrier *b) {
    for (int64_t c = 0; c < b->flat->groups; c++) scale_cone(b, c);
}

/* (*head, v) := the x with lambda o x = (*head, v), where a o b = (<a, b>, a_0 b_1 + b_0 a_1). */
static void divide(const gpis_barrier *b, int64_t c, double *head, double *v) {
    const gpis_cone *cone = b->cones + c;
    const double inside = depth(cone->lambda, norm_of(b, c, b->lambda));
    const double first = (cone->lambda / inside * *head - dot_of(b, c, b->lambda, v) / inside) / inside;
    for (int64_t i = begin(b, c); i < end(b, c); i++) {
        const int64_t j = b->flat->member[i];
        v[j] = (v[j] - first * b->lambda[j]) / cone->lambda;
    }
    *head = first;
}

void gpis_barrier_cone_sides(gpis_barrier *b, double mu, bool correct) {
    for (int64_t c = 0; c < b->flat->groups; c++) {
        gpis_cone *cone = b->cones + c;
        const double square = cone->lambda * cone->lambda + dot_of(b, c, b->lambda, b->lambda);
        cone->right = mu - square - (correct ? cone->second : 0.0);
        for (int64_t i = begin(b, c); i < end(b, c); i++) {
            const int64_t j = b->flat->member[i];
            b->right[j] = -2.0 * cone->lambda * b->lambda[j] - (correct ? b->second[j] : 0.0);
        }
        divide(b, c, &cone->right, b->right);
        scale(b, c, -1.0, &cone->right, b->right);
    }
}

/* dy = right - W^-2 dv, and the product of W^-1 dv and W dy. */
static void find_dual(gpis_barrier *b, int64_t c, bool keep) {
    gpis_cone *cone = b->cones + c;
    const gpis_flat *f = b->flat;
    double head = cone->dt, scaled = 0.0;
    for (int64_t i = begin(b, c); i < end(b, c); i++) b->v[f->member[i]] = b->p[f->member[i]];
    scale(b, c, -1.0, &head, b->v);
    for (int64_t i = begin(b, c); i < end(b, c); i++) b->Bv[f->member[i]] = b->v[f->member[i]];
    scaled = head;
    scale(b, c, -1.0, &head, b->v);
    cone->dy = cone->right - head;
    for (int64_t i = begin(b, c); i < end(b, c); i++) b->dy[f->member[i]] = b->right[f->member[i]] - b->v[f->member[i]];
    if (!keep) return;
    double dy = cone->dy;
    for (int64_t i = begin(b, c); i < end(b, c); i++) b->v[f->member[i]] = b->dy[f->member[i]];
    scale(b, c, 1.0, &dy, b->v);
    cone->second = scaled * dy + dot_of(b, c, b->Bv, b->v);
    for (int64_t i = begin(b, c); i < end(b, c); i++) {
        const int64_t j = f->member[i];
        b->second[j] = scaled * b->v[j] + dy * b->Bv[j];
    }
}

void gpis_barrier_cone_duals(gpis_barrier *b, bool keep) {
    for (int64_t c = 0; c < b->flat->groups; c++) find_dual(b, c, keep);
}

/* The longest step for which (t, v) + step (dt, dv) stays in the cone. */
static double reach(const gpis_barrier *b, int64_t c, double t, const double *v, double dt, const double *dv) {
    const double norm = norm_of(b, c, v), moved = norm_of(b, c, dv), inside = (t - norm) * (t + norm);
    const double A = (dt - moved) * (dt + moved), half = t * dt - dot_of(b, c, v, dv),
                 square = half * half - A * inside;
    const double below = square >= 0.0 ? sqrt(square) - half : 0.0;
    return below > 0.0 ? inside / below : INFINITY;
}

double gpis_barrier_cone_reach(const gpis_barrier *b, double most) {
    for (int64_t c = 0; c < b->flat->groups; c++) {
        const gpis_cone *cone = b->cones + c;
        most = fmin(most, reach(b, c, cone->t, b->z, cone->dt, b->p));
        most = fmin(most, reach(b, c, cone->y, b->y, cone->dy, b->dy));
    }
    return most;
}

double gpis_barrier_cone_gap(const gpis_barrier *b, double step) {
    double gap = 0.0;
    for (int64_t c = 0; c < b->flat->groups; c++) {
        const gpis_cone *cone = b->cones + c;
        gap += (cone->t + step * cone->dt) * (cone->y + step * cone->dy);
        for (int64_t i = begin(b, c); i < end(b, c); i++) {
            const int64_t j = b->flat->member[i];
            gap += (b->z[j] + step * b->p[j]) * (b->y[j] + step * b->dy[j]);
        }
    }
    return gap;
}
