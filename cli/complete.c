/*
 * gpis complete WORD...: what the last word of a command line may become, for the completion of shells. WORDs are those
 * behind `gpis`; the last one is being typed, and may be "". A line of the answer is a whole word, a tab, and what it
 * means. The line ":files" asks the shell for names of files, and ":folders" for those of folders.
 *
 * Commands and options are those of --help, values are those of the table of options, and columns are read from the
 * first lines of the file that stands in the place of A.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

/* The word that is typed, in two parts: what is kept as it is, and what is completed. */
typedef struct typed {
    const char *word;
    size_t kept;
} typed;

static const char *open_part(const typed *t) { return t->word + t->kept; }

/* A candidate for the open part, if it begins like it. `length` characters of `text`; `behind` is put after them. */
static void offer(const typed *t, const char *text, size_t length, const char *behind, const char *meaning) {
    const char *begun = open_part(t);
    const size_t size = strlen(begun);
    if (size > length || memcmp(begun, text, size) != 0) return;
    printf("%.*s%.*s%s", (int)t->kept, t->word, (int)length, text, behind);
    if (meaning) printf("\t%s", cli_printable(meaning).text);
    putchar('\n');
}

/* Keeps all up to the last of the characters `ends`. */
static void keep_up_to(typed *t, const char *ends) {
    for (size_t i = strlen(t->word); i > t->kept; i--)
        if (strchr(ends, t->word[i - 1])) {
            t->kept = i;
            return;
        }
}

static void offer_words(const typed *t, const char *words) {
    while (*words) {
        const size_t length = strcspn(words, ",");
        offer(t, words, length, "", NULL);
        words += length + strspn(words + length, ", ");
    }
}

/* ---- columns of the table ---------------------------------------------------------------------------------------- */

/* A pipe with the first lines of a text file, gzipped or not; NULL: it cannot be read. The name is opened here, so that
 * no shell sees it. */
static FILE *first_lines(const char *path) {
    const int file = open(path, O_RDONLY | O_NONBLOCK); /* a pipe that nobody writes to does not keep us waiting */
    if (file < 0) return NULL;
    if (file != STDIN_FILENO && (dup2(file, STDIN_FILENO) < 0 || close(file) < 0)) return NULL;
    return popen("gzip -dcf 2>/dev/null | head -n 50", "r");
}

static void offer_column(const typed *t, const char *name) {
    const bool plain = name[strcspn(name, ",*[]\"'= \t")] == '\0';
    char quoted[256];
    snprintf(quoted, sizeof quoted, plain ? "%s" : strchr(name, '"') ? "'%s'" : "\"%s\"", name);
    offer(t, quoted, strlen(quoted), "", NULL);
}

