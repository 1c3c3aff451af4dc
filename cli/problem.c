/* The problem as files give it: A, y and the set, opened and matched with each other. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static int use_y_file(cli_problem *p, const char *a_path, const char *y_path, const cli_common *common) {
    const gpis_open_options options = cli_open_options(&p->loading, common, y_path, true);
    const gpis_status status = gpis_array_read_with(p->context, y_path, &options, &p->y_file);
    cli_loading_end(&p->loading);
    if (status != GPIS_OK) return cli_fail_status(p->context, status);
    gpis_encoding_info table = {.size = sizeof table};
    gpis_encoding_describe(p->encoding, &table);
    if (p->y_file.rows != p->shape.rows && table.dropped > 0)
        return cli_fail(
            CLI_BAD_INPUT,
            "%s has %lld rows but %s has %lld, since %lld rows are left out; y has to be a column of the table "
            "then (--target)",
            y_path, (long long)p->y_file.rows, a_path, (long long)p->shape.rows, (long long)table.dropped);
    if (p->y_file.rows != p->shape.rows)
        return cli_fail(CLI_BAD_INPUT, "%s has %lld rows but %s has %lld; y needs one row for each row of A", y_path,
                        (long long)p->y_file.rows, a_path, (long long)p->shape.rows);
    p->Y = p->y_file.data;
    p->k = p->y_file.cols;
    p->dimensions = p->y_file.dimensions;
    return 0;
}

static int use_y_of_source(cli_problem *p, const char *a_path, const cli_common *common) {
    p->Y = gpis_source_target(p->A, &p->k);
    p->dimensions = p->k == 1 ? 1 : 2;
    if (p->Y) return 0;
    p->k = 1;
    if (common->without_y) return 0;
    return cli_fail(CLI_BAD_INPUT, "%s holds no y: give y as a second file, or name its column with --target", a_path);
}

void cli_tell_cache_trouble(const gpis_source_info *info) {
    if (!info->cache_trouble) return;
    cli_defer(true);
    cli_fail(CLI_TROUBLE, "%s", info->cache_trouble);
    cli_defer(false);
}

/* The options of tables are those of A: y and x have what they have. */
static void forget_table(gpis_open_options *options) {
    const gpis_open_options plain = gpis_open_options_default();
    options->target = options->weights = options->offset = NULL;
    options->columns = options->exclude = options->categorical = options->delimiter = NULL;
    options->missing = plain.missing;
    options->header = plain.header;
}

/* --format is for what comes from standard input, or else for A; standard input is a .csv file without it. */
gpis_open_options cli_open_options(cli_loading *loading, const cli_common *common, const char *path, bool is_y) {
    gpis_open_options options = common->open;
    const bool from_input = strcmp(path, CLI_STANDARD_INPUT) == 0;
    if (is_y) forget_table(&options);
    if (from_input && !options.format) options.format = "csv";
    if (!from_input && (is_y || common->standard_input)) options.format = NULL;
    cli_loading_start(loading, common->quiet, &options);
    return options;
}

/* What only the rows of a table have, or is in a summary already. */
static int check_summary(const cli_common *common, const char *path, const char *y_path) {
    static const char *const of_rows[] = {"target",  "weights",     "offset",  "columns",
                                          "exclude", "categorical", "missing", "delimiter"};
    if (cli_ranks())
        return cli_fail(CLI_BAD_INPUT, "%s: a summary has no rows to share: run this without mpirun", path);
    if (y_path)
        return cli_fail(CLI_BAD_INPUT, "%s is a summary, which y is a part of: leave the file %s out", path, y_path);
    for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++)
        if (cli_is_given(common, of_rows[i]))
            return cli_fail(CLI_BAD_INPUT,
                            "%s is a summary: --%s is for the rows that it was made of, with gpis summarize", path,
                            of_rows[i]);
    return 0;
}

