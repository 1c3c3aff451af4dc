#include "entries.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *cli_column_name(const gpis_source *A, int64_t j, char made[32]) {
    const char *name = gpis_source_column(A, j);
    if (name) return name;
    snprintf(made, 32, "x%lld", (long long)j + 1);
    return made;
}

const gpis_active **cli_held_entries(const gpis_result *r) {
    const gpis_active **held = calloc((size_t)(r->d * r->k), sizeof *held);
    for (int64_t i = 0; held && i < r->active_count; i++) {
        const gpis_active *a = r->active[i];
        if (a->column < 0) continue;
        const gpis_active **place = &held[a->column * r->k + a->response];
        if (!*place || fabs(a->multiplier) > fabs((*place)->multiplier)) *place = a;
    }
    return held;
}

/* Largest first; ties by position. */
static int by_size(const void *a, const void *b) {
    const cli_sized *p = a, *q = b;
    if (p->size != q->size) return p->size < q->size ? 1 : -1;
    return p->entry < q->entry ? -1 : p->entry > q->entry;
}

void cli_order_by_size(const double *x, int64_t count, cli_sized *order) {
    for (int64_t e = 0; e < count; e++) order[e] = (cli_sized){fabs(x[e]), e};
    qsort(order, (size_t)count, sizeof *order, by_size);
}

int64_t cli_count_nonzeros(const double *x, int64_t count) {
    int64_t nonzeros = 0;
    for (int64_t i = 0; i < count; i++) nonzeros += x[i] != 0;
    return nonzeros;
}
