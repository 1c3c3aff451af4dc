/*
 * Groups of any sizes: the 2-norms of the groups of entries add up to at most R; group[i] is the number of the group
 * that entry i is in. As group.c, for entries that need not be neighbours.
 */
#include <stdlib.h>

#include "base/checksum.h"
#include "linalg/accurate.h"
#include "set/kinds.h"
#include "set/threshold.h"

typedef struct group_by_state {
    int64_t groups;
    int64_t *member, *first; /* owned: group c has the entries member[first[c]] ... member[first[c + 1] - 1] */
} group_by_state;

static void destroy(gpis_set *s) {
    group_by_state *g = s->state;
    gpis_free(s->context, g->member);
    gpis_free(s->context, g->first);
}

/* The norm of a group of v; `part` has room for it. */
static double norm_of(const group_by_state *g, int64_t c, const double *v, double *part) {
    const int64_t count = g->first[c + 1] - g->first[c];
    for (int64_t i = 0; i < count; i++) part[i] = v[g->member[g->first[c] + i]];
    return gpis_norm2(part, count);
}

static gpis_status project(gpis_set *s, const double *v, double *x) {
    const group_by_state *g = s->state;
    double *norm = s->work, *fit = norm + g->groups, *scratch = fit + g->groups;
    for (int64_t c = 0; c < g->groups; c++) norm[c] = norm_of(g, c, v, scratch);
    gpis_threshold_cap(norm, fit, g->groups, s->R, scratch);
    for (int64_t c = 0; c < g->groups; c++)
        for (int64_t e = g->first[c]; e < g->first[c + 1]; e++) {
            const int64_t i = g->member[e];
            x[i] = fit[c] == norm[c] ? v[i] : v[i] / norm[c] * fit[c];
        }
    return GPIS_OK;
}

static gpis_status support(gpis_set *s, const double *v, double *value) {
    const group_by_state *g = s->state;
    double top = 0;
    for (int64_t c = 0; c < g->groups; c++) {
        const double norm = norm_of(g, c, v, s->work);
        if (norm > top) top = norm;
    }
    *value = s->R * top;
    return GPIS_OK;
}

static int64_t groups_of(const gpis_set *s, const int64_t **member, const int64_t **first) {
    const group_by_state *g = s->state;
    *member = g->member;
    *first = g->first;
    return g->groups;
}

static const gpis_set_class group_by_class = {
    .name = "group",
    .project = project,
    .support = support,
    .destroy = destroy,
    .groups = groups_of,
};

/* An entry and its group. */
typedef struct placed {
    int64_t group, entry;
} placed;

static int by_group(const void *a, const void *b) {
    const placed *p = a, *q = b;
    if (p->group != q->group) return p->group < q->group ? -1 : 1;
    return p->entry < q->entry ? -1 : p->entry > q->entry;
}

static gpis_status take_groups(gpis_set *s, const int64_t *group) {
    gpis_status status = gpis_set_take_state(s, sizeof(group_by_state));
    if (status != GPIS_OK) return status;
    group_by_state *g = s->state;
    placed *list = gpis_alloc(s->context, s->d, sizeof *list);
    g->member = gpis_alloc(s->context, s->d, sizeof *g->member);
    g->first = gpis_alloc(s->context, s->d + 1, sizeof *g->first);
    status = list && g->member && g->first ? GPIS_OK : GPIS_NO_MEMORY;
    if (status == GPIS_OK) {
        for (int64_t i = 0; i < s->d; i++) list[i] = (placed){group[i], i};
        qsort(list, (size_t)s->d, sizeof *list, by_group);
        for (int64_t i = 0; i < s->d; i++) {
            if (i == 0 || list[i].group != list[i - 1].group) g->first[g->groups++] = i;
            g->member[i] = list[i].entry;
        }
        g->first[g->groups] = s->d;
        status = gpis_set_take_work(s, 2 * g->groups + s->d);
    }
    gpis_free(s->context, list);
    return status;
}

gpis_status gpis_set_group_by(gpis_context *context, double R, const int64_t *group, int64_t d, gpis_set **out) {
    gpis_set *s = NULL;
    char text[GPIS_NUMBER_TEXT];
    gpis_status status = gpis_set_begin(context, &group_by_class, d, 1, false, out, &s);
    if (status == GPIS_OK && !group)
        status = gpis_fail(context, GPIS_BAD_ARGUMENT, "set group: the numbers of the groups are NULL");
    if (status == GPIS_OK) status = gpis_set_take_radius(s, R);
    if (status == GPIS_OK) status = take_groups(s, group);
    if (status == GPIS_OK) {
        gpis_number_text(s->R, text);
        status = gpis_set_describe(s, "group:%s:#%08lx", text,
                                   (unsigned long)gpis_checksum(0, group, d * (int64_t)sizeof *group));
    }
    return gpis_set_finish(s, status, out);
}
