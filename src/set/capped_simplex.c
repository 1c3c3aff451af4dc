/* capped-simplex:R: x >= 0, sum x <= R. The negative part goes first, then the cap; support(g) = R max(0, max g_i). */
#include "set/kinds.h"
#include "set/threshold.h"

static gpis_status project(gpis_set *s, const double *v, double *x) {
    for (int64_t i = 0; i < s->d; i++) x[i] = v[i] > 0 ? v[i] : 0;
    gpis_threshold_cap(x, x, s->d, s->R, s->work);
    return GPIS_OK;
}

static gpis_status support(gpis_set *s, const double *g, double *value) {
    double top = 0;
    for (int64_t i = 0; i < s->d; i++)
        if (g[i] > top) top = g[i];
    *value = s->R * top;
    return GPIS_OK;
}

const gpis_set_class gpis_kind_capped_simplex = {
    .name = "capped-simplex",
    .usage = "capped-simplex:R",
    .of_radius = gpis_set_capped_simplex,
    .project = project,
    .support = support,
    .bounds = gpis_set_bounds_nonneg,
};

gpis_status gpis_set_capped_simplex(gpis_context *context, double R, int64_t d, gpis_set **out) {
    gpis_set *s = NULL;
    gpis_status status = gpis_set_begin(context, &gpis_kind_capped_simplex, d, 1, false, out, &s);
    if (status == GPIS_OK) status = gpis_set_take_radius(s, R);
    if (status == GPIS_OK) status = gpis_set_take_work(s, d);
    if (status == GPIS_OK) s->sum = GPIS_SUM_AT_MOST_R;
    return gpis_set_finish(s, status, out);
}
