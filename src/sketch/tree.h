/*
 * The sum over the rows of A as a tree, so that it has the same bits wherever the rows live.
 *
 * Rows are cut into leaves of equal length, a function of the shape of the sketch alone. A leaf adds its rows in
 * ascending order, from zero; node (l + 1, i) is node (l, 2 i) + node (l, 2 i + 1), or the first alone where there is
 * no second. Who holds some leaves can add up what lies whole below a node, and send the sums of a node to whoever
 * holds its neighbour: nothing else has to be known, and no addition happens in another order. Short matrices have
 * one leaf, and nothing is added up.
 */
#ifndef GPIS_SKETCH_TREE_H
#define GPIS_SKETCH_TREE_H

#include "base/base.h"

enum { GPIS_TREE_LEAVES = 4096, GPIS_TREE_NODES = 32 };

/* Sums of rows x d and rows x k; the second is NULL when k is 0. */
typedef struct gpis_tree_sums {
    double *A, *Y;
} gpis_tree_sums;

typedef struct gpis_tree_node {
    int level;
    int64_t index;
    gpis_tree_sums sums;
} gpis_tree_node;

typedef struct gpis_tree {
    gpis_context *context;                 /* borrowed */
    int64_t n, rows, d, k;                 /* of A; of the sums */
    int64_t leaf, leaves;                  /* rows of a leaf; how many there are */
    gpis_tree_sums home;                   /* borrowed: where the root ends; the first leaf begins there */
    bool home_taken;                       /* by a node or the open leaf */
    bool home_used;                        /* it is no longer zero */
    gpis_tree_sums open;                   /* the leaf under way; A is NULL when none is */
    int count;                             /* nodes held, */
    gpis_tree_node nodes[GPIS_TREE_NODES]; /* in ascending order of their leaves */
    int spares;
    gpis_tree_sums spare[GPIS_TREE_NODES]; /* owned: memory that waits for its next use */
} gpis_tree;

/* Sums of so many rows over n rows of A: the length of a leaf, and how many sums are held at once, at most. */
int64_t gpis_tree_leaf(int64_t n, int64_t rows);
int gpis_tree_depth(int64_t n, int64_t rows);

/* `home`: zero. whole: one leaf, however long. */
void gpis_tree_start(gpis_tree *tree, gpis_context *context, int64_t n, int64_t rows, int64_t d, int64_t k, bool whole,
                     gpis_tree_sums home);
void gpis_tree_clear(gpis_tree *tree); /* frees what it owns; a cleared one is fine */

/* Opens a leaf (zero) if none is; closes it, as node (0, index). */
gpis_status gpis_tree_open(gpis_tree *tree, int threads);
void gpis_tree_close(gpis_tree *tree, int64_t index, int threads);

/* The node, or NULL where it is not held. */
gpis_tree_node *gpis_tree_find(gpis_tree *tree, int level, int64_t index);
/* Adds `right` to the node, which moves up a level with it. */
void gpis_tree_add(gpis_tree *tree, gpis_tree_node *node, const gpis_tree_sums *right, int threads);
/* The node moves up alone, or is given up. */
void gpis_tree_promote(gpis_tree_node *node);
void gpis_tree_drop(gpis_tree *tree, gpis_tree_node *node);

/* Sums to write to; given back, they are kept for the next use. */
gpis_status gpis_tree_take(gpis_tree *tree, gpis_tree_sums *out);
void gpis_tree_give(gpis_tree *tree, gpis_tree_sums sums);

#endif
