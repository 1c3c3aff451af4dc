/* Polyhedra from numbers in memory: weighted sums of sizes, sums, linear rows. */
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "set/kinds.h"
#include "set/polyhedron.h"

static gpis_status check_size(gpis_context *context, const char *what, int64_t d, gpis_set **out) {
    if (out) *out = NULL;
    if (!context) return GPIS_BAD_ARGUMENT;
    if (!out) return gpis_fail(context, GPIS_BAD_ARGUMENT, "the pointer for the new set is NULL");
    if (d < 1) return gpis_fail(context, GPIS_BAD_SHAPE, "set %s: X of %lld x 1 is empty", what, (long long)d);
    if (d > INT_MAX)
        return gpis_fail(context, GPIS_TOO_LARGE, "set %s: X of %lld x 1 is too large", what, (long long)d);
    return GPIS_OK;
}

/* 0, 1, ..., d - 1. */
static int64_t *all_columns(gpis_context *context, int64_t d) {
    int64_t *columns = gpis_alloc(context, d, sizeof *columns);
    for (int64_t j = 0; columns && j < d; j++) columns[j] = j;
    return columns;
}

/* The end of each constructor: makes the set, or destroys the list. */
static gpis_status finish(gpis_polyhedron *list, gpis_status status, const char *spec, gpis_set **out) {
    if (status == GPIS_OK) return gpis_polyhedron_finish(list, spec, NULL, NULL, out);
    gpis_polyhedron_destroy(list);
    return status;
}

/* ---- l1 with weights --------------------------------------------------------------------------------------------- */

static gpis_status check_weights(gpis_context *context, double R, const double *weights, int64_t d) {
    if (!weights) return gpis_fail(context, GPIS_BAD_ARGUMENT, "set l1: the weights are NULL");
    if (!(R >= 0 && isfinite(R)))
        return gpis_fail(context, GPIS_BAD_SET, "set l1: R must be finite and >= 0, not %g", R);
    for (int64_t i = 0; i < d; i++)
        if (!(weights[i] >= 0 && isfinite(weights[i])))
            return gpis_fail(context, GPIS_BAD_SET, "set l1: weight %lld must be finite and >= 0, not %g",
                             (long long)i + 1, weights[i]);
    return GPIS_OK;
}

gpis_status gpis_set_l1_weighted(gpis_context *context, double R, const double *weights, int64_t d, gpis_set **out) {
    char number[GPIS_NUMBER_TEXT], content[GPIS_NUMBER_TEXT], spec[2 * GPIS_NUMBER_TEXT + 8];
    gpis_polyhedron *list = NULL;
    gpis_status status = check_size(context, "l1", d, out);
    if (status == GPIS_OK) status = check_weights(context, R, weights, d);
    if (status != GPIS_OK) return status;
    bool ones = true;
    for (int64_t i = 0; i < d; i++) ones = ones && weights[i] == 1;
    if (ones) return gpis_set_l1(context, R, d, out);
    gpis_number_text(R == 0 ? 0 : R, number);
    gpis_content_text(weights, d, content);
    snprintf(spec, sizeof spec, "l1:%s,%s", number, content);
    int64_t *columns = all_columns(context, d);
    status = columns ? gpis_polyhedron_create(context, d, &list) : GPIS_NO_MEMORY;
    if (status == GPIS_OK) status = gpis_polyhedron_add_sum(list, d, columns, weights, R, spec);
    gpis_free(context, columns);
    return finish(list, status, spec, out);
}

/* ---- sum --------------------------------------------------------------------------------------------------------- */

