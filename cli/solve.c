/* gpis solve: minimise ||y - A x||^2 over a set, with a certificate. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "page_facts.h"

typedef struct solve_options {
    cli_common common;
    const char *a, *y, *x0, *out, *trace, *model, *report;
    char *command;             /* owned: as it was typed, for the report */
    cli_watch watch;           /* while it runs */
    gpis_machine machine;      /* what the plan is made for */
    double ranges, confidence; /* 0: not asked for */
} solve_options;

enum { WORTH_MEASURING = 1 << 26 }; /* bytes of A: below, a solve is over before the machine is measured */
enum { KEY_X0 = 512, KEY_OUT, KEY_TRACE, KEY_MODEL, KEY_REPORT, KEY_RANGES, KEY_CONFIDENCE };

static const struct argp_option options[] = {
    {"x0", KEY_X0, "FILE", 0, "start here instead of at zero (projected on the set first)", 1},
    {"out", KEY_OUT, "FILE", 0, "write x here: .npy, .csv (with names and active constraints) or .json", 5},
    {"model", KEY_MODEL, "FILE.json", 0, "write all that gpis predict needs here, with the certificate", 5},
    {"report", KEY_REPORT, "FILE.html", 0, "write an HTML page about the answer here: one file that needs no network",
     5},
    {"ranges", KEY_RANGES, "EPS", 0,
     "report how far each coefficient can move while the objective stays within EPS of the best, relative to it", 5},
    {"confidence", KEY_CONFIDENCE, "P", 0,
     "likelihood-ratio intervals of this confidence, such as 0.95; approximate where constraints are active", 5},
    {"trace", KEY_TRACE, "FILE", 0, "write a line of JSON for each pass here", 5},
    {0},
};

static const char doc[] =
    "Minimise ||y - A x||^2 over x in a convex set, with a bound on how far the answer is from the best possible."
    "\vA is .npy, .csv, .tsv, .mtx, .svm or .libsvm (text may be gzipped), FILE.h5:/path (a data set in an HDF5 file), "
    "- "
    "(standard input, .csv unless --format says otherwise), or @LIST, a file that names the parts of A, one on "
    "each line, followed by its y if y is in parts too. y is a file with one row for each row of A (.npy, .csv, "
    "FILE.h5:/path "
    "or "
    "-); leave it out where A contains it (--target, or the labels of a .svm file).\n"
    "\n"
    "Sets: none, nonneg, box:LO,HI, l1:R, l1:R,W.npy, l2:R, linf:R, sum:R, sum:LO,HI, simplex:R, capped-simplex:R, "
    "group:R:SIZE, group:R:FILE.npy, nuclear:R, tv:R, monotone, affine:C.npy,b.npy; @dct or @U.npy after one puts it "
    "in "
    "an orthogonal transform domain. SPEC[COLUMNS] is for those columns: names, numbers from 1, ranges 3-7, patterns "
    "price*. SPEC & SPEC means both; --set, --subject-to and --bounds all apply together.\n"
    "\n"
    "Linear constraints: --subject-to 'tv + radio <= 0.5', '2 x2 - x1 >= 0', '0.1 <= price <= 0.4', 'sum(w*) = 1'; "
    "other "
    "names in quotes; x1, x2, ... where columns have no names.\n"
    "\n"
    "In JSON a number that is infinite or unknown is null. Ctrl-C ends the solve: the best x so far is written and "
    "reported. Exit codes: 0 certified to the tolerance, 1 ended before it (x is written all the same), 2 "
    "bad usage or bad input, 3 file or memory trouble, 130 interrupted.\n"
    "\n"
    "Under mpirun the ranks share the rows: mpirun -np 4 gpis solve A.npy y.npy\n"
    "\n"
    "Example: gpis solve A.npy y.npy --set l1:3.5 --out x.npy\n"
    "Example: gpis solve data.csv --target sales --set 'nonneg[tv,radio] & l1:3' --subject-to 'tv + radio <= 0.5' "
    "--out x.csv";