/* A summary in the place of A and y. */
static int open_summary(cli_problem *p, const char *path, const char *y_path, const cli_common *common) {
    const int code = check_summary(common, path, y_path);
    if (code != 0) return code;
    const gpis_status status = gpis_summary_load(p->context, path, &p->summary);
    if (status != GPIS_OK) return cli_fail_status(p->context, status);
    gpis_summary_info info = {.size = sizeof info};
    gpis_summary_describe(p->summary, &info);
    p->A = (gpis_source *)gpis_summary_source(p->summary); /* nothing of it is changed */
    gpis_source_describe(p->A, &p->shape);
    p->encoding = gpis_source_encoding(p->A);
    p->k = info.responses;
    p->dimensions = p->k == 1 ? 1 : 2;
    return 0;
}

static int open_rows(cli_problem *p, const char *a_path, const char *y_path, const cli_common *common) {
    int code = 0;
    if (gpis_is_summary(a_path)) return cli_ranks_agree(open_summary(p, a_path, y_path, common));
    if (a_path[0] == '@' || cli_ranks()) {
        code = cli_parts_open(p, a_path, y_path, common);
        if (code == 0) gpis_source_describe(p->A, &p->shape);
        if (code == 0 && !common->quiet && cli_is_first()) cli_tell_encoding(a_path, p->encoding);
        return code;
    }
    const gpis_open_options options = cli_open_options(&p->loading, common, a_path, false);
    const gpis_status status = gpis_source_open_with(p->context, a_path, &options, &p->A);
    cli_loading_end(&p->loading);
    if (status != GPIS_OK) return cli_fail_status(p->context, status);
    gpis_source_describe(p->A, &p->shape);
    p->rows_here = p->shape.rows;
    cli_tell_cache_trouble(&p->shape);
    p->encoding = gpis_source_encoding(p->A);
    if (!common->quiet) cli_tell_encoding(a_path, p->encoding);
    return y_path ? use_y_file(p, a_path, y_path, common) : use_y_of_source(p, a_path, common);
}

int cli_read_rows(gpis_context *context, const cli_common *common, const char *option, bool is_table, int64_t rows,
                  int64_t cols, gpis_array *out) {
    const char *path = cli_problem_text(common, option);
    cli_loading loading;
    if (is_table && access(path, F_OK) != 0 && !strchr(path, ':'))
        return cli_fail(CLI_BAD_INPUT, "--%s %s: the table has no column of this name, and there is no such file",
                        option, path);
    const gpis_open_options options = cli_open_options(&loading, common, path, true);
    const gpis_status status = gpis_array_read_with(context, path, &options, out);
    cli_loading_end(&loading);
    if (status != GPIS_OK) return cli_fail_status(context, status);
    if (out->rows == rows && out->cols == cols) return 0;
    const int code = cli_fail(CLI_BAD_INPUT, "%s is %lld x %lld, but --%s wants %lld x %lld (rows of A x %s)", path,
                              (long long)out->rows, (long long)out->cols, option, (long long)rows, (long long)cols,
                              cols == 1 ? "1" : "columns of y");
    gpis_array_clear(context, out);
    return code;
}

/* Reads an array with a row for each row of A, and keeps the rows of this rank. */
static int read_rows_here(cli_problem *p, const cli_common *common, const char *option, int64_t cols, gpis_array *out) {
    gpis_array all = {0};
    int code = cli_read_rows(p->context, common, option, p->encoding != NULL, p->shape.rows, cols, &all);
    if (code == 0 && p->rows_here > 0) {
        const gpis_status status = gpis_array_create(p->context, p->rows_here, cols, 2, out);
        if (status != GPIS_OK) code = cli_fail_status(p->context, status);
    }
    if (out->data) memcpy(out->data, all.data + p->first_row * cols, (size_t)(p->rows_here * cols) * sizeof *out->data);
    gpis_array_clear(p->context, &all);
    return code;
}

/* The numbers of an option, one row for each row of this rank: a column of the table, which all ranks have or none, or
 * else a file. */
static int take_rows(cli_problem *p, const cli_common *common, const char *option, const double *column, int64_t cols,
                     gpis_array *file, const double **out) {
    const bool inside = cli_ranks_largest(column != NULL) > 0;
    *out = column;
    if (inside && cols > 1)
        return cli_fail(CLI_BAD_INPUT,
                        "--%s names a column of the table, but y has %lld columns; give a file as wide as y", option,
                        (long long)cols);
    if (inside || !cli_is_given(common, option)) return 0;
    const int code = read_rows_here(p, common, option, cols, file);
    *out = file->data;
    return code;
}

