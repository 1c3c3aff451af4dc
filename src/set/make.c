/* The steps that all constructors share, and the destruction of a set. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "set/kinds.h"
#include "set/penalised.h"
#include "set/polyhedron.h"

static gpis_status check_size(gpis_context *context, const gpis_set_class *class, int64_t d, int64_t k) {
    int64_t size;
    if (d < 1 || k < 1)
        return gpis_fail(context, GPIS_BAD_SHAPE, "set %s: X of %lld x %lld is empty", class->name, (long long)d,
                         (long long)k);
    if (!gpis_checked_mul(d, k, &size))
        return gpis_fail(context, GPIS_TOO_LARGE, "set %s: X of %lld x %lld is too large", class->name, (long long)d,
                         (long long)k);
    return GPIS_OK;
}

gpis_status gpis_set_begin(gpis_context *context, const gpis_set_class *class, int64_t d, int64_t k, bool matrix,
                           gpis_set **out, gpis_set **s) {
    if (out) *out = NULL;
    if (!context) return GPIS_BAD_ARGUMENT;
    if (!out) return gpis_fail(context, GPIS_BAD_ARGUMENT, "the pointer for the new set is NULL");
    const gpis_status status = check_size(context, class, d, k);
    if (status != GPIS_OK) return status;
    gpis_set *set = *s = gpis_alloc_zero(context, 1, sizeof *set);
    if (!set) return GPIS_NO_MEMORY;
    set->class = class;
    set->context = context;
    set->d = d;
    set->k = k;
    set->matrix = matrix;
    set->has_support = true;
    const int64_t part = matrix ? d * k : d;
    set->column_in = gpis_alloc(context, part, sizeof(double));
    set->column_out = gpis_alloc(context, part, sizeof(double));
    return set->column_in && set->column_out ? GPIS_OK : GPIS_NO_MEMORY;
}

gpis_status gpis_set_finish(gpis_set *s, gpis_status status, gpis_set **out) {
    if (status == GPIS_OK)
        *out = s;
    else
        gpis_set_destroy(s);
    return status;
}

static void destroy_penalised(gpis_context *context, gpis_penalised *p) {
    if (!p) return;
    for (int64_t i = 0; p->part && i < p->parts; i++) gpis_set_destroy(p->part[i]);
    gpis_free(context, p->part);
    gpis_free(context, p->work);
    gpis_free(context, p);
}

void gpis_set_destroy(gpis_set *set) {
    if (!set) return;
    destroy_penalised(set->context, set->penalised);
    gpis_free(set->context, set->penalty);
    gpis_polyhedron_destroy(set->listed);
    gpis_set_destroy(set->priced);
    if (set->is_view) {
        gpis_free(set->context, set);
        return;
    }
    if (set->class->destroy && set->state) set->class->destroy(set);
    if (set->owns_inside) gpis_set_destroy(set->inside);
    for (gpis_set *part = set->parts, *next; part; part = next) {
        next = part->next_part;
        gpis_set_destroy(part);
    }
    gpis_free(set->context, set->state);
    gpis_free(set->context, set->work);
    gpis_free(set->context, set->spec);
    gpis_free(set->context, set->sum_text);
    gpis_free(set->context, set->column_in);
    gpis_free(set->context, set->column_out);
    gpis_set_destroy(set->own_part);
    gpis_free(set->context, set->warning);
    gpis_set_forget_names(set);
    gpis_free(set->context, set);
}

void gpis_set_adopt(gpis_set *set, gpis_set *part) {
    part->next_part = set->parts;
    set->parts = part;
    if (set->warning || !part->warning || part->is_view) return; /* a view has only borrowed it */
    set->warning = part->warning;
    part->warning = NULL;
}

gpis_status gpis_set_take_state(gpis_set *s, size_t size) {
    s->state = gpis_alloc_zero(s->context, 1, size);
    return s->state ? GPIS_OK : GPIS_NO_MEMORY;
}

gpis_status gpis_set_take_work(gpis_set *s, int64_t doubles) {
    s->work = gpis_alloc(s->context, doubles, sizeof(double));
    return s->work ? GPIS_OK : GPIS_NO_MEMORY;
}

gpis_status gpis_set_describe(gpis_set *s, const char *format, ...) {
    char text[256]; /* nearly always enough */
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    gpis_free(s->context, s->spec);
    s->spec = gpis_alloc(s->context, (int64_t)length + 1, 1);
    if (!s->spec) return GPIS_NO_MEMORY;
    if ((size_t)length < sizeof text) {
        memcpy(s->spec, text, (size_t)length + 1);
        return GPIS_OK;
    }
    va_start(args, format);
    vsnprintf(s->spec, (size_t)length + 1, format, args);
    va_end(args);
    return GPIS_OK;
}

gpis_status gpis_set_take_radius(gpis_set *s, double R) {
    char text[GPIS_NUMBER_TEXT];
    R = R == 0 ? 0 : R; /* -0 is 0 */
    gpis_number_text(R, text);
    if (!(R >= 0 && isfinite(R)))
        return gpis_fail(s->context, GPIS_BAD_SET, "set %s: R must be finite and >= 0, not %s", s->class->name, text);
    s->R = s->radius = R;
    return gpis_set_describe(s, "%s:%s", s->class->name, text);
}

gpis_status gpis_set_select_alike(const gpis_set *whole, const int64_t *columns, int64_t count, gpis_set **out) {
    (void)columns;
    if (whole->class->of_radius) return whole->class->of_radius(whole->context, whole->R, count, out);
    return whole->class->plain(whole->context, count, out);
}

void gpis_set_bounds_nonneg(const gpis_set *s, int64_t i, double *lo, double *hi) {
    (void)s, (void)i;
    *lo = 0;
    *hi = INFINITY;
}
