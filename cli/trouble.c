/* Trouble in words and in exit codes. */
#include <stdarg.h>

#include "cli.h"

int cli_fail(int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("gpis: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
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