/* Each file that is written has a name of its own, and none of them is one that is read; x0 may be replaced by x. */
static error_t check_outputs(const solve_options *o, const struct argp_state *state) {
    const cli_file_use files[] = {{"A", o->a, false},
                                  {"y", o->y, false},
                                  {"--out", o->out, true},
                                  {"--model", o->model, true},
                                  {"--report", o->report, true},
                                  {"--trace", o->trace, true},
                                  {"--checkpoint", o->common.settings.checkpoint, true}};
    const error_t error = cli_check_files(state, &o->common, files, sizeof files / sizeof *files);
    if (error != 0) return error;
    const cli_file_use start[] = {{"--x0", o->x0, false},
                                  {"--model", o->model, true},
                                  {"--report", o->report, true},
                                  {"--trace", o->trace, true}};
    return cli_check_files(state, &o->common, start, sizeof start / sizeof *start);
}

static error_t check_options(const solve_options *o, const struct argp_state *state) {
    if (!o->a) return cli_usage(state, "solve needs the file of A");
    if (o->y && o->common.open.target)
        return cli_usage(state, "y is given twice: by the file %s and by --target", o->y);
    if (o->ranges > 0 && o->confidence > 0)
        return cli_usage(state, "--ranges and --confidence ask for different levels; give one of them");
    if (o->common.settings.resume && !o->common.settings.checkpoint)
        return cli_usage(state, "--resume needs --checkpoint FILE, the file to go on from");
    if (cli_is_given(&o->common, "checkpoint-every") && !o->common.settings.checkpoint)
        return cli_usage(state, "--checkpoint-every needs --checkpoint FILE, the file to write");
    if (o->out && !cli_ends_in(o->out, ".npy") && !cli_ends_in(o->out, ".csv") && !cli_ends_in(o->out, ".json"))
        return cli_usage(state, "--out writes .npy, .csv or .json; '%s' does not end so", o->out);
    return check_outputs(o, state);
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
    solve_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        state->child_inputs[1] = &o->common;
        return 0;
    case KEY_X0: return cli_take_input(state, &o->common, arg, &o->x0);
    case KEY_OUT: o->out = arg; return 0;
    case KEY_TRACE: o->trace = arg; return 0;
    case KEY_RANGES: return cli_number(state, "ranges", arg, 1e-15, 1e15, &o->ranges);
    case KEY_CONFIDENCE: return cli_number(state, "confidence", arg, 1e-9, 0.999999999, &o->confidence);
    case KEY_MODEL: o->model = arg; return 0;
    case KEY_REPORT: o->report = arg; return 0;
    case ARGP_KEY_ARG: return cli_take_file(state, &o->common, arg, &o->a, &o->y);
    case ARGP_KEY_END: return check_options(o, state);
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* What the plan says before the solve begins: which of the options given will not be used, and how many passes the
 * progress line is to expect. Where there is no plan the solve will say why. */
static void look_ahead(const cli_problem *p, const solve_options *o, const gpis_settings *settings, cli_line *line) {
    const bool notes = !o->common.quiet && cli_is_first() && cli_asks_for_method(&o->common);
    gpis_plan *plan = NULL;
    if (!(notes || line->on) || gpis_plan_make(p->problem, settings, &plan) != GPIS_OK) return;
    if (notes) cli_report_ignored(&o->common, plan->chosen);
    line->expected = plan->chosen->passes;
    gpis_plan_destroy(plan);
}

/* Everything between the open problem and the result. The trace stays open. */
static int run(cli_problem *p, solve_options *o, cli_output *trace, gpis_result **result) {
    const int code = cli_ranks_agree(o->trace && cli_is_first() ? cli_output_open(trace, o->trace) : 0);
    if (code != 0) return code;
    cli_ranks_settled();
    cli_watch_signals();

    gpis_settings *settings = &o->common.settings;
    o->watch = (cli_watch){.line = {.on = isatty(STDERR_FILENO) && !o->common.quiet,
                                    .rows = p->shape.rows,
                                    .bytes = p->shape.bytes,
                                    .tol = settings->tol,
                                    .time_limit = settings->time_limit},
                           .trace = trace->stream,
                           .keeps = o->report != NULL};
    cli_machine(p->shape.bytes >= WORTH_MEASURING, cli_problem_room(p, &o->common), &o->machine);
    settings->machine = &o->machine;
    settings->progress = cli_watch_progress;
    settings->pass_progress = cli_watch_pass;
    settings->progress_user = &o->watch;
    look_ahead(p, o, settings, &o->watch.line);
    const gpis_status status = gpis_solve(p->problem, settings, result);
    cli_watch_delivery();
    cli_line_end(&o->watch.line);
    return status == GPIS_OK ? 0 : cli_fail_status(p->context, status);
}

/* x as --out asks for it; returns 0 or an exit code. */
static int write_answer(const cli_problem *p, const solve_options *o, const gpis_result *result, double sent) {
    if (cli_ends_in(o->out, ".npy")) {
        const gpis_status status = gpis_array_write(p->context, o->out, result->x, p->shape.cols, p->k, p->dimensions);
        return status == GPIS_OK ? 0 : cli_fail_status(p->context, status);
    }
    if (cli_ends_in(o->out, ".json"))
        return cli_write_object(o->out, cli_report_object(p, &o->common, result, NULL, sent, true));
    cli_output output = {0};
    const int code = cli_output_open(&output, o->out);
    if (code != 0) return code;
    cli_write_csv(output.stream, p, result);
    return cli_output_commit(&output);
}

/* The page of --report; returns 0 or an exit code. */
static int write_report(const cli_problem *p, const solve_options *o, const gpis_result *result) {
    cli_output output = {0};
    page about;
    int code = cli_output_open(&output, o->report);
    if (code != 0) return code;
    if (!cli_page_make(&about, p, &o->common, o->a, o->command)) {
        cli_output_discard(&output);
        return cli_fail(CLI_TROUBLE, "out of memory");
    }
    about.f = output.stream;
    about.result = result;
    about.trace = o->watch.points;
    about.trace_count = o->watch.kept;
    page_write_solve(&about);
    cli_page_clear(&about);
    return cli_output_commit(&output);
}

/* Puts the files of an answer in their places. Trouble with one does not keep the others, or the report, from coming;
 * it is reported at the end of the program. Returns whether x was written. */
static bool deliver(const cli_problem *p, const solve_options *o, cli_output *trace, const gpis_result *result,
                    double sent) {
    if (!cli_is_first()) return false;
    cli_defer(true);
    const int code = o->out ? write_answer(p, o, result, sent) : 0;
    if (o->model) cli_write_object(o->model, cli_model_object(p, &o->common, result));
    if (o->report) write_report(p, o, result);
    cli_output_commit(trace);
    if (result->checkpoint_trouble[0]) cli_fail(CLI_TROUBLE, "checkpoint %s", result->checkpoint_trouble);
    cli_defer(false);
    return o->out && code == 0;
}

static int report(const cli_problem *p, const solve_options *o, const gpis_result *result, bool written, double sent) {
    if (!cli_is_first()) return 0;
    if (result->warning[0] && !o->common.quiet) cli_fail(0, "warning: %s", result->warning);
    if (o->common.json) return cli_report_json(p, &o->common, result, NULL, sent);
    if (o->common.quiet) return 0;
    cli_report_summary(p, &o->common, result, NULL, sent);
    if (written) printf("x             %s\n", cli_printable(o->out).text);
    return 0;
}

/* Whether a new checkpoint could be written, before long work; one that is not there to go on from is worth a word. */
static int try_checkpoint(const solve_options *o) {
    const gpis_settings *settings = &o->common.settings;
    if (!settings->checkpoint || access(settings->checkpoint, F_OK) == 0) return 0;
    if (settings->resume && !o->common.quiet)
        cli_fail(0, "note: there is no checkpoint %s yet; starting from the beginning", settings->checkpoint);
    return cli_output_try(settings->checkpoint);
}

static int outcome_code(gpis_outcome outcome) {
    switch (outcome) {
    case GPIS_SOLVED: return CLI_CERTIFIED;
    case GPIS_INTERRUPTED: return CLI_INTERRUPTED;
    default: return CLI_UNCERTIFIED;
    }
}

static int is_to_stop(void *user, const gpis_pass_progress *progress) {
    (void)user;
    (void)progress;
    return cli_interrupted();
}

/* How far the coefficients can go, if that is asked for; returns 0 or an exit code. A search that is interrupted leaves
 * none, and the answer is written without them. */
static int find_ranges(cli_problem *p, const solve_options *o, const gpis_result *result, gpis_ranges **ranges) {
    if ((!(o->ranges > 0) && !(o->confidence > 0)) || result->outcome == GPIS_INTERRUPTED) return 0;
    gpis_settings settings = gpis_settings_default();
    settings.pass_progress = is_to_stop;
    const gpis_status status = gpis_ranges_make(p->problem, result, o->ranges, o->confidence, &settings, ranges);
    p->ranges = *ranges;
    if (status == GPIS_STOPPED) return 0;
    if (status == GPIS_OK && (*ranges)->nearness > 0.0 && !(result->nearness > 0.0) && !o->common.quiet &&
        cli_is_first())
        cli_fail(0,
                 "warning: columns depend on each other but for rounding; the ranges hold for data that differ from "
                 "these by at most %.1e of each column",
                 (*ranges)->nearness);
    return status == GPIS_OK ? 0 : cli_fail_status(p->context, status);
}

int cli_solve(int argc, char **argv) {
    const struct argp table = cli_table_argp(GPIS_OPTION_PROBLEM | GPIS_OPTION_OPEN | GPIS_OPTION_SOLVE);
    const struct argp_child children[] = {{&cli_common_argp, 0, NULL, 0}, {&table, 0, NULL, 0}, {0}};
    const struct argp argp = {options, parse_option, "A [y]", doc, children, NULL, NULL};
    solve_options o = {.common = cli_common_default(), .command = cli_command_text(argc, argv)};
    if (!cli_parse(&argp, argc, argv, &o)) {
        free(o.command);
        return CLI_BAD_INPUT;
    }

    cli_problem problem = {0};
    gpis_array x0 = {0};
    gpis_result *result = NULL;
    gpis_ranges *ranges = NULL;
    cli_output trace = {0};
    int code = cli_ranks_start(o.common.mpi);
    if (code != 0) return code;
    if (o.out && cli_is_first()) code = cli_output_try(o.out);
    if (code == 0 && o.model && cli_is_first()) code = cli_output_try(o.model);
    if (code == 0 && o.report && cli_is_first()) code = cli_output_try(o.report);
    if (code == 0 && o.trace && cli_is_first()) code = cli_output_try(o.trace);
    if (code == 0 && cli_is_first()) code = try_checkpoint(&o);
    code = cli_ranks_agree(code);
    if (code == 0) code = cli_problem_open(&problem, o.a, o.y, &o.common);
    if (code == 0) code = cli_ranks_agree(o.x0 ? cli_problem_read_x(&problem, &o.common, o.x0, &x0) : 0);
    o.common.settings.x0 = x0.data;
    o.common.settings.x0_entries = x0.rows * x0.cols;
    if (code == 0) code = run(&problem, &o, &trace, &result);
    if (code == 0) code = find_ranges(&problem, &o, result, &ranges);
    if (code == 0) {
        const double sent = cli_ranks_sent();
        const bool written = deliver(&problem, &o, &trace, result, sent);
        const bool cut = !ranges && (o.ranges > 0 || o.confidence > 0);
        code = cut ? CLI_INTERRUPTED : outcome_code(result->outcome);
        code = cli_with_trouble(code, report(&problem, &o, result, written, sent));
        code = cli_with_trouble(code, (int)cli_ranks_largest(cli_deferred_code())); /* all ranks end alike */
    }
    cli_output_discard(&trace); /* of a solve that failed */

    gpis_ranges_destroy(ranges);
    gpis_result_destroy(result);
    if (problem.context) gpis_array_clear(problem.context, &x0);
    cli_problem_close(&problem);
    free(o.watch.points);
    free(o.command);
    return code;
}
