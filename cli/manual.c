/*
 * gpis manual: the manual pages, as roff. They are made of what --help is made of: the table of commands, and each
 * command's options and text. `gpis manual` prints gpis(1), `gpis manual COMMAND` prints gpis-COMMAND(1), and
 * `gpis manual --all DIR` writes all of them; the build does that, and the pages are installed from there.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void put_letter(FILE *out, char letter) {
    switch (letter) {
    case '\\': fputs("\\e", out); break;
    case '-': fputs("\\-", out); break;
    case '^': fputs("\\(ha", out); break;
    case '~': fputs("\\(ti", out); break;
    case '\'': fputs("\\(aq", out); break;
    case '`': fputs("\\(ga", out); break;
    default: fputc(letter, out);
    }
}

/* Prints text that roff takes for what it is: no escapes, no line that begins a request, hyphens as they are typed. */
static void put(FILE *out, const char *text, size_t length) {
    bool at_start = true;
    for (const char *c = text; c < text + length; c++) {
        if (at_start && (*c == '.' || *c == '\'')) fputs("\\&", out);
        put_letter(out, *c);
        at_start = *c == '\n';
    }
}

/* Prints running text in lines of some 60 characters, which roff joins again. */
static void put_text(FILE *out, const char *text, size_t length) {
    enum { LINE = 60 };
    const char *end = text + length;
    while (text < end) {
        const char *next = text, *cut = end;
        while (next < end && (cut == end || next - text <= LINE)) {
            if (*next == ' ' || *next == '\n') cut = next;
            next++;
        }
        if (next == end && end - text <= LINE) cut = end;
        put(out, text, (size_t)(cut - text));
        fputc('\n', out);
        text = cut + 1;
    }
}

static void put_line(FILE *out, const char *text) {
    put(out, text, strlen(text));
    fputc('\n', out);
}

static void put_upper(FILE *out, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) fputc(toupper((unsigned char)text[i]), out);
}

static void put_title(FILE *out, const char *name) {
    fputs(".TH ", out);
    put_upper(out, name, strlen(name));
    fprintf(out, " 1 \"\" \"gpis %s\" \"gpis manual\"\n.SH NAME\n", gpis_version());
}

/* The paragraphs between `text` and `end`: those that begin with `Example: ` if `examples`, else the others. */
static void put_paragraphs(FILE *out, const char *text, const char *end, bool examples) {
    static const char mark[] = "Example: ";
    bool first = true;
    while (text < end) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));
        if (!line_end) line_end = end;
        const bool example = strncmp(text, mark, strlen(mark)) == 0;
        if (line_end > text && example && examples) {
            fputs(".PP\n.EX\n" + (first ? 4 : 0), out);
            put(out, text + strlen(mark), (size_t)(line_end - text) - strlen(mark));
            fputs("\n.EE\n", out);
        } else if (line_end > text && !example && !examples) {
            fputs(first ? "" : ".PP\n", out);
            put_text(out, text, (size_t)(line_end - text));
        }
        first = first && (line_end == text || example != examples);
        text = line_end + 1;
    }
}

/* ---- one command ------------------------------------------------------------------------------------------------- */

static void put_option(FILE *out, const struct argp_option *o) {
    fputs(".TP\n", out);
    if (isgraph(o->key))
        fprintf(out, ".BR \\-%c \", \" \\-\\-", o->key);
    else
        fputs(o->arg ? ".BI \\-\\-" : ".B \\-\\-", out);
    put(out, o->name, strlen(o->name));
    if (o->arg) {
        fputs("= ", out);
        put(out, o->arg, strlen(o->arg));
    }
    fputc('\n', out);
    if (o->doc) put_text(out, o->doc, strlen(o->doc));
}

static int by_group_and_name(const void *a, const void *b) {
    const cli_option_row *p = a, *q = b;
    if (p->group != q->group) { /* as argp does: 0, 1, 2, ..., then -2, -1 */
        if ((p->group < 0) != (q->group < 0)) return p->group < 0 ? 1 : -1;
        return p->group < q->group ? -1 : 1;
    }
    const bool p_heads = !p->option->name, q_heads = !q->option->name;
    if (p_heads || q_heads) return q_heads - p_heads;
    return strcmp(p->option->name, q->option->name);
}

static void put_options(FILE *out, cli_option_row *rows, int count) {
    qsort(rows, (size_t)count, sizeof *rows, by_group_and_name);
    fputs(".SH OPTIONS\n", out);
    for (int i = 0; i < count; i++) {
        const struct argp_option *o = rows[i].option;
        if (!o->name) {
            fputs(".SS ", out);
            put(out, o->doc, strcspn(o->doc, ":"));
            fputc('\n', out);
        } else {
            put_option(out, o);
        }
    }
}

