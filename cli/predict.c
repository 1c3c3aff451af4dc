/*
 * gpis predict: a model on new rows, prediction = a_i x + b + offset_i. Rows are read once, some at a time, so that the
 * data may be larger than memory. With --target also how well the predictions fit:
 *
 *     R^2 = 1 - SSR / SST,    RMSE = sqrt(SSR / sum of w),
 *
 * where SST is about the weighted mean of the new y if the model has an intercept, else about 0.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum { KEY_OUT = 512, ROWS_BYTES = 1 << 22 }; /* bytes of the rows that are held at a time */

typedef struct predict_options {
    cli_common common;
    const char *data, *model, *out;
} predict_options;

static const struct argp_option options[] = {
    {"out", KEY_OUT, "FILE", 0, "write the predictions here: .csv or .npy; without it they are printed as .csv", 5},
    {0},
};

static const char doc[] =
    "Predict y for new rows with a model that gpis solve --model has written."
    "\vDATA is what solve takes as A. The columns of a table are found by their names, and text and missing fields "
    "become numbers as they did for the model; a level that the model does not know is refused with its row and "
    "column. "
    "With --target (the column of y in DATA) R^2 and RMSE are printed; with --offset, a column of DATA or a file is "
    "added to "
    "the predictions, and --weights gives the rows weights in R^2 and RMSE. R^2 is about the mean of y if the model "
    "has an "
    "intercept, else about "
    "0.\n"
    "\n"
    "Example: gpis predict new.csv model.json --out predictions.csv\n"
    "Example: gpis predict test.csv model.json --target price";

/* ---- options ----------------------------------------------------------------------------------------------------- */

static const char *const fixed[] = {"columns", "exclude", "categorical", "missing"}; /* the model has them */
enum { FIXED = sizeof fixed / sizeof *fixed };

static error_t check_options(const predict_options *o, const struct argp_state *state) {
    if (!o->data || !o->model) return cli_usage(state, "predict needs the data and a model, in this order");
    for (int i = 0; i < FIXED; i++)
        if (cli_is_given(&o->common, fixed[i]))
            return cli_usage(state, "--%s is as the model has it; leave it out", fixed[i]);
    if (o->out && !cli_ends_in(o->out, ".csv") && !cli_ends_in(o->out, ".npy"))
        return cli_usage(state, "--out writes .csv or .npy; '%s' does not end so", o->out);
    if (o->common.json && !o->out && !o->common.open.target)
        return cli_usage(state, "--json tells how well predictions fit (--target) or where they are (--out)");
    const cli_file_use files[] = {
        {"the data", o->data, false}, {"the model", o->model, false}, {"--out", o->out, true}};
    return cli_check_files(state, &o->common, files, sizeof files / sizeof *files);
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
    predict_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        state->child_inputs[1] = &o->common;
        return 0;
    case KEY_OUT: o->out = arg; return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num == 0) return cli_take_input(state, &o->common, arg, &o->data);
        if (state->arg_num > 1)
            return cli_usage(state, "predict takes the data and a model; '%s' is one too many", arg);
        o->model = arg;
        return 0;
    case ARGP_KEY_END: return check_options(o, state);
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- the work ---------------------------------------------------------------------------------------------------- */

/* Sums of squares, about the mean of what was seen so far. */
typedef struct fit {
    double weight, residuals;
    double *mean, *squares; /* k numbers each; owned */
} fit;

typedef struct task {
    const predict_options *o;
    gpis_context *context;
    cli_model model;
    gpis_source *data; /* owned */
    gpis_source_info shape;
    const double *y, *weights, *offset; /* borrowed from the data or a file; NULL: not there */
    int64_t offset_cols;                /* 1: a column of the table, the same for every response; else k */
    gpis_array weights_file, offset_file;
    double *rows, *predicted; /* owned: `held` rows */
    int64_t held;
    double *all; /* owned: the predictions of all rows, for .npy; else NULL */
    cli_output file;
    FILE *stream; /* of .csv; NULL: none is written */
    fit fit;
} task;

static int open_data(task *t) {
    if (gpis_is_summary(t->o->data))
        return cli_fail(CLI_BAD_INPUT, "%s is a summary, which has no rows to predict", t->o->data);
    cli_loading loading;
    gpis_open_options how = cli_open_options(&loading, &t->o->common, t->o->data, false);
    how.encoding = t->model.encoding;
    const gpis_status status = gpis_source_open_with(t->context, t->o->data, &how, &t->data);
    cli_loading_end(&loading);
    if (status != GPIS_OK) return cli_fail_status(t->context, status);
    gpis_source_describe(t->data, &t->shape);
    cli_tell_cache_trouble(&t->shape);
    if (t->model.encoding && !t->o->common.quiet) cli_tell_missing(t->o->data, gpis_source_encoding(t->data));
    return 0;
}

