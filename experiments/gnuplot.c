/*
 * No name of a file ever reaches gnuplot: the script is its standard input and the picture its standard output, both
 * opened here. No shell is involved, and text enters the script through one function alone.
 */
#include "gnuplot.h"

#include <ctype.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Runs a program with these descriptors as input and output (-1: nothing). True if it could be started and ended with
 * code 0. Standard error is nobody's. */
static bool run(char *const *arguments, int input, int output) {
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    int status = 0;
    if (posix_spawn_file_actions_init(&actions) != 0) return false;
    bool started =
        (input >= 0 ? posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
                    : posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)) == 0;
    started = started &&
              (output >= 0 ? posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
                           : posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)) == 0;
    started = started && posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0;
    started = started && posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    if (!started) return false;
    while (waitpid(child, &status, 0) < 0) continue; /* interrupted: the child still has to be waited for */
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool gnuplot_is_there(void) {
    char program[] = "gnuplot", version[] = "--version";
    char *const arguments[] = {program, version, NULL};
    return run(arguments, -1, -1);
}

bool gnuplot_draw(FILE *script, int picture) {
    char program[] = "gnuplot", defaults[] = "--default-settings", input[] = "-";
    char *const arguments[] = {program, defaults, input, NULL};
    if (fflush(script) != 0 || ferror(script) || lseek(fileno(script), 0, SEEK_SET) != 0) return false;
    return run(arguments, fileno(script), picture);
}

void gnuplot_print_text(FILE *script, const char *text) {
    bool numbered = false; /* a digit that follows a number would be read as a part of it */
    fputc('"', script);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        numbered = *c >= 0x80 || !(isalpha(*c) || *c == ' ' || (isdigit(*c) && !numbered));
        fprintf(script, numbered ? "\\%03o" : "%c", *c);
    }
    fputc('"', script);
}
