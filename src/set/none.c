/* none: K is the whole space. */
#include <string.h>

#include "set/kinds.h"

static gpis_status project(gpis_set *s, const double *v, double *x) {
    if (x != v) memcpy(x, v, (size_t)s->d * sizeof *x);
    return GPIS_OK;
}

static gpis_status support(gpis_set *s, const double *g, double *value) {
    (void)s, (void)g;
    *value = 0;
    return GPIS_OK;
}

const gpis_set_class gpis_kind_none = {
    .name = "none",
    .usage = "none",
    .plain = gpis_set_none,
    .project = project,
    .support = support,
    .recession = project,
};

gpis_status gpis_set_none(gpis_context *context, int64_t d, gpis_set **out) {
    gpis_set *s = NULL;
    gpis_status status = gpis_set_begin(context, &gpis_kind_none, d, 1, false, out, &s);
    if (status == GPIS_OK) status = gpis_set_describe(s, "none");
    if (status == GPIS_OK) s->unbounded = s->exact_recession = true;
    if (status == GPIS_OK) s->shape = GPIS_SHAPE_WHOLE;
    return gpis_set_finish(s, status, out);
}
