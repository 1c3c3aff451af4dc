/* How long a table in text takes to be read into memory: tables FILE THREADS [CATEGORICAL]. Prints the least elapsed
 * seconds and the least processor seconds of five. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "gpis.h"

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static gpis_status read_once(const char *path, int threads, const char *categorical) {
    gpis_context *context = NULL;
    gpis_source *source = NULL;
    gpis_open_options options = gpis_open_options_default();
    options.categorical = categorical;
    gpis_status status = gpis_context_create(&context);
    if (status == GPIS_OK) status = gpis_context_set_threads(context, threads);
    if (status == GPIS_OK) status = gpis_source_open_with(context, path, &options, &source);
    if (status != GPIS_OK) fprintf(stderr, "tables: %s\n", gpis_last_error(context));
    gpis_source_destroy(source);
    gpis_context_destroy(context);
    return status;
}

int main(int argc, char **argv) {
    enum { ROUNDS = 5 };
    double elapsed = 1e9, processor = 1e9;
    if (argc < 3) return 2;
    for (int i = 0; i < ROUNDS; i++) {
        const double wall = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
        if (read_once(argv[1], atoi(argv[2]), argc > 3 ? argv[3] : NULL) != GPIS_OK) return 1;
        const double wall_now = seconds(CLOCK_MONOTONIC) - wall, used_now = seconds(CLOCK_PROCESS_CPUTIME_ID) - used;
        if (wall_now < elapsed) elapsed = wall_now;
        if (used_now < processor) processor = used_now;
    }
    printf("%.6f %.6f\n", elapsed, processor);
    return 0;
}
