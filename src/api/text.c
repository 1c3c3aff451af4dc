/* Sets from text, for the columns of a problem. */
#include "api/text.h"

static const char *name_of_column(const void *user, int64_t j) { return gpis_source_column(user, j); }

gpis_columns gpis_text_columns(const gpis_problem *problem) {
    const bool named = gpis_source_column(problem->A, 0) != NULL;
    return (gpis_columns){problem->A->d, named ? name_of_column : NULL, problem->A};
}

int64_t gpis_text_responses(const gpis_problem *problem) { return problem->k > 0 ? problem->k : 1; }

gpis_status gpis_text_check(gpis_context *context, const gpis_problem *problem, gpis_set **out) {
    if (out) *out = NULL;
    if (!context) return GPIS_BAD_ARGUMENT;
    if (!problem || !out)
        return gpis_fail(context, GPIS_BAD_ARGUMENT,
                         "a set from text needs the problem whose columns it names, and a place to put the set");
    if (problem->context != context)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "the problem was made with another context");
    return GPIS_OK;
}

gpis_status gpis_set_parse(gpis_context *context, const char *spec, const gpis_problem *problem, gpis_set **out) {
    const gpis_status status = gpis_text_check(context, problem, out);
    if (status != GPIS_OK) return status;
    const gpis_columns columns = gpis_text_columns(problem);
    return gpis_set_read(context, spec, &columns, gpis_text_responses(problem), out);
}

gpis_status gpis_set_parse_linear(gpis_context *context, const char *const *texts, int64_t count,
                                  const gpis_problem *problem, gpis_set **out) {
    const gpis_status status = gpis_text_check(context, problem, out);
    if (status != GPIS_OK) return status;
    const gpis_columns columns = gpis_text_columns(problem);
    return gpis_set_read_linear(context, texts, count, &columns, gpis_text_responses(problem), out);
}
