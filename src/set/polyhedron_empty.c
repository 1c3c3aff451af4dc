/*
 * Constraints that contradict each other, named in one line. A bound whose ends have changed places, and a row that the
 * bounds alone do not allow, are seen at once. Otherwise the projection of 0 is looked for: where it does not exist,
 * the active-set method ends with a constraint and with multipliers that prove that no x meets it together with others.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/blas.h"
#include "set/kinds.h"
#include "set/polyhedron_state.h"

enum { MAX_NAMED = 4, LINE = 400 }; /* constraints or entries that a message names */

/* Appends to a line of text what fits. */
__attribute__((format(printf, 2, 3))) static void append(char *line, const char *format, ...) {
    const size_t used = strlen(line);
    va_list args;
    va_start(args, format);
    vsnprintf(line + used, LINE - used, format, args);
    va_end(args);
}

/* ", " or " and " before item `at` of `count`; "" before the first. */
static const char *separator(int64_t at, int64_t count) { return at == 0 ? "" : at + 1 == count ? " and " : ", "; }

/* The names of the entries j with marked[j]. */
static void append_entries(char *line, const char *const *names, const bool *marked, int64_t d) {
    int64_t count = 0, at = 0;
    for (int64_t j = 0; j < d; j++) count += marked[j];
    const int64_t shown = gpis_min64(count, MAX_NAMED);
    for (int64_t j = 0; j < d && at < shown; j++) {
        char name[GPIS_NUMBER_TEXT];
        if (!marked[j]) continue;
        append(line, "%s%.60s", shown < count ? (at > 0 ? ", " : "") : separator(at, count),
               gpis_set_entry_name(names, j, name));
        at++;
    }
    if (count > shown) append(line, " and %lld more", (long long)(count - shown));
}

/* ---- by the bounds alone ----------------------------------------------------------------------------------------- */

void gpis_polyhedron_range(const gpis_polyhedron *list, int64_t i, double *least, double *most) {
    *least = *most = 0.0;
    for (int64_t e = list->first[i]; e < list->first[i + 1]; e++) {
        const double c = list->value[e], lo = list->lo[list->column[e]], hi = list->hi[list->column[e]];
        *least += c * (c > 0.0 ? lo : hi);
        *most += c * (c > 0.0 ? hi : lo);
    }
}

static gpis_status fail_bound(const gpis_polyhedron *list, const char *const *names, int64_t j) {
    char name[GPIS_NUMBER_TEXT], lo[GPIS_NUMBER_TEXT], hi[GPIS_NUMBER_TEXT];
    const char *entry = gpis_set_entry_name(names, j, name);
    gpis_number_text(list->lo[j], lo);
    gpis_number_text(list->hi[j], hi);
    return gpis_fail(list->context, GPIS_BAD_SET, "'%.100s >= %s' cannot hold: %.100s is at most %s", entry, lo, entry,
                     hi);
}

static gpis_status fail_row(const gpis_polyhedron *list, const char *const *names, int64_t i, int side, double limit) {
    char text[GPIS_CONSTRAINT_TEXT], number[GPIS_NUMBER_TEXT], line[LINE] = "";
    bool *marked = gpis_alloc_zero(list->context, list->d, sizeof *marked);
    if (!marked) return GPIS_NO_MEMORY;
    for (int64_t e = list->first[i]; e < list->first[i + 1]; e++) marked[list->column[e]] = true;
    gpis_polyhedron_text(list, names, list->d + i, side, text);
    snprintf(number, sizeof number, "%.6g", limit);
    append_entries(line, names, marked, list->d);
    gpis_free(list->context, marked);
    if (list->first[i] == list->first[i + 1])
        return gpis_fail(list->context, GPIS_BAD_SET, "'%s' cannot hold: it names no entry of x", text);
    return gpis_fail(list->context, GPIS_BAD_SET, "'%s' cannot hold: the bounds of %.250s allow %s at %s", text, line,
                     number, side > 0 ? "least" : "most");
}

/* The least size of an entry that its bounds allow. */
static double least_size(const gpis_polyhedron *list, int64_t j) { return fmax(0.0, fmax(list->lo[j], -list->hi[j])); }

/* Sum k of sizes, which the bounds of its entries do not allow. */
static gpis_status fail_sum(const gpis_polyhedron *list, const char *const *names, int64_t k, double least) {
    char text[GPIS_CONSTRAINT_TEXT], line[LINE] = "";
    bool *marked = gpis_alloc_zero(list->context, list->d, sizeof *marked);
    if (!marked) return GPIS_NO_MEMORY;
    for (int64_t j = 0; j < list->d; j++) marked[j] = list->weight[k * list->d + j] * least_size(list, j) > 0.0;
    gpis_polyhedron_text(list, names, list->d + list->rows + k, 1, text);
    append_entries(line, names, marked, list->d);
    gpis_free(list->context, marked);
    return gpis_fail(list->context, GPIS_BAD_SET, "'%s' cannot hold: the bounds of %.250s allow %.6g at least", text,
                     line, least);
}

