/* gpis path and gpis cv: answers for a grid of radii or penalties, and the choice among them by cross-validation. */
#include "path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "page_facts.h"

typedef struct path_options {
    cli_common common;
    gpis_path_options path;
    const char *a, *y, *out, *figure, *values, *fold_column, *report, *model;
    char *command; /* owned: as it was typed, for the report */
    double *grid;  /* owned: --values */
    char *set;     /* owned: all that --set says */
    char *exclude; /* owned: --exclude with the column of the folds */
    int64_t *fold; /* owned: --fold-column */
    bool cv;
} path_options;

enum {
    KEY_OUT = 512,
    KEY_FIGURE,
    KEY_POINTS,
    KEY_EPS,
    KEY_GRID,
    KEY_VALUES,
    KEY_FOLDS,
    KEY_FOLD_COLUMN,
    KEY_REPEATS,
    KEY_REPORT,
    KEY_MODEL
};

#define GRID_OPTIONS                                                                                                   \
    {"points", KEY_POINTS, "N", 0, "points of the path (default 100)", 1},                                             \
        {"eps", KEY_EPS, "E", 0, "the least value is E times the largest that has an effect (default 0.001)", 1},      \
        {"grid", KEY_GRID, "KIND", 0, "log: values in equal ratios (the default), or linear: in equal steps", 1},      \
        {"values", KEY_VALUES, "LIST", 0, "these radii or penalties instead, with commas between", 1},                 \
        {"out", KEY_OUT, "FILE.csv", 0, "write a line for each point here", 5},                                        \
        {"report", KEY_REPORT, "FILE.html", 0, "write an HTML page about it here: one file that needs no network", 5}, \
    {                                                                                                                  \
        "figure", KEY_FIGURE, "FILE.svg", 0, "draw a figure here", 5                                                   \
    }

static const struct argp_option path_table[] = {GRID_OPTIONS, {0}};
static const struct argp_option cv_table[] = {
    GRID_OPTIONS,
    {"folds", KEY_FOLDS, "K", 0, "number of folds (default 10; those of a summary that has some)", 1},
    {"fold-column", KEY_FOLD_COLUMN, "COLUMN|FILE", 0,
     "the fold of each row, a whole number from 1 on: a column of a .csv/.tsv file, by name or number from 1, or else "
     "a file with one number for each row of A; without it folds are drawn at random (--seed)",
     1},
    {"repeats", KEY_REPEATS, "N", 0, "draw the folds N times; each takes a sweep over A (default 1)", 1},
    {"model", KEY_MODEL, "FILE.json", 0,
     "write the answer of the best point, on all rows, here: all that gpis predict needs", 5},
    {0},
};

static const char set_help[] = "the set whose radius varies, written without the radius: l1, 'l1 & nonneg', "
                               "'simplex[w*]', or with the letter R, group:R:3; sets that have "
                               "all their numbers apply at every point; if given several times, all apply (default l1)";
static const char penalty_help[] = "l1, or l1,W.npy with weights: a path of penalties LAMBDA ||x||_1 instead; "
                                   "l1:LAMBDA and l2:LAMBDA are added to the "
                                   "objective at every point, as in gpis solve";
static const char path_doc[] =
    "Solve for a whole path of radii, or of penalties, with a certificate for each point. A is read "
    "once, unless there are too many columns for the memory."
    "\vThe set is named without its radius: --set l1 (the default), --set 'l1 & nonneg', --set 'simplex[w*]', or with "
    "the letter R in its place, --set group:R:3. With --penalty l1 (or l1,W.npy: with weights) the path is one of "
    "penalties. A summary that gpis summarize has made can take the place of A and y; then nothing is read.\n"
    "\n"
    "Exit codes: 0 every point is certified to the tolerance, 1 some are not, 2 bad usage or bad input, 3 file or "
    "memory trouble, 130 interrupted.\n"
    "\n"
    "Example: gpis path data.csv --target sales --intercept --out path.csv --figure path.svg";
