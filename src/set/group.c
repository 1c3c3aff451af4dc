/*
 * group:R:SIZE: sum over blocks of SIZE consecutive entries of their 2-norms <= R.
 * The block norms are projected on the l1 ball and each block is scaled to its new norm; support(g) = R max
 * ||g_block||.
 */
#include "linalg/accurate.h"
#include "set/kinds.h"
#include "set/threshold.h"

typedef struct group_state {
    int64_t size, blocks;
} group_state;

/* work: the norms of the blocks, the new ones, scratch of the search. */
static gpis_status parse(gpis_set *s, gpis_spec *arguments) {
    gpis_status status;
    int64_t size = 0;
    if ((status = gpis_spec_radius(arguments, &s->R)) != GPIS_OK) return status;
    if ((status = gpis_spec_skip(arguments, ':')) != GPIS_OK) return status;
    const char *start = arguments->at;
    if ((status = gpis_spec_count(arguments, &size)) != GPIS_OK) return status;
    if (s->d % size)
        return gpis_spec_fail(arguments, start, "SIZE must divide the number of columns, %lld: it is %lld",
                              (long long)s->d, (long long)size);
    s->radius = s->R;
    if ((status = gpis_set_take_state(s, sizeof(group_state))) != GPIS_OK) return status;
    *(group_state *)s->state = (group_state){size, s->d / size};
    if ((status = gpis_set_take_work(s, 3 * (s->d / size))) != GPIS_OK) return status;
    char R[GPIS_NUMBER_TEXT];
    gpis_number_text(s->R, R);
    return gpis_set_describe(s, "group:%s:%lld", R, (long long)size);
}

static gpis_status project(gpis_set *s, const double *v, double *x) {
    const group_state *g = s->state;
    double *norm = s->work, *fit = norm + g->blocks, *scratch = fit + g->blocks;
    for (int64_t b = 0; b < g->blocks; b++) norm[b] = gpis_norm2(v + b * g->size, g->size);
    gpis_threshold_cap(norm, fit, g->blocks, s->R, scratch);
    for (int64_t b = 0; b < g->blocks; b++)
        for (int64_t i = b * g->size; i < (b + 1) * g->size; i++)
            x[i] = fit[b] == norm[b] ? v[i] : v[i] / norm[b] * fit[b];
    return GPIS_OK;
}

static gpis_status support(gpis_set *s, const double *g, double *value) {
    const group_state *state = s->state;
    double top = 0;
    for (int64_t b = 0; b < state->blocks; b++) {
        const double norm = gpis_norm2(g + b * state->size, state->size);
        if (norm > top) top = norm;
    }
    *value = s->R * top;
    return GPIS_OK;
}

const gpis_set_class gpis_set_group = {
    .name = "group",
    .usage = "group:R:SIZE",
    .parse = parse,
    .project = project,
    .support = support,
};
