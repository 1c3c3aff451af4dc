/* The constraints of a problem: --set, --subject-to and --bounds, as often as they are given. All of them hold. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { LONGEST_LINE = 1 << 24 }; /* of a file of constraints: about a million columns in one constraint */

/* ---- linear constraints, as arguments and in files --------------------------------------------------------------- */

/* Constraints in words. */
typedef struct texts {
    char **list; /* owned, and each of them too */
    int64_t count;
} texts;

static void clear(texts *t) {
    for (int64_t i = 0; i < t->count; i++) free(t->list[i]);
    free(t->list);
    *t = (texts){0};
}

static int add(texts *t, const char *text) {
    char **list = realloc(t->list, (size_t)(t->count + 1) * sizeof *list);
    if (list) t->list = list;
    char *copy = list ? strdup(text) : NULL;
    if (!copy) return cli_fail(CLI_TROUBLE, "out of memory");
    t->list[t->count++] = copy;
    return 0;
}

/* A line for each constraint; empty lines and those that begin with '#' are left out. */
static int add_lines(texts *t, const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) return cli_fail(CLI_TROUBLE, "cannot read %s: %s", path, strerror(errno));
    char *line = malloc(LONGEST_LINE);
    const cli_lines lines = {path, "constraints are text, one a line", line, LONGEST_LINE};
    int code = line ? 0 : cli_fail(CLI_TROUBLE, "out of memory");
    bool more = true;
    for (int64_t number = 1; code == 0 && more; number++) {
        code = cli_next_line(file, &lines, number, &more);
        if (code != 0) break;
        line[strcspn(line, "\r")] = '\0';
        const char *text = line + strspn(line, " \t");
        if (*text && *text != '#') code = add(t, text);
    }
    if (code == 0 && t->count == 0) code = cli_fail(CLI_BAD_INPUT, "%s: holds no constraint", path);
    free(line);
    fclose(file);
    return code;
}

/* ---- sets -------------------------------------------------------------------------------------------------------- */

/* A place for one more set, of which there are at most as many as options. */
static gpis_set **next_set(cli_problem *p) { return &p->given_sets[p->given_count++]; }

/* Messages about the lines of a file begin with its name. */
static int take_texts(cli_problem *p, const texts *t, const char *path) {
    if (t->count == 0) return 0;
    const gpis_status status =
        gpis_set_parse_linear(p->context, (const char *const *)t->list, t->count, p->problem, next_set(p));
    if (status == GPIS_OK) return 0;
    if (!path) return cli_fail_status(p->context, status);
    return cli_fail(cli_exit_code(status), "%s: %s", path, gpis_last_error(p->context));
}

static int take_subject_to(cli_problem *p, const cli_common *common) {
    texts given = {0};
    int code = 0;
    for (int64_t i = 0; i < cli_problem_count(common, "subject-to") && code == 0; i++) {
        const char *text = cli_problem_text_at(common, "subject-to", i);
        if (*text != '@') {
            code = add(&given, text);
            continue;
        }
        texts lines = {0};
        code = add_lines(&lines, text + 1);
        if (code == 0) code = take_texts(p, &lines, text + 1);
        clear(&lines);
    }
    if (code == 0) code = take_texts(p, &given, NULL);
    clear(&given);
    return code;
}

/* Whether --set number i says the same as one before. */
static bool is_again(const cli_common *common, int64_t i) {
    const char *text = cli_problem_text_at(common, "set", i);
    for (int64_t j = 0; j < i; j++)
        if (strcmp(text, cli_problem_text_at(common, "set", j)) == 0) return true;
    return false;
}

static int take_sets(cli_problem *p, const cli_common *common) {
    const int64_t count =
        cli_is_path_of_radii(common) ? 0 : cli_problem_count(common, "set"); /* those of a path come with its points */
    gpis_status status = GPIS_OK;
    for (int64_t i = 0; i < count && status == GPIS_OK; i++)
        if (!is_again(common, i))
            status = gpis_set_parse(p->context, cli_problem_text_at(common, "set", i), p->problem, next_set(p));
    if (status == GPIS_OK && cli_is_given(common, "bounds"))
        status = gpis_set_read_bounds(p->context, cli_problem_text(common, "bounds"), p->problem, next_set(p));
    return status == GPIS_OK ? 0 : cli_fail_status(p->context, status);
}

static void tell_warnings(const cli_problem *p, const cli_common *common) {
    for (int64_t i = 0; i < p->given_count && !common->quiet && cli_is_first(); i++)
        if (*gpis_set_warning(p->given_sets[i])) cli_fail(0, "warning: %s", gpis_set_warning(p->given_sets[i]));
}

int cli_constrain(cli_problem *p, const cli_common *common) {
    const int64_t most = cli_problem_count(common, "set") + cli_problem_count(common, "subject-to") + 2;
    p->given_sets = calloc((size_t)most, sizeof *p->given_sets);
    if (!p->given_sets) return cli_fail(CLI_TROUBLE, "out of memory");
    int code = take_sets(p, common);
    if (code == 0) code = take_subject_to(p, common);
    if (code != 0) return code;
    tell_warnings(p, common);
    gpis_status status = GPIS_OK;
    if (p->given_count == 0)
        status = gpis_set_parse(p->context, cli_is_path_of_radii(common) ? "none" : cli_problem_text(common, "set"),
                                p->problem, &p->set);
    else if (p->given_count == 1)
        p->set = p->given_sets[--p->given_count];
    else
        status = gpis_set_intersection(p->context, p->given_count, p->given_sets, &p->set);
    if (status == GPIS_OK && p->given_count > 1) status = gpis_set_responses(p->set, p->k);
    return status == GPIS_OK ? 0 : cli_fail_status(p->context, status);
}

void cli_constraints_close(cli_problem *p) {
    gpis_set_destroy(p->set);
    for (int64_t i = 0; i < p->given_count; i++) gpis_set_destroy(p->given_sets[i]);
    free(p->given_sets);
}
