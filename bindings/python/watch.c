/*
 * A solve as Python watches it. Each pass adds a line to the trace here, without Python. From time to time, and after
 * each pass where a function of the user's wants to see it, Python is called with the GIL: then the interpreter runs
 * the handlers of the signals that have arrived, so that Ctrl-C ends the solve, and no handler of our own is needed.
 */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "gpis.h"
#include "watch.h"

static const double SECONDS_BETWEEN_LOOKS = 0.1;

static int gpis_py_exiting; /* non-zero: the interpreter ends, and nothing may call it any more */

static int gpis_py_look(void *handle, const gpis_progress *after, const gpis_pass_progress *within);

static void gpis_py_exit(void) { __atomic_store_n(&gpis_py_exiting, 1, __ATOMIC_RELAXED); }

/* What this thread computes by OpenMP, and by an OpenBLAS that is made of it, it computes alone from here on. */
static void gpis_py_one_thread(void) { omp_set_num_threads(1); }

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

/* Where no function wants to see each pass, what ends sooner than Python looks again is not looked at. */
static int gpis_py_within_pass(void *user, const gpis_pass_progress *progress) {
    gpis_py_watch *watch = user;
    if (is_exiting()) return 1;
    if (!watch->each_pass && progress->seconds < watch->next_look) return 0;
    return gpis_py_look(watch->handle, NULL, progress);
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

/* ---- results ----------------------------------------------------------------------------------------------------
 *
 * A result in one piece, so that Python copies it in one call and looks into it only where someone asks: the struct,
 * the active constraints, and the texts, each with a NUL behind it: those of the result in the order of its fields,
 * then those of the constraints.
 */

static const char *gpis_py_result_text(const gpis_result *result, int index); /* NULL behind the last; extension.py */

static const char *text_at(const gpis_result *result, int64_t index, int64_t own) {
    const char *text = index < own ? gpis_py_result_text(result, (int)index) : result->active[index - own]->text;
    return text ? text : "";
}

static size_t gpis_py_pack(const gpis_result *result, char *to) {
    const size_t fixed = sizeof *result + (size_t)result->active_count * sizeof(gpis_py_active);
    size_t used = fixed;
    if (to) memcpy(to, result, sizeof *result);
    for (int64_t i = 0; to && i < result->active_count; i++) {
        const gpis_active *a = result->active[i];
        const gpis_py_active line = {a->column, a->response, a->multiplier};
        memcpy(to + sizeof *result + (size_t)i * sizeof line, &line, sizeof line);
    }
    for (int64_t i = 0; i < GPIS_PY_TEXTS + result->active_count; i++) {
        const char *text = text_at(result, i, GPIS_PY_TEXTS);
        const size_t length = strlen(text) + 1;
        if (to) memcpy(to + used, text, length);
        used += length;
    }
    return used;
}
