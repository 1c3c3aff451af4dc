/* The grid of a path: the largest value that has an effect, and steps down from it; and the grids that are refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/path.h"
#include "ranks/ranks.h"

/* ---- the largest value ---- */

/* Makes the set of a text, which is given away here, and drops it again. GPIS_BAD_SET: no x is in it, or it is no text
 * of a set. */
static gpis_status try_set(gpis_path_part *part, char *text) {
    gpis_set *K = NULL;
    const gpis_status status = text ? gpis_path_part_set(part, text, &K) : GPIS_NO_MEMORY;
    gpis_path_part_drop_set(part);
    gpis_free(part->call->context, text);
    return status;
}

/* Once the rest of the text is known to be a set, GPIS_BAD_SET means that the set of a radius is empty, which is an
 * answer. What is wrong with the rest is said of the whole, with some radius. */
static gpis_status check_rest(gpis_path_part *part) {
    const gpis_radius_spec *spec = &part->call->spec;
    const gpis_status status = try_set(part, gpis_radius_spec_rest(spec));
    if (status != GPIS_BAD_SET) return status;
    const gpis_status whole = try_set(part, gpis_radius_spec_text(spec, 1.0));
    return whole == GPIS_OK ? status : whole;
}

/* Whether x, as the set sees it, is in the set of radius R, up to rounding; with a penalty in the place of a radius, in
 * the caller's set. */
static gpis_status is_within(gpis_path_part *part, double R, const double *x, bool *within) {
    const gpis_path_call *c = part->call;
    gpis_set *K = NULL;
    double distance = 0.0, size = 0.0;
    char *text = c->options.penalised ? NULL : gpis_radius_spec_growing(&c->spec, R);
    gpis_status status = text || c->options.penalised ? gpis_path_part_set(part, text, &K) : GPIS_NO_MEMORY;
    const bool empty = status == GPIS_BAD_SET;
    if (status == GPIS_OK) status = gpis_set_distance(K, x, &distance);
    for (int64_t i = 0; status == GPIS_OK && i < K->d * K->k; i++) size = fmax(size, fabs(x[i]));
    *within = !empty && distance <= 1e-12 * size;
    gpis_path_part_drop_set(part);
    gpis_free(c->context, text);
    return empty ? GPIS_OK : status;
}

