/* simplex:R: x >= 0, sum x = R. P(v) = max(v - tau, 0); support(g) = R max g_i. */
#include <string.h>

#include "set/kinds.h"
#include "set/threshold.h"

static gpis_status project(gpis_set *s, const double *v, double *x) {
    if (s->R == 0) {
        memset(x, 0, (size_t)s->d * sizeof *x);
        return GPIS_OK;
    }
    memcpy(s->work, v, (size_t)s->d * sizeof *v);
    const gpis_threshold t = gpis_threshold_find(s->work, s->d, s->R);
    for (int64_t i = 0; i < s->d; i++) x[i] = gpis_threshold_apply(&t, v[i]);
    return GPIS_OK;
}

static gpis_status support(gpis_set *s, const double *g, double *value) {
    double top = g[0];
    for (int64_t i = 1; i < s->d; i++)
        if (g[i] > top) top = g[i];
    *value = s->R * top;
    return GPIS_OK;
}

const gpis_set_class gpis_kind_simplex = {
    .name = "simplex",
    .usage = "simplex:R",
    .of_radius = gpis_set_simplex,
    .project = project,
    .support = support,
    .bounds = gpis_set_bounds_nonneg,
    .select = gpis_set_select_alike,
};

gpis_status gpis_set_simplex(gpis_context *context, double R, int64_t d, gpis_set **out) {
    gpis_set *s = NULL;
    gpis_status status = gpis_set_begin(context, &gpis_kind_simplex, d, 1, false, out, &s);
    if (status == GPIS_OK) status = gpis_set_take_radius(s, R);
    if (status == GPIS_OK) status = gpis_set_take_work(s, d);
    if (status == GPIS_OK) s->sum = GPIS_SUM_IS_R;
    return gpis_set_finish(s, status, out);
}
