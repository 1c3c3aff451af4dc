/* A gradient that is pushed until its signs are certain in spite of rounding errors. Everything is in units of the
 * columns: T = D^-1 A'A D^-1, p_ = D p, g_ = D^-1 g. */
#include "certificate/interior.h"

#include <cblas.h>
#include <float.h>
#include <math.h>

#include "linalg/rounding.h"

/* One column of x at a time; d entries each. */
typedef struct push {
    double *sign;                    /* +1: a wall below entry j; -1: above; 0: a column of zeros */
    double *p, *q;                   /* p_, and T p_ */
    double *residual, *along, *work; /* of the conjugate gradients */
    double *distance;                /* from x to the wall */
} push;

/* out = T v: the product with the matrix of the model, less its shift and less UU' of its null vectors. */
static void apply(const gpis_model *m, const double *v, double *work, double *out) {
    const int d = (int)m->d;
    for (int j = 0; j < d; j++) work[j] = v[j] * m->scale[j];
    gpis_model_apply(m, 1, work, out);
    for (int64_t i = 0; i < m->nulls; i++)
        cblas_daxpy(d, -cblas_ddot(d, m->U + i * d, 1, work, 1), m->U + i * d, 1, out, 1);
    for (int j = 0; j < d; j++)
        out[j] = (out[j] - m->H[(int64_t)j * (d + 1)] * m->shift / (1.0 + m->shift) * work[j]) * m->scale[j];
}

/* An upper bound on the error of a computed entry of T p_. */
static double product_error(const gpis_model *m, const double *p) {
    return (m->roundings + 4.0 * (double)m->d + 8.0) * GPIS_UNIT * (1.0 + m->shift) * cblas_dasum((int)m->d, p, 1);
}

/* The smallest sign_j (T p_)_j over all columns that are not zero. */
static double least_push(const gpis_model *m, const push *w) {
    double least = INFINITY;
    for (int64_t j = 0; j < m->d; j++)
        if (w->sign[j] != 0.0) least = fmin(least, w->sign[j] * w->q[j]);
    return least;
}

/* Finds p_ with T p_ close to `sign`: solves (T + ridge) p_ = sign by conjugate gradients, which end as soon as all
 * signs are certain. Returns least_push. */
static double find_push(const gpis_model *m, push *w) {
    enum { MAX_STEPS = 200 };
    static const double RIDGE = 1e-4;   /* keeps p_ moderate where T is singular */
    static const double CERTAIN = 0.25; /* an entry this large, of 1, is far above rounding errors */
    const int d = (int)m->d;
    for (int j = 0; j < d; j++) w->p[j] = w->q[j] = 0.0, w->residual[j] = w->along[j] = w->sign[j];
    double norm2 = cblas_ddot(d, w->residual, 1, w->residual, 1), least = 0.0;
    for (int i = 0; i < MAX_STEPS && least < CERTAIN && norm2 > DBL_EPSILON * DBL_EPSILON; i++) {
        double *product = w->q;
        apply(m, w->along, w->work, product);
        cblas_daxpy(d, RIDGE, w->along, 1, product, 1);
        const double step = norm2 / cblas_ddot(d, w->along, 1, product, 1), before = norm2;
        cblas_daxpy(d, step, w->along, 1, w->p, 1);
        cblas_daxpy(d, -step, product, 1, w->residual, 1);
        norm2 = cblas_ddot(d, w->residual, 1, w->residual, 1);
        for (int j = 0; j < d; j++) w->along[j] = w->residual[j] + norm2 / before * w->along[j];
        for (int j = 0; j < d; j++) w->q[j] = w->sign[j] - w->residual[j] - RIDGE * w->p[j];
        least = least_push(m, w);
    }
    apply(m, w->p, w->work, w->q);
    return least_push(m, w);
}

/* The wall of each entry: the one that s has reached or, if it has reached none, one that exists. Returns false if an
 * entry has none. */
static bool find_walls(const gpis_set *set, const gpis_point *point, const double *s, int64_t c, push *w) {
    for (int64_t j = 0; j < set->d; j++) {
        const int64_t i = j * set->k + c;
        double lo, hi;
        set->class->bounds(set, j, &lo, &hi);
        const bool up = s[i] == hi || isinf(lo);
        const double wall = up ? hi : lo;
        w->sign[j] = up ? -1.0 : 1.0;
        w->distance[j] = fabs(point->x[i] - wall);
        if (point->norms2[j] > 0.0) {
            if (isinf(wall)) return false;
            continue;
        }
        w->sign[j] = 0.0;
        if (point->g[i] != 0.0) return false;
    }
    return true;
}

/*
 * With m what rounding can have done to an entry of g_, and w to one of T p_, eps is the least for which every
 * sign_j g_j + eps sign_j (T p_)_j is at least m + eps w. Then |L_j| <= ||a_j|| (sign_j g_j + eps sign_j (T p_)_j + m +
 * eps w).
 */
static double column_bound(const gpis_set *set, const gpis_point *point, const gpis_model *model, int64_t c, push *w) {
    const int64_t d = set->d, k = set->k;
    const double m = point->errors.residual + point->errors.product;
    const double least = find_push(model, w), off = product_error(model, w->p);
    double eps = 0.0, linear = 0.0, square = 0.0;
    if (!(least > 2.0 * off)) return INFINITY;
    for (int64_t j = 0; j < d; j++)
        if (w->sign[j] != 0.0)
            eps = fmax(eps, (m - w->sign[j] * point->g[j * k + c] * model->scale[j]) / (w->sign[j] * w->q[j] - off));
    eps *= 1.0 + 8.0 * DBL_EPSILON;
    for (int64_t j = 0; j < d; j++) {
        const double L = w->sign[j] * (point->g[j * k + c] * model->scale[j] + eps * w->q[j]) + m + eps * off;
        if (w->sign[j] != 0.0) linear += L / model->scale[j] * w->distance[j];
        square += fabs(w->p[j]) * (fabs(w->q[j]) + off);
    }
    return (2.0 * linear + eps * eps * square) * (1.0 + ((double)d + 16.0) * GPIS_UNIT);
}

gpis_status gpis_interior_bound(gpis_context *context, const gpis_set *set, const gpis_point *point,
                                const gpis_model *model, const double *s, double *bound) {
    push w;
    double **field[] = {&w.sign, &w.p, &w.q, &w.residual, &w.along, &w.work, &w.distance};
    enum { FIELDS = sizeof field / sizeof *field };
    *bound = INFINITY;
    if (!set->class->bounds) return GPIS_OK;
    double *memory = gpis_alloc(context, FIELDS * set->d, sizeof *memory), sum = 0.0;
    if (!memory) return GPIS_NO_MEMORY;
    for (int i = 0; i < FIELDS; i++) *field[i] = memory + i * set->d;
    for (int64_t c = 0; c < set->k && isfinite(sum); c++)
        sum += find_walls(set, point, s, c, &w) ? column_bound(set, point, model, c, &w) : INFINITY;
    *bound = sum;
    gpis_free(context, memory);
    return GPIS_OK;
}
