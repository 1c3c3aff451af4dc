/*
 * What the commands of the program `gpis` share. The program stands on the public header alone: it parses options,
 * opens files, calls the library, prints.
 *
 * Help and results go to stdout, progress and trouble to stderr; trouble is one line that starts with "gpis: ".
 */
#ifndef GPIS_CLI_H
#define GPIS_CLI_H

#include <argp.h>
#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "entries.h"
#include "gpis.h"

enum {
    CLI_CERTIFIED = 0,    /* done, and certified to the tolerance */
    CLI_UNCERTIFIED = 1,  /* ended before that */
    CLI_BAD_INPUT = 2,    /* bad usage or bad input */
    CLI_TROUBLE = 3,      /* file or memory trouble */
    CLI_INTERRUPTED = 130 /* SIGINT or SIGTERM: the best x so far is written */
};

/* ---- commands: argv[0] is "gpis NAME"; each returns an exit code ----------------------------------------------- */

typedef struct cli_command {
    const char *name, *arguments, *summary;
    int (*run)(int argc, char **argv);
    bool ranks; /* can be run by several at once */
} cli_command;

int cli_solve(int argc, char **argv);
int cli_plan(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_summarize(int argc, char **argv);
int cli_merge(int argc, char **argv);
int cli_path_command(int argc, char **argv);
int cli_cv_command(int argc, char **argv);
int cli_info(int argc, char **argv);
int cli_gen(int argc, char **argv);
int cli_bounds(int argc, char **argv);
int cli_reproduce(int argc, char **argv);
int cli_plot(int argc, char **argv);
int cli_predict(int argc, char **argv);

/* ---- what is said about commands: manual pages, completion of shells -------------------------------------------- */

extern const char cli_about[], cli_exit_codes[], cli_example[]; /* parts of `gpis --help` (about.c) */
const cli_command *cli_find_command(const cli_command *commands, int count, const char *name); /* NULL: none */
int cli_manual(const cli_command *commands, int count, int argc, char **argv);                 /* manual.c */
int cli_complete(const cli_command *commands, int count, int argc, char **argv);               /* complete.c */

/* Calls `describe` with all the options and texts of a command, which is not run. */
void cli_describe_command(const cli_command *command, void (*describe)(const struct argp *argp, void *user),
                          void *user);

/* An option, or the heading of a group, which has no name. */
typedef struct cli_option_row {
    const struct argp_option *option;
    int group;
} cli_option_row;
enum { CLI_MAX_OPTIONS = 256 };
/* The options of argp and its children, at most `most` of them; returns how many. */
int cli_list_options(const struct argp *argp, cli_option_row *rows, int most);

/* ---- trouble (trouble.c) ---------------------------------------------------------------------------------------- */

/* Prints "gpis: ..." on one line, made printable, and returns `code`. */
int cli_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints the context's last message and returns the exit code that belongs to `status`. */
int cli_fail_status(const gpis_context *context, gpis_status status);
int cli_exit_code(gpis_status status);
/* While it is on, messages with an exit code wait for the end of the program: an answer that was found is written and
 * reported first, and then what went wrong beside it. */
void cli_defer(bool on);
int cli_deferred_code(void); /* the exit code that they ask for; 0: none waits */
/* Prints the messages that wait. Returns the exit code: `code`, or that of the trouble they tell. */
int cli_tell_deferred(int code);
/* The exit code of a command that ends with `code` and had this trouble besides (0: none). */
int cli_with_trouble(int code, int trouble);

/* A copy of a text from a file, a file name or an argument that is safe to print: printf("%s", cli_printable(t).text).
 * What is longer than any path is cut. */
typedef struct cli_text {
    char text[PATH_MAX];
} cli_text;
cli_text cli_printable(const char *text);
/* The same text as JSON, which can hold all but what is not UTF-8: that becomes '?'. */
json_t *cli_json_text(const char *text);
json_t *cli_json_text_or_null(const char *text); /* null for an empty text */

/* ---- options (options.c) ---------------------------------------------------------------------------------------- */

enum { CLI_MAX_TABLE = 64 }; /* rows of the library's table: at most as many as `given` has bits */

/* An option of the problem that was given. */
typedef struct cli_given_text {
    int row; /* in the library's table */
    const char *text;
    const struct cli_given_text *before; /* what was given before it */
} cli_given_text;

/* What the commands that read data have in common; the texts belong to argv. */
typedef struct cli_common {
    const struct cli_given_text *problem; /* options of the problem as they were given, the last one first */
    gpis_settings settings;
    gpis_open_options open; /* target, cache, format and memory as given */
    uint64_t given;         /* which options of the library's table were given, a bit for each row */
    bool json, quiet, mpi;
    bool standard_input; /* one of the files is standard input */
    bool path;           /* --set and --penalty name what a path goes through, without a radius or a LAMBDA */
    bool without_y;      /* y may be missing: it is not read, and one response is assumed */
} cli_common;
extern const struct argp cli_common_argp; /* the program's own options; a child of the commands' own */
extern const struct argp cli_alone_argp;  /* the same, for commands that do not run on several ranks: no --mpi */
cli_common cli_common_default(void);

/* The options of the library's table that count in any of the places `where` (GPIS_OPTION_SOLVE, ...): a child of the
 * commands' own, whose input is a cli_common (table.c). One command calls it once. */
struct argp cli_table_argp(unsigned where);
/* What --help says of an option that means something else in this command, and NULL for one that the command refuses;
 * after cli_table_argp. */
void cli_table_explain(const char *name, const char *help);
bool cli_is_given(const cli_common *common, const char *name); /* an option of the library's table */
/* The text of an option of the problem, such as "bounds": as given, or its default. */
const char *cli_problem_text(const cli_common *common, const char *name);
/* Those of an option that may be given several times, in their order: how many there are, and number i of them. */
int64_t cli_problem_count(const cli_common *common, const char *name);
const char *cli_problem_text_at(const cli_common *common, const char *name, int64_t i);
/* Of a path (path_kind.c): whether it is one of radii, and one of the sets lacks its own; else a --penalty lacks
 * LAMBDA. */
bool cli_is_path_of_radii(const cli_common *common);
bool cli_penalty_lacks_lambda(const char *text); /* l1, or l1,W.npy */
/* Messages of the library speak of "option memory": says "--memory" instead, in place, and returns the text. */
char *cli_name_options(char *text);

/* Whether an option was given that not every method uses (ignored.c). */
bool cli_asks_for_method(const cli_common *common);
/* Says in one line which of the options given the way that was chosen does not use, if there are any. */
void cli_report_ignored(const cli_common *common, const gpis_plan_candidate *chosen);

/* argp_parse with one-line messages of our own. True: go on; false: exit with CLI_BAD_INPUT, the message is out. */
bool cli_parse(const struct argp *argp, int argc, char **argv, void *input);
/* False, with a message, where an option is given twice with different values (repeats.c). */
bool cli_check_repeats(const struct argp *argp, int argc, char **argv);
/* For parsers: says what is wrong, with a hint at --help, and returns an error code. */
error_t cli_usage(const struct argp_state *state, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* An argument of a command that takes A and y. */
error_t cli_take_file(const struct argp_state *state, cli_common *common, char *arg, const char **a, const char **y);
/* A file of a command. */
typedef struct cli_file_use {
    const char *name, *path; /* "--out"; NULL: not given */
    bool written;
} cli_file_use;
/* Refuses two names of one file, unless both are read. The files of --weights and --offset are read, too. */
error_t cli_check_files(const struct argp_state *state, const cli_common *common, const cli_file_use *files, int count);
/* The command as a shell takes it, with quotes where they are needed; the caller frees it; NULL: no memory. */
char *cli_command_text(int argc, char **argv);
void cli_write_word(FILE *stream, const char *word); /* one word of such a command */
/* A file that is read: "-" stands for standard input, which can be read once only. */
#define CLI_STANDARD_INPUT "/dev/stdin"
error_t cli_take_input(const struct argp_state *state, cli_common *common, const char *arg, const char **path);
/* Whole-argument numbers within [low, high]; on failure a usage message names `option`. */
error_t cli_number(const struct argp_state *state, const char *option, const char *text, double low, double high,
                   double *out);
error_t cli_integer(const struct argp_state *state, const char *option, const char *text, int64_t low, int64_t high,
                    int64_t *out);

/* ---- words that are not known (suggest.c) ------------------------------------------------------------------------ */

/* The search for the known word that is nearest to one that is not known. */
typedef struct cli_suggestion {
    char word[33];
    size_t length;
    const char *best; /* borrowed from whoever named it; NULL: nothing is near */
    int errors;       /* typing errors of `best`; of others, at most */
} cli_suggestion;
cli_suggestion cli_suggest(const char *word);
void cli_suggest_consider(cli_suggestion *suggestion, const char *name);

/* ---- while files are opened (loading.c) -------------------------------------------------------------------------- */

typedef struct cli_loading {
    bool on_terminal, quiet;
    bool cache_named; /* by --cache: no need to say where it is */
    bool shown;       /* there is a line to wipe */
} cli_loading;
/* Enters in the options that `loading` follows the progress. */
void cli_loading_start(cli_loading *loading, bool quiet, gpis_open_options *options);
void cli_loading_end(cli_loading *loading); /* wipes the line */

/* ---- tables that were encoded (encoded.c) ------------------------------------------------------------------------ */

/* Notes on stderr: rows that are left out, fields that became means, the levels that others are compared with. */
void cli_tell_encoding(const char *path, const gpis_encoding *encoding);
void cli_tell_missing(const char *path, const gpis_encoding *encoding); /* the first two of these notes alone */
void cli_print_encoding(const gpis_encoding *encoding);                 /* lines of `gpis info`; NULL prints nothing */
json_t *cli_json_encoding(const gpis_encoding *encoding);
/* All ranks: one encoding for `count` parts. mine[i] is that of part i, on the one rank that has opened it, else NULL.
 * Returns 0 or an exit code, the same everywhere. */
int cli_merge_encodings(gpis_context *context, const gpis_encoding *const *mine, int count, gpis_encoding **out);
/* Whether rows that were encoded with one are as if they were encoded with the other. */
bool cli_same_levels(const gpis_encoding *a, const gpis_encoding *b);

/* ---- the problem: files opened and matched (problem.c) ----------------------------------------------------------- */

typedef struct cli_parts cli_parts;

/* What --penalty asks for (penalty.c). */
typedef struct cli_penalty {
    double l1, l2;      /* LAMBDA of each; 0: none */
    bool path_of;       /* LAMBDA is not given: it is what a path goes through */
    const char *path;   /* of the file of weights; NULL: none; borrowed from argv */
    gpis_array weights; /* owned */
} cli_penalty;

typedef struct cli_problem {
    gpis_context *context;         /* owned */
    gpis_source *A;                /* owned; of a summary: borrowed from it, without rows */
    gpis_summary *summary;         /* owned: what is read in the place of A and y; NULL: A */
    gpis_source_info shape;        /* of A */
    const gpis_encoding *encoding; /* borrowed: of A, if it is a table, all parts together; NULL: none */
    gpis_set *set;                 /* owned */
    gpis_set **given_sets;         /* owned: what the set is made of, one for each option; NULL: nothing but `set` */
    int64_t given_count;
    gpis_problem *problem;          /* owned: all of it together */
    cli_penalty penalty;            /* what --penalty asks for */
    int64_t rows_here;              /* rows of A on this rank */
    const double *Y;                /* a row for each of them: y_file.data, or what A carries; NULL: there is none */
    int64_t k;                      /* responses; of a plan without y: 1 */
    gpis_array y_file;              /* owned; empty when A carries y */
    const double *weights, *offset; /* of the rows on this rank: columns of A, or those below; NULL: none */
    gpis_array weights_file, offset_file; /* owned; empty unless they are files */
    int64_t first_row;                    /* number of the first row on this rank */
    int dimensions;                       /* of x as it is written: 1 when y is a plain vector */
    cli_parts *parts;                     /* owned; NULL where A is one file on one rank */
    const gpis_ranges *ranges;            /* borrowed: of the answer that is reported; NULL: none */
    cli_loading loading;
    double load_seconds;
} cli_problem;

/* How to open `path`, which is A or a part of it, or y or x (of which no column is the target); `loading` follows it.
 */
gpis_open_options cli_open_options(cli_loading *loading, const cli_common *common, const char *path, bool is_y);
/* Reads the file that an option names, which has to hold rows x cols numbers. `is_table`: a column was looked for
 * first, and there is none of that name. */
int cli_read_rows(gpis_context *context, const cli_common *common, const char *option, bool is_table, int64_t rows,
                  int64_t cols, gpis_array *out);
/* Keeps what went wrong with the cache of a source, to be reported after the answer. */
void cli_tell_cache_trouble(const gpis_source_info *info);
/* Opens A, y (NULL: inside A) and the set; returns 0 or an exit code, the message being out. */
int cli_problem_open(cli_problem *problem, const char *a_path, const char *y_path, const cli_common *common);
/* Gives the problem its penalties; returns 0 or an exit code. */
int cli_penalty_take(cli_problem *problem, const cli_common *common);
void cli_penalty_print(const cli_problem *problem, const gpis_result *r); /* the lines of the summary */
bool cli_problem_is_yes(const cli_common *common, const char *option);    /* a flag of the problem */
/* Reads a d x k matrix (an x), with an intercept also (d + 1) x k (given_x.c); returns 0 or an exit code. */
int cli_problem_read_x(cli_problem *problem, const cli_common *common, const char *path, gpis_array *out);
/* What --memory leaves besides all that was held so far, at least 1; 0: there is no limit. */
int64_t cli_problem_room(const cli_problem *problem, const cli_common *common);
void cli_problem_close(cli_problem *problem);
/* Makes p->set of --set, --subject-to and --bounds, which all hold (constraints.c); returns 0 or an exit code. The
 * problem has its response, if it has one. */
int cli_constrain(cli_problem *problem, const cli_common *common);
void cli_constraints_close(cli_problem *problem);
/* The same for "@LIST", and on several ranks (parts.c); the context is there. Fills A, rows_here, Y, k, dimensions. */
int cli_parts_open(cli_problem *problem, const char *a_path, const char *y_path, const cli_common *common);
void cli_parts_close(cli_parts *parts); /* NULL is fine; A goes first */

/* ---- small text files (lines.c) ---------------------------------------------------------------------------------- */

typedef struct cli_lines {
    const char *path, *wanted; /* for messages: "constraints are text, one a line" */
    char *line;                /* where a line is put, without its end */
    size_t size;               /* that `line` has space for */
} cli_lines;
/* Reads line `number` (for messages), which may be neither too long nor hold a zero byte; *more: there was one. Returns
 * 0 or an exit code. */
int cli_next_line(FILE *file, const cli_lines *text, int64_t number, bool *more);

/* ---- summaries (summary.c) --------------------------------------------------------------------------------------- */

/* What is in a summary: an object, and lines for people that begin with `before`. */
json_t *cli_summary_json(const gpis_summary *summary);
void cli_summary_print(const gpis_summary *summary, const char *before);
/* Writes it to a file and reports it; returns 0 or an exit code. */
int cli_summary_write(gpis_context *context, const gpis_summary *summary, const char *out, const cli_common *common,
                      double seconds, int sweeps);

/* ---- folds that are given (folds.c) ------------------------------------------------------------------------------ */

enum { CLI_MAX_FOLDS = 65536 };
typedef struct cli_folds {
    const char *a, *column; /* the file of A, and --fold-column; NULL: the folds are drawn */
    int64_t folds;          /* --folds; 0: not given */
} cli_folds;
/* The fold of each row, from 0 on, which the caller frees, and how many there are; returns 0 or an exit code. */
int cli_folds_take(cli_problem *problem, const cli_common *common, const cli_folds *given, int64_t **fold,
                   int64_t *folds);
/* The fold column of a table is no column of A: --exclude gets its name, too. The caller frees *excluded, when the
 * options are no longer used. Returns 0 or an exit code. */
int cli_folds_leave_out(cli_common *common, const char *column, char **excluded);

/* ---- ranks under mpirun (ranks.c) -------------------------------------------------------------------------------- */

int cli_ranks_launched(void); /* how many processes the launcher says there are; 1: it says nothing */
bool cli_is_first(void);      /* alone, or rank 0: who prints and writes */
/* Starts MPI where there are several ranks, or it is asked for; returns 0 or an exit code. From then on messages are
 * kept until the ranks agree. */
int cli_ranks_start(bool asked);
const gpis_ranks *cli_ranks(void); /* NULL: alone */
/* All ranks: 0 if all have come so far, else the code of the first that has not, whose message is out. */
int cli_ranks_agree(int code);
void cli_ranks_settled(void); /* what fails from here on fails alike everywhere, or on rank 0 alone */
bool cli_ranks_keep(int code, const char *text); /* true: the message is not to be printed here and now */
double cli_ranks_largest(double mine);           /* of all ranks' numbers, none of them negative */
double cli_ranks_sent(void);                     /* all ranks: bytes that all of them have sent */
int cli_ranks_threads(int threads);              /* 0: this rank's share of the cores */
void cli_ranks_stop(void);

/* Starts the program again where OpenBLAS does not know the processor (environment.c). */
void cli_wake_blas(char **argv);

/* The speeds of this machine (machine.c): those kept from before; or measured now and kept, if that is worthwhile and
 * possible within `memory` bytes (0: no limit); or typical values. Returns in words which of these. */
const char *cli_machine(bool worth_measuring, int64_t memory, gpis_machine *machine);

/* Lists what an HDF5 file holds (contents.c): on stdout, or as an array, which is the caller's, where `array` is not
 * NULL. False: the file is none; else *code is 0 or an exit code, and *matrices how many of the things could be A. */
bool cli_contents(gpis_context *context, const char *path, json_t **array, int *code, int *matrices);

double cli_clock(void); /* seconds, monotonic */

/* ---- reports (report.c) ------------------------------------------------------------------------------------------ */

/* An x that was given to be checked, before it was projected on the set. */
typedef struct cli_given {
    int64_t nonzeros;
    bool in_set; /* as far as the tolerance can tell */
} cli_given;

/* `given`: of check; NULL: the result is that of a solve. `sent`: bytes that all ranks have sent; not reported if there
 * is only one. */
void cli_report_summary(const cli_problem *problem, const cli_common *common, const gpis_result *result,
                        const cli_given *given, double sent);
int cli_report_json(const cli_problem *problem, const cli_common *common, const gpis_result *result,
                    const cli_given *given, double sent);
/* The same object, which is the caller's; NULL when there is no memory. `all`: with the coefficients, however many. */
json_t *cli_report_object(const cli_problem *problem, const cli_common *common, const gpis_result *result,
                          const cli_given *given, double sent, bool all);
/* Writes an object to a stream; false: it could not. */
bool cli_write_json(FILE *stream, const json_t *object);
/* Writes an object, which it releases, to a file; returns 0 or an exit code. */
int cli_write_object(const char *path, json_t *object);
/* Prints `object` on stdout and releases it; returns 0 or an exit code. What stdout does not take,
 * cli_output_finish_stdout tells. */
int cli_print_json(json_t *object);
json_t *cli_json_number(double value); /* null where the value is infinite or not a number */
json_t *cli_json_numbers(const double *values, int64_t count);

/* ---- the answer with its names (answer.c) ------------------------------------------------------------------------ */

/* A list of {name, value, active, multiplier}, and of {constraint, column, multiplier}; NULL when there is no memory.
 */
json_t *cli_coefficients_json(const cli_problem *problem, const gpis_result *result);
json_t *cli_active_json(const cli_problem *problem, const gpis_result *result);
/* A line for each coefficient, and for each active constraint that concerns several of them. */
void cli_write_csv(FILE *stream, const cli_problem *problem, const gpis_result *result);
/* The table of the summary (listing.c): the largest coefficients and the dearest constraints, within the terminal. */
void cli_print_listing(const cli_problem *problem, const gpis_result *result);

/* A field of CSV, in quotes where it holds what could end it. */
void cli_write_field(FILE *stream, const char *text);
/* A number with 15 to 17 digits: the fewest that read back as the same number. */
typedef struct cli_number_text {
    char text[40];
} cli_number_text;
cli_number_text cli_shortest_number(double value);
void cli_write_number(FILE *stream, double value); /* the same text */

/* The model file (model.c): all that predict needs; NULL when there is no memory. */
json_t *cli_model_object(const cli_problem *problem, const cli_common *common, const gpis_result *result);

/* ---- output files (output.c): they take their name when they are whole ------------------------------------------- */

typedef struct cli_output {
    FILE *stream;
    char *path;      /* owned: where it goes in the end, links followed */
    char *temporary; /* owned: the name it has so far; NULL: it is nameless, or what `path` names is no regular file */
    bool nameless;
} cli_output;

bool cli_ends_in(const char *path, const char *ending); /* and has more of a name than that */
/* Tries, before long work, whether a file could be put at `path`; returns 0 or an exit code. */
int cli_output_try(const char *path);
/* Whether two names are those of one regular file, or would be once it is written. */
bool cli_output_is_same(const char *a, const char *b);
int cli_output_open(cli_output *output, const char *path);
/* Closes it and gives it its name; returns 0 or an exit code. A cleared cli_output is fine and does nothing. */
int cli_output_commit(cli_output *output);
void cli_output_discard(cli_output *output);
/* At the end of the program: 0, or trouble where standard output did not take everything. A reader that went away
 * (`gpis ... | head`) is no trouble. */
int cli_output_finish_stdout(void);

/* ---- the progress line (progress.c) ------------------------------------------------------------------------------ */

typedef struct cli_report_point {
    double seconds, log_gap;
} cli_report_point;
enum { CLI_HISTORY = 4 };

typedef struct cli_line {
    bool on;             /* there is a terminal to show it on */
    char before[64];     /* what is said before the pass, as "point 3 of 20, "; "": nothing */
    int64_t rows, bytes; /* of a pass */
    int64_t expected;    /* passes that the plan predicts; 0: it predicts nothing */
    double tol, time_limit;
    bool shown;     /* there is one to wipe */
    double printed; /* when */
    double rate;    /* passes a second, recently */
    gpis_progress last;
    cli_report_point history[CLI_HISTORY]; /* latest first */
    int reports;                           /* how many of them there are */
} cli_line;

void cli_line_report(cli_line *line, const gpis_progress *progress);      /* after a pass */
void cli_line_within(cli_line *line, const gpis_pass_progress *progress); /* within one */
void cli_line_points(cli_line *line, const gpis_path_progress *progress); /* between the points of a path */
void cli_line_end(cli_line *line);                                        /* wipes it */
/* Characters that fit in a line of what a file descriptor shows, but for the last; `otherwise` where it is no terminal.
 */
int cli_terminal_width(int fd, int otherwise);
void cli_line_put(
    const char *text); /* puts a text in the place of the line, cut to the terminal's width; "" wipes it */
/* "  about 40 s left" */
void cli_line_left(char *text, size_t size, double seconds);

/* ---- interruption and the trace (watch.c) ------------------------------------------------------------------------ */

typedef struct cli_watch {
    cli_line line;
    FILE *trace;           /* a line of JSON per pass, or NULL */
    bool keeps;            /* passes are kept in `points`, for a report */
    gpis_progress *points; /* owned by who asks for them */
    int64_t kept, room;
} cli_watch;

/* From here on the first SIGINT or SIGTERM ends the solve, within a pass too, and the second one, of either kind, ends
 * the program. Before, a signal ends the program as usual. */
void cli_watch_signals(void);
/* From here on a signal also interrupts what waits: the answer is being written, perhaps to a pipe that nobody reads.
 */
void cli_watch_delivery(void);
/* A mapped file that is cut short while it is read ends the program with one line and CLI_TROUBLE, not with a crash.
 * A file that may not grow any more is an error like a full disk. */
void cli_watch_files(void);
bool cli_interrupted(void);                                          /* one has come */
int cli_watch_progress(void *watch, const gpis_progress *progress);  /* a gpis_progress_fn */
int cli_watch_pass(void *watch, const gpis_pass_progress *progress); /* a gpis_pass_progress_fn */

#endif
