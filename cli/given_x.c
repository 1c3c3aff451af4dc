/*
 * An x from a file, to be checked or to start from: an array, or a table that --out x.csv has written, whose column
 * `coefficient` has the intercept first, if there is one, and then a line for each coefficient and response.
 */
#include <string.h>

#include "cli.h"

/* Whether the file begins as those of --out x.csv do. What cannot be read here is reported by those who read all. */
static bool is_table_of_ours(const char *path) {
    static const char begin[] = "name,";
    char line[sizeof begin] = "";
    const size_t length = strlen(path);
    if (length < 4 || strcmp(path + length - 4, ".csv") != 0) return false;
    FILE *file = fopen(path, "r");
    const bool ours = file && fgets(line, sizeof line, file) && strcmp(line, begin) == 0;
    if (file) fclose(file);
    return ours;
}

/* The coefficients of the table, in one column. Lines without one are about constraints. */
static gpis_status read_table(cli_problem *p, const char *path, gpis_open_options options, gpis_array *out) {
    gpis_source *source = NULL;
    gpis_source_info info = {0};
    options.columns = "coefficient";
    options.header = GPIS_HEADER_YES;
    options.missing = GPIS_MISSING_DROP;
    gpis_status status = gpis_source_open_with(p->context, path, &options, &source);
    if (status == GPIS_OK) gpis_source_describe(source, &info);
    if (status == GPIS_OK) status = gpis_array_create(p->context, info.rows, 1, 1, out);
    if (status == GPIS_OK) status = gpis_source_rows(p->context, source, 0, info.rows, out->data);
    gpis_source_destroy(source);
    return status;
}

/* Makes rows of k numbers of the column, and puts the intercept, which is the first of d + 1 rows, last. */
static gpis_status arrange(cli_problem *p, gpis_array *x) {
    const int64_t k = p->k, d = p->shape.cols;
    if (x->rows % k != 0) return GPIS_OK; /* which is found to be wrong */
    x->rows /= k;
    x->cols = k;
    if (x->rows != d + 1) return GPIS_OK;
    gpis_array turned;
    const gpis_status status = gpis_array_create(p->context, d + 1, k, 2, &turned);
    if (status != GPIS_OK) return status;
    memcpy(turned.data, x->data + k, (size_t)(d * k) * sizeof *x->data);
    memcpy(turned.data + d * k, x->data, (size_t)k * sizeof *x->data);
    gpis_array_clear(p->context, x);
    *x = turned;
    return GPIS_OK;
}

int cli_problem_read_x(cli_problem *p, const cli_common *common, const char *path, gpis_array *out) {
    const gpis_open_options options = cli_open_options(&p->loading, common, path, true);
    const bool table = is_table_of_ours(path);
    gpis_status status =
        table ? read_table(p, path, options, out) : gpis_array_read_with(p->context, path, &options, out);
    cli_loading_end(&p->loading);
    if (status == GPIS_OK && table) status = arrange(p, out);
    if (status != GPIS_OK) return cli_fail_status(p->context, status);
    const bool with_intercept = cli_problem_is_yes(common, "intercept") && out->rows == p->shape.cols + 1;
    if ((out->rows == p->shape.cols || with_intercept) && out->cols == p->k) return 0;
    return cli_fail(CLI_BAD_INPUT, "%s is %lld x %lld, but x must be %lld x %lld here (columns of A x responses)", path,
                    (long long)out->rows, (long long)out->cols, (long long)p->shape.cols, (long long)p->k);
}