static const char cv_doc[] =
    "Choose a radius, or a penalty, by cross-validation: a path on all rows, and for each fold a path on the other "
    "rows, which is tested on the fold. A is read once for all of them, unless there are too many columns for the "
    "memory."
    "\vThe best point has the least mean squared error over the folds; the one-standard-error choice is the simplest "
    "point within one standard error of it. Sets and penalties are named as for gpis path.\n"
    "\n"
    "Exit codes: 0 every point is certified to the tolerance, with all rows and without each fold, 1 some are not, 2 "
    "bad "
    "usage or bad input, 3 file or memory trouble, 130 interrupted.\n"
    "\n"
    "Example: gpis cv data.csv --target sales --intercept --penalty l1 --folds 10 --figure cv.svg";

/* ---- options ---- */

static error_t take_values(path_options *o, const char *text, const struct argp_state *state) {
    const char *at = text;
    char *end = NULL;
    free(o->grid);
    o->grid = calloc(strlen(text) + 1, sizeof *o->grid);
    o->path.value_count = 0;
    if (!o->grid) return cli_usage(state, "out of memory");
    for (;; at = end + 1) {
        o->grid[o->path.value_count++] = strtod(at, &end);
        if (end == at || (*end != ',' && *end != '\0'))
            return cli_usage(state, "--values wants numbers with commas between, not '%s'", text);
        if (*end == '\0') break;
    }
    o->path.values = o->grid;
    return 0;
}

static error_t take_grid(path_options *o, const char *text, const struct argp_state *state) {
    if (strcmp(text, "log") != 0 && strcmp(text, "linear") != 0)
        return cli_usage(state, "--grid is log or linear, not '%s'", text);
    o->path.linear = strcmp(text, "linear") == 0;
    return 0;
}