/* The least R for which x is in the set, which grows with R; 0 if that is no more than LEAST. */
static gpis_status radius_of(gpis_path_part *part, const double *x, double *R) {
    enum { DOUBLINGS = 1000, HALVINGS = 50 };
    static const double LEAST = 1e-300;
    double in = 1.0, out = 0.0;
    bool within = false;
    gpis_status status = is_within(part, in, x, &within);
    for (int i = 0; status == GPIS_OK && !within && i < DOUBLINGS; i++) {
        out = in, in *= 2.0;
        status = is_within(part, in, x, &within);
    }
    if (status == GPIS_OK && !within) return try_set(part, gpis_radius_spec_text(&part->call->spec, 1.0));
    for (int i = 0; status == GPIS_OK && out == 0.0 && within && in > LEAST; i++) {
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
    *R = in > LEAST ? in : 0.0;
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
    if (status == GPIS_OK) status = gpis_path_solve_problem(&one, &settings, &result);
    if (status == GPIS_OK) memcpy(x, result->x, (size_t)(d * k) * sizeof *x);
    const bool unique = status == GPIS_OK && result->unique == 1;
    if (status == GPIS_OK && !c->data) c->sweeps += result->sweeps, c->bytes_read += result->bytes_read;
    gpis_result_destroy(result);
    gpis_path_part_drop_set(part);
    for (int64_t i = 0; status == GPIS_OK && part->complete.scale && i < d * k; i++)
        x[i] *= part->complete.scale[i / k];
    if (status == GPIS_OK) status = radius_of(part, x, largest);
    if (status == GPIS_OK && part->fit && !unique && *largest > 0.0) status = gpis_path_least_radius(part, largest);
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
    gpis_status status = c->options.penalised ? GPIS_OK : check_rest(all);
    if (status == GPIS_OK && all->fit) status = gpis_path_walk_largest(all->fit, &all->sets, largest, &found);
    if (status != GPIS_OK || found) return status;
    if (!c->options.penalised) return largest_radius(c, all, largest);
    if (all->fit)
        largest_penalty(all, largest);
    else
        *largest = all->largest_penalty;
    return GPIS_OK;
}

/* ---- grids that would say nothing ---- */

/* Whether x = 0 fits exactly: y, less its offset, is 0 or, with an intercept, does not vary. A summary does not know
 * it, since rounding errors hide it; and no rank knows all rows. */
static bool zero_is_exact(const gpis_problem *p) {
    if (p->summary || gpis_ranks_count(p->A) > 1) return false;
    for (int64_t c = 0; c < p->k; c++) {
        bool begun = !p->intercept;
        double level = 0.0;
        for (int64_t i = 0; i < p->n; i++) {
            const double y = p->Y[i * p->k + c] - (p->offset ? p->offset[i * p->k + c] : 0.0);
            if (p->weights && p->weights[i] == 0.0) continue;
            if (!begun) level = y;
            begun = true;
            if (y != level) return false;
        }
    }
    return true;
}

static gpis_status check_effect(const gpis_path_call *c, gpis_path_part *all, double largest) {
    const int64_t size = all->problem.A->d * all->problem.k;
    bool zero = zero_is_exact(c->given);
    gpis_status status = GPIS_OK;
    if (zero && largest > 0.0) { /* and x = 0 is in the set */
        double *x = gpis_alloc_zero(c->context, size, sizeof *x);
        status = x ? is_within(all, largest, x, &zero) : GPIS_NO_MEMORY;
        gpis_free(c->context, x);
    }
    if (status != GPIS_OK || (largest > 0.0 && isfinite(largest) && !zero)) return status;
    return gpis_fail(c->context, GPIS_BAD_DATA,
                     "no value of the path has an effect: %s; give the values to solve for some all the same",
                     zero || c->options.penalised ? "the answer is x = 0 for all of them"
                                                  : "the answer is the same for all of them");
}

/* The set of the least radius may be empty, as that of `l1 & box:1,2` is: then the least radius is told for which it is
 * not. Radii between that and the largest are fine, since the sets are convex in (x, R). */
static gpis_status check_least(const gpis_path_call *c, gpis_path_part *all, double largest) {
    enum { HALVINGS = 30 };
    double in = largest, out = c->values[0];
    gpis_status status = try_set(all, gpis_radius_spec_text(&c->spec, out));
    if (status != GPIS_BAD_SET) return status;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = 0.5 * (in + out);
        status = try_set(all, gpis_radius_spec_text(&c->spec, middle));
        if (status != GPIS_OK && status != GPIS_BAD_SET) return status;
        if (status == GPIS_OK)
            in = middle;
        else
            out = middle;
    }
    if (in >= largest * (1.0 - 1e-6))
        return gpis_fail(c->context, GPIS_BAD_SET,
                         "set %.150s: no x is in it for a radius below %.6g, and none above has an effect; give the "
                         "values",
                         c->spec.text, in);
    return gpis_fail(c->context, GPIS_BAD_SET,
                     "set %.150s: no x is in it for a radius below %.6g, and the largest that has an effect is %.6g; "
                     "raise the least one (option eps) to %.3g of that, or give the values",
                     c->spec.text, in, largest, ceil(in / largest * 1000.0) / 1000.0);
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
        gpis_status status = find_largest(c, all, &largest);
        if (status == GPIS_OK) status = check_effect(c, all, largest);
        if (status != GPIS_OK) return status;
        fill(o, largest, c->count, c->values);
        if (!o->penalised) status = check_least(c, all, largest);
        if (status != GPIS_OK) return status;
        c->context->message[0] = '\0'; /* of sets that were tried */
    }
    if (o->penalised) reverse(c->values, c->count);
    return GPIS_OK;
}
