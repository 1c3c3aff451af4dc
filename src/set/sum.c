/* sum:R and sum:LO,HI: the entries add up to R, or to a number from LO to HI, of which one may be empty. The set is a
 * polyhedron with one row (linear.c). */
#include <math.h>

#include "set/kinds.h"

/* LO or HI; nothing is `absent`. */
static gpis_status parse_end(gpis_spec *spec, double absent, double *out) {
    *out = absent;
    return spec->at == spec->end || *spec->at == ',' ? GPIS_OK : gpis_spec_number(spec, out);
}

static gpis_status parse(gpis_spec *spec, int64_t d, int64_t k, gpis_set **out) {
    (void)k;
    double lower, upper;
    const char *start = spec->at;
    gpis_status status = parse_end(spec, -INFINITY, &lower);
    upper = lower;
    if (status == GPIS_OK && gpis_spec_take(spec, ','))
        status = parse_end(spec, INFINITY, &upper);
    else if (status == GPIS_OK && isinf(lower))
        return spec->at == start ? gpis_spec_expected(spec, "a number")
                                 : gpis_spec_fail(spec, start, "the sum must be finite");
    if (status == GPIS_OK && (!(lower <= upper) || lower == INFINITY || upper == -INFINITY))
        return gpis_spec_fail(spec, start, "no number is between LO and HI");
    return status == GPIS_OK ? gpis_set_sum(spec->context, lower, upper, d, out) : status;
}

const gpis_set_class gpis_kind_sum = {
    .name = "sum",
    .usage = "sum:R or sum:LO,HI",
    .parse = parse,
};
