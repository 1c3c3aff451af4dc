/*
 * The sum over the rows of A as a tree, so that it has the same bits whatever ranks the rows are on.
 *
 * Rows are cut into leaves of equal length, a function of the shape of the sketch alone. A leaf adds its rows in
 * ascending order, from zero; node (l + 1, i) is node (l, 2 i) + node (l, 2 i + 1), or the first alone where there is
 * no second. A rank adds up the nodes whose leaves it holds, and sends the sums of a node to the rank that holds its
 * neighbour: nothing else has to be known, and the order of additions is always the same. Short matrices have one leaf,
 * and no nodes to add.
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
    int64_t n, rows, d, k;                 /* rows of A; shape of the sums */
    int64_t leaf, leaves;                  /* rows of a leaf; number of leaves */
    gpis_tree_sums home;                   /* borrowed: where the root will be; also used for the first leaf */
    bool home_taken;                       /* a node or the open leaf is in `home` */
    bool home_used;                        /* `home` is no longer zero */
    gpis_tree_sums open;                   /* the leaf to which rows are added; A is NULL if there is none */
    int count;                             /* number of nodes held */
    gpis_tree_node nodes[GPIS_TREE_NODES]; /* in ascending order of their leaves */
    int spares;
    gpis_tree_sums spare[GPIS_TREE_NODES]; /* owned: memory for reuse */
} gpis_tree;

/* For sums of `rows` rows over n rows of A: the length of a leaf, and an upper bound on the sums held at once. */
int64_t gpis_tree_leaf(int64_t n, int64_t rows);
int gpis_tree_depth(int64_t n, int64_t rows);

/* `home` must be zero. `whole`: there is one leaf, however long. */
void gpis_tree_start(gpis_tree *tree, gpis_context *context, int64_t n, int64_t rows, int64_t d, int64_t k, bool whole,
                     gpis_tree_sums home);
void gpis_tree_clear(gpis_tree *tree); /* frees what the tree owns; it may have been cleared before */

/* Opens a leaf, of zeros, if none is open; closes it, as node (0, index). */
gpis_status gpis_tree_open(gpis_tree *tree, int threads);
void gpis_tree_close(gpis_tree *tree, int64_t index, int threads);

/* The node, or NULL if it is not held. */
gpis_tree_node *gpis_tree_find(gpis_tree *tree, int level, int64_t index);
/* Adds `right` to the node, which becomes a node of the next level. */
void gpis_tree_add(gpis_tree *tree, gpis_tree_node *node, const gpis_tree_sums *right, int threads);
/* Makes the node one of the next level, without a right neighbour; or removes it. */
void gpis_tree_promote(gpis_tree_node *node);
void gpis_tree_drop(gpis_tree *tree, gpis_tree_node *node);

/* Takes memory for sums; what is given back is kept for reuse. */
gpis_status gpis_tree_take(gpis_tree *tree, gpis_tree_sums *out);
void gpis_tree_give(gpis_tree *tree, gpis_tree_sums sums);

#endif
