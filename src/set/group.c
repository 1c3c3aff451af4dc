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

static gpis_status parse(gpis_spec *arguments, int64_t d, int64_t k, gpis_set **out) {
    (void)k;
    double R;
    int64_t size = 0;
    gpis_status status = gpis_spec_radius(arguments, &R);
    if (status == GPIS_OK) status = gpis_spec_skip(arguments, ':');
    const char *start = arguments->at;
    if (status == GPIS_OK) status = gpis_spec_count(arguments, &size);
    if (status != GPIS_OK) return status;
    if (d % size)
        return gpis_spec_fail(arguments, start, "SIZE must divide the number of columns, %lld: it is %lld",
                              (long long)d, (long long)size);
    return gpis_set_group(arguments->context, R, size, d, out);
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

const gpis_set_class gpis_kind_group = {
    .name = "group",
    .usage = "group:R:SIZE",
    .parse = parse,
    .project = project,
    .support = support,
};

static gpis_status take_size(gpis_set *s, int64_t size) {
    char R[GPIS_NUMBER_TEXT];
    if (size < 1 || s->d % size)
        return gpis_fail(s->context, GPIS_BAD_SET,
                         "set group: the size of a block must divide the number of columns, %lld: it is %lld",
                         (long long)s->d, (long long)size);
    const gpis_status status = gpis_set_take_state(s, sizeof(group_state));
    if (status != GPIS_OK) return status;
    *(group_state *)s->state = (group_state){size, s->d / size};
    s->group = size;
    gpis_number_text(s->R, R);
    return gpis_set_describe(s, "group:%s:%lld", R, (long long)size);
}

/* s->work: the norms of the blocks, their projections, scratch of the search. */
gpis_status gpis_set_group(gpis_context *context, double R, int64_t size, int64_t d, gpis_set **out) {
    gpis_set *s = NULL;
    gpis_status status = gpis_set_begin(context, &gpis_kind_group, d, 1, false, out, &s);
    if (status == GPIS_OK) status = gpis_set_take_radius(s, R);
    if (status == GPIS_OK) status = take_size(s, size);
    if (status == GPIS_OK) status = gpis_set_take_work(s, 3 * (d / size));
    return gpis_set_finish(s, status, out);
}
