/* Stands in for constructors that another branch makes; not to be merged. */
#include "set/kinds.h"
gpis_status gpis_set_linear(gpis_context *context, const double *C, const double *lower, const double *upper,
                            int64_t rows, int64_t d, const char *const *names, gpis_set **out) {
    (void)C, (void)lower, (void)upper, (void)rows, (void)d, (void)names, (void)out;
    return gpis_fail(context, GPIS_NOT_APPLICABLE, "linear rows are not there yet");
}
gpis_status gpis_set_intersection(gpis_context *context, int64_t count, gpis_set *const *sets, gpis_set **out) {
    (void)count, (void)sets, (void)out;
    return gpis_fail(context, GPIS_NOT_APPLICABLE, "intersections are not there yet");
}
gpis_status gpis_set_name_columns(gpis_set *set, const char *const *names, int64_t d) {
    (void)set, (void)names, (void)d;
    return GPIS_OK;
}
const char *gpis_set_warning(const gpis_set *set) { return set && set->warning ? set->warning : ""; }
