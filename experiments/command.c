/* gpis reproduce: the command line of the paper's experiments. */
#include <string.h>

#include "experiment.h"
#include "figure.h"

typedef struct command {
    reproduce_options options;
    bool marked[16];
    bool any;
} command;

enum { KEY_OUT = 256, KEY_QUICK, KEY_YEAR_FILE, KEY_METHODS, KEY_SEED, KEY_THREADS };

static const struct argp_option option_table[] = {
    {"out", KEY_OUT, "DIR", 0, "write the results into this folder (made where it is missing)", 1},
    {"quick", KEY_QUICK, 0, 0, "a tenth of the rows, in under three minutes", 1},
    {"year-file", KEY_YEAR_FILE, "FILE", 0,
     "the real YearPredictionMSD text, plain or .gz (default: a stand-in drawn like a sample of it)", 1},
    {"methods", KEY_METHODS, "LIST", 0, "only these of gpis,acc-gpis,apgd,saga-10,saga-50,saga-100,default", 1},
    {"seed", KEY_SEED, "N", 0, "seed of the random numbers (default 0)", 1},
    {"threads", KEY_THREADS, "N", 0,
     "threads of each method (default 1; 0: all); with one, verdicts go by processor time, else by wall-clock time", 1},
    {0},
};

static const char doc[] =
    "Do the paper's experiments again: syn1, syn2, syn3, syn4, magic04, year, bounds, or all of them."
    "\vWrites for each a CSV file of every trace and figures (SVG, PNG; these need gnuplot), and summary.csv and "
    "index.html, a page with all figures, tables and a verdict on each of the paper's claims. All of them take up to "
    "25 "
    "minutes on an idle machine, longer on a busy one. Ctrl-C ends the run under way and writes what there is.\n"
    "\n"
    "Example: gpis reproduce all --quick --out results";

static error_t mark(command *c, const char *name, const struct argp_state *state) {
    bool known = false;
    for (int i = 0; i < experiment_count; i++) {
        if (strcmp(name, "all") != 0 && strcmp(name, experiments[i].name) != 0) continue;
        c->marked[i] = known = c->any = true;
    }
    if (known) return 0;
    return cli_usage(state, "unknown experiment '%s'; there are syn1, syn2, syn3, syn4, magic04, year, bounds and all",
                     name);
}

static bool is_marked(const command *c, const char *name) {
    for (int i = 0; i < experiment_count; i++)
        if (c->marked[i] && strcmp(name, experiments[i].name) == 0) return true;
    return false;
}

static error_t parse_methods(command *c, char *list, const struct argp_state *state) {
    memset(c->options.wanted, 0, sizeof c->options.wanted);
    for (char *rest = list; rest;) {
        const char *name = strsep(&rest, ",");
        int i = 0;
        while (i < RUNNERS && strcmp(name, runners[i].name) != 0) i++;
        if (i == RUNNERS)
            return cli_usage(
                state, "--methods: unknown '%s'; there are gpis, acc-gpis, apgd, saga-10, saga-50, saga-100, default",
                name);
        c->options.wanted[i] = true;
    }
    return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
    command *c = state->input;
    int64_t seed = 0;
    error_t error = 0;
    switch (key) {
    case KEY_OUT: c->options.out = arg; return 0;
    case KEY_QUICK: c->options.quick = true; return 0;
    case KEY_YEAR_FILE: c->options.year_file = arg; return 0;
    case KEY_METHODS: return parse_methods(c, arg, state);
    case KEY_SEED:
        error = cli_integer(state, "seed", arg, 0, INT64_MAX, &seed);
        c->options.seed = (uint64_t)seed;
        return error;
    case KEY_THREADS: return cli_integer(state, "threads", arg, 0, 4096, &c->options.threads);
    case ARGP_KEY_ARG: return mark(c, arg, state);
    case ARGP_KEY_END:
        if (!c->any) return cli_usage(state, "reproduce needs the name of an experiment, or all");
        if (!c->options.out) return cli_usage(state, "reproduce needs --out DIR");
        if (c->options.year_file && !is_marked(c, "year"))
            return cli_usage(state, "--year-file is for year, which is not among the experiments named");
        if (!figure_name_allowed(c->options.out))
            return cli_usage(state, "--out: the name of the folder has control characters");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

int cli_reproduce(int argc, char **argv) {
    static const struct argp argp = {option_table, parse_option, "NAME...|all", doc, NULL, NULL, NULL};
    command c = {.options.threads = 1};
    for (int i = 0; i < RUNNERS; i++) c.options.wanted[i] = true;
    if (!cli_parse(&argp, argc, argv, &c)) return CLI_BAD_INPUT;
    return reproduce(c.marked, &c.options);
}
