/*
 * Extensions of a set. Polyhedra stay polyhedra: bounds are divided by the scale, weights and rows multiplied by it,
 * and K is then the set of these numbers. Other sets are extended by a free entry as a product; they cannot be scaled.
 * The penalty of the constant's entry is 0.
 */
#include "set/extend.h"

#include <string.h>

#include "set/kinds.h"
#include "set/polyhedron.h"

/* "K", and what was done to it, for messages and checkpoints. */
static gpis_status describe(gpis_set *s, const gpis_set *K, const gpis_extension *e) {
    char scale[GPIS_NUMBER_TEXT] = "", penalty[GPIS_NUMBER_TEXT] = "";
    if (e->scale) gpis_content_text(e->scale, K->d, scale);
    if (e->penalty) gpis_content_text(e->penalty, K->d, penalty);
    return gpis_set_describe(s, "%s%s%s%s%s%s", K->spec, e->scale ? " scaled by " : "", scale,
                             e->penalty ? " with penalty " : "", penalty, e->constant ? " and a constant" : "");
}

/* The penalty with an entry for the constant, in *out; NULL without a penalty. */
static gpis_status extend_penalty(gpis_context *context, const gpis_set *K, const gpis_extension *e, double **out) {
    *out = NULL;
    if (!e->penalty) return GPIS_OK;
    *out = gpis_alloc_zero(context, K->d + 1, sizeof **out);
    if (!*out) return GPIS_NO_MEMORY;
    memcpy(*out, e->penalty, (size_t)K->d * sizeof **out);
    return GPIS_OK;
}

static gpis_status extend_polyhedron(gpis_context *context, const gpis_set *K, const gpis_extension *e,
                                     gpis_set **out) {
    double *penalty = NULL;
    gpis_polyhedron *list = NULL;
    gpis_status status = extend_penalty(context, K, e, &penalty);
    if (status == GPIS_OK) status = gpis_polyhedron_create(context, K->d + (e->constant ? 1 : 0), &list);
    if (status == GPIS_OK) status = gpis_polyhedron_add_set(list, K, NULL, e->scale);
    if (status == GPIS_OK)
        status = gpis_polyhedron_finish(list, K->spec, NULL, penalty, out);
    else
        gpis_polyhedron_destroy(list);
    gpis_free(context, penalty);
    return status;
}

/* K and, with a constant, a free entry. */
static gpis_status extend_product(gpis_context *context, gpis_set *K, bool constant, gpis_set **out) {
    gpis_set *parts[2] = {K, NULL};
    int64_t *columns = gpis_alloc(context, K->d + 1, sizeof *columns);
    gpis_status status = columns ? gpis_set_none(context, 1, &parts[1]) : GPIS_NO_MEMORY;
    for (int64_t j = 0; columns && j <= K->d; j++) columns[j] = j;
    const int64_t *const places[2] = {columns, columns ? columns + K->d : NULL};
    const int64_t count = constant ? 2 : 1;
    if (status == GPIS_OK) status = gpis_set_blocks(context, K->d + count - 1, count, places, parts, out);
    if (status == GPIS_OK)
        (*out)->own_part = parts[1];
    else
        gpis_set_destroy(parts[1]);
    gpis_free(context, columns);
    return status;
}

static gpis_status extend_other(gpis_context *context, gpis_set *K, const gpis_extension *e, gpis_set **out) {
    if (e->scale)
        return gpis_fail(context, GPIS_NOT_APPLICABLE, "set %.150s: cannot be used with standardised columns", K->spec);
    const gpis_status status = extend_product(context, K, e->constant, out);
    return status == GPIS_OK ? extend_penalty(context, K, e, &(*out)->penalty) : status;
}

gpis_status gpis_set_extend(gpis_context *context, gpis_set *K, const gpis_extension *extension, gpis_set **out) {
    gpis_set *s = NULL;
    *out = NULL;
    gpis_status status = gpis_polyhedron_describes(K) ? extend_polyhedron(context, K, extension, &s)
                                                      : extend_other(context, K, extension, &s);
    if (status == GPIS_OK) status = describe(s, K, extension);
    if (status == GPIS_OK) status = gpis_set_inherit_names(s, K, NULL);
    if (status == GPIS_OK) status = gpis_set_responses(s, K->k);
    return gpis_set_finish(s, status, out);
}
