/* gpis check: audit a given x from the data alone. */
#include <math.h>

#include "cli.h"

typedef struct check_options {
    cli_common common;
    const char *file[3]; /* A, [y], x */
    int files;
} check_options;

static const char doc[] =
    "Audit a given x: objective, distance from the set, and a certificate made from the data alone."
    "\vAn x that is not in the set is first reported as given: its own objective, and how far it is from the set. "
    "The certificate is that of x projected onto the set. Exit codes: 0 when x is in the set (to the tolerance, "
    "relative to the size of x) and certified to --tol, 1 when it is not, 2 bad usage or bad input, 3 file or memory "
    "trouble.\n"
    "\n"
    "Example: gpis check A.npy y.npy x.npy --set l1:3.5";

static error_t parse_option(int key, char *arg, struct argp_state *state) {
    check_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        state->child_inputs[1] = &o->common;
        return 0;
    case ARGP_KEY_ARG:
        if (o->files == 3) return cli_usage(state, "check takes A, y and x; '%s' is one too many", arg);
        return cli_take_input(state, &o->common, arg, &o->file[o->files++]);
    case ARGP_KEY_END:
        if (o->files < 2) return cli_usage(state, "check needs the files of A and x");
        if (o->files == 3 && o->common.open.target)
            return cli_usage(state, "y is given twice: by the file %s and by --target", o->file[1]);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* The x that was given, of `count` entries without the intercept; in the set as far as the tolerance can tell. */
static cli_given look_at(const double *x, int64_t count, const gpis_result *result, double tol) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += x[i] * x[i];
    return (cli_given){.nonzeros = cli_count_nonzeros(x, count),
                       .in_set = result->feasibility <= fmax(tol, 1e-12) * sqrt(sum)};
}

int cli_check(int argc, char **argv) {
    const struct argp table = cli_table_argp(GPIS_OPTION_PROBLEM | GPIS_OPTION_OPEN | GPIS_OPTION_CHECK);
    const struct argp_child children[] = {{&cli_common_argp, 0, NULL, 0}, {&table, 0, NULL, 0}, {0}};
    const struct argp argp = {NULL, parse_option, "A [y] x", doc, children, NULL, NULL};
    check_options o = {.common = cli_common_default()};
    if (!cli_parse(&argp, argc, argv, &o)) return CLI_BAD_INPUT;

    cli_problem p = {0};
    gpis_array x = {0};
    gpis_result *result = NULL;
    int code = cli_ranks_start(o.common.mpi);
    if (code != 0) return code;
    code = cli_problem_open(&p, o.file[0], o.files == 3 ? o.file[1] : NULL, &o.common);
    if (code == 0) code = cli_ranks_agree(cli_problem_read_x(&p, &o.common, o.file[o.files - 1], &x));
    cli_ranks_settled();
    if (code == 0 && cli_is_given(&o.common, "delta") && !o.common.quiet)
        cli_fail(0, "note: --delta is ignored: the bounds of a check are proven");
    if (code == 0) {
        const gpis_status status = gpis_check(p.problem, x.data, x.rows * x.cols, &o.common.settings, &result);
        if (status != GPIS_OK) code = cli_fail_status(p.context, status);
    }
    if (code == 0 && result->warning[0] && !o.common.quiet && cli_is_first())
        cli_fail(0, "warning: %s", result->warning);
    const double sent = code == 0 ? cli_ranks_sent() : 0;
    const int trouble = code == 0 ? (int)cli_ranks_largest(cli_deferred_code()) : 0;
    cli_given given = {0};
    if (code == 0) given = look_at(x.data, p.shape.cols * p.k, result, o.common.settings.tol);
    if (code == 0 && o.common.json && cli_is_first())
        code = cli_report_json(&p, &o.common, result, &given, sent);
    else if (code == 0 && !o.common.quiet && cli_is_first())
        cli_report_summary(&p, &o.common, result, &given, sent);
    if (code == 0 && !(result->outcome == GPIS_SOLVED && given.in_set)) code = CLI_UNCERTIFIED;
    code = cli_with_trouble(code, trouble);

    gpis_result_destroy(result);
    if (p.context) gpis_array_clear(p.context, &x);
    cli_problem_close(&p);
    return code;
}
