/* The grid of a path: the largest value that has an effect, and steps down from it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/path.h"

/* ---- the largest value ---- */

/* Whether x, as the set sees it, is in the set of radius R, up to rounding. */
static gpis_status is_within(gpis_path_part *part, double R, const double *x, bool *within) {
    const gpis_path_call *c = part->call;
    gpis_set *K = NULL;
    double distance = 0.0, size = 0.0;
    char *text = gpis_radius_spec_growing(&c->spec, R);
    gpis_status status = text ? gpis_path_part_set(part, text, &K) : GPIS_NO_MEMORY;
    if (status == GPIS_OK) status = gpis_set_distance(K, x, &distance);
    for (int64_t i = 0; status == GPIS_OK && i < K->d * K->k; i++) size = fmax(size, fabs(x[i]));
    *within = distance <= 1e-12 * size;
    gpis_path_part_drop_set(part);
    gpis_free(c->context, text);
    return status;
}

/* The least R for which x is in the set: it grows with R. */
static gpis_status radius_of(gpis_path_part *part, const double *x, double *R) {
    enum { DOUBLINGS = 1000, HALVINGS = 50 };
    double in = 1.0, out = 0.0;
    bool within = false;
    gpis_status status = is_within(part, in, x, &within);
    for (int i = 0; status == GPIS_OK && !within && i < DOUBLINGS; i++) {
        out = in, in *= 2.0;
        status = is_within(part, in, x, &within);
    }
    for (int i = 0; status == GPIS_OK && out == 0.0 && within && in > 1e-300; i++) {
        status = is_within(part, 0.5 * in, x, &within);
        if (within)
            in *= 0.5;
        else
            out = 0.5 * in;
    }
    for (int i = 0; status == GPIS_OK && i < HALVINGS; i++) {
        const double middle = 0.5 * (in + out);
        status = is_within(part, middle, x, &within);
        if (within)
            in = middle;
        else
            out = middle;
    }
    *R = in;
    return status;
}

/* The answer without the set that has the radius, and the radius that it has. From rows whose Gram matrix does not fit
 * in memory that answer has no bound, at which a solve could end: so many passes are enough to tell where the grid is
 * to begin. */
enum { MAX_PASSES_BY_ROWS = 100 };

static gpis_status largest_radius(gpis_path_call *c, gpis_path_part *part, double *largest) {
    const int64_t d = part->problem.A->d, k = part->problem.k;
    gpis_set *K = NULL;
    char *text = gpis_radius_spec_rest(&c->spec);
    double *x = gpis_alloc_zero(c->context, (d + part->problem.intercept) * k, sizeof *x);
    gpis_status status = text && x ? gpis_path_part_set(part, text, &K) : GPIS_NO_MEMORY;
    gpis_problem one = part->problem;
    gpis_settings settings = c->call.settings;
    gpis_result *result = NULL;
    one.set = K;
    settings.tol = fmax(settings.tol, 1e-8);
    settings.checkpoint = NULL;
    settings.progress = NULL;
    if (!c->data && (settings.max_passes == 0 || settings.max_passes > MAX_PASSES_BY_ROWS))
        settings.max_passes = MAX_PASSES_BY_ROWS;
    if (status == GPIS_OK) status = gpis_solve(&one, &settings, &result);
    if (status == GPIS_OK) memcpy(x, result->x, (size_t)(d * k) * sizeof *x);
    if (status == GPIS_OK && !c->data) c->sweeps += result->sweeps, c->bytes_read += result->bytes_read;
    gpis_result_destroy(result);
    gpis_path_part_drop_set(part);
    for (int64_t i = 0; status == GPIS_OK && part->complete.scale && i < d * k; i++)
        x[i] *= part->complete.scale[i / k];
    if (status == GPIS_OK) status = radius_of(part, x, largest);
    gpis_free(c->context, text);
    gpis_free(c->context, x);
    return status;
}

/* From the gradient at x = 0, with the best constant: no larger penalty has an effect. */
static void largest_penalty(const gpis_path_part *part, double *largest) {
    const gpis_fit *f = part->fit;
    const double *scale = part->complete.scale, *weight = part->problem.penalty;
    const int64_t d = part->problem.A->d;
    *largest = 0.0;
    for (int64_t i = 0; i < d * f->k; i++) {
        const int64_t j = i / f->k, c = i % f->k;
        double g = f->b[i];
        if (f->constant) g -= f->H[j * f->d + d] / f->norms2[d] * f->b[d * f->k + c];
        const double w = (weight ? weight[j] : 1.0) * (scale ? scale[j] : 1.0);
        if (w > 0.0) *largest = fmax(*largest, 2.0 * fabs(g) / w);
    }
}

static gpis_status find_largest(gpis_path_call *c, gpis_path_part *all, double *largest) {
    bool found = false;
    gpis_status status = GPIS_OK;
    if (all->fit) status = gpis_path_walk_largest(all->fit, &all->sets, largest, &found);
    if (status != GPIS_OK || found) return status;
    if (!c->options.penalised) return largest_radius(c, all, largest);
    if (all->fit)
        largest_penalty(all, largest);
    else
        *largest = all->largest_penalty;
    return GPIS_OK;
}

/* ---- steps ---- */

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Penalties fall from the first to the last point, radii rise. */
static void reverse(double *values, int64_t count) {
    for (int64_t i = 0; i < count / 2; i++) {
        const double v = values[i];
        values[i] = values[count - 1 - i];
        values[count - 1 - i] = v;
    }
}

static void fill(const gpis_path_options *o, double largest, int64_t count, double *values) {
    for (int64_t i = 0; i < count; i++) {
        const double t = count > 1 ? (double)i / (double)(count - 1) : 1.0; /* from eps to 1 */
        values[i] = largest * (o->linear ? o->eps + (1.0 - o->eps) * t : pow(o->eps, 1.0 - t));
    }
    values[count - 1] = largest;
}

gpis_status gpis_path_grid(gpis_path_call *c, gpis_path_part *all) {
    const gpis_path_options *o = &c->options;
    double largest = 0.0;
    c->count = o->values ? o->value_count : o->points;
    c->values = gpis_alloc(c->context, c->count, sizeof *c->values);
    if (!c->values) return GPIS_NO_MEMORY;
    if (o->values) {
        memcpy(c->values, o->values, (size_t)c->count * sizeof *c->values);
        qsort(c->values, (size_t)c->count, sizeof *c->values, compare);
    } else {
        const gpis_status status = find_largest(c, all, &largest);
        if (status != GPIS_OK) return status;
        if (!(largest > 0.0 && isfinite(largest)))
            return gpis_fail(c->context, GPIS_BAD_DATA,
                             "the answer is x = 0 for every value of the path: y does not depend on A; or give the "
                             "values");
        fill(o, largest, c->count, c->values);
    }
    if (o->penalised) reverse(c->values, c->count);
    return GPIS_OK;
}
