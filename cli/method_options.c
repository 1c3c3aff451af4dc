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
     "inner iterations of each round in turn, as 20,40,80; the last number is for all further rounds, and with --gpcs "
     "the "
     "first is for the classical sketch (default: as many as the sketch is worth)",
     3},
    {"gamma-u", KEY_GAMMA_U, "G", 0, "line search: a step too long is divided by G (default 2)", 3},
    {"gamma-d", KEY_GAMMA_D, "G", 0, "line search: each search begins G times longer (default 2)", 3},
    {"step", KEY_STEP, "ETA", 0, "this step always, no line search", 3},
    {"restart", KEY_RESTART, "RULE", 0, "acc-gpis, apgd: gradient (default), function or none", 3},
    {"batch", KEY_BATCH, "B", 0, "saga: rows of a minibatch (default 10)", 3},
    {0},
};

static unsigned bit(int key) { return 1U << (key - KEY_METHOD); }

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
    if (key >= KEY_METHOD && key <= KEY_BATCH) m->given |= bit(key);
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

/* ---- options that the method does not use ---------------------------------------------------------------------------
 */

enum {
    WITH_GRAM = 1,
    WITH_SKETCH = 2,
    GPIS = 4,
    ACC_GPIS = 8,
    PGD = 16,
    APGD = 32,
    SAGA = 64
}; /* the first two: newton */
enum { NEWTON = WITH_GRAM | WITH_SKETCH, ROUNDS = GPIS | ACC_GPIS, SEARCHES = GPIS | ACC_GPIS | PGD | APGD };

/* Which ways to solve use an option; options that are not listed hold for all. */
static const struct {
    const char *name;
    int key; /* 0: --delta, which is one of the common options */
    unsigned used_by;
} uses[] = {
    {"sketch", KEY_SKETCH, WITH_SKETCH | ROUNDS},
    {"m", KEY_M, WITH_SKETCH | ROUNDS},
    {"gpcs", KEY_GPCS, ROUNDS},
    {"rounds", KEY_ROUNDS, ROUNDS},
    {"inner", KEY_INNER, ROUNDS},
    {"gamma-u", KEY_GAMMA_U, SEARCHES},
    {"gamma-d", KEY_GAMMA_D, SEARCHES},
    {"step", KEY_STEP, SEARCHES},
    {"restart", KEY_RESTART, ACC_GPIS | APGD},
    {"batch", KEY_BATCH, SAGA},
    {"delta", 0, NEWTON},
};
enum { USES = sizeof uses / sizeof uses[0] };

static unsigned way_of(const gpis_candidate *chosen) {
    static const struct {
        const char *name;
        unsigned way;
    } ways[] = {{"gpis", GPIS}, {"acc-gpis", ACC_GPIS}, {"pgd", PGD}, {"apgd", APGD}, {"saga", SAGA}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (strcmp(chosen->method, ways[i].name) == 0) return ways[i].way;
    return chosen->m > 0 ? WITH_SKETCH : WITH_GRAM;
}

static bool is_given(const cli_method *m, const cli_common *common, int key) {
    const char *sketch = m->settings->sketch;
    if (key == 0) return common->delta_given;
    if (key == KEY_SKETCH && (strcmp(sketch, "auto") == 0 || strcmp(sketch, "none") == 0)) return false;
    return (m->given & bit(key)) != 0;
}

bool cli_method_is_given(const cli_method *m, const cli_common *common) {
    for (int i = 0; i < USES; i++)
        if (is_given(m, common, uses[i].key)) return true;
    return false;
}

static bool is_used(const cli_method *m, int i, unsigned way) {
    const bool search = uses[i].key == KEY_GAMMA_U || uses[i].key == KEY_GAMMA_D;
    if (search && m->settings->fixed_step > 0) return false; /* --step turns the search off */
    if (uses[i].key == 0 && m->settings->certificate != GPIS_CERTIFICATE_ANY) return false;
    return (uses[i].used_by & way) != 0;
}

void cli_method_tell_ignored(const cli_method *m, const cli_common *common, const gpis_candidate *chosen) {
    const unsigned way = way_of(chosen);
    char list[160] = "";
    int ignored = 0;
    for (int i = 0; i < USES; i++) {
        if (!is_given(m, common, uses[i].key) || is_used(m, i, way)) continue;
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s--%s", ignored++ ? ", " : "", uses[i].name);
    }
    if (ignored == 0) return;
    const char *model = way == WITH_GRAM ? " with the Gram matrix" : way == WITH_SKETCH ? " with a sketch" : "";
    cli_fail(0, "note: %s %s ignored: %s%s%s does not use %s", list, ignored > 1 ? "are" : "is", chosen->method, model,
             m->settings->fixed_step > 0 && (way & SEARCHES) ? " with a fixed --step" : "",
             ignored > 1 ? "them" : "it");
}
