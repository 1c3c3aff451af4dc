#include "set/edge_heap.h"

gpis_status gpis_edge_heap_take(gpis_context *context, gpis_edge_heap *heap, int64_t n) {
    heap->count = 0;
    heap->key = gpis_alloc(context, n, sizeof *heap->key);
    heap->edge = gpis_alloc(context, n, sizeof *heap->edge);
    heap->slot = gpis_alloc(context, n, sizeof *heap->slot);
    return heap->key && heap->edge && heap->slot ? GPIS_OK : GPIS_NO_MEMORY;
}

void gpis_edge_heap_clear(gpis_context *context, gpis_edge_heap *heap) {
    gpis_free(context, heap->key);
    gpis_free(context, heap->edge);
    gpis_free(context, heap->slot);
}

static bool before(const gpis_edge_heap *h, int64_t a, int64_t b) {
    return h->key[a] < h->key[b] || (h->key[a] == h->key[b] && a < b);
}

static void put(gpis_edge_heap *h, int64_t slot, int64_t edge) {
    h->edge[slot] = edge;
    h->slot[edge] = slot;
}

/* Moves `edge` from `slot` to where its key belongs, up or down. */
static void settle(gpis_edge_heap *h, int64_t slot, int64_t edge) {
    while (slot > 0 && before(h, edge, h->edge[(slot - 1) / 2])) {
        put(h, slot, h->edge[(slot - 1) / 2]);
        slot = (slot - 1) / 2;
    }
    for (;;) {
        int64_t child = 2 * slot + 1;
        if (child + 1 < h->count && before(h, h->edge[child + 1], h->edge[child])) child++;
        if (child >= h->count || !before(h, h->edge[child], edge)) break;
        put(h, slot, h->edge[child]);
        slot = child;
    }
    put(h, slot, edge);
}

void gpis_edge_heap_empty(gpis_edge_heap *heap) { heap->count = 0; }

void gpis_edge_heap_push(gpis_edge_heap *heap, int64_t edge, double key) {
    heap->key[edge] = key;
    heap->count++;
    settle(heap, heap->count - 1, edge);
}

void gpis_edge_heap_update(gpis_edge_heap *heap, int64_t edge, double key) {
    heap->key[edge] = key;
    settle(heap, heap->slot[edge], edge);
}

int64_t gpis_edge_heap_pop(gpis_edge_heap *heap, double *key) {
    const int64_t top = heap->edge[0];
    *key = heap->key[top];
    heap->count--;
    if (heap->count > 0) settle(heap, 0, heap->edge[heap->count]);
    return top;
}
