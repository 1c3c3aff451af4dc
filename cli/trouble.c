/* Trouble in words and in exit codes. */
#include <stdarg.h>

#include "cli.h"

int cli_fail(int code, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!cli_ranks_keep(code, text)) fprintf(stderr, "gpis: %s\n", text);
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
