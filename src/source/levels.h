/* levels: the different texts of a categorical column, numbered from 0 in the order in which they were added. */
#ifndef GPIS_SOURCE_LEVELS_H
#define GPIS_SOURCE_LEVELS_H

#include "base/number.h"

typedef struct gpis_levels {
    gpis_context *context; /* borrowed */
    int64_t count;
    char *text; /* owned: the levels, each with a NUL behind it */
    int64_t used, text_capacity;
    int64_t *begin; /* owned: where each of them begins in `text` */
    int64_t begin_capacity;
    int64_t *slots; /* owned: a hash table of 1 + level, 0 for an empty slot; its size is a power of two */
    int64_t slot_count;
} gpis_levels;

/* The number of a level; -1: it is not among them. */
int64_t gpis_levels_find(const gpis_levels *levels, gpis_span text);
/* Adds a level, which is not among them. */
gpis_status gpis_levels_add(gpis_levels *levels, gpis_span text);
/* Forgets the levels from number `count` on. */
void gpis_levels_cut(gpis_levels *levels, int64_t count);
static inline const char *gpis_levels_at(const gpis_levels *levels, int64_t k) {
    return levels->text + levels->begin[k];
}
gpis_span gpis_levels_span(const gpis_levels *levels, int64_t k);
void gpis_levels_clear(gpis_levels *levels);

#endif
