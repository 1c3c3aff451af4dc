/*
 * A sketch of rows on several ranks: the tree of tree.h, whose leaves are on several ranks.
 *
 * A leaf belongs to the rank that has its last row. If it begins on an earlier rank, the ranks add to it in turn: the
 * earlier rank sends its sum, and only then does the next one absorb its `head`, the first rows that belong to a leaf
 * begun on an earlier rank. If leaves are shorter than the rows of a rank, all ranks do so at once; if they are longer,
 * ranks wait for each other. Nodes are then sent to the rank that holds their left neighbour, level by level. No rank
 * receives more than one node per level, and the root ends on rank 0.
 *
 * Messages to even ranks come before those to odd ranks, so that they overlap in time.
 */
#include "ranks/gather.h"

static int64_t rows_of(const gpis_join *j, int rank) { return j->begin[rank + 1] - j->begin[rank]; }

static int64_t leaf_at(const gpis_tree *t, int64_t row) { return row / t->leaf; }

/* The number of first rows of a rank that belong to a leaf which begins on an earlier rank. */
static int64_t head_of(const gpis_join *j, const gpis_tree *t, int rank) {
    const int64_t begin = j->begin[rank], end = gpis_min64((leaf_at(t, begin) + 1) * t->leaf, j->begin[rank + 1]);
    return begin % t->leaf == 0 || rows_of(j, rank) == 0 ? 0 : end - begin;
}

/* The nearest earlier rank that has rows; -1: none. */
static int before(const gpis_join *j, int rank) {
    do rank--;
    while (rank >= 0 && rows_of(j, rank) == 0);
    return rank;
}

