/* From a spec to a set: NAME, NAME:ARGUMENTS, and after it any number of @dct or @FILE.npy. */
#include <stdio.h>
#include <string.h>

#include "linalg/blas.h"
#include "set/kinds.h"

static const gpis_set_class *const kinds[] = {
    &gpis_set_none,    &gpis_set_nonneg,         &gpis_set_box,   &gpis_set_l1,      &gpis_set_l2, &gpis_set_linf,
    &gpis_set_simplex, &gpis_set_capped_simplex, &gpis_set_group, &gpis_set_nuclear, &gpis_set_tv, &gpis_set_monotone,
    &gpis_set_affine,
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

/* Parses [at, end) of the spec, which holds no '@'. */
static gpis_status parse_kind(gpis_spec *spec, int64_t d, int64_t k, gpis_set **out) {
    const char *colon = memchr(spec->at, ':', (size_t)(spec->end - spec->at));
    const size_t length = (size_t)((colon ? colon : spec->end) - spec->at);
    const gpis_set_class *class = find_kind(spec->at, length);
    if (!class) return fail_unknown(spec, length);
    spec->at += length;
    spec->usage = class->usage;
    gpis_status status = GPIS_OK;
    if (strchr(class->usage, ':'))
        status = gpis_spec_skip(spec, ':');
    else
        status = gpis_spec_end(spec);
    if (status != GPIS_OK) return status;

    gpis_set *s = NULL;
    if ((status = gpis_set_new(spec->context, class, d, k, &s)) != GPIS_OK) return status;
    status = class->parse(s, spec);
    if (status == GPIS_OK) status = gpis_spec_end(spec);
    if (status != GPIS_OK) {
        gpis_set_destroy(s);
        return status;
    }
    *out = s;
    return GPIS_OK;
}

/* Parses [text, end): the transform after the last '@' stands outside what comes before it. */
static gpis_status parse_spec(gpis_context *context, const char *text, const char *end, int64_t d, int64_t k,
                              gpis_set **out) {
    gpis_spec spec = {context, text, text, end, ""};
    const char *at = memrchr(text, '@', (size_t)(end - text));
    if (!at) return parse_kind(&spec, d, k, out);
    gpis_set *base = NULL;
    const gpis_status status = parse_spec(context, text, at, d, k, &base);
    if (status != GPIS_OK) return status;
    spec.at = at + 1;
    return gpis_set_transform(base, &spec, k, out);
}

/* The work of the inner problem doubles with each transform (inner/inside.c runs the problem inside twice), so a spec
 * with dozens of them would never be solved. */
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
