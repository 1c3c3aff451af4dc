/* Options: argp with one-line messages, numbers, and the program's own options that several commands share. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* ---- argp with messages of our own ------------------------------------------------------------------------------- */

enum { MESSAGE_IS_OUT = ECANCELED };

error_t cli_usage(const struct argp_state *state, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cli_fail(CLI_BAD_INPUT, "%s (see '%s --help')", text, state->name);
    return MESSAGE_IS_OUT;
}

error_t cli_take_input(const struct argp_state *state, cli_common *common, const char *arg, const char **path) {
    *path = arg;
    if (strcmp(arg, "-") != 0) return 0;
    if (common->standard_input)
        return cli_usage(state, "two of the files are '-'; standard input can be read once only");
    common->standard_input = true;
    *path = CLI_STANDARD_INPUT;
    return 0;
}

error_t cli_take_file(const struct argp_state *state, cli_common *common, char *arg, const char **a, const char **y) {
    if (state->arg_num > 1) return cli_usage(state, "the files are those of A and y; '%s' is one too many", arg);
    return cli_take_input(state, common, arg, state->arg_num == 0 ? a : y);
}

static error_t check_pair(const struct argp_state *state, const cli_file_use *a, const cli_file_use *b) {
    if ((!a->written && !b->written) || !a->path || !b->path || !cli_output_is_same(a->path, b->path)) return 0;
    return cli_usage(state, "%s and %s are the same file, %s; name another", a->name, b->name, b->path);
}

error_t cli_check_files(const struct argp_state *state, const cli_common *common, const cli_file_use *files,
                        int count) {
    const cli_file_use weights = {"--weights", common->open.weights, false},
                       offset = {"--offset", common->open.offset, false};
    error_t error = 0;
    for (int i = 0; i < count && error == 0; i++) {
        error = check_pair(state, &weights, &files[i]);
        if (error == 0) error = check_pair(state, &offset, &files[i]);
        for (int j = i + 1; j < count && error == 0; j++) error = check_pair(state, &files[i], &files[j]);
    }
    return error;
}

/* The parser around a command's own. It has the help options, since those of argp fall silent together with argp's
 * messages, and it hears of what getopt refuses, which argp_parse does not tell its caller. */
typedef struct guard {
    void *input;
    struct argp_state refused; /* as it was when getopt refused an argument */
} guard;

static const struct argp_option guard_options[] = {
    {"help", 'h', 0, 0, "print this", -1},
    {"version", 'V', 0, 0, "print the version", -1},
    {0},
};

static error_t guard_parser(int key, char *arg, struct argp_state *state) {
    guard *g = state->input;
    (void)arg;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = g->input; return 0;
    case ARGP_KEY_ERROR: g->refused = *state; return 0;
    case 'h':
        state->flags = 0;
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP); /* exits */
        return 0;
    case 'V': argp_program_version_hook(stdout, state); exit(0);
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* The option called `name` (length characters) in the table or its children, or NULL. */
static const struct argp_option *find_option(const struct argp *argp, const char *name, size_t length) {
    for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++)
        if (o->name && strlen(o->name) == length && strncmp(o->name, name, length) == 0) return o;
    for (const struct argp_child *c = argp->children; c && c->argp; c++) {
        const struct argp_option *o = find_option(c->argp, name, length);
        if (o) return o;
    }
    return NULL;
}

/* Options that begin with `name` (length characters), all but the first behind "or": "--checkpoint or --cache". */
static int list_options(const struct argp *argp, const char *name, size_t length, char *text, size_t size) {
    int count = 0;
    for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++) {
        if (!o->name || strncmp(o->name, name, length) != 0) continue;
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s--%s", used > 0 ? " or " : "", o->name);
        count++;
    }
    for (const struct argp_child *c = argp->children; c && c->argp; c++)
        count += list_options(c->argp, name, length, text, size);
    return count;
}

static void consider_options(const struct argp *argp, cli_suggestion *suggestion) {
    for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++)
        if (o->name) cli_suggest_consider(suggestion, o->name);
    for (const struct argp_child *c = argp->children; c && c->argp; c++) consider_options(c->argp, suggestion);
}

/* An option that is not in the tables: what may have been meant. */
static void say_what_was_meant(const struct argp *argp, const struct argp_state *state, const char *argument) {
    char found[256] = "", word[64];
    const size_t length = strcspn(argument, "=");
    if (strncmp(argument, "--", 2) == 0 && list_options(argp, argument + 2, length - 2, found, sizeof found) > 1) {
        cli_usage(state, "option '%.*s' is ambiguous: %s", (int)length, argument, found);
        return;
    }
    snprintf(word, sizeof word, "%.*s", (int)length, argument);
    cli_suggestion suggestion = cli_suggest(word + strspn(word, "-"));
    consider_options(argp, &suggestion);
    if (suggestion.best)
        cli_usage(state, "unknown option '%s'; did you mean --%s?", argument, suggestion.best);
    else
        cli_usage(state, "unknown option '%s'", argument);
}

