/* The program `gpis`: a table of commands. */
#include <malloc.h>
#include <string.h>

#include "cli.h"

static const cli_command commands[] = {
    {"solve", "A [y]", "minimise ||y - A x||^2 over a set, with a certificate", cli_solve, true},
    {"plan", "A [y]", "what solve would do, why, and what it would cost", cli_plan, true},
    {"check", "A [y] x", "audit a given x: objective, feasibility, certificate", cli_check, true},
    {"summarize", "A [y]", "read A once and keep what any later solve needs, by folds", cli_summarize, true},
    {"merge", "S1 S2...", "add up summaries of different rows", cli_merge, false},
    {"path", "A [y]", "solve for a range of radii or penalties, each with its certificate", cli_path_command, true},
    {"cv", "A [y]", "choose a radius or penalty by cross-validation, from one sweep", cli_cv_command, true},
    {"predict", "DATA MODEL.json", "predictions for new rows by a model of solve --model", cli_predict, false},
    {"info", "FILE...", "what is in a file, and what is wrong with it", cli_info, false},
    {"gen", "NAME", "make one of the paper's problems as files", cli_gen, false},
    {"bounds", "", "the paper's theory as numbers, and the sketch size it advises", cli_bounds, false},
    {"reproduce", "NAME|all", "do the paper's experiments again: CSV, figures, a page", cli_reproduce, false},
    {"plot", "TRACE...", "draw traces: gap against seconds, passes or epochs", cli_plot, false},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(void) {
    puts("Usage: gpis COMMAND [OPTION...]\n"
         "Large-scale constrained least squares with a certificate.\n");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  gpis %-9s %-15s  %s\n", commands[i].name, commands[i].arguments, commands[i].summary);
    printf("\n`gpis help COMMAND` explains a command and its options; `gpis --version` prints the version.\n"
           "\n"
           "Exit codes: %s\n"
           "\n"
           "Example:\n"
           "  %s\n",
           cli_exit_codes, cli_example);
}

static void print_version(FILE *stream, struct argp_state *state) {
    (void)state;
    fprintf(stream, "gpis %s\n", gpis_version());
}

static int unknown_command(const char *name) {
    cli_suggestion suggestion = cli_suggest(name);
    for (size_t i = 0; i < COMMANDS; i++) cli_suggest_consider(&suggestion, commands[i].name);
    const char *what = name[0] == '-' ? "option" : "command";
    if (suggestion.best)
        return cli_fail(CLI_BAD_INPUT, "unknown %s '%s'; did you mean '%s'? ('gpis --help' lists the commands)", what,
                        name, suggestion.best);
    return cli_fail(CLI_BAD_INPUT, "unknown %s '%s'; 'gpis --help' lists the commands", what, name);
}

static int run_command(int argc, char **argv) {
    char title[64];
    if (strcmp(argv[1], "manual") == 0) return cli_manual(commands, COMMANDS, argc - 1, argv + 1);
    if (strcmp(argv[1], "complete") == 0) return cli_complete(commands, COMMANDS, argc - 1, argv + 1);
    const cli_command *command = cli_find_command(commands, COMMANDS, argv[1]);
    if (!command) return unknown_command(argv[1]);
    if (!command->ranks && cli_ranks_launched() > 1)
        return cli_fail(CLI_BAD_INPUT, "%s is not for several ranks: run it without mpirun", command->name);
    snprintf(title, sizeof title, "gpis %s", command->name);
    argv[1] = title; /* what argp calls the program in help texts */
    return command->run(argc - 1, argv + 1);
}

/* gpis help [COMMAND]: the same as gpis COMMAND --help. */
static int help(int argc, char **argv) {
    static char option[] = "--help";
    char *swapped[] = {argv[0], argc > 2 ? argv[2] : NULL, option, NULL};
    if (argc > 3) return cli_fail(CLI_BAD_INPUT, "help takes one command; '%s' is one too many", argv[3]);
    if (argc == 3) return run_command(3, swapped);
    print_help();
    return 0;
}

/* Large pieces go back to the system when they are freed, so that what is resident is what is in use. */
static void keep_memory_tight(void) {
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 22);
}

int main(int argc, char **argv) {
    cli_wake_blas(argv);
    cli_watch_files();
    keep_memory_tight();
    argp_program_version_hook = print_version;
    int code = 0;
    if (argc < 2)
        code = cli_fail(CLI_BAD_INPUT, "no command given; 'gpis --help' lists the commands");
    else if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        code = help(argc, argv);
    else if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
        print_version(stdout, NULL);
    else
        code = run_command(argc, argv);
    code = cli_with_trouble(code, cli_output_finish_stdout());
    code = cli_tell_deferred(code);
    cli_ranks_stop(); /* last of all: once a rank has ended, mpirun may end the others */
    return code;
}
