/*
 * Extensions of a set. Polyhedra stay polyhedra: bounds are divided by the scale, weights and rows multiplied by it,
 * and K is then the set of these numbers. A polyhedron carries a penalty itself where penalty.h says so. For other sets
 * there are three steps, each where it is needed:
 *
 *     K                          the constant: a product with a free entry
 *     K & (all x, with h)        the penalty, if its prox over K is not known: a meeting (meet.c)
 *     {x : S x in K}             the scale (scaled.c), around all of this: the penalty inside is in units of S x
 *
 * In a meeting each set is extended by itself, and its polyhedron carries the penalty. The penalty of the constant's
 * entry is 0, and its scale 1.
 */
#include "set/extend.h"

#include <string.h>

#include "set/kinds.h"
#include "set/meet.h"
#include "set/penalty.h"
#include "set/polyhedron.h"
#include "set/scaled.h"

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

/* With `carried`, the polyhedron has the penalty from the start. */
static gpis_status extend_polyhedron(gpis_context *context, const gpis_set *K, const gpis_extension *e, bool carried,
                                     gpis_set **out) {
    double *penalty = NULL;
    gpis_polyhedron *list = NULL;
    gpis_status status = carried ? extend_penalty(context, K, e, &penalty) : GPIS_OK;
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

/* ---- meetings ---------------------------------------------------------------------------------------------------- */

/* The sets of a meeting that is being made, and those of them that are its own. */
typedef struct pieces {
    gpis_set **all, **own; /* owned: arrays */
    int64_t count, owned;
} pieces;

/* The sets that x is in: those of an intersection, or K alone. */
static gpis_set *piece_of(gpis_set *K, int64_t i) {
    if (K->class->piece) return K->class->piece(K, i);
    return i == 0 ? K : NULL;
}

static gpis_status begin_pieces(gpis_context *context, gpis_set *K, pieces *p) {
    int64_t room = 1;
    while (piece_of(K, room - 1)) room++;
    p->all = gpis_alloc(context, room, sizeof *p->all);
    p->own = gpis_alloc(context, room, sizeof *p->own);
    return p->all && p->own ? GPIS_OK : GPIS_NO_MEMORY;
}

static void add_own(pieces *p, gpis_set *set) { p->all[p->count++] = p->own[p->owned++] = set; }

static gpis_status extend_and_penalise_polyhedron(gpis_context *context, gpis_set *K, const gpis_extension *e,
                                                  gpis_set **out) {
    const bool larger = e->constant || e->scale, carried = e->penalty && gpis_set_wants_polyhedron(K, larger);
    if (!larger && !carried) return gpis_set_penalise(K, e->penalty, out);
    double *penalty = NULL;
    gpis_status status = extend_polyhedron(context, K, e, carried, out);
    if (status != GPIS_OK || !e->penalty || carried) return status;
    status = extend_penalty(context, K, e, &penalty);
    if (status == GPIS_OK) status = gpis_set_attach_penalty(*out, penalty);
    gpis_free(context, penalty);
    return status;
}

/* Set `piece`, with the constant and, if it is a polyhedron, with the penalty of e. */
static gpis_status add_piece(gpis_context *context, gpis_set *piece, const gpis_extension *e, bool *carried,
                             pieces *p) {
    const bool polyhedron = gpis_polyhedron_describes(piece), carries = polyhedron && e->penalty;
    gpis_set *set = NULL;
    if (!e->constant && !carries) {
        p->all[p->count++] = piece;
        return GPIS_OK;
    }
    gpis_status status = polyhedron ? extend_and_penalise_polyhedron(context, piece, e, &set)
                                    : extend_product(context, piece, e->constant, &set);
    if (status != GPIS_OK) {
        gpis_set_destroy(set);
        return status;
    }
    add_own(p, set);
    *carried = *carried || carries;
    return set->is_view ? GPIS_OK : gpis_set_responses(set, piece->k);
}

/* All x, with the penalty: bounds that hold nothing. */
static gpis_status add_penalty(gpis_context *context, const gpis_set *K, const gpis_extension *e, pieces *p) {
    double *penalty = NULL;
    gpis_set *set = NULL;
    gpis_status status = extend_penalty(context, K, e, &penalty);
    if (status == GPIS_OK) status = gpis_set_box(context, NULL, NULL, K->d + (e->constant ? 1 : 0), &set);
    if (status == GPIS_OK) add_own(p, set);
    if (status == GPIS_OK) status = gpis_set_responses(set, K->k);
    if (status == GPIS_OK) status = gpis_set_attach_penalty(set, penalty);
    gpis_free(context, penalty);
    return status;
}

/* The meeting of the sets of K, each extended, and of the penalty. */
static gpis_status make_meeting(gpis_context *context, gpis_set *K, const gpis_extension *e, gpis_set **out) {
    pieces p = {0};
    gpis_set *piece, *s = NULL;
    bool carried = false;
    gpis_status status = begin_pieces(context, K, &p);
    for (int64_t i = 0; status == GPIS_OK && (piece = piece_of(K, i)); i++)
        status = add_piece(context, piece, e, &carried, &p);
    if (status == GPIS_OK && e->penalty && !carried) status = add_penalty(context, K, e, &p);
    if (status == GPIS_OK) status = gpis_set_meet(context, p.count, p.all, K->spec, &s);
    for (int64_t i = 0; i < p.owned; i++) {
        if (status == GPIS_OK)
            gpis_set_adopt(s, p.own[i]);
        else
            gpis_set_destroy(p.own[i]);
    }
    gpis_free(context, p.all);
    gpis_free(context, p.own);
    return gpis_set_finish(s, status, out);
}

/* ---- sets that are not polyhedra --------------------------------------------------------------------------------- */

/* With the constant and the penalty; there is one of them. */
static gpis_status extend_unscaled(gpis_context *context, gpis_set *K, const gpis_extension *e, gpis_set **out) {
    const bool meeting = K->class->piece || (e->penalty && !gpis_set_knows_prox(K, e->penalty));
    double *penalty = NULL;
    if (meeting) return make_meeting(context, K, e, out);
    if (!e->constant) return gpis_set_penalise(K, e->penalty, out);
    gpis_status status = extend_product(context, K, true, out);
    if (status == GPIS_OK) status = extend_penalty(context, K, e, &penalty);
    if (status == GPIS_OK && penalty) status = gpis_set_attach_penalty(*out, penalty);
    gpis_free(context, penalty);
    return status;
}

/* The scales with that of the constant, and the penalty in units of S x: 2 (d + 1) numbers. */
static double *make_units(gpis_context *context, const gpis_set *K, const gpis_extension *e) {
    double *units = gpis_alloc_zero(context, 2 * (K->d + 1), sizeof *units);
    for (int64_t j = 0; units && j < K->d; j++) {
        units[j] = e->scale[j];
        if (e->penalty) units[K->d + 1 + j] = e->penalty[j] / e->scale[j];
    }
    if (units) units[K->d] = 1.0;
    return units;
}

static gpis_status extend_scaled(gpis_context *context, gpis_set *K, const gpis_extension *e, gpis_set **out) {
    gpis_set *base = NULL;
    double *units = make_units(context, K, e);
    if (!units) return GPIS_NO_MEMORY;
    const gpis_extension unscaled = {.constant = e->constant, .penalty = e->penalty ? units + K->d + 1 : NULL};
    gpis_status status = GPIS_OK;
    if (e->constant || e->penalty) status = extend_unscaled(context, K, &unscaled, &base);
    if (status == GPIS_OK && base) status = gpis_set_responses(base, K->k);
    if (status == GPIS_OK) status = gpis_set_scale(base ? base : K, units, out);
    if (status == GPIS_OK)
        (*out)->owns_inside = base != NULL;
    else
        gpis_set_destroy(base);
    gpis_free(context, units);
    return status;
}

/* A constant and scales make another set of K, which then gets the penalty; a penalty alone leaves K as it is. */
static gpis_status extend_and_penalise(gpis_context *context, gpis_set *K, const gpis_extension *e, gpis_set **out) {
    if (gpis_polyhedron_describes(K)) return extend_and_penalise_polyhedron(context, K, e, out);
    return (e->scale ? extend_scaled : extend_unscaled)(context, K, e, out);
}

gpis_status gpis_set_extend(gpis_context *context, gpis_set *K, const gpis_extension *extension, gpis_set **out) {
    gpis_set *s = NULL;
    *out = NULL;
    gpis_status status = extend_and_penalise(context, K, extension, &s);
    const bool made = status == GPIS_OK && !s->is_view;
    if (made) status = describe(s, K, extension);
    if (made && status == GPIS_OK) status = gpis_set_inherit_names(s, K, NULL);
    if (made && status == GPIS_OK) status = gpis_set_responses(s, K->k);
    return gpis_set_finish(s, status, out);
}
