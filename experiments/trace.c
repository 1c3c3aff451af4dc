/* What a trace says: when an error was reached, and by which clock. */
#include "experiment.h"

const sample *race_reach(const trace *t, double accuracy) {
    for (int64_t i = 0; i < t->count; i++)
        if (t->samples[i].error <= accuracy) return &t->samples[i];
    return NULL;
}

double race_seconds(const race *r, const sample *s) { return r->by_processor ? s->processor : s->seconds; }
