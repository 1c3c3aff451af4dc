/* capped-simplex:R: x >= 0, sum x <= R. The negative part goes first, then the cap; support(g) = R max(0, max g_i). */
#include <math.h>

#include "set/kinds.h"
#include "set/threshold.h"

static gpis_status parse(gpis_set *s, gpis_spec *arguments) {
    const gpis_status status = gpis_set_parse_radius(s, arguments);
    return status == GPIS_OK ? gpis_set_take_work(s, s->d) : status;
}

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

static void bounds(const gpis_set *s, int64_t i, double *lo, double *hi) {
    (void)s, (void)i;
    *lo = 0;
    *hi = INFINITY;
}

const gpis_set_class gpis_set_capped_simplex = {
    .name = "capped-simplex",
    .usage = "capped-simplex:R",
    .parse = parse,
    .project = project,
    .support = support,
    .bounds = bounds,
    .sum = GPIS_SUM_AT_MOST_R,
};
