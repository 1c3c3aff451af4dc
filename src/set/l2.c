/* l2:R: ||x||_2 <= R. P(v) = v min(1, R / ||v||); support(g) = R ||g||. */
#include <string.h>

#include "linalg/accurate.h"
#include "set/kinds.h"

static gpis_status project(gpis_set *s, const double *v, double *x) {
    const double norm = gpis_norm2(v, s->d);
    if (norm <= s->R) {
        if (x != v) memcpy(x, v, (size_t)s->d * sizeof *x);
    } else {
        for (int64_t i = 0; i < s->d; i++) x[i] = v[i] / norm * s->R; /* R / norm may underflow */
    }
    return GPIS_OK;
}

static gpis_status support(gpis_set *s, const double *g, double *value) {
    *value = s->R * gpis_norm2(g, s->d);
    return GPIS_OK;
}

const gpis_set_class gpis_kind_l2 = {
    .name = "l2",
    .usage = "l2:R",
    .of_radius = gpis_set_l2,
    .project = project,
    .support = support,
};

gpis_status gpis_set_l2(gpis_context *context, double R, int64_t d, gpis_set **out) {
    gpis_set *s = NULL;
    gpis_status status = gpis_set_begin(context, &gpis_kind_l2, d, 1, false, out, &s);
    if (status == GPIS_OK) status = gpis_set_take_radius(s, R);
    if (status == GPIS_OK) s->shape = GPIS_SHAPE_BALL, s->group = d;
    return gpis_set_finish(s, status, out);
}
