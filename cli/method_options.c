/* Options of the methods: sketch, rounds, inner iterations, line search, restart, minibatch. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum {
    KEY_METHOD = 768,
    KEY_SKETCH,
    KEY_M,
    KEY_GPCS,
    KEY_ROUNDS,
    KEY_INNER,
    KEY_GAMMA_U,
    KEY_GAMMA_D,
    KEY_STEP,
    KEY_RESTART,
    KEY_BATCH
};

static const struct argp_option options[] = {
    {0, 0, 0, 0, "Method:", 3},
    {"method", KEY_METHOD, "NAME", 0, "auto (default), newton, gpis, acc-gpis, pgd, apgd or saga", 3},
    {"sketch", KEY_SKETCH, "KIND", 0,
     "of gpis, acc-gpis and newton: auto (default: count; in newton what the plan says), count, sparse-sign, gaussian, "
     "srht, count-gauss, sample, or none: newton with the Gram matrix",
     3},
    {"m", KEY_M, "ROWS", 0, "rows of the sketch (default: 8 for each column of A, but not more than A has)", 3},
    {"gpcs", KEY_GPCS, 0, 0, "start from the solution of a classical sketch; good where the residual is small", 3},
    {"rounds", KEY_ROUNDS, "N", 0, "end after N rounds of sketching", 3},
    {"inner", KEY_INNER, "LIST", 0,
     "inner iterations of each round, as 20,40,80; the last one holds on (default: as many as the sketch is worth)", 3},
    {"gamma-u", KEY_GAMMA_U, "G", 0, "line search: a step too long is divided by G (default 2)", 3},
    {"gamma-d", KEY_GAMMA_D, "G", 0, "line search: each search begins G times longer (default 2)", 3},
    {"step", KEY_STEP, "ETA", 0, "this step always, no line search", 3},
    {"restart", KEY_RESTART, "RULE", 0, "acc-gpis, apgd: gradient (default), function or none", 3},
    {"batch", KEY_BATCH, "B", 0, "saga: rows of a minibatch (default 10)", 3},
    {0},
};

static error_t parse_restart(gpis_settings *settings, const char *text, const struct argp_state *state) {
    static const struct {
        const char *name;
        gpis_restart rule;
    } rules[] = {{"gradient", GPIS_RESTART_GRADIENT}, {"function", GPIS_RESTART_FUNCTION}, {"none", GPIS_RESTART_NONE}};
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (strcmp(text, rules[i].name) == 0) {
            settings->restart = rules[i].rule;
            return 0;
        }
    return cli_usage(state, "--restart is gradient, function or none, not '%s'", text);
}

/* "20,40,80" */
static error_t parse_inner(cli_method *m, char *text, const struct argp_state *state) {
    m->settings->inner_iterations = m->inner;
    m->settings->inner_rounds = 0;
    for (char *rest = text; rest;) {
        const char *number = strsep(&rest, ",");
        if (m->settings->inner_rounds == CLI_INNER_MOST)
            return cli_usage(state, "--inner takes at most %d numbers", CLI_INNER_MOST);
        const error_t error =
            cli_integer(state, "inner", number, 1, 1000000000, &m->inner[m->settings->inner_rounds++]);
        if (error) return error;
    }
    return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
    cli_method *m = state->input;
    gpis_settings *s = m->settings;
    switch (key) {
    case KEY_METHOD: s->method = arg; return 0;
    case KEY_SKETCH: s->sketch = arg; return 0;
    case KEY_M: return cli_integer(state, "m", arg, 1, INT64_MAX, &s->m);
    case KEY_GPCS: s->gpcs = 1; return 0;
    case KEY_ROUNDS: return cli_integer(state, "rounds", arg, 1, INT64_MAX, &s->rounds);
    case KEY_INNER: return parse_inner(m, arg, state);
    case KEY_GAMMA_U: return cli_number(state, "gamma-u", arg, 1, 1e6, &s->gamma_u);
    case KEY_GAMMA_D: return cli_number(state, "gamma-d", arg, 1, 1e6, &s->gamma_d);
    case KEY_STEP: return cli_number(state, "step", arg, 1e-300, 1e300, &s->fixed_step);
    case KEY_RESTART: return parse_restart(s, arg, state);
    case KEY_BATCH: return cli_integer(state, "batch", arg, 1, INT64_MAX, &s->batch);
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_method_argp = {.options = options, .parser = parse_option};
