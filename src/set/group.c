/*
 * group:R:SIZE: sum over blocks of SIZE consecutive entries of their 2-norms <= R. (group:R:FILE.npy is group_by.c.)
 * The block norms are projected on the l1 ball and each block is scaled to its new norm; support(g) = R max
 * ||g_block||.
 */
#include <math.h>

#include "base/npy.h"
#include "linalg/accurate.h"
#include "set/kinds.h"
#include "set/threshold.h"

typedef struct group_state {
    int64_t size, blocks;
} group_state;

/* The numbers of the groups as a file has them, which are whole. */
static gpis_status take_numbers(gpis_context *context, const char *path, const gpis_array *array, int64_t *group) {
    for (int64_t i = 0; i < array->rows; i++) {
        const double number = array->data[i];
        if (!(fabs(number) <= 0x1p53) || number != floor(number))
            return gpis_fail(context, GPIS_BAD_DATA, "%s: row %lld: the number of a group must be whole, not %g", path,
                             (long long)i + 1, number);
        group[i] = (int64_t)number;
    }
    return GPIS_OK;
}

/* group:R:FILE.npy, a group number for each entry. */
static gpis_status parse_numbers(gpis_spec *spec, double R, int64_t d, gpis_set **out) {
    gpis_spec_name file = {0};
    gpis_array array = {0};
    gpis_set *s = NULL;
    char number[GPIS_NUMBER_TEXT];
    int64_t *group = gpis_alloc(spec->context, d, sizeof *group);
    gpis_status status = group ? gpis_spec_file(spec, &file) : GPIS_NO_MEMORY;
    if (status == GPIS_OK) status = gpis_npy_read(spec->context, file.path, &array);
    if (status == GPIS_OK && (array.rows != d || array.cols != 1))
        status = gpis_fail(spec->context, GPIS_BAD_SHAPE, "%s: groups must be %lld x 1, not %lld x %lld", file.path,
                           (long long)d, (long long)array.rows, (long long)array.cols);
    if (status == GPIS_OK) status = take_numbers(spec->context, file.path, &array, group);
    if (status == GPIS_OK) status = gpis_set_group_by(spec->context, R, group, d, &s);
    gpis_number_text(R, number);
    if (status == GPIS_OK) status = gpis_set_describe(s, "group:%s:%s", number, file.text);
    gpis_free(spec->context, group);
    gpis_spec_name_clear(spec->context, &file);
    gpis_array_clear(spec->context, &array);
    return gpis_set_finish(s, status, out);
}

static gpis_status parse(gpis_spec *arguments, int64_t d, int64_t k, gpis_set **out) {
    (void)k;
    double R;
    int64_t size = 0;
    gpis_status status = gpis_spec_radius(arguments, &R);
    if (status == GPIS_OK) status = gpis_spec_skip(arguments, ':');
    const char *start = arguments->at;
    if (status == GPIS_OK && gpis_spec_is_file(arguments)) return parse_numbers(arguments, R, d, out);
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
    .usage = "group:R:SIZE or group:R:FILE.npy",
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
