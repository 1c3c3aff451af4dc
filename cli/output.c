/* Output files that are whole or not there: text goes to a temporary file beside its place and is renamed at the end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

/* The folder part of a path; the caller frees it. */
static char *folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash) return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

int cli_output_try(const char *path) {
    struct stat st;
    char *folder = folder_of(path);
    int code = 0;
    if (!folder)
        code = cli_fail(CLI_TROUBLE, "out of memory");
    else if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        code = cli_fail(CLI_BAD_INPUT, "%s is a folder; name a file to write", path);
    else if (access(folder, W_OK | X_OK) != 0)
        code = cli_fail(CLI_TROUBLE, "cannot write %s: folder %s: %s", path, folder, strerror(errno));
    free(folder);
    return code;
}

/* mkstemp makes files private; ours have the rights that any new file has. */
static void usual_rights(int fd) {
    const mode_t mask = umask(0);
    umask(mask);
    if (fchmod(fd, 0666 & ~mask) != 0) return; /* stays private, which harms nobody */
}

int cli_output_open(cli_output *output, const char *path) {
    *output = (cli_output){0};
    output->path = strdup(path);
    int fd = -1;
    if (!output->path || asprintf(&output->temporary, "%s.XXXXXX", path) < 0) {
        output->temporary = NULL;
        cli_output_discard(output);
        return cli_fail(CLI_TROUBLE, "out of memory");
    }
    fd = mkstemp(output->temporary);
    if (fd >= 0) {
        usual_rights(fd);
        output->stream = fdopen(fd, "w");
        if (!output->stream) close(fd);
    }
    if (!output->stream) {
        const int code = cli_fail(CLI_TROUBLE, "cannot write %s: %s", path, strerror(errno));
        cli_output_discard(output);
        return code;
    }
    return 0;
}

int cli_output_commit(cli_output *output) {
    if (!output->stream) return 0;
    int code = 0;
    const bool written = fflush(output->stream) == 0 && !ferror(output->stream);
    const bool closed = fclose(output->stream) == 0;
    output->stream = NULL;
    if (!written || !closed || rename(output->temporary, output->path) != 0)
        code = cli_fail(CLI_TROUBLE, "cannot write %s: %s", output->path, strerror(errno));
    if (code == 0) {
        free(output->temporary);
        output->temporary = NULL;
    }
    cli_output_discard(output);
    return code;
}

void cli_output_discard(cli_output *output) {
    if (output->stream) fclose(output->stream);
    if (output->temporary) unlink(output->temporary);
    free(output->temporary);
    free(output->path);
    *output = (cli_output){0};
}