gpis_status gpis_set_sum(gpis_context *context, double lower, double upper, int64_t d, gpis_set **out) {
    char low[GPIS_NUMBER_TEXT], high[GPIS_NUMBER_TEXT], spec[2 * GPIS_NUMBER_TEXT + 8];
    gpis_polyhedron *list = NULL;
    gpis_status status = check_size(context, "sum", d, out);
    if (status != GPIS_OK) return status;
    gpis_number_text(lower == 0 ? 0 : lower, low);
    gpis_number_text(upper == 0 ? 0 : upper, high);
    if (!(lower <= upper) || lower == INFINITY || upper == -INFINITY)
        return gpis_fail(context, GPIS_BAD_SET, "set sum: no number is from %s to %s; LO must not exceed HI", low,
                         high);
    if (lower == upper)
        snprintf(spec, sizeof spec, "sum:%s", high);
    else
        snprintf(spec, sizeof spec, "sum:%s,%s", low, high);
    int64_t *columns = all_columns(context, d);
    double *ones = gpis_alloc(context, d, sizeof *ones);
    status = columns && ones ? gpis_polyhedron_create(context, d, &list) : GPIS_NO_MEMORY;
    for (int64_t j = 0; status == GPIS_OK && j < d; j++) ones[j] = 1;
    if (status == GPIS_OK) status = gpis_polyhedron_add_row(list, d, columns, ones, lower, upper, spec);
    gpis_free(context, columns);
    gpis_free(context, ones);
    return finish(list, status, spec, out);
}

/* ---- linear rows ------------------------------------------------------------------------------------------------- */

static gpis_status check_rows(gpis_context *context, const double *C, const double *lower, const double *upper,
                              int64_t rows, int64_t d) {
    int64_t entries;
    if (!C) return gpis_fail(context, GPIS_BAD_ARGUMENT, "set linear: C is NULL");
    if (rows < 1)
        return gpis_fail(context, GPIS_BAD_SHAPE, "set linear: C of %lld x %lld is empty", (long long)rows,
                         (long long)d);
    if (!gpis_checked_mul(rows, d, &entries))
        return gpis_fail(context, GPIS_TOO_LARGE, "set linear: C of %lld x %lld is too large", (long long)rows,
                         (long long)d);
    for (int64_t i = 0; i < entries; i++)
        if (!isfinite(C[i]))
            return gpis_fail(context, GPIS_BAD_DATA, "set linear: entry %lld of row %lld of C is %g",
                             (long long)(i % d) + 1, (long long)(i / d) + 1, C[i]);
    for (int64_t i = 0; i < rows; i++)
        if ((lower && isnan(lower[i])) || (upper && isnan(upper[i])))
            return gpis_fail(context, GPIS_BAD_DATA, "set linear: a limit of row %lld is NaN", (long long)i + 1);
    return GPIS_OK;
}

static void describe_rows(const double *C, const double *lower, const double *upper, int64_t rows, int64_t d,
                          char *spec, size_t size) {
    char c[GPIS_NUMBER_TEXT], low[GPIS_NUMBER_TEXT] = "", high[GPIS_NUMBER_TEXT] = "";
    gpis_content_text(C, rows * d, c);
    if (lower) gpis_content_text(lower, rows, low);
    if (upper) gpis_content_text(upper, rows, high);
    snprintf(spec, size, "linear:%s,%s,%s", c, low, high);
}

gpis_status gpis_set_linear(gpis_context *context, const double *C, const double *lower, const double *upper,
                            int64_t rows, int64_t d, const char *const *names, gpis_set **out) {
    char spec[4 * GPIS_NUMBER_TEXT];
    gpis_polyhedron *list = NULL;
    gpis_status status = check_size(context, "linear", d, out);
    if (status == GPIS_OK) status = check_rows(context, C, lower, upper, rows, d);
    if (status != GPIS_OK) return status;
    describe_rows(C, lower, upper, rows, d, spec, sizeof spec);
    int64_t *columns = all_columns(context, d);
    status = columns ? gpis_polyhedron_create(context, d, &list) : GPIS_NO_MEMORY;
    for (int64_t i = 0; i < rows && status == GPIS_OK; i++)
        status = gpis_polyhedron_add_row(list, d, columns, C + i * d, lower ? lower[i] : -INFINITY,
                                         upper ? upper[i] : INFINITY, names ? names[i] : NULL);
    gpis_free(context, columns);
    return finish(list, status, spec, out);
}
