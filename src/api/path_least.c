/*
 * The least radius at which the objective has fallen as far as it can, where the answer without the set is not unique:
 * that of columns that depend on each other, or of fewer rows than columns. Of all these answers the solver has found
 * one, and others may have smaller radii.
 *
 * For F(R), the least objective over the set of radius R, and its least value F*, the root of F(R) - F* is a convex
 * function of R, since F - F* = ||A (x - x*)||^2 for any minimiser x*. It falls to 0 at the radius that is sought, in
 * general with a slope there. So a line through two of its points leads to a radius that is not yet too large, and
 * such lines lead there in a few steps. With a penalty the root need not be
 * convex, and the radius is only near the least one.
 */
#include <math.h>
#include <string.h>

#include "api/path.h"

typedef struct radius_search {
    gpis_path_part *part;
    double *x;         /* the answer of the last radius, from which the next solve begins */
    double least;      /* F*, */
    double noise;      /* and its error */
    double in, out;    /* F is F* at `in`, and more at `out` */
    double root;       /* at `out` */
    double far, above; /* a smaller radius, and the root there; far < 0: none yet */
} radius_search;

static gpis_status solve_radius(radius_search *s, double R, gpis_fit_value *value) {
    gpis_path_part *part = s->part;
    gpis_fit_set set = {0};
    gpis_status status = gpis_path_part_growing(part, R, &set);
    const bool empty = status == GPIS_BAD_SET;
    *value = (gpis_fit_value){.objective = INFINITY};
    if (status == GPIS_OK) status = gpis_fit_solve(part->fit, &set, s->x, value);
    part->sets.destroy(part->sets.user, &set);
    return empty ? GPIS_OK : status;
}

/* Solves for R, and moves `in` or `out` there. */
static gpis_status look(radius_search *s, double R) {
    static const double SAME = 1e-11;
    gpis_fit_value value;
    const gpis_status status = solve_radius(s, R, &value);
    if (status != GPIS_OK) return status;
    if (value.objective - s->least <= SAME * s->least + 4.0 * (value.noise + s->noise)) {
        s->in = R;
        return GPIS_OK;
    }
    s->far = s->out, s->above = s->root;
    s->out = R, s->root = sqrt(value.objective - s->least);
    return GPIS_OK;
}

/* Where the line through the two largest radii that are too small leads; `in` where there is none. */
static double zero_of_line(const radius_search *s) {
    if (!(s->far >= 0.0) || !isfinite(s->above) || !(s->above > s->root)) return s->in;
    return fmin(s->in, s->out + (s->out - s->far) * s->root / (s->above - s->root));
}

static gpis_status search(radius_search *s, double *R) {
    enum { MAX_SOLVES = 60 };
    static const double CLOSE = 1e-9, FALLEN = 1e-7;
    double largest = 0.0, before = INFINITY;
    gpis_status status = look(s, 0.5 * s->in);
    for (int i = 1; status == GPIS_OK && i < MAX_SOLVES; i++) {
        if (isfinite(s->root)) largest = fmax(largest, s->root);
        if (s->in - s->out <= CLOSE * s->in || s->root <= FALLEN * largest) break;
        const double zero = zero_of_line(s);
        const bool slow = s->root > 0.5 * before;
        before = s->root;
        const bool by_line = zero < s->in && !(slow && i % 2);
        status = look(s, by_line ? zero : 0.5 * (s->in + s->out));
        if (by_line && s->in == zero) break; /* no smaller radius is large enough */
    }
    *R = zero_of_line(s);
    return status;
}

gpis_status gpis_path_least_radius(gpis_path_part *part, double *R) {
    gpis_fit *f = part->fit;
    const double tol = f->tol;
    radius_search s = {.part = part, .in = *R, .root = INFINITY, .far = -1.0};
    gpis_fit_value value;
    s.x = gpis_alloc_zero(f->context, f->d * f->k, sizeof *s.x);
    if (!s.x) return GPIS_NO_MEMORY;
    f->tol = 1e-13; /* as far as rounding errors allow */
    gpis_status status = solve_radius(&s, *R, &value);
    s.least = value.objective, s.noise = value.noise;
    if (status == GPIS_OK && isfinite(s.least)) status = search(&s, R);
    f->tol = tol;
    gpis_free(f->context, s.x);
    return status;
}
