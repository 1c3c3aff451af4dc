/* Rows counted, and the question asked, some times a second. */
#include "pass/watch.h"

#include <omp.h>

static const double EVERY = 0.1; /* seconds: what the eye and an impatient Ctrl-C notice */

void gpis_watch_begin(gpis_watch *watch) {
    if (!watch) return;
    watch->rows = 0;
    watch->stopped = false;
    if (watch->due == 0.0) watch->due = gpis_clock() + EVERY;
}

void gpis_watch_count(gpis_watch *watch, int64_t rows) {
    if (!watch) return;
    const int64_t done = atomic_fetch_add_explicit(&watch->rows, rows, memory_order_relaxed) + rows;
    if (omp_get_thread_num() != 0) return;
    const double now = gpis_clock();
    if (now < watch->due) return;
    watch->due = now + EVERY;
    if (watch->stop(watch->user, done)) watch->stopped = true;
}
