/* gpis summarize: one sweep over the rows keeps what any later solve needs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

typedef struct summarize_options {
    cli_common common;
    const char *a, *y, *out, *fold_column;
    int64_t folds, first_row, threads;
} summarize_options;

enum { KEY_OUT = 512, KEY_FOLDS, KEY_FOLD_COLUMN, KEY_SEED, KEY_FIRST_ROW, KEY_THREADS };

static const struct argp_option options[] = {
    {"folds", KEY_FOLDS, "K", 0, "a summary for each of K folds of the rows (default 1: none)", 1},
    {"fold-column", KEY_FOLD_COLUMN, "COLUMN|FILE", 0,
     "the fold of each row, a whole number from 1 on: a column of a .csv/.tsv file, by name or number from 1, or else "
     "a file with one number for each row of A; without it folds are drawn at random",
     1},
    {"first-row", KEY_FIRST_ROW, "N", 0,
     "the number of the first row, from 1, among the rows of all parts that are to be merged: folds are drawn by it "
     "(default 1)",
     1},
    {"seed", KEY_SEED, "N", 0, "seed of the random folds (default 0)", 1},
    {"threads", KEY_THREADS, "N", 0, "threads, 0 for all of them (default); the sums do not depend on it", 4},
    {"out", KEY_OUT, "FILE", 0, "write the summary here", 5},
    {0},
};

static const char doc[] =
    "Read A once and keep what any later solve needs: the sums of products of the columns of A, y and a column of "
    "ones, "
    "with bounds on their rounding errors."
    "\vThe summary takes the place of A and y in solve, plan, check, path and cv, with any set, penalty, intercept and "
    "standardised columns, and answers from it are proven as those from A are. Its size depends only on the number "
    "of columns and folds. "
    "`gpis merge` adds up summaries of different rows. With --folds there is one summary for each fold, for "
    "cross-validation. A row's fold "
    "depends only on the seed and the number of the row.\n"
    "\n"
    "The file is a .npz archive that numpy.load reads, whatever its name. A and y are as for solve.\n"
    "\n"
    "Under mpirun the ranks share the rows: mpirun -np 4 gpis summarize A.npy y.npy --out S.npz\n"
    "\n"
    "Example: gpis summarize data.csv --target sales --folds 10 --out S.npz";

static error_t check_options(const summarize_options *o, const struct argp_state *state) {
    if (!o->a) return cli_usage(state, "summarize needs the file of A");
    if (!o->out) return cli_usage(state, "summarize needs --out FILE, the file to write the summary to");
    if (o->y && o->common.open.target)
        return cli_usage(state, "y is given twice: by the file %s and by --target", o->y);
    const cli_file_use files[] = {
        {"A", o->a, false}, {"y", o->y, false}, {"--fold-column", o->fold_column, false}, {"--out", o->out, true}};
    return cli_check_files(state, &o->common, files, sizeof files / sizeof *files);
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
    summarize_options *o = state->input;
    error_t error = 0;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        state->child_inputs[1] = &o->common;
        return 0;
    case KEY_OUT: o->out = arg; return 0;
    case KEY_FOLD_COLUMN: o->fold_column = arg; return 0;
    case KEY_FOLDS: return cli_integer(state, "folds", arg, 1, CLI_MAX_FOLDS, &o->folds);
    case KEY_FIRST_ROW: return cli_integer(state, "first-row", arg, 1, INT64_C(1) << 53, &o->first_row);
    case KEY_THREADS:
        error = cli_integer(state, "threads", arg, 0, 4096, &o->threads);
        o->common.settings.threads = (int)o->threads;
        return error;
    case KEY_SEED:
        if (gpis_settings_set(&o->common.settings, "seed", arg) == GPIS_OK) return 0;
        return cli_usage(state, "--seed wants a whole number from 0 to 2^64 - 1, not '%s'", arg);
    case ARGP_KEY_ARG: return cli_take_file(state, &o->common, arg, &o->a, &o->y);
    case ARGP_KEY_END: return check_options(o, state);
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- the command ---- */

static int make(cli_problem *p, const summarize_options *o, gpis_summary **summary) {
    int64_t *fold = NULL, folds = 0;
    int code =
        cli_ranks_agree(cli_folds_take(p, &o->common, &(cli_folds){o->a, o->fold_column, o->folds}, &fold, &folds));
    if (code == 0) {
        cli_ranks_settled();
        cli_watch_signals();
        cli_watch watch = {.line = {.on = isatty(STDERR_FILENO) && !o->common.quiet,
                                    .rows = p->shape.rows,
                                    .bytes = p->shape.bytes,
                                    .expected = 1}};
        const char *const target = o->common.open.target;
        gpis_summary_options wanted = gpis_summary_options_default();
        wanted.folds = folds;
        wanted.fold = fold;
        wanted.fold_rows = fold ? p->rows_here : 0;
        wanted.seed = o->common.settings.seed;
        wanted.first_row = o->first_row - 1;
        wanted.responses = target && p->k == 1 ? &target : NULL;
        wanted.pass_progress = cli_watch_pass;
        wanted.progress_user = &watch;
        const gpis_status status = gpis_summary_make(p->problem, &wanted, summary);
        cli_line_end(&watch.line);
        if (status == GPIS_STOPPED)
            code = cli_fail(CLI_INTERRUPTED, "interrupted; no summary is written");
        else if (status != GPIS_OK)
            code = cli_fail_status(p->context, status);
    }
    free(fold);
    return code;
}

int cli_summarize(int argc, char **argv) {
    const struct argp table = cli_table_argp(GPIS_OPTION_OPEN);
    const struct argp_child children[] = {{&cli_common_argp, 0, NULL, 0}, {&table, 0, NULL, 0}, {0}};
    const struct argp argp = {options, parse_option, "A [y]", doc, children, NULL, NULL};
    summarize_options o = {.common = cli_common_default(), .first_row = 1};
    if (!cli_parse(&argp, argc, argv, &o)) return CLI_BAD_INPUT;

    cli_problem problem = {0};
    gpis_summary *summary = NULL;
    char *excluded = NULL;
    int code = cli_ranks_start(o.common.mpi);
    if (code != 0) return code;
    code = cli_ranks_agree(cli_is_first() ? cli_output_try(o.out) : 0);
    if (code == 0) code = cli_ranks_agree(cli_folds_leave_out(&o.common, o.fold_column, &excluded));
    if (code == 0 && gpis_is_summary(o.a))
        code = cli_ranks_agree(cli_fail(CLI_BAD_INPUT, "%s is a summary already; 'gpis merge' adds summaries up", o.a));
    if (code == 0) code = cli_problem_open(&problem, o.a, o.y, &o.common);
    const double start = cli_clock();
    if (code == 0) code = make(&problem, &o, &summary);
    const double seconds = cli_clock() - start;
    if (code == 0 && cli_is_first()) code = cli_summary_write(problem.context, summary, o.out, &o.common, seconds, 1);
    code = code == 0 ? (int)cli_ranks_largest(code) : code;
    gpis_summary_destroy(summary);
    cli_problem_close(&problem);
    free(excluded);
    return code;
}