/* What an option gives for the rows, where it is not a column of the table. */
static int take_file(task *t, const char *option, int64_t cols, gpis_array *file, const double **out) {
    if (!cli_is_given(&t->o->common, option)) return 0;
    const bool is_table = gpis_source_encoding(t->data) != NULL;
    const int code = cli_read_rows(t->context, &t->o->common, option, is_table, t->shape.rows, cols, file);
    *out = file->data;
    return code;
}

/* Takes what goes with the rows; the columns have to be those of the model. */
static int match(task *t) {
    const predict_options *o = t->o;
    int64_t k = 0;
    t->y = gpis_source_target(t->data, &k);
    t->weights = gpis_source_weights(t->data);
    t->offset = gpis_source_offset(t->data);
    if (t->shape.cols != t->model.d)
        return cli_fail(CLI_BAD_INPUT, "%s has %lld columns, but the model %s has %lld", o->data,
                        (long long)t->shape.cols, o->model, (long long)t->model.d);
    /* A table was read with the encoding of the model, which finds its columns by their own bytes. */
    for (int64_t j = 0; j < t->model.d && t->model.names && !t->model.encoding; j++) {
        const char *name = gpis_source_column(t->data, j);
        if (name && strcmp(name, t->model.names[j]) != 0)
            return cli_fail(CLI_BAD_INPUT, "%s: column %lld is '%s', but the model %s has '%s' there", o->data,
                            (long long)j + 1, name, o->model, t->model.names[j]);
    }
    if (t->y && k != t->model.k)
        return cli_fail(CLI_BAD_INPUT, "%s has %lld columns of y, but the model %s has %lld responses", o->data,
                        (long long)k, o->model, (long long)t->model.k);
    int code = 0;
    t->offset_cols = t->offset ? 1 : t->model.k;
    if (!t->weights) code = take_file(t, "weights", 1, &t->weights_file, &t->weights);
    if (code == 0 && !t->offset) code = take_file(t, "offset", t->model.k, &t->offset_file, &t->offset);
    if (code != 0) return code;
    if (t->model.has_offset && !t->offset && !o->common.quiet)
        cli_fail(0, "note: the model was made with an offset; these predictions are without one (--offset)");
    return 0;
}

static int allocate(task *t) {
    const int64_t d = t->model.d, k = t->model.k, most = ROWS_BYTES / (8 * d);
    t->held = most < 1 ? 1 : most < t->shape.rows ? most : t->shape.rows;
    if (t->held < 1) t->held = 1;
    t->rows = calloc((size_t)(t->held * d), sizeof(double));
    t->predicted = calloc((size_t)(t->held * k), sizeof(double));
    t->fit.mean = calloc((size_t)k, sizeof(double));
    t->fit.squares = calloc((size_t)k, sizeof(double));
    const bool whole = t->o->out && cli_ends_in(t->o->out, ".npy");
    if (whole) t->all = calloc((size_t)(t->shape.rows > 0 ? t->shape.rows : 1), (size_t)k * sizeof(double));
    if (t->rows && t->predicted && t->fit.mean && t->fit.squares && (!whole || t->all)) return 0;
    return cli_fail(CLI_TROUBLE, "out of memory");
}

static int start_output(task *t) {
    const predict_options *o = t->o;
    if (o->out && cli_ends_in(o->out, ".csv")) {
        const int code = cli_output_open(&t->file, o->out);
        if (code != 0) return code;
        t->stream = t->file.stream;
    } else if (!o->out && !o->common.open.target && !o->common.quiet) {
        t->stream = stdout;
    }
    for (int64_t c = 0; t->stream && c < t->model.k; c++) {
        if (t->model.k == 1)
            fputs("prediction", t->stream);
        else
            fprintf(t->stream, "%sprediction%lld", c > 0 ? "," : "", (long long)c + 1);
    }
    if (t->stream) putc('\n', t->stream);
    return 0;
}

static double offset_at(const task *t, int64_t row, int64_t c) {
    return t->offset ? t->offset[row * t->offset_cols + (t->offset_cols > 1 ? c : 0)] : 0.0;
}

static void predict_row(const task *t, int64_t row, const double *a, double *out) {
    const int64_t d = t->model.d, k = t->model.k;
    for (int64_t c = 0; c < k; c++) out[c] = t->model.intercept[c];
    for (int64_t j = 0; j < d; j++)
        for (int64_t c = 0; c < k; c++) out[c] += a[j] * t->model.x[j * k + c];
    for (int64_t c = 0; c < k; c++) out[c] += offset_at(t, row, c);
}

/* One more row: the mean moves by w/W of the distance, and the squares grow by w (1 - w/W) times its square. */
static void add_to_fit(task *t, int64_t row, const double *predicted) {
    fit *f = &t->fit;
    const int64_t k = t->model.k;
    const double w = t->weights ? t->weights[row] : 1.0;
    if (!t->y || w == 0.0) return;
    f->weight += w;
    for (int64_t c = 0; c < k; c++) {
        const double y = t->y[row * k + c], shown = y - offset_at(t, row, c), r = y - predicted[c];
        const double off = shown - f->mean[c], share = w / f->weight;
        f->residuals += w * r * r;
        f->mean[c] += t->model.has_intercept ? share * off : 0.0;
        f->squares[c] += w * (t->model.has_intercept ? 1.0 - share : 1.0) * off * off;
    }
}

