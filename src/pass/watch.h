/*
 * A pass may take minutes, so several times per second a function of the caller is asked whether to go on. All threads
 * count the rows they have done; thread 0, which runs the solve, looks at the clock and asks. A pass that is to
 * stop ends within a chunk of rows, and its results are incomplete.
 */
#ifndef GPIS_WATCH_H
#define GPIS_WATCH_H

#include <stdatomic.h>

#include "base/base.h"

typedef struct gpis_watch {
    bool (*stop)(void *user, int64_t rows); /* called with the rows done so far; true ends the pass */
    void *user;
    double due;           /* when to ask next; kept from pass to pass, 0 before the first */
    _Atomic int64_t rows; /* rows done in this pass */
    atomic_bool stopped;
} gpis_watch;

/* Call this before a pass. The watch may be NULL here and below: nobody is asked. */
void gpis_watch_begin(gpis_watch *watch);
/* Counts rows that have been done. */
void gpis_watch_count(gpis_watch *watch, int64_t rows);

static inline bool gpis_watch_stopped(gpis_watch *watch) {
    return watch && atomic_load_explicit(&watch->stopped, memory_order_relaxed);
}

#endif
