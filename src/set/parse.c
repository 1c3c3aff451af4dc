/* From a spec to a set: NAME or NAME:ARGUMENTS, followed by any number of @dct or @FILE.npy. */
#include <stdio.h>
#include <string.h>

#include "linalg/blas.h"
#include "set/kinds.h"

static const gpis_set_class *const kinds[] = {
#define ADDRESS(symbol) &gpis_kind_##symbol,
    GPIS_SET_LIST(ADDRESS)
#undef ADDRESS
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

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
    if (!class->of_radius) return class->parse(spec, d, k, out);
    const gpis_status status = gpis_spec_radius(spec, &R);
    return status == GPIS_OK ? class->of_radius(spec->context, R, d, out) : status;
}

/* Parses [at, end) of the spec, which holds no '@'. */
static gpis_status parse_kind(gpis_spec *spec, int64_t d, int64_t k, gpis_set **out) {
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

/* Parses [text, end): the transform after the last '@' applies to everything before it. */
static gpis_status parse_spec(gpis_context *context, const char *text, const char *end, int64_t d, int64_t k,
                              gpis_set **out) {
    gpis_spec spec = {context, text, text, end, ""};
    const char *at = memrchr(text, '@', (size_t)(end - text));
    if (!at) return parse_kind(&spec, d, k, out);
    gpis_set *base = NULL;
    const gpis_status status = parse_spec(context, text, at, d, k, &base);
    if (status != GPIS_OK) return status;
    spec.at = at + 1;
    return gpis_set_parse_transform(base, &spec, out);
}

/* The work of the inner problem doubles with each transform (inner/inside.c solves the problem inside twice), so that
 * dozens of transforms would take forever. */
static gpis_status check_transforms(gpis_context *context, const char *spec) {
    enum { MAX_TRANSFORMS = 4 };
    int count = 0;
    for (const char *at = spec; (at = strchr(at, '@')); at++) count++;
    if (count <= MAX_TRANSFORMS) return GPIS_OK;
    return gpis_fail(context, GPIS_BAD_SET, "set %.150s: has %d transforms, and at most %d are possible", spec, count,
                     MAX_TRANSFORMS);
}

gpis_status gpis_set_parse(gpis_context *context, const char *spec, int64_t d, int64_t k, gpis_set **out) {
    if (!context || !out) return GPIS_BAD_ARGUMENT;
    *out = NULL;
    if (!spec) return gpis_fail(context, GPIS_BAD_ARGUMENT, "the spec of the set is NULL");
    const gpis_status simple = check_transforms(context, spec);
    if (simple != GPIS_OK) return simple;
    int64_t size;
    if (d < 1 || k < 1)
        return gpis_fail(context, GPIS_BAD_SHAPE, "set %.150s: X of %lld x %lld is empty", spec, (long long)d,
                         (long long)k);
    if (!gpis_checked_mul(d, k, &size))
        return gpis_fail(context, GPIS_TOO_LARGE, "set %.150s: X of %lld x %lld is too large", spec, (long long)d,
                         (long long)k);
    if (!gpis_account_affords_x(context, d, k)) return GPIS_NO_MEMORY;
    int outside;
    gpis_status status = gpis_blas_enter(context, 1, &outside);
    if (status == GPIS_OK) status = parse_spec(context, spec, spec + strlen(spec), d, k, out);
    gpis_blas_leave(outside);
    return status;
}
