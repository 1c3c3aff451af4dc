/*
 * Options that are given twice. argp hands each one to its parser, where the last value would replace the first without
 * a word; so the arguments are looked through before argp sees them. A flag may be repeated, and so may an option with
 * the same text as before, where nothing is lost, and one of which all values count.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static bool is_end(const struct argp_option *o) { return !o->name && !o->key && !o->doc; }

/* Adds the long options of argp and its children to `table`, which is long enough; NULL: only counts them. */
static int collect(const struct argp *argp, struct option *table, int count) {
    for (const struct argp_option *o = argp->options; o && !is_end(o); o++) {
        if (!o->name) continue;
        if (table) table[count] = (struct option){o->name, o->arg ? required_argument : no_argument, NULL, 0};
        count++;
    }
    for (const struct argp_child *c = argp->children; c && c->argp; c++) count = collect(c->argp, table, count);
    return count;
}

static bool is_repeatable(const char *name) {
    const gpis_option *row = gpis_option_find(name);
    return row && row->repeatable;
}

/* Goes through a copy of the arguments, which getopt reorders. values: what each option was given so far. Returns the
 * number of the option that is given again with another value, which is *second; -1: there is none. */
static int find_repeat(int argc, char **argv, const struct option *table, const char **values, const char **second) {
    int which = 0;
    opterr = 0;
    optind = 0; /* from the start, in GNU's getopt */
    for (;;) {
        const int found = getopt_long(argc, argv, "hV", table, &which);
        if (found != 0 && found != 'h' && found != 'V') return -1; /* the end, or what argp will refuse */
        if (found != 0 || !optarg || is_repeatable(table[which].name)) continue;
        *second = optarg;
        if (values[which] && strcmp(values[which], optarg) != 0) return which;
        values[which] = optarg;
    }
}

bool cli_check_repeats(const struct argp *argp, int argc, char **argv) {
    const int count = collect(argp, NULL, 0);
    struct option *table = calloc((size_t)count + 1, sizeof *table);
    const char **values = calloc((size_t)count + 1, sizeof *values), *second = NULL;
    char **copy = calloc((size_t)argc + 1, sizeof *copy);
    bool good = table && values && copy;
    if (!good) {
        cli_fail(CLI_TROUBLE, "out of memory");
    } else {
        collect(argp, table, 0);
        memcpy(copy, argv, (size_t)argc * sizeof *copy);
        const int repeated = find_repeat(argc, copy, table, values, &second);
        good = repeated < 0;
        if (!good)
            cli_fail(CLI_BAD_INPUT, "--%s is given twice, as '%s' and as '%s', and only one can hold; give it once%s",
                     table[repeated].name, values[repeated], second,
                     strcmp(table[repeated].name, "set") == 0 ? " (sets cannot be combined yet)" : "");
    }
    free(table);
    free(values);
    free(copy);
    return good;
}