static void put_command(FILE *out, const cli_command *command, const struct argp *argp) {
    cli_option_row rows[CLI_MAX_OPTIONS];
    const char *rest = strchr(argp->doc, '\v');
    const char *end = argp->doc + strlen(argp->doc), *first_end = rest ? rest : end;
    char name[64];
    snprintf(name, sizeof name, "gpis-%s", command->name);
    put_title(out, name);
    fputs("gpis\\-", out);
    put(out, command->name, strlen(command->name));
    fputs(" \\- ", out);
    put_line(out, command->summary);
    fputs(".SH SYNOPSIS\n.B gpis ", out);
    put_line(out, command->name);
    fputs(".RI [ OPTION ...]\n", out);
    if (argp->args_doc && *argp->args_doc) {
        fputs(".I ", out);
        put_line(out, argp->args_doc);
    }
    fputs(".SH DESCRIPTION\n", out);
    put_paragraphs(out, argp->doc, first_end, false);
    if (rest) fputs(".PP\n", out);
    if (rest) put_paragraphs(out, rest + 1, end, false);
    put_options(out, rows, cli_list_options(argp, rows, CLI_MAX_OPTIONS));
    if (rest && strstr(rest, "Example: ")) {
        fputs(".SH EXAMPLES\n", out);
        put_paragraphs(out, rest + 1, end, true);
    }
    fputs(".SH SEE ALSO\n.BR gpis (1)\n", out);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static void put_program(FILE *out, const cli_command *commands, int count) {
    put_title(out, "gpis");
    fputs("gpis \\- large-scale constrained least squares with a certificate\n"
          ".SH SYNOPSIS\n.B gpis\n.I COMMAND\n.RI [ OPTION ...]\n.SH DESCRIPTION\n",
          out);
    put_text(out, cli_about, strlen(cli_about));
    fputs(".SH COMMANDS\n", out);
    for (int i = 0; i < count; i++) {
        fputs(".TP\n.BR gpis\\-", out);
        put(out, commands[i].name, strlen(commands[i].name));
        fputs(" (1)\n", out);
        put_line(out, commands[i].summary);
    }
    fputs(".TP\n.BI \"gpis help \" COMMAND\nprint the options of a command and what it does\n"
          ".SH EXIT STATUS\n",
          out);
    put_line(out, cli_exit_codes);
    fputs(".SH EXAMPLES\n.EX\n", out);
    put_line(out, cli_example);
    fputs(".EE\n.SH ENVIRONMENT\n.TP\n.B XDG_CACHE_HOME\n"
          "the speed of the machine, as measured once, is kept in its folder gpis;\n"
          "without it, in .cache/gpis of the home folder\n.TP\n.B OMP_NUM_THREADS\n"
          "threads, unless \\-\\-threads says how many\n.SH SEE ALSO\n",
          out);
    for (int i = 0; i < count; i++) fprintf(out, ".BR gpis\\-%s (1)%s\n", commands[i].name, i + 1 < count ? "," : "");
}

/* What cli_parse does for a command whose page is printed. */
typedef struct page {
    FILE *out;
    const cli_command *command;
} page;

static void describe(const struct argp *argp, void *user) {
    const page *p = user;
    put_command(p->out, p->command, argp);
}

static void put_page(FILE *out, const cli_command *commands, int count, const cli_command *command) {
    page p = {out, command};
    if (command)
        cli_describe_command(command, describe, &p);
    else
        put_program(out, commands, count);
}

static int write_page(const char *folder, const cli_command *commands, int count, const cli_command *command) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/gpis%s%s.1", folder, command ? "-" : "", command ? command->name : "");
    FILE *out = fopen(path, "w");
    if (!out) return cli_fail(CLI_TROUBLE, "cannot write %s", path);
    put_page(out, commands, count, command);
    const bool failed = ferror(out);
    if (fclose(out) != 0 || failed) return cli_fail(CLI_TROUBLE, "cannot write %s", path);
    return 0;
}

static int write_all(const char *folder, const cli_command *commands, int count) {
    int code = write_page(folder, commands, count, NULL);
    for (int i = 0; i < count && code == 0; i++) code = write_page(folder, commands, count, &commands[i]);
    return code;
}

int cli_manual(const cli_command *commands, int count, int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--all") == 0) return write_all(argv[2], commands, count);
    const cli_command *command = argc == 2 ? cli_find_command(commands, count, argv[1]) : NULL;
    if (argc > 2 || (argc == 2 && !command))
        return cli_fail(CLI_BAD_INPUT, "manual takes the name of a command, or --all DIR");
    put_page(stdout, commands, count, command);
    return 0;
}
