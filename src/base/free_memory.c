/* Free memory by /proc, control groups and resource limits. What cannot be read counts as no limit. */
#include "base/free_memory.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t above_zero(int64_t a) { return a > 0 ? a : 0; }

/* The number that follows `key` at the beginning of a line of a file such as /proc/meminfo; `missing` if there is none.
 */
static int64_t read_value(const char *path, const char *key, int64_t missing) {
    char line[256];
    int64_t value = missing;
    const size_t length = strlen(key);
    FILE *file = fopen(path, "re");
    if (!file) return missing;
    while (fgets(line, sizeof line, file))
        if (strncmp(line, key, length) == 0 && sscanf(line + length, "%" SCNd64, &value) == 1) break;
    fclose(file);
    return value;
}

/* ---- control groups ---------------------------------------------------------------------------------------------- */

/* The files of one version of control groups. */
typedef struct version {
    const char *mount, *limit, *usage;
    const char *cached[2]; /* keys in memory.stat: pages of files, which the system can take back */
} version;
static const version UNIFIED = {"/sys/fs/cgroup", "memory.max", "memory.current", {"active_file ", "inactive_file "}};
static const version LEGACY = {"/sys/fs/cgroup/memory",
                               "memory.limit_in_bytes",
                               "memory.usage_in_bytes",
                               {"total_active_file ", "total_inactive_file "}};

static int64_t read_file(const char *folder, const char *name, const char *key, int64_t missing) {
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length > 0 && length < (int)sizeof path ? read_value(path, key, missing) : missing;
}

/* What one group leaves free. */
static int64_t left_by_group(const version *v, const char *folder) {
    const int64_t limit =
        read_file(folder, v->limit, "", INT64_MAX); /* "max" is not a number, so it counts as no limit */
    if (limit == INT64_MAX) return INT64_MAX;
    int64_t used = read_file(folder, v->usage, "", 0);
    for (int i = 0; i < 2; i++) used -= read_file(folder, "memory.stat", v->cached[i], 0);
    return above_zero(limit - above_zero(used));
}

/* What a group and all groups that contain it leave free. Inside a container the path may name groups that are not
 * visible; those are skipped. */
static int64_t left_by_groups(const version *v, const char *path) {
    char folder[PATH_MAX];
    int64_t left = INT64_MAX;
    const int length = snprintf(folder, sizeof folder, "%s%s", v->mount, path);
    if (length < 0 || length >= (int)sizeof folder) return left;
    for (char *slash = folder + length; slash && (size_t)(slash - folder) >= strlen(v->mount);
         slash = strrchr(folder, '/')) {
        *slash = '\0';
        left = smaller(left, left_by_group(v, folder));
    }
    return left;
}

/* Lines of /proc/self/cgroup are "0::PATH" (version 2) and "NUMBER:CONTROLLERS:PATH" (version 1). */
static int64_t left_by_all_groups(void) {
    char line[PATH_MAX + 64];
    int64_t left = INT64_MAX;
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (!file) return left;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path) continue;
        *path++ = '\0';
        controllers++;
        if (*controllers == '\0') left = smaller(left, left_by_groups(&UNIFIED, path));
        if (strcmp(controllers, "memory") == 0) left = smaller(left, left_by_groups(&LEGACY, path));
    }
    fclose(file);
    return left;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static int64_t kilobytes(int64_t count) { return count > INT64_MAX / 1024 ? INT64_MAX : 1024 * count; }

static int64_t left_of_address_space(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > INT64_MAX)
        return INT64_MAX;
    return above_zero((int64_t)limit.rlim_cur - kilobytes(read_value("/proc/self/status", "VmSize:", 0)));
}

int64_t gpis_free_memory(int64_t allocated) {
    const int64_t machine = kilobytes(read_value("/proc/meminfo", "MemAvailable:", INT64_MAX));
    const int64_t available = smaller(machine, left_by_all_groups());
    const int64_t written = kilobytes(read_value("/proc/self/status", "RssAnon:", INT64_MAX / 2048)) +
                            kilobytes(read_value("/proc/self/status", "VmSwap:", 0));
    const int64_t physical =
        available == INT64_MAX ? INT64_MAX : available - available / 8 - above_zero(allocated - written);
    return smaller(above_zero(physical), left_of_address_space());
}
