/* From the text of a kind to a set: NAME or NAME:ARGUMENTS. */
#include <stdio.h>
#include <string.h>

#include "set/kinds.h"
#include "set/read.h"

static const gpis_set_class *const kinds[] = {
#define ADDRESS(symbol) &gpis_kind_##symbol,
    GPIS_SET_LIST(ADDRESS)
#undef ADDRESS
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

const char *gpis_set_usage(int64_t index) { return index >= 0 && index < KINDS ? kinds[index]->usage : NULL; }

static const gpis_set_class *find_kind(const char *name, size_t length) {
    for (int i = 0; i < KINDS; i++)
        if (strlen(kinds[i]->name) == length && memcmp(kinds[i]->name, name, length) == 0) return kinds[i];
    return NULL;
}

static gpis_status fail_unknown(const gpis_spec *spec, size_t length) {
    char names[256] = "";
    for (int i = 0; i < KINDS; i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", kinds[i]->name);
    }
    return gpis_fail(spec->context, GPIS_BAD_SET, "set %.150s: there is no '%.*s'; known: %s", spec->text,
                     length < 40 ? (int)length : 40, spec->at, names);
}

/* Reads the arguments of a kind and makes the set. */
static gpis_status make_kind(const gpis_set_class *class, gpis_spec *spec, int64_t d, int64_t k, gpis_set **out) {
    double R;
    if (class->plain) return class->plain(spec->context, d, out);
    if (class->parse) return class->parse(spec, d, k, out);
    const gpis_status status = gpis_spec_radius(spec, &R);
    return status == GPIS_OK ? class->of_radius(spec->context, R, d, out) : status;
}

gpis_status gpis_set_read_kind(gpis_spec *spec, int64_t d, int64_t k, gpis_set **out) {
    const char *colon = memchr(spec->at, ':', (size_t)(spec->end - spec->at));
    const size_t length = (size_t)((colon ? colon : spec->end) - spec->at);
    const gpis_set_class *class = find_kind(spec->at, length);
    if (!class) return fail_unknown(spec, length);
    spec->at += length;
    spec->usage = class->usage;
    gpis_set *s = NULL;
    gpis_status status = strchr(class->usage, ':') ? gpis_spec_skip(spec, ':') : gpis_spec_end(spec);
    if (status == GPIS_OK) status = make_kind(class, spec, d, k, &s);
    if (status == GPIS_OK) status = gpis_spec_end(spec);
    if (status == GPIS_OK) status = gpis_set_responses(s, k);
    return gpis_set_finish(s, status, out);
}
