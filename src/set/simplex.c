/* simplex:R: x >= 0, sum x = R. P(v) = max(v - tau, 0); support(g) = R max g_i. */
#include <math.h>
#include <string.h>

#include "set/kinds.h"
#include "set/threshold.h"

static gpis_status parse(gpis_set *s, gpis_spec *arguments) {
    const gpis_status status = gpis_set_parse_radius(s, arguments);
    return status == GPIS_OK ? gpis_set_take_work(s, s->d) : status;
}

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

static void bounds(const gpis_set *s, int64_t i, double *lo, double *hi) {
    (void)s, (void)i;
    *lo = 0;
    *hi = INFINITY;
}

const gpis_set_class gpis_set_simplex = {
    .name = "simplex",
    .usage = "simplex:R",
    .parse = parse,
    .project = project,
    .support = support,
    .bounds = bounds,
    .sum = GPIS_SUM_IS_R,
    .select = gpis_set_select_alike,
};
