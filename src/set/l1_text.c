/* The text of l1 balls: l1:R, and l1:R,WEIGHTS.npy with a weight for each entry, which is a polyhedron (linear.c). */
#include "base/npy.h"
#include "set/kinds.h"

static gpis_status parse_weights(gpis_spec *spec, double R, int64_t d, gpis_set **out) {
    gpis_spec_name file = {0};
    gpis_array weights = {0};
    gpis_set *s = NULL;
    char number[GPIS_NUMBER_TEXT];
    gpis_status status = gpis_spec_file(spec, &file);
    if (status == GPIS_OK) status = gpis_npy_read(spec->context, file.path, &weights);
    if (status == GPIS_OK && (weights.rows != d || weights.cols != 1))
        status = gpis_fail(spec->context, GPIS_BAD_SHAPE, "%s: weights must be %lld x 1, not %lld x %lld", file.path,
                           (long long)d, (long long)weights.rows, (long long)weights.cols);
    if (status == GPIS_OK) status = gpis_set_l1_weighted(spec->context, R, weights.data, d, &s);
    gpis_number_text(R, number);
    if (status == GPIS_OK) status = gpis_set_describe(s, "l1:%s,%s", number, file.text);
    gpis_spec_name_clear(spec->context, &file);
    gpis_array_clear(spec->context, &weights);
    return gpis_set_finish(s, status, out);
}

static gpis_status parse(gpis_spec *spec, int64_t d, int64_t k, gpis_set **out) {
    (void)k;
    double R;
    const gpis_status status = gpis_spec_radius(spec, &R);
    if (status != GPIS_OK) return status;
    return gpis_spec_take(spec, ',') ? parse_weights(spec, R, d, out) : gpis_set_l1(spec->context, R, d, out);
}

const gpis_set_class gpis_kind_l1_text = {
    .name = "l1",
    .usage = "l1:R or l1:R,WEIGHTS.npy",
    .parse = parse,
};
