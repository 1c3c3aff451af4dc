/* The rows of a part, the sets of its values, and its points. */
#include <math.h>
#include <string.h>

#include "api/path.h"
#include "api/text.h"
#include "set/extend.h"
#include "set/read.h"

/* ---- sets ---- */

void gpis_path_part_drop_set(gpis_path_part *part) {
    gpis_set_destroy(part->met);
    gpis_set_destroy(part->parsed);
    part->met = part->parsed = NULL;
}

gpis_status gpis_path_part_set(gpis_path_part *part, const char *text, gpis_set **out) {
    const gpis_problem *p = &part->problem;
    const gpis_columns columns = gpis_text_columns(p);
    gpis_status status = GPIS_OK;
    if (text) status = gpis_set_read(p->context, text, &columns, p->k, &part->parsed);
    if (!text && !p->set) status = gpis_set_read(p->context, "none", &columns, p->k, &part->parsed);
    if (status == GPIS_OK && part->parsed && p->set) {
        gpis_set *const both[] = {part->parsed, p->set};
        status = gpis_set_intersection(p->context, 2, both, &part->met);
    }
    *out = part->met ? part->met : part->parsed ? part->parsed : p->set;
    return status;
}

/* Whether points of the path have a penalty: the one that the path is of, or that of the problem. */
static bool has_penalty(const gpis_path_part *part) { return part->call->options.penalised || part->problem.penalty; }

/* The penalty of a point for the rows of the part, A->d numbers; NULL when there is no memory. A path of penalties has
 * that of the problem times the value, a path of radii that of the problem. `scale`: the entries are those that the set
 * sees, scale_j x_j; NULL: they are x_j. */
static double *make_penalty(const gpis_path_part *part, double value, const double *scale) {
    const gpis_problem *p = &part->problem;
    const double factor = part->share * (part->call->options.penalised ? value : 1.0);
    double *penalty = gpis_alloc(p->context, p->A->d, sizeof *penalty);
    for (int64_t j = 0; penalty && j < p->A->d; j++)
        penalty[j] = factor * (p->penalty ? p->penalty[j] : 1.0) * (scale ? scale[j] : 1.0);
    return penalty;
}

/* The set of a value without and with the constant. */
static gpis_status extend(gpis_path_part *part, gpis_set *K, const double *penalty, gpis_fit_set *out) {
    gpis_context *context = part->problem.context;
    const double *scale = K->shape == GPIS_SHAPE_WHOLE ? NULL : part->complete.scale;
    const gpis_extension core = {.scale = scale, .penalty = penalty},
                         all = {.constant = true, .scale = scale, .penalty = penalty};
    gpis_status status = GPIS_OK;
    out->core = out->all = K;
    if (scale || penalty) status = gpis_set_extend(context, K, &core, &out->core);
    if (status != GPIS_OK) out->core = K;
    out->all = out->core;
    if (status == GPIS_OK && part->problem.intercept) status = gpis_set_extend(context, K, &all, &out->all);
    if (status != GPIS_OK) out->all = out->core;
    return status;
}

/* The set of a value from its text, which is given away here; a path of penalties has none. */
static gpis_status set_of_text(gpis_path_part *part, double value, char *text, gpis_fit_set *out) {
    const gpis_path_call *c = part->call;
    const bool has_text = !c->options.penalised;
    gpis_set *K = NULL;
    *out = (gpis_fit_set){0};
    double *penalty = has_penalty(part) ? make_penalty(part, value, part->complete.scale) : NULL;
    gpis_status status = (text || !has_text) && (penalty || !has_penalty(part)) ? GPIS_OK : GPIS_NO_MEMORY;
    if (status == GPIS_OK) status = gpis_path_part_set(part, text, &K);
    if (status == GPIS_OK) status = extend(part, K, penalty, out);
    gpis_free(c->context, text);
    gpis_free(c->context, penalty);
    return status;
}

static gpis_status make_set(void *user, double value, gpis_fit_set *out) {
    gpis_path_part *part = user;
    const gpis_path_call *c = part->call;
    return set_of_text(part, value, c->options.penalised ? NULL : gpis_radius_spec_text(&c->spec, value), out);
}

gpis_status gpis_path_part_growing(gpis_path_part *part, double R, gpis_fit_set *out) {
    return set_of_text(part, R, gpis_radius_spec_growing(&part->call->spec, R), out);
}

static void destroy_set(void *user, gpis_fit_set *set) {
    gpis_path_part *part = user;
    gpis_set *const own[] = {part->parsed, part->met, part->problem.set};
    bool borrowed = false;
    if (set->all != set->core) gpis_set_destroy(set->all);
    for (int i = 0; i < 3; i++) borrowed = borrowed || set->core == own[i];
    if (!borrowed) gpis_set_destroy(set->core);
    gpis_path_part_drop_set(part);
    *set = (gpis_fit_set){0};
}

/* ---- the part ---- */

gpis_status gpis_path_part_begin(gpis_path_part *part, const gpis_path_call *call, int64_t fold) {
    *part = (gpis_path_part){.call = call, .problem = call->base, .share = 1.0};
    part->sets = (gpis_path_sets){make_set, destroy_set, part, call->options.penalised != 0};
    const gpis_summary *data = call->data;
    gpis_status status = GPIS_OK;
    if (fold >= 0) {
        status = gpis_summary_training(data, fold, &part->training);
        if (status != GPIS_OK) return status;
        part->share = gpis_quadratic_entry(part->training, data->d, data->d).high /
                      gpis_quadratic_entry(data->whole, data->d, data->d).high;
        part->problem.summary = part->training;
        part->problem.ridge *= part->share;
    }
    status = gpis_complete_begin(&part->problem, &part->complete);
    if (status == GPIS_OK) status = gpis_complete_together(&part->complete);
    if (status != GPIS_OK) return status;
    const gpis_problem *p = &part->complete.problem;
    status = gpis_fit_create(call->context, p->summary, p->intercept, call->call.settings.tol, &part->fit);
    if (status == GPIS_OK) part->fit->stop = &call->stop, part->fit->done = (atomic_llong *)&call->done;
    return status;
}

