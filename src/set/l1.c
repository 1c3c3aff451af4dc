/* l1:R: ||x||_1 <= R. P(v) = sign(v) max(|v| - tau, 0), with tau = 0 inside; support(g) = R max |g_i|. */
#include <math.h>

#include "linalg/accurate.h"
#include "set/kinds.h"
#include "set/threshold.h"

static gpis_status project(gpis_set *s, const double *v, double *x) {
    double *u = s->work;
    for (int64_t i = 0; i < s->d; i++) u[i] = fabs(v[i]);
    gpis_threshold_cap(u, u, s->d, s->R, s->work + s->d);
    for (int64_t i = 0; i < s->d; i++) x[i] = copysign(u[i], v[i]);
    return GPIS_OK;
}

static gpis_status support(gpis_set *s, const double *g, double *value) {
    *value = s->R * gpis_max_abs(g, s->d);
    return GPIS_OK;
}

static void bounds(const gpis_set *s, int64_t i, double *lo, double *hi) {
    (void)s, (void)i;
    *lo = -INFINITY;
    *hi = INFINITY;
}

const gpis_set_class gpis_kind_l1 = {
    .name = "l1",
    .usage = "l1:R",
    .of_radius = gpis_set_l1,
    .project = project,
    .support = support,
    .bounds = bounds,
    .select = gpis_set_select_alike,
};

/* s->work: |v|, then scratch of the search. */
gpis_status gpis_set_l1(gpis_context *context, double R, int64_t d, gpis_set **out) {
    gpis_set *s = NULL;
    gpis_status status = gpis_set_begin(context, &gpis_kind_l1, d, 1, false, out, &s);
    if (status == GPIS_OK) status = gpis_set_take_radius(s, R);
    if (status == GPIS_OK) status = gpis_set_take_work(s, 2 * d);
    if (status == GPIS_OK) s->sum = GPIS_SUM_OF_SIZES_WITHIN;
    return gpis_set_finish(s, status, out);
}
