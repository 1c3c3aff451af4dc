/* Trouble in words and in exit codes, and text from outside made safe to print. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* ---- text from files, file names and arguments ------------------------------------------------------------------- */

cli_text cli_printable(const char *text) {
    cli_text out;
    const int length = snprintf(out.text, sizeof out.text, "%s", text ? text : "");
    gpis_make_printable(out.text);
    if (length >= (int)sizeof out.text) strcpy(out.text + sizeof out.text - 4, "...");
    return out;
}

json_t *cli_json_text(const char *text) {
    json_t *string = json_string(text);
    if (string || !text) return string;
    char *copy = strdup(text); /* it is not UTF-8, as JSON has to be */
    string = copy ? json_string(gpis_make_printable(copy)) : NULL;
    free(copy);
    return string;
}

json_t *cli_json_text_or_null(const char *text) { return *text ? cli_json_text(text) : json_null(); }

json_t *cli_json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *cli_json_numbers(const double *values, int64_t count) {
    json_t *list = json_array();
    for (int64_t i = 0; list && i < count; i++) json_array_append_new(list, cli_json_number(values[i]));
    return list;
}

/* "raise option memory" becomes "raise --memory": shorter, so it is done in place. */
char *cli_name_options(char *text) {
    static const char word[] = "option ";
    const size_t length = sizeof word - 1;
    for (char *at = text; (at = strstr(at, word)) != NULL; at++) {
        char name[32];
        const size_t size = strspn(at + length, "abcdefghijklmnopqrstuvwxyz-");
        if ((at > text && at[-1] != ' ' && at[-1] != '(') || size == 0 || size >= sizeof name) continue;
        memcpy(name, at + length, size);
        name[size] = '\0';
        if (!gpis_option_find(name)) continue;
        memcpy(at, "--", 2);
        memmove(at + 2, at + length, strlen(at + length) + 1);
    }
    return text;
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/* Messages that wait until the result has been reported, and the exit code that they ask for. */
static struct {
    bool on;
    char *lines; /* owned */
    int code;
} deferred;

/* "gpis: text"; of other ranks than the first, with their number. */
static char *line_of(const char *text) {
    char *line = NULL;
    const int length = cli_is_first()
                           ? asprintf(&line, "gpis: %s\n", text)
                           : asprintf(&line, "gpis: rank %d: %s\n", cli_ranks() ? cli_ranks()->rank : 0, text);
    return length < 0 ? NULL : line;
}

static void defer(int code, const char *text) {
    char *line = line_of(text), *all = NULL;
    if (line && asprintf(&all, "%s%s", deferred.lines ? deferred.lines : "", line) >= 0) {
        free(deferred.lines);
        deferred.lines = all;
    } else {
        fprintf(stderr, "gpis: %s\n", text); /* too early is better than not at all */
    }
    free(line);
    if (code > deferred.code) deferred.code = code;
}

void cli_defer(bool on) { deferred.on = on; }

int cli_deferred_code(void) { return deferred.code; }

int cli_tell_deferred(int code) {
    if (deferred.lines) fputs(deferred.lines, stderr);
    free(deferred.lines);
    deferred.lines = NULL;
    return cli_with_trouble(code, deferred.code);
}

int cli_with_trouble(int code, int trouble) {
    return trouble == 0 || code == CLI_BAD_INPUT || code == CLI_TROUBLE ? code : trouble;
}

int cli_fail(int code, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cli_name_options(gpis_make_printable(text));
    if (deferred.on && code != 0)
        defer(code, text);
    else if (!cli_ranks_keep(code, text))
        fprintf(stderr, "gpis: %s\n", text);
    return code;
}

int cli_exit_code(gpis_status status) {
    switch (status) {
    case GPIS_OK: return 0;
    case GPIS_NO_MEMORY:
    case GPIS_IO:
    case GPIS_INTERNAL: return CLI_TROUBLE;
    case GPIS_STOPPED: return CLI_INTERRUPTED;
    default: return CLI_BAD_INPUT;
    }
}

int cli_fail_status(const gpis_context *context, gpis_status status) {
    const char *message = context ? gpis_last_error(context) : "";
    return cli_fail(cli_exit_code(status), "%s", *message ? message : gpis_status_text(status));
}
