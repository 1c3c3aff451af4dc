/* nonneg: x >= 0, a cone. */
#include "set/kinds.h"

static gpis_status project(gpis_set *s, const double *v, double *x) {
    for (int64_t i = 0; i < s->d; i++) x[i] = v[i] > 0 ? v[i] : 0;
    return GPIS_OK;
}

static gpis_status support(gpis_set *s, const double *g, double *value) {
    (void)s, (void)g;
    *value = 0;
    return GPIS_OK;
}

const gpis_set_class gpis_kind_nonneg = {
    .name = "nonneg",
    .usage = "nonneg",
    .plain = gpis_set_nonneg,
    .project = project,
    .support = support,
    .recession = project,
    .bounds = gpis_set_bounds_nonneg,
    .select = gpis_set_select_alike,
};

gpis_status gpis_set_nonneg(gpis_context *context, int64_t d, gpis_set **out) {
    gpis_set *s = NULL;
    gpis_status status = gpis_set_begin(context, &gpis_kind_nonneg, d, 1, false, out, &s);
    if (status == GPIS_OK) status = gpis_set_describe(s, "nonneg");
    if (status == GPIS_OK) s->unbounded = s->exact_recession = true;
    return gpis_set_finish(s, status, out);
}