/* Every column is taken for one of text here, since the names alone matter. */
static void offer_columns(const typed *t, const char *path) {
    gpis_context *context = NULL;
    gpis_source *table = NULL;
    FILE *lines = path ? first_lines(path) : NULL;
    if (!lines) return;
    char pipe_name[32];
    snprintf(pipe_name, sizeof pipe_name, "/dev/fd/%d", fileno(lines));
    gpis_open_options options = gpis_open_options_default();
    options.format = "txt";
    options.categorical = "*";
    options.missing = GPIS_MISSING_DROP;
    if (gpis_context_create(&context) == GPIS_OK &&
        gpis_source_open_with(context, pipe_name, &options, &table) == GPIS_OK) {
        const gpis_encoding *encoding = gpis_source_encoding(table);
        gpis_encoding_info info = {.size = sizeof info};
        gpis_encoding_column column = {.size = sizeof column};
        gpis_encoding_describe(encoding, &info);
        for (int64_t j = 0; j < info.columns; j++) {
            gpis_encoding_column_at(encoding, j, &column);
            if (column.name) offer_column(t, column.name);
        }
    }
    gpis_source_destroy(table);
    gpis_context_destroy(context);
    pclose(lines);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* A set: the kinds, or columns behind a bracket. */
static void offer_set(typed t, const char *path) {
    keep_up_to(&t, "&( ");
    typed inside = t;
    keep_up_to(&inside, "[");
    if (inside.kept > t.kept && !strchr(open_part(&inside), ']')) {
        keep_up_to(&inside, ",");
        offer_columns(&inside, path);
        return;
    }
    const char *usage;
    for (int64_t i = 0; (usage = gpis_set_usage(i)) != NULL; i++) {
        const size_t length = strcspn(usage, ": ");
        offer(&t, usage, length, usage[length] == ':' ? ":" : "", usage);
    }
}

static bool holds(const char *text, const char *part) { return text && strstr(text, part); }

/* The value of an option; `path` is A. */
static void offer_value(typed t, const struct argp_option *option, const char *path) {
    const gpis_option *row = gpis_option_find(option->name);
    const bool columns =
        row && row->where & GPIS_OPTION_OPEN && (holds(row->argument, "COLUMN") || strcmp(row->argument, "LIST") == 0);
    if (strcmp(option->name, "set") == 0) {
        offer_set(t, path);
    } else if (strcmp(option->name, "subject-to") == 0) {
        keep_up_to(&t, " +-*/()<>=,");
        offer_columns(&t, path);
    } else if (row && (row->choices || row->words)) {
        offer_words(&t, row->choices ? row->choices : row->words);
    } else if (columns) {
        if (strcmp(row->argument, "LIST") == 0) keep_up_to(&t, ",");
        offer_columns(&t, path);
    }
    if (holds(option->arg, "FILE") || holds(option->arg, "FIGURE")) puts(":files");
    if (strcmp(option->arg, "DIR") == 0) puts(":folders");
}

/* ---- the command line -------------------------------------------------------------------------------------------- */

typedef struct line {
    int count;
    char **words; /* behind the name of the command */
} line;

static const struct argp_option *find(const cli_option_row *rows, int count, const char *word) {
    if (strncmp(word, "--", 2) != 0) return NULL;
    const size_t length = strcspn(word + 2, "=");
    for (int i = 0; i < count; i++) {
        const char *name = rows[i].option->name;
        if (name && strlen(name) == length && memcmp(name, word + 2, length) == 0) return rows[i].option;
    }
    return NULL;
}

static bool wants_next(const struct argp_option *option, const char *word) {
    return option && option->arg && !strchr(word, '=');
}

/* The first word that is neither an option nor the value of one: the file of A. */
static const char *find_file(const line *l, const cli_option_row *rows, int count) {
    for (int i = 0; i + 1 < l->count; i++) {
        if (wants_next(find(rows, count, l->words[i]), l->words[i]))
            i++;
        else if (l->words[i][0] != '-')
            return l->words[i];
    }
    return NULL;
}

static void offer_options(const typed *t, const cli_option_row *rows, int count) {
    char word[80];
    for (int i = 0; i < count; i++) {
        const struct argp_option *o = rows[i].option;
        if (!o->name) continue;
        snprintf(word, sizeof word, "--%s", o->name);
        offer(t, word, strlen(word), "", o->doc);
    }
}

static void complete(const struct argp *argp, void *user) {
    const line *l = user;
    cli_option_row rows[CLI_MAX_OPTIONS];
    const int count = cli_list_options(argp, rows, CLI_MAX_OPTIONS);
    typed t = {l->words[l->count - 1], 0};
    const char *before = l->count > 1 ? l->words[l->count - 2] : "";
    const struct argp_option *option = find(rows, count, before);
    const char *file = find_file(l, rows, count);
    if (wants_next(option, before)) {
        offer_value(t, option, file);
    } else if ((option = find(rows, count, t.word)) != NULL && option->arg && strchr(t.word, '=')) {
        t.kept = strcspn(t.word, "=") + 1;
        offer_value(t, option, file);
    } else if (t.word[0] == '-') {
        offer_options(&t, rows, count);
    } else {
        puts(":files");
    }
}

int cli_complete(const cli_command *commands, int count, int argc, char **argv) {
    if (argc < 2) return cli_fail(CLI_BAD_INPUT, "complete takes the words behind 'gpis', the last one being typed");
    const cli_command *command = cli_find_command(commands, count, argv[1]);
    const typed t = {argv[argc - 1], 0};
    if (argc == 2 || (argc == 3 && strcmp(argv[1], "help") == 0)) {
        for (int i = 0; i < count; i++) offer(&t, commands[i].name, strlen(commands[i].name), "", commands[i].summary);
        if (argc == 2) offer_words(&t, "help, --help, --version");
    } else if (command) {
        line l = {argc - 2, argv + 2};
        cli_describe_command(command, complete, &l);
    }
    return 0;
}