static gpis_status check_sums(const gpis_polyhedron *list, const char *const *names, double rounding) {
    for (int64_t k = 0; k < list->sums; k++) {
        double least = 0.0;
        for (int64_t j = 0; j < list->d; j++)
            if (list->weight[k * list->d + j] > 0.0) least += list->weight[k * list->d + j] * least_size(list, j);
        if (least > list->R[k] * (1.0 + rounding)) return fail_sum(list, names, k, least);
    }
    return GPIS_OK;
}

gpis_status gpis_polyhedron_check_limits(const gpis_polyhedron *list, const char *const *names) {
    static const double ROUNDING = 1e-12;
    for (int64_t j = 0; j < list->d; j++)
        if (!(list->lo[j] <= list->hi[j]) || list->lo[j] == INFINITY || list->hi[j] == -INFINITY)
            return fail_bound(list, names, j);
    for (int64_t i = 0; i < list->rows; i++) {
        double least, most;
        const double lower = list->lower[i], upper = list->upper[i];
        gpis_polyhedron_range(list, i, &least, &most);
        if (!(lower <= upper) || lower == INFINITY || upper == -INFINITY) return fail_row(list, names, i, 1, lower);
        if (most < lower - ROUNDING * (fabs(lower) + fabs(most))) return fail_row(list, names, i, -1, most);
        if (least > upper + ROUNDING * (fabs(upper) + fabs(least))) return fail_row(list, names, i, 1, least);
    }
    return check_sums(list, names, ROUNDING);
}

/* ---- together ---------------------------------------------------------------------------------------------------- */

/* Whether the conflict is a constraint of its own, and not the sign of an entry that a sum of sizes takes. */
static bool is_given(const gpis_polyhedron *list, int64_t conflict, int side) {
    return conflict >= list->d || isfinite(side > 0 ? list->hi[conflict] : list->lo[conflict]);
}

/* The rows and sums that the proof needs beside the conflict itself, then the entries whose bounds it needs. */
static gpis_status fail_conflict(const gpis_set *s) {
    const gpis_polyhedron *list = s->polyhedron;
    const gpis_walk *w = ((const gpis_polyhedron_state *)s->state)->walk;
    const char *const *names = (const char *const *)s->names;
    char text[GPIS_CONSTRAINT_TEXT] = "", other[GPIS_CONSTRAINT_TEXT], line[LINE] = "";
    double most = 0.0;
    bool any = false;
    if (is_given(list, w->conflict, w->conflict_side))
        gpis_polyhedron_text(list, names, w->conflict, w->conflict_side, text);
    for (int64_t i = 0; i < w->count; i++) most = fmax(most, fabs(w->dual[i]) * w->row_unit[w->list[i]]);
    for (int64_t j = 0; j < w->d; j++)
        if (w->held[j] != GPIS_FREE) most = fmax(most, fabs(w->dt[j]));
    for (int64_t i = 0; i < w->count; i++) {
        const int64_t c = w->list[i];
        if (fabs(w->dual[i]) * w->row_unit[c] <= 1e-9 * most) continue;
        const bool first = text[0] == '\0';
        gpis_polyhedron_text(list, names, list->d + c, c < w->rows ? w->side[c] : 1, first ? text : other);
        if (first) continue;
        append(line, "%s'%.100s'", any ? ", " : "", other);
        any = true;
    }
    bool bounds = false;
    for (int64_t j = 0; j < w->d; j++) {
        w->member[j] = (w->held[j] == GPIS_AT_LO || w->held[j] == GPIS_AT_HI) && fabs(w->dt[j]) > 1e-9 * most;
        bounds = bounds || w->member[j];
    }
    if (bounds) {
        append(line, "%sthe bounds of ", any ? " and " : "");
        append_entries(line, names, w->member, w->d);
    }
    return gpis_fail(s->context, GPIS_BAD_SET, "'%s' cannot hold together with %.300s", text, line);
}

gpis_status gpis_polyhedron_check_together(gpis_set *s) {
    gpis_polyhedron_state *p = s->state;
    const gpis_limits of = gpis_walk_limits(s->polyhedron, NULL);
    const gpis_metric metric = gpis_walk_identity(p->walk);
    memset(p->centre, 0, (size_t)s->d * sizeof *p->centre);
    memset(p->at, 0, (size_t)s->d * sizeof *p->at);
    gpis_walk_end end = GPIS_WALK_LOST;
    int outside;
    const gpis_status status = gpis_blas_enter(s->context, 1, &outside);
    if (status == GPIS_OK) end = gpis_walk_solve(p->walk, &of, &metric, p->centre, NULL, p->at);
    gpis_blas_leave(outside);
    return end == GPIS_WALK_EMPTY ? fail_conflict(s) : status;
}
