/*
 * How fast this machine is, measured once and kept in $XDG_CACHE_HOME/gpis (or ~/.cache/gpis), one file for each host.
 * The choice of a method depends on these numbers, so a solve measures only where it can keep them: the same command
 * makes the same choice each time.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

/* The numbers of the file. */
static const struct {
    const char *key;
    size_t offset;
} speeds[] = {
    {"read_bytes", offsetof(gpis_machine, read_bytes)},
    {"gradient_bytes", offsetof(gpis_machine, gradient_bytes)},
    {"syrk_flops", offsetof(gpis_machine, syrk_flops)},
    {"memory", offsetof(gpis_machine, memory)},
};
enum { SPEEDS = sizeof speeds / sizeof speeds[0] };

static double *speed_of(gpis_machine *machine, size_t i) { return (double *)((char *)machine + speeds[i].offset); }

/* Makes the folder; true if it is there. */
static bool make_folder(const char *path) { return mkdir(path, 0777) == 0 || errno == EEXIST; }

/* The file's path; NULL where there is no place for it. The caller frees it. */
static char *cache_path(void) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const bool given = cache && cache[0] == '/';
    char host[65] = "", *path = NULL;
    if (!given && !(home && home[0] == '/')) return NULL;
    if (gethostname(host, sizeof host - 1) != 0 || !host[0] || strchr(host, '/')) return NULL;
    const int length = asprintf(&path, "%s%s/gpis/machine-%s.json", given ? cache : home, given ? "" : "/.cache", host);
    return length < 0 ? NULL : path;
}

/* Makes the last two folders of the path; true if a file can be put there. */
static bool make_folders(char *path) {
    char *file = strrchr(path, '/');
    *file = '\0';
    char *last = strrchr(path, '/');
    *last = '\0';
    bool there = make_folder(path);
    *last = '/';
    there = there && make_folder(path) && access(path, W_OK | X_OK) == 0;
    *file = '/';
    return there;
}

/* The JSON object in the file; NULL where there is none. What is no plain file, or too long for one of ours, is not
 * read: a FIFO or a device could keep the program waiting forever. */
static json_t *read_object(const char *path) {
    enum { MAX_BYTES = 1 << 16 };
    struct stat file;
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return NULL;
    const bool plain = fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode) && file.st_size <= MAX_BYTES;
    json_t *object = plain ? json_loadfd(descriptor, 0, NULL) : NULL;
    close(descriptor);
    return object;
}

/* A file that is missing, damaged or of a machine with other processors counts for nothing. */
static bool load(const char *path, int threads, gpis_machine *machine) {
    json_t *object = read_object(path);
    bool whole = json_integer_value(json_object_get(object, "threads")) == threads;
    machine->threads = threads;
    for (size_t i = 0; i < SPEEDS; i++) {
        const double value = json_number_value(json_object_get(object, speeds[i].key));
        *speed_of(machine, i) = value;
        whole = whole && isfinite(value) && value > 0;
    }
    /* not measured, but a user who knows better may say so */
    const double disk = json_number_value(json_object_get(object, "disk_bytes"));
    machine->disk_bytes = isfinite(disk) && disk > 0 ? disk : 0;
    json_decref(object);
    return whole;
}

/* Beside its place and renamed, without a word: who has no such file measures again. */
static bool store(const char *path, gpis_machine *machine) {
    char *temporary = NULL;
    json_t *object = json_object();
    bool whole = asprintf(&temporary, "%s.%ld", path, (long)getpid()) >= 0;
    if (!whole) temporary = NULL;
    whole = json_object_set_new(object, "threads", json_integer(machine->threads)) == 0 && whole;
    for (size_t i = 0; i < SPEEDS; i++)
        whole = json_object_set_new(object, speeds[i].key, json_real(*speed_of(machine, i))) == 0 && whole;
    whole = whole && json_dump_file(object, temporary, JSON_INDENT(2)) == 0 && rename(temporary, path) == 0;
    if (!whole && temporary) unlink(temporary);
    json_decref(object);
    free(temporary);
    return whole;
}

/* With all threads of the machine, whatever the solve will use. */
static bool measure(int64_t memory, gpis_machine *machine) {
    gpis_context *context = NULL;
    *machine = gpis_machine_default();
    const bool done = gpis_context_create(&context) == GPIS_OK && gpis_context_set_memory(context, memory) == GPIS_OK &&
                      gpis_machine_measure(context, machine) == GPIS_OK;
    gpis_context_destroy(context);
    return done;
}

/* A rank may be bound to some of the machine's cores. */
static int threads_of_machine(void) {
    if (cli_ranks()) return (int)sysconf(_SC_NPROCESSORS_ONLN);
    gpis_context *context = NULL;
    const int threads = gpis_context_create(&context) == GPIS_OK ? gpis_context_threads(context) : 1;
    gpis_context_destroy(context);
    return threads;
}

const char *cli_machine(bool worth_measuring, int64_t memory, gpis_machine *machine) {
    char *path = cache_path();
    *machine = gpis_machine_default();
    const char *origin = "as measured before";
    if (!path || !load(path, threads_of_machine(), machine)) {
        origin = "measured now";
        if (!path || !worth_measuring || cli_ranks() || !make_folders(path) || !measure(memory, machine) ||
            !store(path, machine)) {
            *machine = gpis_machine_default();
            origin = "not measured, usual figures";
        }
    }
    free(path);
    return origin;
}
