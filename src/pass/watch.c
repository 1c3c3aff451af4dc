/* Counts rows, and asks some times per second whether to go on. */
#include "pass/watch.h"

#include <omp.h>

static const double SECONDS_BETWEEN = 0.1; /* short enough for a progress line and for Ctrl-C */

void gpis_watch_begin(gpis_watch *watch) {
    if (!watch) return;
    watch->rows = 0;
    watch->stopped = false;
    if (watch->due == 0.0) watch->due = gpis_clock() + SECONDS_BETWEEN;
}

void gpis_watch_count(gpis_watch *watch, int64_t rows) {
    if (!watch) return;
    const int64_t done = atomic_fetch_add_explicit(&watch->rows, rows, memory_order_relaxed) + rows;
    if (omp_get_thread_num() != 0) return;
    const double now = gpis_clock();
    if (now < watch->due) return;
    watch->due = now + SECONDS_BETWEEN;
    if (watch->stop(watch->user, done)) watch->stopped = true;
}