static error_t check_options(const path_options *o, const struct argp_state *state) {
    if (!o->a) return cli_usage(state, "%s needs the file of A", o->cv ? "cv" : "path");
    if (o->y && o->common.open.target)
        return cli_usage(state, "y is given twice: by the file %s and by --target", o->y);
    if (o->out && !cli_ends_in(o->out, ".csv"))
        return cli_usage(state, "--out writes .csv; '%s' does not end so", o->out);
    if (o->figure && !cli_ends_in(o->figure, ".svg"))
        return cli_usage(state, "--figure writes .svg; '%s' does not end so", o->figure);
    const cli_file_use files[] = {{"A", o->a, false},
                                  {"y", o->y, false},
                                  {"--fold-column", o->fold_column, false},
                                  {"--out", o->out, true},
                                  {"--figure", o->figure, true},
                                  {"--report", o->report, true},
                                  {"--model", o->model, true}};
    return cli_check_files(state, &o->common, files, sizeof files / sizeof *files);
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
    path_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        state->child_inputs[1] = &o->common;
        return 0;
    case KEY_OUT: o->out = arg; return 0;
    case KEY_FIGURE: o->figure = arg; return 0;
    case KEY_REPORT: o->report = arg; return 0;
    case KEY_MODEL: o->model = arg; return 0;
    case KEY_POINTS: return cli_integer(state, "points", arg, 1, 1000000, &o->path.points);
    case KEY_EPS: return cli_number(state, "eps", arg, 1e-300, 0.999999, &o->path.eps);
    case KEY_GRID: return take_grid(o, arg, state);
    case KEY_VALUES: return take_values(o, arg, state);
    case KEY_FOLDS: return cli_integer(state, "folds", arg, 2, CLI_MAX_FOLDS, &o->path.folds);
    case KEY_FOLD_COLUMN: o->fold_column = arg; return 0;
    case KEY_REPEATS: return cli_integer(state, "repeats", arg, 1, 10000, &o->path.repeats);
    case ARGP_KEY_ARG: return cli_take_file(state, &o->common, arg, &o->a, &o->y);
    case ARGP_KEY_END: return check_options(o, state);
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- the set, the penalty and the folds ---- */

/* "A & B" of all that --set says. */
static int join_sets(path_options *o) {
    const int64_t count = cli_problem_count(&o->common, "set");
    size_t size = 1;
    for (int64_t i = 0; i < count; i++) size += strlen(cli_problem_text_at(&o->common, "set", i)) + 3;
    o->set = calloc(size, 1);
    if (!o->set) return cli_fail(CLI_TROUBLE, "out of memory");
    for (int64_t i = 0; i < count; i++) {
        if (i > 0) strcat(o->set, " & ");
        strcat(o->set, cli_problem_text_at(&o->common, "set", i));
    }
    o->path.set = count > 0 ? o->set : NULL;
    return 0;
}

static int read_folds(cli_problem *p, path_options *o) {
    const cli_folds given = {o->a, o->fold_column, o->path.folds};
    if (!o->fold_column) return 0;
    const int code = cli_folds_take(p, &o->common, &given, &o->fold, &o->path.folds);
    o->path.fold = o->fold;
    o->path.fold_rows = p->rows_here;
    return code;
}

/* ---- output ---- */

static int write_file(const char *path, const cli_path *p, bool (*write)(FILE *, const cli_path *)) {
    cli_output output = {0};
    if (!path) return 0;
    const int code = cli_output_open(&output, path);
    if (code != 0) return code;
    if (write(output.stream, p)) return cli_output_commit(&output);
    cli_output_discard(&output);
    return cli_fail(CLI_TROUBLE, "out of memory");
}

/* The page of --report; returns 0 or an exit code. */
static int write_report(const cli_problem *problem, const path_options *o, const cli_path *p) {
    cli_output output = {0};
    page about;
    if (!o->report) return 0;
    const int code = cli_output_open(&output, o->report);
    if (code != 0) return code;
    bool good = cli_page_make(&about, problem, &o->common, o->a, o->command);
    about.f = output.stream;
    good = good && page_write_path(&about, p);
    cli_page_clear(&about);
    if (good) return cli_output_commit(&output);
    cli_output_discard(&output);
    return cli_fail(CLI_TROUBLE, "out of memory");
}

/* The model of the best point, with the radius or the penalty that was chosen; returns 0 or an exit code. */
static int write_model(const cli_problem *problem, const path_options *o, const cli_path *p) {
    if (!o->model) return 0;
    const double value = p->path->points[p->cv->best]->value;
    json_t *model = cli_model_object(problem, &o->common, p->cv->fit), *terms = json_object_get(model, "problem");
    if (!model) return cli_fail(CLI_TROUBLE, "out of memory");
    if (!p->path->penalised) json_object_set_new(terms, "set", cli_json_text(p->path->set));
    json_object_set_new(terms, p->path->penalised ? "penalty_l1" : "radius", cli_json_number(value));
    return cli_write_object(o->model, model);
}

static int report(const cli_problem *problem, const path_options *o, const cli_path *p) {
    int code = write_file(o->out, p, cli_path_csv);
    if (code == 0) code = write_file(o->figure, p, path_view_figure);
    if (code == 0) code = write_report(problem, o, p);
    if (code == 0) code = write_model(problem, o, p);
    if (code != 0) return code;
    if (p->path->warning[0] && !o->common.quiet) cli_fail(0, "warning: %s", p->path->warning);
    if (o->common.json) {
        json_t *object = cli_path_json(p);
        return object ? cli_print_json(object) : cli_fail(CLI_TROUBLE, "out of memory");
    }
    if (!o->common.quiet) cli_path_print(p);
    return 0;
}

static int outcome_code(const cli_path *p) {
    if (p->path->count < p->path->asked) {
        cli_fail(0, "interrupted after %lld of %lld points", (long long)p->path->count, (long long)p->path->asked);
        return CLI_INTERRUPTED;
    }
    for (int64_t i = 0; i < p->path->count; i++)
        if (p->path->points[i]->outcome != GPIS_SOLVED) return CLI_UNCERTIFIED;
    return p->cv && p->cv->stalled > 0 ? CLI_UNCERTIFIED : CLI_CERTIFIED;
}

static void show_points(void *watch, const gpis_path_progress *progress) {
    cli_line_points(&((cli_watch *)watch)->line, progress);
}

/* On one rank, which alone can stop by itself. */
static void begin_watch(const cli_problem *problem, path_options *o, cli_watch *watch) {
    gpis_settings *settings = &o->common.settings;
    const gpis_ranks *ranks = cli_ranks();
    if (ranks && ranks->ranks > 1) return;
    cli_watch_signals();
    *watch = (cli_watch){.line = {.on = isatty(STDERR_FILENO) && !o->common.quiet,
                                  .rows = problem->shape.rows,
                                  .bytes = problem->shape.bytes}};
    settings->pass_progress = cli_watch_pass;
    settings->progress_user = watch;
    o->path.progress = show_points;
    o->path.progress_user = watch;
    o->path.keep_done = 1;
}

static int fail(const cli_problem *problem, const path_options *o, gpis_status status) {
    if (status != GPIS_STOPPED) return cli_fail_status(problem->context, status);
    return cli_fail(CLI_INTERRUPTED, o->cv ? "interrupted; nothing is written" : "interrupted before the first point");
}

static int run(cli_problem *problem, path_options *o) {
    cli_watch watch = {0};
    gpis_path *path = NULL;
    gpis_cv *cv = NULL;
    o->path.penalised = problem->penalty.path_of;
    if (o->path.penalised) o->path.set = NULL;
    int code = cli_ranks_agree(read_folds(problem, o));
    if (code != 0) return code;
    cli_ranks_settled();
    begin_watch(problem, o, &watch);
    const gpis_status status = o->cv ? gpis_cv_make(problem->problem, &o->path, &o->common.settings, &cv)
                                     : gpis_path_make(problem->problem, &o->path, &o->common.settings, &path);
    cli_watch_delivery();
    cli_line_end(&watch.line);
    if (status != GPIS_OK) return fail(problem, o, status);
    const cli_path made = {problem->A, problem->shape.rows, o->cv ? cv->path : path, cv};
    if (cli_is_first()) code = cli_with_trouble(outcome_code(&made), report(problem, o, &made));
    gpis_cv_destroy(cv);
    gpis_path_destroy(path);
    return code;
}

static int try_outputs(const path_options *o) {
    const char *const files[] = {o->out, o->figure, o->report, o->model};
    int code = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files && code == 0; i++)
        if (files[i] && cli_is_first()) code = cli_output_try(files[i]);
    return code;
}

