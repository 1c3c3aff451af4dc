/*
 * Output files that are whole or not there: text goes to a file that gets its name at the end. Until then it has none,
 * so that a program which is killed leaves nothing behind; where the file system knows no such files it lies beside its
 * place. What is no regular file (a pipe, /dev/stdout) is written to as it is, and never replaced.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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

bool cli_ends_in(const char *path, const char *ending) {
    const size_t length = strlen(path), size = strlen(ending);
    return length > size && strcmp(path + length - size, ending) == 0;
}

bool cli_output_is_same(const char *a, const char *b) {
    struct stat first, second;
    const bool there = stat(a, &first) == 0;
    if (there != (stat(b, &second) == 0)) return false;
    if (there) return S_ISREG(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    /* Neither is there yet: the same name in the same folder. */
    const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
    if (strcmp(slash_a ? slash_a + 1 : a, slash_b ? slash_b + 1 : b) != 0) return false;
    char *folder_a = folder_of(a), *folder_b = folder_of(b);
    const bool same = folder_a && folder_b && stat(folder_a, &first) == 0 && stat(folder_b, &second) == 0 &&
                      first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    free(folder_a);
    free(folder_b);
    return same;
}

int cli_output_try(const char *path) {
    struct stat st;
    const bool exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode)) return cli_fail(CLI_BAD_INPUT, "%s is a folder; name a file to write", path);
    if (exists && !S_ISREG(st.st_mode)) return 0; /* opening it shows */
    char *folder = folder_of(path);
    int code = 0;
    if (!folder)
        code = cli_fail(CLI_TROUBLE, "out of memory");
    else if (access(folder, W_OK | X_OK) != 0)
        code = cli_fail(CLI_TROUBLE, "cannot write %s: folder %s: %s", path, folder, strerror(errno));
    free(folder);
    return code;
}

/* A stream to a file without a name; NULL where there are none such, or none could be named later. */
static FILE *open_nameless(cli_output *output) {
    char *folder = folder_of(output->path);
    const bool possible = folder && access("/proc/self/fd", X_OK) == 0;
    const int fd = possible ? open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666) : -1;
    FILE *stream = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (fd >= 0 && !stream) close(fd);
    free(folder);
    output->nameless = stream != NULL;
    return stream;
}

/* A link cannot replace a file, and a rename can: so it has another name for a moment. */
static bool link_beside(cli_output *output) {
    char own[64];
    snprintf(own, sizeof own, "/proc/self/fd/%d", fileno(output->stream));
    if (asprintf(&output->temporary, "%s.%ld.tmp", output->path, (long)getpid()) < 0) {
        output->temporary = NULL;
        return false;
    }
    unlink(output->temporary); /* of a process of the same number, long gone */
    if (linkat(AT_FDCWD, own, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW) == 0) return true;
    free(output->temporary);
    output->temporary = NULL;
    return false;
}

/* mkstemp makes files private; ours have the rights that any new file has. */
static void usual_rights(int fd) {
    const mode_t mask = umask(0);
    umask(mask);
    if (fchmod(fd, 0666 & ~mask) != 0) return; /* stays private, which harms nobody */
}

/* A stream to a new file beside `output->path`; NULL, with errno set, when there can be none. */
static FILE *open_beside(cli_output *output) {
    if (asprintf(&output->temporary, "%s.XXXXXX", output->path) < 0) {
        output->temporary = NULL;
        errno = ENOMEM;
        return NULL;
    }
    const int fd = mkstemp(output->temporary);
    if (fd < 0) {
        free(output->temporary); /* nothing of that name is ours to remove */
        output->temporary = NULL;
        return NULL;
    }
    usual_rights(fd);
    FILE *stream = fdopen(fd, "w");
    if (!stream) close(fd);
    return stream;
}

int cli_output_open(cli_output *output, const char *path) {
    struct stat st;
    const bool exists = stat(path, &st) == 0, regular = !exists || S_ISREG(st.st_mode);
    /* Behind a symbolic link it is the file that changes, not the link. */
    *output = (cli_output){.path = exists && regular ? realpath(path, NULL) : strdup(path)};
    if (output->path && regular) output->stream = open_nameless(output);
    if (output->path && !output->stream) output->stream = regular ? open_beside(output) : fopen(path, "w");
    if (output->stream) return 0;
    const int code = cli_fail(CLI_TROUBLE, "cannot write %s: %s", path, strerror(errno));
    cli_output_discard(output);
    return code;
}

int cli_output_commit(cli_output *output) {
    if (!output->stream) return 0;
    int code = 0;
    errno = 0;
    const bool written =
        fflush(output->stream) == 0 && !ferror(output->stream) && (!output->nameless || link_beside(output));
    const bool closed = fclose(output->stream) == 0;
    output->stream = NULL;
    if (!written || !closed || (output->temporary && rename(output->temporary, output->path) != 0))
        /* Without an errno it is an earlier write that failed. */
        code = cli_fail(CLI_TROUBLE, "cannot write %s: %s", output->path, strerror(errno ? errno : EIO));
    if (code == 0) {
        free(output->temporary);
        output->temporary = NULL;
    }
    cli_output_discard(output);
    return code;
}

/* A pipe or a socket whose reader has gone, as `head` does when it has read enough. */
static bool reader_has_gone(int fd) {
    struct pollfd end = {.fd = fd, .events = POLLOUT};
    return poll(&end, 1, 0) == 1 && (end.revents & (POLLERR | POLLHUP));
}

int cli_output_finish_stdout(void) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
    /* Who has gone has read what they wanted. Other programs die of SIGPIPE there; this one has its files to write. */
    if (reader_has_gone(STDOUT_FILENO)) return 0;
    return cli_fail(CLI_TROUBLE, "cannot write to standard output");
}

void cli_output_discard(cli_output *output) {
    if (output->stream) fclose(output->stream);
    if (output->temporary) unlink(output->temporary);
    free(output->temporary);
    free(output->path);
    *output = (cli_output){0};
}
