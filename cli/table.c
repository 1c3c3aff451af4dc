/*
 * The options that the library knows, as options of a command. The library's table (gpis_option_at) says what they are
 * called, what they take, what their default is and what they do; a row that is added there is an option here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { KEY_TABLE = 1024, MAX_ROWS = CLI_MAX_TABLE }; /* the key of a row is KEY_TABLE and its number */

static const char *const groups[] = {"Problem", "Accuracy", "Method", "Running"};
enum { GROUPS = sizeof groups / sizeof *groups };

/* What --help says of an option, the row of that number. It lasts as long as the program, as argp wants it, and is made
 * once, however many commands are described. */
static char *help_of(const gpis_option *row, int number) {
    static char *texts[MAX_ROWS];
    if (texts[number]) return texts[number];
    const bool has_default = row->argument && *row->fallback;
    if (asprintf(&texts[number], has_default ? "%s (default %s)" : "%s", row->help, row->fallback) < 0)
        texts[number] = NULL;
    return texts[number];
}

/* The heading of a group, counted from 1; it lasts, too. */
static const char *title_of(int group) {
    static char titles[GROUPS + 1][16];
    snprintf(titles[group], sizeof titles[group], "%s:", groups[group - 1]);
    return titles[group];
}

/* Groups are numbered from 1, in the order in which --help shows them. */
static int group_of(const gpis_option *row) {
    for (int g = 0; g < GROUPS; g++)
        if (strcmp(row->group, groups[g]) == 0) return g + 1;
    return 0;
}

/* Options of the problem are kept in a list that lasts as long as the program: one command parses its options once. */
static bool remember(cli_common *c, int number, const char *value) {
    enum { MAX_GIVEN = 10000 };
    static cli_given_text list[MAX_GIVEN];
    static int used;
    if (used == MAX_GIVEN) {
        cli_fail(CLI_BAD_INPUT, "there are more than %d options of the problem; --subject-to takes @FILE, a line each",
                 MAX_GIVEN);
        return false;
    }
    list[used] = (cli_given_text){number, value, c->problem};
    c->problem = &list[used++];
    return true;
}

/* What the option says is put wherever it counts. */
static error_t take(const struct argp_state *state, cli_common *c, int number, const char *value) {
    const gpis_option *row = gpis_option_at(number);
    char trouble[512];
    if (gpis_option_explain(row, value, trouble, sizeof trouble) > 0) return cli_usage(state, "--%s", trouble);
    c->given |= UINT64_C(1) << number;
    if (row->where & GPIS_OPTION_PROBLEM && !remember(c, number, value)) return EINVAL;
    if (row->where & GPIS_OPTION_OPEN) gpis_open_options_set(&c->open, row->name, value);
    if (row->where & (GPIS_OPTION_SOLVE | GPIS_OPTION_PLAN | GPIS_OPTION_CHECK))
        gpis_settings_set(&c->settings, row->name, value);
    return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
    if (key < KEY_TABLE || key >= KEY_TABLE + MAX_ROWS) return ARGP_ERR_UNKNOWN;
    return take(state, state->input, key - KEY_TABLE, arg ? arg : "yes");
}

/* The options of the command; argp wants them to last. */
static struct argp_option options[MAX_ROWS + GROUPS + 1];

struct argp cli_table_argp(unsigned where) {
    int count = 0;
    bool headed[GROUPS + 1] = {true};
    const gpis_option *row;
    memset(options, 0, sizeof options);
    for (int i = 0; i < MAX_ROWS && (row = gpis_option_at(i)) != NULL; i++) {
        if (!(row->where & where)) continue;
        const int group = group_of(row);
        if (!headed[group]) {
            options[count++] = (struct argp_option){.doc = title_of(group), .group = group};
            headed[group] = true;
        }
        options[count++] = (struct argp_option){
            .name = row->name, .key = KEY_TABLE + i, .arg = row->argument, .doc = help_of(row, i), .group = group};
    }
    return (struct argp){.options = options, .parser = parse_option};
}

void cli_table_explain(const char *name, const char *help) {
    for (struct argp_option *o = options; o->name || o->doc; o++)
        if (o->name && strcmp(o->name, name) == 0) {
            o->doc = help;
            o->flags = help ? 0 : OPTION_HIDDEN;
        }
}

/* The number of the row of that name, which there is. */
static int number_of(const char *name) {
    const gpis_option *wanted = gpis_option_find(name);
    int number = 0;
    while (gpis_option_at(number) != wanted) number++;
    return number;
}

bool cli_is_given(const cli_common *common, const char *name) { return (common->given >> number_of(name) & 1) != 0; }

const char *cli_problem_text(const cli_common *common, const char *name) {
    const int64_t count = cli_problem_count(common, name);
    return count > 0 ? cli_problem_text_at(common, name, count - 1) : gpis_option_find(name)->fallback;
}

int64_t cli_problem_count(const cli_common *common, const char *name) {
    const int number = number_of(name);
    int64_t count = 0;
    for (const cli_given_text *given = common->problem; given; given = given->before) count += given->row == number;
    return count;
}

const char *cli_problem_text_at(const cli_common *common, const char *name, int64_t i) {
    const int number = number_of(name);
    int64_t left = cli_problem_count(common, name) - i;
    for (const cli_given_text *given = common->problem; given; given = given->before)
        if (given->row == number && --left == 0) return given->text;
    return NULL;
}
