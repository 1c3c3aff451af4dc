/* nonneg: x >= 0, a cone. */
#include <math.h>

#include "set/kinds.h"

static gpis_status parse(gpis_set *s, gpis_spec *arguments) {
    (void)arguments;
    s->unbounded = true;
    return gpis_set_describe(s, "nonneg");
}

static gpis_status project(gpis_set *s, const double *v, double *x) {
    for (int64_t i = 0; i < s->d; i++) x[i] = v[i] > 0 ? v[i] : 0;
    return GPIS_OK;
}

static gpis_status support(gpis_set *s, const double *g, double *value) {
    (void)s, (void)g;
    *value = 0;
    return GPIS_OK;
}

static void bounds(const gpis_set *s, int64_t i, double *lo, double *hi) {
    (void)s, (void)i;
    *lo = 0;
    *hi = INFINITY;
}

const gpis_set_class gpis_set_nonneg = {
    .name = "nonneg",
    .usage = "nonneg",
    .exact_recession = true,
    .parse = parse,
    .project = project,
    .support = support,
    .recession = project,
    .bounds = bounds,
    .select = gpis_set_select_alike,
};