/* A summary has the folds that it was made with. */
static int check_folds(const path_options *o) {
    if (!o->fold_column || !gpis_is_summary(o->a)) return 0;
    return cli_fail(CLI_BAD_INPUT,
                    "%s is a summary: --fold-column is for the rows that it was made of, with gpis summarize", o->a);
}

static int run_command(int argc, char **argv, bool cv) {
    const struct argp table = cli_table_argp(GPIS_OPTION_PROBLEM | GPIS_OPTION_OPEN | GPIS_OPTION_CHECK);
    cli_table_explain("set", set_help);
    cli_table_explain("penalty", penalty_help);
    const struct argp_child children[] = {{&cli_common_argp, 0, NULL, 0}, {&table, 0, NULL, 0}, {0}};
    const struct argp argp = {
        cv ? cv_table : path_table, parse_option, "A [y]", cv ? cv_doc : path_doc, children, NULL, NULL};
    path_options o = {.common = cli_common_default(),
                      .path = gpis_path_options_default(),
                      .cv = cv,
                      .command = cli_command_text(argc, argv)};
    o.common.path = true;
    cli_problem problem = {0};
    int code = cli_parse(&argp, argc, argv, &o) ? 0 : CLI_BAD_INPUT;
    if (code == 0) code = cli_ranks_start(o.common.mpi);
    if (code == 0) code = cli_ranks_agree(try_outputs(&o));
    if (code == 0) code = cli_ranks_agree(check_folds(&o));
    if (code == 0) code = cli_ranks_agree(cli_folds_leave_out(&o.common, o.fold_column, &o.exclude));
    if (code == 0) code = cli_ranks_agree(join_sets(&o));
    if (code == 0) code = cli_problem_open(&problem, o.a, o.y, &o.common);
    if (code == 0) code = run(&problem, &o);
    cli_problem_close(&problem);
    free(o.command);
    free(o.grid);
    free(o.set);
    free(o.exclude);
    free(o.fold);
    return code;
}

int cli_path_command(int argc, char **argv) { return run_command(argc, argv, false); }

int cli_cv_command(int argc, char **argv) { return run_command(argc, argv, true); }
