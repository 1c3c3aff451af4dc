/* The names of the entries of x, for messages and for the constraints in a result. */
#include <stdio.h>
#include <string.h>

#include "set/kinds.h"

void gpis_set_forget_names(gpis_set *set) {
    for (int64_t j = 0; set->names && j < set->d; j++) gpis_free(set->context, set->names[j]);
    gpis_free(set->context, set->names);
    set->names = NULL;
}

static gpis_status take_name(gpis_set *set, int64_t j, const char *name) {
    if (!set->names) set->names = gpis_alloc_zero(set->context, set->d, sizeof *set->names);
    if (!set->names) return GPIS_NO_MEMORY;
    if (!name || set->names[j]) return GPIS_OK;
    set->names[j] = gpis_duplicate_text(set->context, name);
    return set->names[j] ? GPIS_OK : GPIS_NO_MEMORY;
}

gpis_status gpis_set_name_columns(gpis_set *set, const char *const *names, int64_t d) {
    gpis_status status = GPIS_OK;
    if (!set) return GPIS_BAD_ARGUMENT;
    if (!names || d != set->d)
        return gpis_fail(set->context, GPIS_BAD_SHAPE, "set %.150s: needs a name for each of its %lld entries",
                         set->spec, (long long)set->d);
    gpis_set_forget_names(set);
    for (int64_t j = 0; j < d && status == GPIS_OK; j++) status = take_name(set, j, names[j]);
    return status;
}

gpis_status gpis_set_inherit_names(gpis_set *set, const gpis_set *from, const int64_t *columns) {
    gpis_status status = GPIS_OK;
    for (int64_t i = 0; from->names && i < from->d && status == GPIS_OK; i++)
        status = take_name(set, columns ? columns[i] : i, from->names[i]);
    return status;
}

const char *gpis_set_entry_name(const char *const *names, int64_t j, char text[GPIS_NUMBER_TEXT]) {
    if (names && names[j]) return names[j];
    text[0] = 'x';
    gpis_whole_text(j + 1, text + 1);
    return text;
}

const char *gpis_set_warning(const gpis_set *set) { return set && set->warning ? set->warning : ""; }
