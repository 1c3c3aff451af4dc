/* Small text files, a line at a time. */
#include <errno.h>
#include <string.h>

#include "cli.h"

int cli_next_line(FILE *file, const cli_lines *text, int64_t number, bool *more) {
    size_t used = 0;
    int c;
    errno = 0;
    while ((c = getc(file)) != EOF && c != '\n') {
        if (c == '\0' || used == text->size - 1)
            return cli_fail(CLI_BAD_INPUT, "%s: line %lld %s; %s", text->path, (long long)number,
                            c ? "is too long" : "holds a zero byte", text->wanted);
        text->line[used++] = (char)c;
    }
    text->line[used] = '\0';
    *more = used > 0 || c == '\n';
    if (c != EOF || !ferror(file)) return 0;
    return cli_fail(CLI_TROUBLE, "cannot read %s: %s", text->path, strerror(errno ? errno : EIO));
}
