/* none: K is the whole space. */
#include <string.h>

#include "set/kinds.h"

static gpis_status parse(gpis_set *s, gpis_spec *arguments) {
    (void)arguments;
    s->unbounded = true;
    return gpis_set_describe(s, "none");
}

static gpis_status project(gpis_set *s, const double *v, double *x) {
    if (x != v) memcpy(x, v, (size_t)s->d * sizeof *x);
    return GPIS_OK;
}

static gpis_status support(gpis_set *s, const double *g, double *value) {
    (void)s, (void)g;
    *value = 0;
    return GPIS_OK;
}

const gpis_set_class gpis_set_none = {
    .name = "none",
    .usage = "none",
    .exact_recession = true,
    .parse = parse,
    .project = project,
    .support = support,
    .recession = project,
};
