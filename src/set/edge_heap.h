/* A binary heap of edges 0 .. n-1 with keys that may change: smallest key first, then smallest number. */
#ifndef GPIS_EDGE_HEAP_H
#define GPIS_EDGE_HEAP_H

#include "base/base.h"

typedef struct gpis_edge_heap {
    double *key;          /* owned: of each edge */
    int64_t *edge, *slot; /* owned: the heap; where in it each edge is */
    int64_t count;
} gpis_edge_heap;

gpis_status gpis_edge_heap_take(gpis_context *context, gpis_edge_heap *heap, int64_t n);
void gpis_edge_heap_clear(gpis_context *context, gpis_edge_heap *heap);

void gpis_edge_heap_empty(gpis_edge_heap *heap);
void gpis_edge_heap_push(gpis_edge_heap *heap, int64_t edge, double key);
void gpis_edge_heap_update(gpis_edge_heap *heap, int64_t edge, double key); /* the edge must be in the heap */
int64_t gpis_edge_heap_pop(gpis_edge_heap *heap, double *key);              /* the heap must not be empty */

#endif
