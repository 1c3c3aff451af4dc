/*
 * monotone: x_1 <= x_2 <= ... <= x_d, a cone. Projected by pooling adjacent violators: blocks of equal entries are
 * merged while the one on the left is higher than the one on the right; O(d), since every merge removes a block. The
 * jumps are nonnegative.
 */
#include "set/kinds.h"

static gpis_status project(gpis_set *s, const double *v, double *x) {
    double *value = s->work, *length = s->work + s->d;
    int64_t blocks = 0;
    for (int64_t i = 0; i < s->d; i++) {
        double mean = v[i], count = 1;
        while (blocks > 0 && value[blocks - 1] >= mean) {
            const double left = length[--blocks];
            count += left;
            mean += (value[blocks] - mean) * (left / count); /* the weighted mean, safe from overflow */
        }
        value[blocks] = mean;
        length[blocks++] = count;
    }
    int64_t i = 0;
    for (int64_t b = 0; b < blocks; b++)
        for (const int64_t end = i + (int64_t)length[b]; i < end; i++) x[i] = value[b];
    return GPIS_OK;
}

static gpis_status support(gpis_set *s, const double *g, double *value) {
    (void)s, (void)g;
    *value = 0;
    return GPIS_OK;
}

const gpis_set_class gpis_kind_monotone = {
    .name = "monotone",
    .usage = "monotone",
    .plain = gpis_set_monotone,
    .project = project,
    .support = support,
    .recession = project,
    .support_low = gpis_chain_monotone,
    .turn = gpis_set_turn_jumps,
};

/* s->work: values of the blocks, then their lengths. For d = 1 there are no jumps. */
gpis_status gpis_set_monotone(gpis_context *context, int64_t d, gpis_set **out) {
    gpis_set *s = NULL;
    gpis_status status = gpis_set_begin(context, &gpis_kind_monotone, d, 1, false, out, &s);
    if (status == GPIS_OK) status = gpis_set_describe(s, "monotone");
    if (status == GPIS_OK) status = gpis_set_take_work(s, 2 * d);
    if (status == GPIS_OK && d > 1) status = gpis_set_nonneg(context, d - 1, &s->inside);
    if (status == GPIS_OK) {
        s->owns_inside = true;
        s->loose = d > 1;
        s->unbounded = true;
        s->shape = GPIS_SHAPE_ORDERED;
    }
    return gpis_set_finish(s, status, out);
}