void gpis_path_part_of_rows(gpis_path_part *part, const gpis_path_call *call, double share, double *scale) {
    *part = (gpis_path_part){.call = call, .problem = *call->given, .share = share};
    part->problem.ridge *= share;
    part->sets = (gpis_path_sets){make_set, destroy_set, part, call->options.penalised != 0};
    part->complete = (gpis_completion){.problem = part->problem, .scale = scale};
}

void gpis_path_part_end(gpis_path_part *part) {
    gpis_path_part_drop_set(part);
    gpis_fit_destroy(part->fit);
    gpis_complete_end(&part->complete);
    gpis_quadratic_destroy(part->training);
    part->fit = NULL;
    part->training = NULL;
}

/* ---- points by gpis_solve ---- */

gpis_status gpis_path_solve_problem(const gpis_problem *problem, const gpis_settings *settings, gpis_result **result) {
    const gpis_status status = gpis_solve(problem, settings, result);
    if (status != GPIS_OK || (*result)->outcome != GPIS_INTERRUPTED) return status;
    gpis_result_destroy(*result);
    *result = NULL;
    return gpis_fail(problem->context, GPIS_STOPPED, "stopped within a path");
}

static void take_result(const gpis_result *r, double *x, gpis_fit_value *out) {
    const int64_t size = r->d * r->k;
    memcpy(x, r->x, (size_t)size * sizeof *x);
    if (r->intercept) memcpy(x + size, r->intercept, (size_t)r->k * sizeof *x);
    *out = (gpis_fit_value){.objective = r->objective, .gap = r->gap, .solved = r->outcome == GPIS_SOLVED};
}

gpis_status gpis_path_solve(gpis_path_part *part, double value, bool rows, double *x, gpis_fit_value *out,
                            gpis_result **result) {
    const gpis_path_call *c = part->call;
    gpis_problem one = rows ? *c->given : part->problem;
    gpis_settings settings = c->call.settings;
    gpis_result *own = NULL;
    gpis_set *K = NULL;
    double *penalty = has_penalty(part) ? make_penalty(part, value, NULL) : NULL;
    char *text = c->options.penalised ? NULL : gpis_radius_spec_text(&c->spec, value);
    const bool has_memory = (penalty || !has_penalty(part)) && (text || c->options.penalised);
    gpis_status status = has_memory ? GPIS_OK : GPIS_NO_MEMORY;
    if (status == GPIS_OK) status = gpis_path_part_set(part, text, &K);
    settings.x0 = x;
    settings.x0_entries = (one.A->d + one.intercept) * one.k;
    settings.checkpoint = NULL;
    settings.resume = 0;
    settings.progress = NULL;
    settings.threads = c->context->threads;
    one.set = K;
    one.penalty = penalty;
    if (status == GPIS_OK) status = gpis_path_solve_problem(&one, &settings, &own);
    if (status == GPIS_OK) take_result(own, x, out);
    if (result && status == GPIS_OK)
        *result = own;
    else
        gpis_result_destroy(own);
    gpis_path_part_drop_set(part);
    gpis_free(c->context, text);
    gpis_free(c->context, penalty);
    return status;
}

/* One that is not proven: by the summary again, with all that gpis_solve knows of, unless its errors are in the way,
 * and then by the rows. A part of the rows has no source of its own. */
static gpis_status solve_again(gpis_path_part *part, int64_t i, double *x, gpis_fit_value *point) {
    gpis_fit_value value;
    double *kept = gpis_alloc(part->call->context, part->fit->d * part->fit->k, sizeof *kept);
    if (!kept) return GPIS_NO_MEMORY;
    gpis_status status = GPIS_OK;
    const bool has_rows = !part->training && !part->call->given->summary;
    for (int rows = point->limited; status == GPIS_OK && rows <= has_rows && !point->solved; rows++) {
        memcpy(kept, x, (size_t)(part->fit->d * part->fit->k) * sizeof *kept);
        status = gpis_path_solve(part, part->call->values[i], rows, kept, &value, NULL);
        if (status != GPIS_OK || !(value.solved || value.gap < point->gap)) continue;
        memcpy(x, kept, (size_t)(part->fit->d * part->fit->k) * sizeof *kept);
        *point = value;
    }
    gpis_free(part->call->context, kept);
    return status;
}

gpis_status gpis_path_part_run(gpis_path_part *part, double *X, gpis_fit_value *points, int64_t *exact) {
    const gpis_path_call *c = part->call;
    const int64_t size = part->fit->d * part->fit->k;
    gpis_path_walk walk = {
        .fit = part->fit, .sets = &part->sets, .count = c->count, .values = c->values, .X = X, .points = points};
    gpis_status status = gpis_path_walk_run(&walk);
    for (int64_t i = walk.done; i < c->count; i++) points[i].objective = INFINITY;
    for (int64_t i = 0; status == GPIS_OK && i < c->count; i++) {
        if (points[i].solved) continue;
#pragma omp critical(gpis_path_solve_again) /* gpis_solve is for one thread at a time */
        status = solve_again(part, i, X + i * size, &points[i]);
    }
    *exact = walk.walked;
    return status;
}
