/* Folds that are given row by row: a column of the table of A, or a file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static bool is_file(const char *column) { return access(column, F_OK) == 0 || strchr(column, '/'); }

/* The folds of all rows: a column of the table, or a file. */
static int read_fold_column(cli_problem *p, const cli_common *common, const cli_folds *o, gpis_array *out) {
    gpis_source *source = NULL;
    gpis_source_info info = {0};
    gpis_open_options opening = cli_open_options(&p->loading, common, o->a, true);
    if (!p->encoding || is_file(o->column)) {
        opening = cli_open_options(&p->loading, common, o->column, true);
        const gpis_status read = gpis_array_read_with(p->context, o->column, &opening, out);
        cli_loading_end(&p->loading);
        return read == GPIS_OK ? 0 : cli_fail_status(p->context, read);
    }
    opening.columns = o->column;
    opening.delimiter = common->open.delimiter;
    opening.header = common->open.header;
    opening.format = common->open.format;
    gpis_status status = gpis_source_open_with(p->context, o->a, &opening, &source);
    cli_loading_end(&p->loading);
    if (status == GPIS_OK) gpis_source_describe(source, &info);
    if (status == GPIS_OK) status = gpis_array_create(p->context, info.rows, info.cols, 2, out);
    if (status == GPIS_OK) status = gpis_source_rows(p->context, source, 0, info.rows, out->data);
    gpis_source_destroy(source);
    return status == GPIS_OK ? 0 : cli_fail_status(p->context, status);
}

/* Whole numbers from 1 on, to folds from 0 on; *folds is the largest unless it was given. */
static int number_folds(const cli_problem *p, const cli_folds *o, const gpis_array *given, int64_t *fold,
                        int64_t *folds) {
    const double most = o->folds > 0 ? (double)o->folds : CLI_MAX_FOLDS;
    *folds = o->folds;
    if (given->rows != p->shape.rows || given->cols != 1)
        return cli_fail(CLI_BAD_INPUT,
                        "--fold-column %s has %lld rows and %lld columns; %lld rows of A need one number each",
                        o->column, (long long)given->rows, (long long)given->cols, (long long)p->shape.rows);
    for (int64_t i = 0; i < given->rows; i++) {
        const double number = given->data[i];
        if (!(number >= 1.0 && number <= most && number == floor(number)))
            return cli_fail(CLI_BAD_INPUT,
                            "--fold-column %s: row %lld is in fold %g; folds are whole numbers from 1 to %.0f",
                            o->column, (long long)i + 1, number, most);
        fold[i] = (int64_t)number - 1;
        if (fold[i] >= *folds) *folds = fold[i] + 1;
    }
    return 0;
}

int cli_folds_take(cli_problem *p, const cli_common *common, const cli_folds *o, int64_t **fold, int64_t *folds) {
    gpis_array given = {0};
    *folds = o->folds;
    if (!o->column) return 0;
    if (p->parts)
        return cli_fail(CLI_BAD_INPUT,
                        "--fold-column is for A in one file, on one rank; summarize the parts and merge them");
    int code = read_fold_column(p, common, o, &given);
    *fold = calloc((size_t)p->shape.rows + 1, sizeof **fold);
    if (code == 0 && !*fold) code = cli_fail(CLI_TROUBLE, "out of memory");
    if (code == 0) code = number_folds(p, o, &given, *fold, folds);
    gpis_array_clear(p->context, &given);
    return code;
}

int cli_folds_leave_out(cli_common *common, const char *column, char **excluded) {
    if (!column || is_file(column) || common->open.columns) return 0;
    const char *others = common->open.exclude;
    if (asprintf(excluded, "%s%s%s", others ? others : "", others ? "," : "", column) < 0) {
        *excluded = NULL;
        return cli_fail(CLI_TROUBLE, "out of memory");
    }
    common->open.exclude = *excluded;
    return 0;
}
