/*
 * Intersections: x is in each of several sets. Those that are polyhedra are made one list of constraints
 * (polyhedron.h); where all are, the intersection is a polyhedron, else it is the meeting of that one with the others
 * (meet.c).
 */
#include <string.h>

#include "set/kinds.h"
#include "set/meet.h"
#include "set/polyhedron.h"

static gpis_status check_pieces(gpis_context *context, int64_t count, gpis_set *const *sets) {
    if (!sets || count < 1) return gpis_fail(context, GPIS_BAD_ARGUMENT, "an intersection needs a set");
    for (int64_t i = 0; i < count; i++) {
        if (!sets[i])
            return gpis_fail(context, GPIS_BAD_ARGUMENT, "set %lld of an intersection is NULL", (long long)i + 1);
        if (sets[i]->context != context)
            return gpis_fail(context, GPIS_BAD_ARGUMENT, "set %.150s: was made with another context", sets[i]->spec);
        if (sets[i]->d != sets[0]->d || sets[i]->k != sets[0]->k)
            return gpis_fail(context, GPIS_BAD_SHAPE,
                             "set %.100s is for X of %lld x %lld, and set %.100s for %lld x %lld", sets[0]->spec,
                             (long long)sets[0]->d, (long long)sets[0]->k, sets[i]->spec, (long long)sets[i]->d,
                             (long long)sets[i]->k);
    }
    return GPIS_OK;
}

/* "A & B & C", of all sets or of the polyhedra among them. */
static gpis_status make_text(gpis_context *context, int64_t count, gpis_set *const *sets, bool polyhedra, char **out) {
    size_t size = 1;
    for (int64_t i = 0; i < count; i++) size += strlen(sets[i]->spec) + 3;
    char *text = *out = gpis_alloc(context, (int64_t)size, 1);
    if (!text) return GPIS_NO_MEMORY;
    text[0] = '\0';
    for (int64_t i = 0; i < count; i++) {
        if (polyhedra && !gpis_polyhedron_describes(sets[i])) continue;
        if (text[0] != '\0') strcat(text, " & ");
        strcat(text, sets[i]->spec);
    }
    return GPIS_OK;
}

/* The polyhedron of those sets that are polyhedra. The names of the entries come first, for messages. */
static gpis_status collect(gpis_context *context, int64_t count, gpis_set *const *sets, const char *spec,
                           gpis_set **out) {
    gpis_polyhedron *list = NULL;
    const char *const *names = NULL;
    gpis_status status = gpis_polyhedron_create(context, sets[0]->d, &list);
    for (int64_t i = 0; i < count && status == GPIS_OK; i++) {
        if (sets[i]->names) names = (const char *const *)sets[i]->names;
        if (gpis_polyhedron_describes(sets[i])) status = gpis_polyhedron_add_set(list, sets[i], NULL, NULL);
    }
    if (status == GPIS_OK) return gpis_polyhedron_finish(list, spec, names, NULL, out);
    gpis_polyhedron_destroy(list);
    return status;
}

/* The other sets, and the polyhedron, if there is one. */
static gpis_status meet(gpis_context *context, int64_t count, gpis_set *const *sets, int64_t polyhedra,
                        const char *spec, gpis_set **out) {
    gpis_set *list = NULL, **pieces = gpis_alloc(context, count + 1, sizeof *pieces);
    char *text = NULL; /* of the polyhedron, whose price may be told by its name */
    int64_t used = 0;
    gpis_status status = pieces ? make_text(context, count, sets, true, &text) : GPIS_NO_MEMORY;
    if (status == GPIS_OK && polyhedra > 0) status = collect(context, count, sets, text, &list);
    gpis_free(context, text);
    if (status == GPIS_OK && list) status = gpis_set_responses(list, sets[0]->k);
    for (int64_t i = 0; i < count && status == GPIS_OK; i++)
        if (!gpis_polyhedron_describes(sets[i])) pieces[used++] = sets[i];
    if (list && status == GPIS_OK) pieces[used++] = list;
    if (status == GPIS_OK) status = gpis_set_meet(context, used, pieces, spec, out);
    if (status == GPIS_OK)
        (*out)->own_part = list;
    else
        gpis_set_destroy(list);
    gpis_free(context, pieces);
    return status;
}

gpis_status gpis_set_intersection(gpis_context *context, int64_t count, gpis_set *const *sets, gpis_set **out) {
    char *spec = NULL;
    gpis_set *s = NULL;
    int64_t polyhedra = 0;
    if (out) *out = NULL;
    if (!context) return GPIS_BAD_ARGUMENT;
    if (!out) return gpis_fail(context, GPIS_BAD_ARGUMENT, "the pointer for the new set is NULL");
    gpis_status status = check_pieces(context, count, sets);
    if (status == GPIS_OK) status = make_text(context, count, sets, false, &spec);
    for (int64_t i = 0; i < count && status == GPIS_OK; i++) polyhedra += gpis_polyhedron_describes(sets[i]);
    if (status == GPIS_OK)
        status = polyhedra == count ? collect(context, count, sets, spec, &s)
                                    : meet(context, count, sets, polyhedra, spec, &s);
    if (status == GPIS_OK && polyhedra == count) status = gpis_set_responses(s, sets[0]->k);
    for (int64_t i = 0; i < count && status == GPIS_OK; i++) status = gpis_set_inherit_names(s, sets[i], NULL);
    gpis_free(context, spec);
    return gpis_set_finish(s, status, out);
}