static void write_row(const task *t, const double *predicted) {
    for (int64_t c = 0; c < t->model.k; c++) {
        if (c > 0) putc(',', t->stream);
        cli_write_number(t->stream, predicted[c]);
    }
    putc('\n', t->stream);
}

static int predict_rows(task *t) {
    const int64_t d = t->model.d, k = t->model.k;
    for (int64_t first = 0; first < t->shape.rows; first += t->held) {
        const int64_t count = first + t->held < t->shape.rows ? t->held : t->shape.rows - first;
        const gpis_status status = gpis_source_rows(t->context, t->data, first, count, t->rows);
        if (status != GPIS_OK) return cli_fail_status(t->context, status);
        for (int64_t i = 0; i < count; i++) {
            double *out = t->all ? t->all + (first + i) * k : t->predicted;
            predict_row(t, first + i, t->rows + i * d, out);
            add_to_fit(t, first + i, out);
            if (t->stream) write_row(t, out);
        }
        if (t->stream && ferror(t->stream)) break; /* nobody reads the rest, or there is no room for it */
    }
    return 0;
}

static int finish_output(task *t) {
    if (t->all) {
        const gpis_status status =
            gpis_array_write(t->context, t->o->out, t->all, t->shape.rows, t->model.k, t->model.k == 1 ? 1 : 2);
        return status == GPIS_OK ? 0 : cli_fail_status(t->context, status);
    }
    return cli_output_commit(&t->file);
}

static int report(const task *t) {
    const fit *f = &t->fit;
    double squares = 0;
    for (int64_t c = 0; c < t->model.k; c++) squares += f->squares[c];
    const double r2 = t->y && squares > 0 ? 1 - f->residuals / squares : NAN;
    const double rmse = t->y && f->weight > 0 ? sqrt(f->residuals / (f->weight * (double)t->model.k)) : NAN;
    const char *out = t->o->out;
    if (t->o->common.json)
        return cli_print_json(json_pack("{s:I, s:I, s:o, s:o, s:o}", "rows", (json_int_t)t->shape.rows, "responses",
                                        (json_int_t)t->model.k, "r2", cli_json_number(r2), "rmse",
                                        cli_json_number(rmse), "out", out ? cli_json_text(out) : json_null()));
    if (t->o->common.quiet || t->stream == stdout) return 0;
    printf("rows          %lld\n", (long long)t->shape.rows);
    if (t->y && !isnan(r2)) printf("R^2           %.6g\n", r2);
    if (t->y) printf("RMSE          %.6g\n", rmse);
    if (out) printf("predictions   %s\n", cli_printable(out).text);
    return 0;
}

static void clear(task *t) {
    cli_output_discard(&t->file);
    cli_model_clear(&t->model);
    gpis_array_clear(t->context, &t->weights_file);
    gpis_array_clear(t->context, &t->offset_file);
    gpis_source_destroy(t->data);
    free(t->rows);
    free(t->predicted);
    free(t->all);
    free(t->fit.mean);
    free(t->fit.squares);
    gpis_context_destroy(t->context);
}

int cli_predict(int argc, char **argv) {
    const struct argp table = cli_table_argp(GPIS_OPTION_OPEN);
    for (int i = 0; i < FIXED; i++) cli_table_explain(fixed[i], NULL);
    cli_table_explain("weights",
                      "the weights of the rows in R^2 and RMSE: a column of DATA, by name or number from 1, or a file");
    cli_table_explain("offset", "what is added to the predictions: a column of DATA, by name or number from 1, or a "
                                "file with a row for each of its rows");
    const struct argp_child children[] = {{&cli_alone_argp, 0, NULL, 0}, {&table, 0, NULL, 0}, {0}};
    const struct argp argp = {options, parse_option, "DATA MODEL.json", doc, children, NULL, NULL};
    predict_options o = {.common = cli_common_default()};
    if (!cli_parse(&argp, argc, argv, &o)) return CLI_BAD_INPUT;
    task t = {.o = &o};
    gpis_status status = gpis_context_create(&t.context);
    if (status == GPIS_OK) status = gpis_context_set_memory(t.context, o.common.settings.memory);
    int code = status == GPIS_OK ? 0 : cli_fail_status(t.context, status);
    if (code == 0 && o.out) code = cli_output_try(o.out);
    if (code == 0) code = cli_model_read(t.context, o.model, &t.model);
    if (code == 0) code = open_data(&t);
    if (code == 0) code = match(&t);
    if (code == 0) code = allocate(&t);
    if (code == 0) code = start_output(&t);
    if (code == 0) code = predict_rows(&t);
    if (code == 0) code = finish_output(&t);
    if (code == 0) code = report(&t);
    clear(&t);
    return code;
}