/* Finds out what getopt had against the argument before state->next. */
static void say_what_is_wrong(const struct argp *argp, const struct argp_state *state) {
    const char *argument = state->argv[state->next > 1 ? state->next - 1 : 1];
    const struct argp_option *known = NULL;
    if (strncmp(argument, "--", 2) == 0) known = find_option(argp, argument + 2, strcspn(argument + 2, "="));
    if (known && known->arg)
        cli_usage(state, "option --%s needs a value", known->name);
    else if (known)
        cli_usage(state, "option --%s takes no value", known->name);
    else
        say_what_was_meant(argp, state, argument);
}

/* While a command is described, cli_parse hands its options and texts over instead of parsing anything. */
static struct {
    void (*describe)(const struct argp *argp, void *user);
    void *user;
} described;

void cli_describe_command(const cli_command *command, void (*describe)(const struct argp *argp, void *user),
                          void *user) {
    char title[64];
    snprintf(title, sizeof title, "gpis %s", command->name);
    char *argv[] = {title, NULL};
    described.describe = describe;
    described.user = user;
    command->run(1, argv);
    described.describe = NULL;
}

static int add_options(const struct argp *argp, cli_option_row *rows, int count, int most) {
    int group = 0;
    for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++) {
        group = o->group != 0 ? o->group : o->name ? group : group + 1; /* as argp counts them */
        if (count < most && !(o->flags & OPTION_HIDDEN)) rows[count++] = (cli_option_row){o, group};
    }
    for (const struct argp_child *c = argp->children; c && c->argp; c++)
        count = add_options(c->argp, rows, count, most);
    return count;
}

int cli_list_options(const struct argp *argp, cli_option_row *rows, int most) {
    const struct argp_child child[] = {{argp, 0, NULL, 0}, {0}};
    const struct argp whole = {.options = guard_options, .children = child};
    return add_options(&whole, rows, 0, most);
}

bool cli_parse(const struct argp *argp, int argc, char **argv, void *input) {
    if (described.describe) {
        described.describe(argp, described.user);
        return false;
    }
    const struct argp_child child[] = {{argp, 0, NULL, 0}, {0}};
    const struct argp outer = {.options = guard_options, .parser = guard_parser, .children = child};
    guard g = {.input = input};
    if (!cli_check_repeats(&outer, argc, argv)) return false;
    const error_t error = argp_parse(&outer, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP, NULL, &g);
    if (error != 0 && error != MESSAGE_IS_OUT) say_what_is_wrong(&outer, &g.refused);
    return error == 0;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

error_t cli_number(const struct argp_state *state, const char *option, const char *text, double low, double high,
                   double *out) {
    char *end = NULL;
    const double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value) || value < low || value > high)
        return cli_usage(state, "--%s wants a number from %g to %g, not '%s'", option, low, high, text);
    *out = value;
    return 0;
}

error_t cli_integer(const struct argp_state *state, const char *option, const char *text, int64_t low, int64_t high,
                    int64_t *out) {
    char *end = NULL;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (end == text || *end || errno == ERANGE || value < low || value > high)
        return cli_usage(state, "--%s wants a whole number from %lld to %lld, not '%s'", option, (long long)low,
                         (long long)high, text);
    *out = value;
    return 0;
}

/* ---- what the commands that read data share -------------------------------------------------------------------- */

enum { KEY_MPI = 256, KEY_JSON, KEY_QUIET };

static const struct argp_option common_options[] = {
    {"mpi", KEY_MPI, 0, 0, "share the rows with other ranks; not needed under mpirun, which is recognised", 4},
    {0, 0, 0, 0, "Output:", 5},
    {"json", KEY_JSON, 0, 0, "print one JSON object instead of the summary", 5},
    {"quiet", KEY_QUIET, 0, 0, "print neither summary nor progress nor notes", 5},
    {0},
};

static error_t parse_common(int key, char *arg, struct argp_state *state) {
    cli_common *c = state->input;
    (void)arg;
    switch (key) {
    case KEY_MPI: c->mpi = true; return 0;
    case KEY_JSON: c->json = true; return 0;
    case KEY_QUIET: c->quiet = true; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_common_argp = {.options = common_options, .parser = parse_common};
const struct argp cli_alone_argp = {.options = common_options + 1, .parser = parse_common};

cli_common cli_common_default(void) {
    return (cli_common){.settings = gpis_settings_default(), .open = gpis_open_options_default()};
}