static int owner_of(const gpis_join *j, const gpis_tree *t, int64_t leaf) {
    const int64_t last = gpis_min64((leaf + 1) * t->leaf, t->n) - 1;
    int low = 0, high = j->ranks.ranks - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (j->begin[middle + 1] > last)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void gpis_ranks_gather_plan(const gpis_join *join, gpis_pass *pass) {
    pass->skip = head_of(join, &pass->sketch->tree, join->ranks.rank);
}

gpis_status gpis_ranks_gather_reserve(const gpis_join *join, const gpis_pass *pass) {
    enum { INCOMING = 2 }; /* a leaf that another rank has begun, and a node to add */
    gpis_tree *tree = &pass->sketch->tree;
    gpis_tree_sums taken[INCOMING];
    int count = 0;
    gpis_status status = GPIS_OK;
    if (join->ranks.ranks == 1) return GPIS_OK;
    for (; count < INCOMING && status == GPIS_OK; count += status == GPIS_OK)
        status = gpis_tree_take(tree, &taken[count]);
    while (count > 0) gpis_tree_give(tree, taken[--count]);
    return status;
}

static gpis_status move(const gpis_join *j, const gpis_tree *t, int from, int to, const gpis_tree_sums *sums) {
    const gpis_status status = gpis_join_move(j, from, to, sums->A, t->rows * t->d);
    return status == GPIS_OK ? gpis_join_move(j, from, to, sums->Y, t->rows * t->k) : status;
}

/* ---- leaves that lie on several ranks ---------------------------------------------------------------------------- */

/* Sends the open leaf of the rank before to `rank`, which keeps it in *carry while its own last leaf is open. */
static gpis_status hand_over(const gpis_join *j, gpis_tree *t, int rank, gpis_tree_sums *carry) {
    const int from = before(j, rank), me = j->ranks.rank;
    gpis_tree_sums sums = {0};
    gpis_status status = GPIS_OK;
    if (me == from) sums = t->open;
    if (me == rank) {
        status = gpis_tree_take(t, carry); /* cannot fail: the memory was reserved */
        sums = *carry;
    }
    if (status == GPIS_OK) status = move(j, t, from, rank, &sums);
    if (me == from) {
        gpis_tree_give(t, t->open);
        t->open = (gpis_tree_sums){0};
    }
    return status;
}

/* Whether the leaf that `rank` receives was begun by the rank right before it, which thus needs nothing from others. */
static bool is_fresh(const gpis_join *j, const gpis_tree *t, int rank) {
    return leaf_at(t, j->begin[rank]) * t->leaf >= j->begin[before(j, rank)];
}

/* Absorbs the first rows of this rank, part by part. */
static gpis_status absorb_head(const gpis_join *j, const gpis_pass *pass) {
    gpis_context *context = j->context;
    const gpis_pass sketching = {
        .k = pass->k, .Y = pass->Y, .terms = pass->terms, .sketch = pass->sketch, .row0 = j->begin[j->ranks.rank]};
    gpis_status status = GPIS_OK;
    for (int64_t i = 0, row = 0; i < j->count && row < pass->skip && status == GPIS_OK; row += j->parts[i++]->n) {
        gpis_source *head = NULL;
        const gpis_pass part = gpis_join_part_pass(&sketching, row);
        status = gpis_source_slice(context, j->parts[i], 0, gpis_min64(j->parts[i]->n, pass->skip - row), &head);
        if (status == GPIS_OK) status = gpis_pass_sweep(context, head, &part);
        gpis_source_destroy(head);
    }
    return status;
}

static gpis_status finish_leaves(const gpis_join *j, const gpis_pass *pass) {
    gpis_tree *t = &pass->sketch->tree;
    gpis_tree_sums carry = {0};
    gpis_status status = GPIS_OK, work = GPIS_OK;
    const int ranks = j->ranks.ranks, me = j->ranks.rank;
    for (int parity = 0; parity < 2; parity++)
        for (int r = 1; r < ranks && status == GPIS_OK; r++)
            if (head_of(j, t, r) > 0 && r % 2 == parity && is_fresh(j, t, r)) status = hand_over(j, t, r, &carry);
    for (int r = 1; r < ranks && status == GPIS_OK; r++) {
        if (head_of(j, t, r) == 0) continue;
        if (!is_fresh(j, t, r)) status = hand_over(j, t, r, &carry);
        if (me != r || status != GPIS_OK) continue;
        t->open = carry;
        work = absorb_head(j, pass);
    }
    return status == GPIS_OK ? gpis_join_agree(j, work) : status;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* Sends the right neighbour to the rank of the left one, where they become one node of the next level. */
static gpis_status join_nodes(const gpis_join *j, gpis_tree *t, int level, int64_t left, int to, int from,
                              int threads) {
    const int me = j->ranks.rank;
    gpis_tree_sums sums = {0};
    gpis_tree_node *node = me == to ? gpis_tree_find(t, level, left) : gpis_tree_find(t, level, left + 1);
    gpis_status status = GPIS_OK;
    if (me == from) sums = node->sums;
    if (me == to) status = gpis_tree_take(t, &sums); /* cannot fail: the memory was reserved */
    if (status == GPIS_OK) status = move(j, t, from, to, &sums);
    if (me == from) gpis_tree_drop(t, node);
    if (me != to) return status;
    if (status == GPIS_OK) gpis_tree_add(t, node, &sums, threads);
    gpis_tree_give(t, sums);
    return status;
}

/* Both neighbours are on this rank, or there is no right one. They may have been joined already. */
static void join_here(gpis_tree *t, int level, int64_t left, bool alone, int threads) {
    gpis_tree_node *node = gpis_tree_find(t, level, left), *right = gpis_tree_find(t, level, left + 1);
    if (!node) return;
    if (alone) {
        gpis_tree_promote(node);
    } else {
        gpis_tree_add(t, node, &right->sums, threads);
        gpis_tree_drop(t, right);
    }
}

/* owner[i] is the rank that holds node i of the `count` nodes of a level; afterwards, of the next level. */
static gpis_status climb(const gpis_join *j, gpis_tree *t, int level, int64_t count, int *owner, int threads) {
    gpis_status status = GPIS_OK;
    for (int parity = 0; parity < 2; parity++)
        for (int64_t i = 0; i < count && status == GPIS_OK; i += 2) {
            const int to = owner[i], from = i + 1 < count ? owner[i + 1] : to;
            if (to % 2 != parity) continue;
            if (to != from)
                status = join_nodes(j, t, level, i, to, from, threads);
            else if (to == j->ranks.rank)
                join_here(t, level, i, i + 1 == count, threads);
        }
    for (int64_t i = 0; i < count; i += 2) owner[i / 2] = owner[i];
    return status;
}

gpis_status gpis_ranks_gather_run(const gpis_join *j, const gpis_pass *pass) {
    gpis_tree *t = &pass->sketch->tree;
    const int threads = j->context->threads;
    int owner[GPIS_TREE_LEAVES];
    if (j->ranks.ranks == 1) return GPIS_OK;
    gpis_status status = finish_leaves(j, pass);
    int64_t count = t->leaves;
    for (int64_t i = 0; i < count; i++) owner[i] = owner_of(j, t, i);
    for (int level = 0; count > 1 && status == GPIS_OK; level++, count = (count + 1) / 2)
        status = climb(j, t, level, count, owner, threads);
    if (status != GPIS_OK || owner[0] == 0) return status;
    gpis_tree_sums sums = j->ranks.rank == owner[0] ? t->nodes[0].sums : t->home;
    return move(j, t, owner[0], 0, &sums);
}
