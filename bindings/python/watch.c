/*
 * A solve as Python watches it. Each pass adds a line to the trace here, without Python. From time to time, and after
 * each pass where a function of the user's wants to see it, Python is called with the GIL: then the interpreter runs the
 * handlers of the signals that have arrived, so that Ctrl-C ends the solve, and no handler of our own is needed.
 */
#include <stdlib.h>

#include "gpis.h"
#include "watch.h"

static const double SECONDS_BETWEEN_LOOKS = 0.1;

static int gpis_py_exiting; /* non-zero: the interpreter ends, and nothing may call it any more */

static int gpis_py_look(void *handle, const gpis_progress *after, const gpis_pass_progress *within);

static void gpis_py_exit(void) { __atomic_store_n(&gpis_py_exiting, 1, __ATOMIC_RELAXED); }

static int is_exiting(void) { return __atomic_load_n(&gpis_py_exiting, __ATOMIC_RELAXED); }

/* Adds a line to the trace. Where there is no memory for it the solve goes on, with a shorter trace. */
static void add_line(gpis_py_watch *watch, const gpis_progress *line) {
    if (watch->count == watch->space) {
        const int64_t space = watch->space > 0 ? 2 * watch->space : 16;
        gpis_progress *trace = realloc(watch->trace, (size_t)space * sizeof *trace);
        if (!trace) return;
        watch->trace = trace;
        watch->space = space;
    }
    watch->trace[watch->count++] = *line;
}

static int gpis_py_after_pass(void *user, const gpis_progress *progress) {
    gpis_py_watch *watch = user;
    add_line(watch, progress);
    if (is_exiting()) return 1;
    if (!watch->each_pass && progress->seconds < watch->next_look) return 0;
    watch->next_look = progress->seconds + SECONDS_BETWEEN_LOOKS;
    return gpis_py_look(watch->handle, progress, NULL);
}

static int gpis_py_within_pass(void *user, const gpis_pass_progress *progress) {
    gpis_py_watch *watch = user;
    return is_exiting() ? 1 : gpis_py_look(watch->handle, NULL, progress);
}

static int gpis_py_while_opening(void *user, const gpis_open_progress *progress) {
    gpis_py_watch *watch = user;
    (void)progress;
    return is_exiting() ? 1 : gpis_py_look(watch->handle, NULL, NULL);
}

static void gpis_py_watch_clear(gpis_py_watch *watch) {
    free(watch->trace);
    watch->trace = NULL;
    watch->count = watch->space = 0;
}
