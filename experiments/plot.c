/*
 * gpis plot: traces of solves as lines. Drawn is the bound on the error that a trace knows, relative to the objective:
 * gap / objective; or, where no trace has a finite one (--certificate none), how far its objective is above the best
 * among all the traces.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"
#include "gen.h"

enum { MOST_TRACES = 16, MAX_LINE = 65536, KEY_OUT = 256, KEY_X };

static const double LOGARITHMIC_FROM = 50.0; /* largest over smallest x; shorter axes are linear */

typedef struct command {
    const char *out, *x;
    const char *files[MOST_TRACES];
    int count;
} command;

static const struct argp_option option_table[] = {
    {"out", KEY_OUT, "FIGURE", 0, "write the figure here: .svg, .png or .pdf", 1},
    {"x", KEY_X, "AXIS", 0, "against seconds (default), passes or epochs", 1},
    {0},
};

static const char doc[] =
    "Draw traces that `gpis solve --trace` wrote."
    "\vThe lines show the certified bound on the error, gap / objective; where no trace has a finite one, "
    "the objective above the best of all the traces, relative to it. Needs gnuplot.\n"
    "\n"
    "Example: gpis plot newton.jsonl gpis.jsonl --x passes --out passes.svg";

static error_t check_out(const char *out, const struct argp_state *state) {
    if (!out) return cli_usage(state, "plot needs --out FIGURE");
    if (!figure_name_allowed(out)) return cli_usage(state, "--out: the name of the figure has control characters");
    if (!figure_format_known(out)) return cli_usage(state, "--out draws .svg, .png or .pdf, not '%s'", out);
    return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
    command *c = state->input;
    switch (key) {
    case KEY_OUT: c->out = arg; return 0;
    case KEY_X:
        c->x = arg;
        if (strcmp(arg, "seconds") == 0 || strcmp(arg, "passes") == 0 || strcmp(arg, "epochs") == 0) return 0;
        return cli_usage(state, "--x is seconds, passes or epochs, not '%s'", arg);
    case ARGP_KEY_ARG:
        if (c->count == MOST_TRACES) return cli_usage(state, "plot takes at most %d traces", MOST_TRACES);
        c->files[c->count++] = arg;
        return 0;
    case ARGP_KEY_END:
        if (c->count == 0) return cli_usage(state, "plot needs a trace");
        return check_out(c->out, state);
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- a trace ------------------------------------------------------------------------------------------------------
 */

typedef struct curve {
    double *x, *objective, *gap; /* owned */
    int64_t count, capacity;
} curve;

static bool grow(curve *c) {
    if (c->count < c->capacity) return true;
    const size_t capacity = c->capacity > 0 ? (size_t)c->capacity * 2 : 256;
    double **columns[] = {&c->x, &c->objective, &c->gap};
    for (int i = 0; i < 3; i++) {
        double *more = reallocarray(*columns[i], capacity, sizeof *more);
        if (!more) return false;
        *columns[i] = more;
    }
    c->capacity = (int64_t)capacity;
    return true;
}

static void curve_clear(curve *c) {
    free(c->x);
    free(c->objective);
    free(c->gap);
}

/* One line of JSON; a gap of null is infinite. */
static bool take_line(curve *c, const char *text, const char *axis) {
    json_t *line = json_loads(text, 0, NULL);
    const json_t *x = json_object_get(line, strcmp(axis, "passes") == 0 ? "pass" : axis);
    const json_t *objective = json_object_get(line, "objective"), *gap = json_object_get(line, "gap");
    const bool good = json_is_number(x) && json_is_number(objective) && gap;
    if (good) {
        c->x[c->count] = json_number_value(x);
        c->objective[c->count] = json_number_value(objective);
        c->gap[c->count] = json_is_number(gap) ? json_number_value(gap) : INFINITY;
        c->count++;
    }
    json_decref(line);
    return good;
}

static int read_curve(const char *path, const char *axis, curve *c) {
    FILE *stream = fopen(path, "r");
    char line[MAX_LINE]; /* what is longer is cut, and then no JSON */
    int code = 0;
    if (!stream) return cli_fail(CLI_TROUBLE, "cannot read %s: %s", path, strerror(errno));
    while (code == 0 && fgets(line, sizeof line, stream)) {
        if (!grow(c))
            code = cli_fail(CLI_TROUBLE, "no memory for %s", path);
        else if (!take_line(c, line, axis))
            code = cli_fail(CLI_BAD_INPUT, "%s, line %lld: not a line of a trace (`gpis solve --trace` writes them)",
                            path, (long long)c->count + 1);
    }
    if (code == 0 && ferror(stream)) code = cli_fail(CLI_TROUBLE, "cannot read %s: %s", path, strerror(errno));
    if (code == 0 && c->count == 0) code = cli_fail(CLI_BAD_INPUT, "%s is empty", path);
    fclose(stream);
    return code;
}

/* ---- the figure ---------------------------------------------------------------------------------------------------
 */

/* gap becomes what is drawn; returns whether that is the certified bound. */
static bool find_errors(curve *curves, int count) {
    double best = INFINITY;
    bool certified = false;
    for (int i = 0; i < count; i++) {
        const curve *c = &curves[i];
        best = fmin(best, c->objective[c->count - 1]);
        for (int64_t j = 0; j < c->count; j++) certified = certified || c->gap[j] < c->objective[j];
    }
    for (int i = 0; i < count; i++)
        for (int64_t j = 0; j < curves[i].count; j++) {
            const double above = certified ? curves[i].gap[j] : curves[i].objective[j] - best;
            curves[i].gap[j] = above / (best > 0.0 ? best : 1.0);
            if (!certified && !(above > 0.0)) curves[i].gap[j] = NAN; /* the best point itself has no place */
        }
    return certified;
}

/* The file's name without its folder and its ending. */
static void name_curve(const char *path, char *label, size_t size) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const size_t length = strcspn(name, ".");
    snprintf(label, size, "%.*s", (int)(length > 0 ? length : strlen(name)), name);
}

/* Whether the positive numbers on the x axis are of very different size. */
static bool is_wide(const curve *curves, int count) {
    double low = INFINITY, high = 0.0;
    for (int i = 0; i < count; i++)
        for (int64_t j = 0; j < curves[i].count; j++)
            if (curves[i].x[j] > 0.0) {
                low = fmin(low, curves[i].x[j]);
                high = fmax(high, curves[i].x[j]);
            }
    return high >= LOGARITHMIC_FROM * low;
}

static int draw(const command *c, curve *curves) {
    figure_line lines[MOST_TRACES];
    char x_label[32], labels[MOST_TRACES][128];
    const bool certified = find_errors(curves, c->count);
    for (int i = 0; i < c->count; i++) {
        name_curve(c->files[i], labels[i], sizeof labels[i]);
        lines[i] = (figure_line){
            .label = labels[i], .x = curves[i].x, .y = curves[i].gap, .count = curves[i].count, .style = i};
    }
    snprintf(x_label, sizeof x_label, "%s", strcmp(c->x, "seconds") == 0 ? "wall-clock time (seconds)" : c->x);
    const figure f = {.name = "gpis-plot",
                      .title = "",
                      .x_label = x_label,
                      .y_label =
                          certified ? "certified bound on the relative error" : "objective above the best, relative",
                      .log_x = is_wide(curves, c->count),
                      .log_y = true,
                      .floor = 1e-16,
                      .lines = lines,
                      .count = c->count};
    return figure_draw(&f, c->out);
}

int cli_plot(int argc, char **argv) {
    static const struct argp argp = {option_table, parse_option, "TRACE...", doc, NULL, NULL, NULL};
    command c = {.x = "seconds"};
    curve curves[MOST_TRACES] = {{0}};
    if (!cli_parse(&argp, argc, argv, &c)) return CLI_BAD_INPUT;
    int code = cli_output_try(c.out);
    for (int i = 0; i < c.count && code == 0; i++) code = read_curve(c.files[i], c.x, &curves[i]);
    if (code == 0 && !figure_possible()) code = CLI_TROUBLE;
    if (code == 0) code = draw(&c, curves);
    for (int i = 0; i < c.count; i++) curve_clear(&curves[i]);
    return code;
}
