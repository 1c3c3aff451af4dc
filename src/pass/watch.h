/*
 * A pass may take minutes, so whoever waits for it is asked now and then, by the thread that runs the solve, whether to
 * go on. Threads count the rows they have done; thread 0, which is that one, looks at the clock. A pass that is told to
 * stop ends within a chunk of rows and leaves nothing of use.
 */
#ifndef GPIS_WATCH_H
#define GPIS_WATCH_H

#include <stdatomic.h>

#include "base/base.h"

typedef struct gpis_watch {
    bool (*stop)(void *user, int64_t rows); /* asked with the rows done so far; true ends the pass */
    void *user;
    double due;           /* when to ask next, kept from pass to pass; 0 before the first */
    _Atomic int64_t rows; /* done in this pass */
    atomic_bool stopped;
} gpis_watch;

/* Before a pass. NULL is fine here and below: nobody is asked. */
void gpis_watch_begin(gpis_watch *watch);
/* So many rows more are done. */
void gpis_watch_count(gpis_watch *watch, int64_t rows);

static inline bool gpis_watch_stopped(gpis_watch *watch) {
    return watch && atomic_load_explicit(&watch->stopped, memory_order_relaxed);
}

#endif
