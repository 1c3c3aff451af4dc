/* linf:R: |x_i| <= R. support(g) = R ||g||_1. */
#include <math.h>

#include "linalg/accurate.h"
#include "set/kinds.h"

static gpis_status project(gpis_set *s, const double *v, double *x) {
    for (int64_t i = 0; i < s->d; i++) x[i] = fmax(-s->R, fmin(v[i], s->R));
    return GPIS_OK;
}

static gpis_status support(gpis_set *s, const double *g, double *value) {
    *value = s->R * gpis_sum_abs(g, s->d);
    return GPIS_OK;
}

static void bounds(const gpis_set *s, int64_t i, double *lo, double *hi) {
    (void)i;
    *lo = -s->R;
    *hi = s->R;
}

const gpis_set_class gpis_kind_linf = {
    .name = "linf",
    .usage = "linf:R",
    .of_radius = gpis_set_linf,
    .project = project,
    .support = support,
    .bounds = bounds,
    .select = gpis_set_select_alike,
};

gpis_status gpis_set_linf(gpis_context *context, double R, int64_t d, gpis_set **out) {
    gpis_set *s = NULL;
    gpis_status status = gpis_set_begin(context, &gpis_kind_linf, d, 1, false, out, &s);
    if (status == GPIS_OK) status = gpis_set_take_radius(s, R);
    if (status == GPIS_OK) s->radius = R * sqrt((double)d);
    return gpis_set_finish(s, status, out);
}
