/* Leaves, nodes, and the memory they are held in. */
#include "sketch/tree.h"

#include <string.h>

#include "sketch/sketch.h"

/* Each leaf goes through all sums once more, a memory traffic of about four times their size. With 64 rows of A for
 * each row of the sums, that is a sixteenth of the traffic for the rows themselves. */
enum { LEAF_ROWS_PER_SUM = 64, MIN_LEAF_ROWS = 1 << 16 };

int64_t gpis_tree_leaf(int64_t n, int64_t rows) {
    const int64_t quantum = GPIS_SKETCH_QUANTUM, wanted = rows > n / LEAF_ROWS_PER_SUM ? n : LEAF_ROWS_PER_SUM * rows;
    int64_t leaf = (gpis_max64(wanted, MIN_LEAF_ROWS) + quantum - 1) / quantum * quantum;
    while ((n - 1) / leaf >= GPIS_TREE_LEAVES) leaf *= 2;
    return leaf;
}

int gpis_tree_depth(int64_t n, int64_t rows) {
    int depth = 1;
    for (int64_t leaves = (n - 1) / gpis_tree_leaf(n, rows) + 1; leaves > 1; leaves = (leaves + 1) / 2) depth++;
    return depth;
}

void gpis_tree_start(gpis_tree *t, gpis_context *context, int64_t n, int64_t rows, int64_t d, int64_t k, bool whole,
                     gpis_tree_sums home) {
    *t = (gpis_tree){.context = context, .n = n, .rows = rows, .d = d, .k = k, .home = home};
    t->leaf = whole ? n : gpis_tree_leaf(n, rows);
    t->leaves = (n - 1) / t->leaf + 1;
}

void gpis_tree_clear(gpis_tree *t) {
    if (t->open.A) gpis_tree_give(t, t->open);
    while (t->count > 0) gpis_tree_drop(t, &t->nodes[t->count - 1]);
    while (t->spares > 0) gpis_free(t->context, t->spare[--t->spares].A);
    *t = (gpis_tree){0};
}

gpis_status gpis_tree_take(gpis_tree *t, gpis_tree_sums *out) {
    if (!t->home_taken) {
        *out = t->home;
        t->home_taken = true;
    } else if (t->spares > 0) {
        *out = t->spare[--t->spares];
    } else {
        out->A = gpis_alloc(t->context, t->rows * (t->d + t->k), sizeof(double));
        out->Y = out->A && t->k ? out->A + t->rows * t->d : NULL;
    }
    return out->A ? GPIS_OK : GPIS_NO_MEMORY;
}

void gpis_tree_give(gpis_tree *t, gpis_tree_sums sums) {
    if (sums.A == t->home.A)
        t->home_taken = false;
    else
        t->spare[t->spares++] = sums;
}

static void clear(double *v, int64_t count, int threads) {
#pragma omp parallel for num_threads(gpis_threads_for(threads, (double)count)) schedule(static)
    for (int64_t i = 0; i < count; i++) v[i] = 0.0;
}

gpis_status gpis_tree_open(gpis_tree *t, int threads) {
    if (t->open.A) return GPIS_OK;
    const gpis_status status = gpis_tree_take(t, &t->open);
    if (status != GPIS_OK) return status;
    if (t->open.A != t->home.A || t->home_used) {
        clear(t->open.A, t->rows * t->d, threads);
        clear(t->open.Y, t->rows * t->k, threads);
    }
    if (t->open.A == t->home.A) t->home_used = true;
    return GPIS_OK;
}

static void add(double *left, const double *right, int64_t count, int threads) {
#pragma omp parallel for num_threads(gpis_threads_for(threads, (double)count)) schedule(static)
    for (int64_t i = 0; i < count; i++) left[i] += right[i];
}

void gpis_tree_promote(gpis_tree_node *node) {
    node->level++;
    node->index /= 2;
}

void gpis_tree_add(gpis_tree *t, gpis_tree_node *node, const gpis_tree_sums *right, int threads) {
    add(node->sums.A, right->A, t->rows * t->d, threads);
    add(node->sums.Y, right->Y, t->rows * t->k, threads);
    gpis_tree_promote(node);
}

void gpis_tree_drop(gpis_tree *t, gpis_tree_node *node) {
    gpis_tree_give(t, node->sums);
    const ptrdiff_t behind = t->nodes + t->count - (node + 1);
    memmove(node, node + 1, (size_t)behind * sizeof *node);
    t->count--;
}

gpis_tree_node *gpis_tree_find(gpis_tree *t, int level, int64_t index) {
    for (int i = 0; i < t->count; i++)
        if (t->nodes[i].level == level && t->nodes[i].index == index) return &t->nodes[i];
    return NULL;
}

/* Joins the last node with its left neighbour as often as possible; a node without a right neighbour moves up alone. */
static void settle(gpis_tree *t, int threads) {
    for (;;) {
        gpis_tree_node *last = &t->nodes[t->count - 1], *left = last - 1;
        if (last->index % 2 == 1) {
            if (t->count == 1 || left->level != last->level || left->index + 1 != last->index) return;
            gpis_tree_add(t, left, &last->sums, threads);
            gpis_tree_drop(t, last);
        } else {
            if (last->index == 0 || (last->index + 1) << last->level < t->leaves) return;
            gpis_tree_promote(last);
        }
    }
}

void gpis_tree_close(gpis_tree *t, int64_t index, int threads) {
    int place = t->count;
    while (place > 0 && t->nodes[place - 1].index << t->nodes[place - 1].level > index) place--;
    memmove(&t->nodes[place + 1], &t->nodes[place], (size_t)(t->count - place) * sizeof *t->nodes);
    t->nodes[place] = (gpis_tree_node){.index = index, .sums = t->open};
    t->count++;
    t->open = (gpis_tree_sums){0};
    if (place == t->count - 1) settle(t, threads);
}