bool cli_problem_is_yes(const cli_common *common, const char *option) {
    const char *text = cli_problem_text(common, option);
    return text && strcmp(text, "yes") == 0;
}

/* The terms besides y and the set. */
static gpis_status pose_terms(cli_problem *p, const cli_common *common) {
    gpis_status status = gpis_problem_intercept(p->problem, cli_problem_is_yes(common, "intercept"));
    if (status == GPIS_OK) status = gpis_problem_standardize(p->problem, cli_problem_is_yes(common, "standardize"));
    if (status == GPIS_OK && cli_is_given(common, "weights"))
        status = gpis_problem_weights(p->problem, p->weights, p->rows_here);
    if (status == GPIS_OK && cli_is_given(common, "offset"))
        status = gpis_problem_offset(p->problem, p->offset, p->rows_here, p->k);
    return status;
}

/* A, y and the set as one problem. A plan may do without y. */
static int pose_problem(cli_problem *p, const cli_common *common) {
    gpis_status status = p->summary ? gpis_problem_of_summary(p->context, p->summary, &p->problem)
                                    : gpis_problem_create(p->context, p->A, &p->problem); /* all ranks together */
    if (status == GPIS_OK && !p->summary && (p->Y || !common->without_y))
        status = gpis_problem_response(p->problem, p->Y, p->rows_here, p->k);
    if (status == GPIS_OK) status = pose_terms(p, common);
    if (status != GPIS_OK) return cli_fail_status(p->context, status);
    const int code = cli_constrain(p, common);
    if (code != 0) return code;
    status = gpis_problem_constrain(p->problem, p->set);
    return status == GPIS_OK ? 0 : cli_fail_status(p->context, status);
}

int cli_problem_open(cli_problem *p, const char *a_path, const char *y_path, const cli_common *common) {
    *p = (cli_problem){0};
    const double start = cli_clock();
    gpis_status status = gpis_context_create(&p->context);
    if (status == GPIS_OK) status = gpis_context_set_threads(p->context, cli_ranks_threads(common->settings.threads));
    if (status == GPIS_OK) status = gpis_context_set_memory(p->context, common->settings.memory);
    int code = status == GPIS_OK ? 0 : cli_fail_status(p->context, status);
    if (code == 0 && common->standard_input && cli_ranks())
        code = cli_fail(CLI_BAD_INPUT, "several ranks cannot share standard input; save it as a file and name that");
    code = cli_ranks_agree(code);
    if (code == 0) code = open_rows(p, a_path, y_path, common);
    if (code != 0) return code;
    code =
        cli_ranks_agree(take_rows(p, common, "weights", gpis_source_weights(p->A), 1, &p->weights_file, &p->weights));
    if (code == 0)
        code = cli_ranks_agree(
            take_rows(p, common, "offset", gpis_source_offset(p->A), p->k, &p->offset_file, &p->offset));
    if (code != 0) return code;
    code = pose_problem(p, common);
    if (code == 0) code = cli_penalty_take(p, common);
    p->load_seconds = cli_clock() - start;
    return cli_ranks_agree(code);
}

int64_t cli_problem_room(const cli_problem *p, const cli_common *common) {
    if (common->settings.memory == 0) return 0;
    const int64_t left = common->settings.memory - gpis_context_memory_peak(p->context);
    return left > 1 ? left : 1;
}

void cli_problem_close(cli_problem *p) {
    gpis_problem_destroy(p->problem);
    cli_constraints_close(p);
    if (p->context) {
        gpis_array_clear(p->context, &p->y_file);
        gpis_array_clear(p->context, &p->weights_file);
        gpis_array_clear(p->context, &p->offset_file);
        gpis_array_clear(p->context, &p->penalty.weights);
    }
    if (p->summary)
        gpis_summary_destroy(p->summary);
    else
        gpis_source_destroy(p->A);
    cli_parts_close(p->parts);
    gpis_context_destroy(p->context);
    *p = (cli_problem){0};
}
