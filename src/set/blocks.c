/*
 * A product of sets over disjoint blocks of the rows of X: x_b in K_b for each block b. Projections and recession cones
 * are those of the blocks, support functions add up, and the radius of the core is the root of the sum of squares.
 *
 * A product of polyhedra is a polyhedron, and is made as one. If a block works on X as a matrix (nuclear), the product
 * does so too.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/accurate.h"
#include "set/columns.h"
#include "set/kinds.h"
#include "set/polyhedron.h"

typedef struct block {
    gpis_set *set;    /* borrowed */
    int64_t *columns; /* owned: set->d of them, counted from 0 */
} block;

typedef struct blocks_state {
    int64_t count;
    block *blocks; /* owned */
} blocks_state;

static void destroy(gpis_set *s) {
    blocks_state *p = s->state;
    for (int64_t b = 0; p->blocks && b < p->count; b++) gpis_free(s->context, p->blocks[b].columns);
    gpis_free(s->context, p->blocks);
}

/* ---- what the product does --------------------------------------------------------------------------------------- */

/* The number of columns of the array that the product works on: X as a whole, or one vector. */
static int64_t width_of(const gpis_set *s) { return s->matrix ? s->k : 1; }
/* How many of these columns a block takes at a time. */
static int64_t step_of(const gpis_set *s, const block *b) { return b->set->matrix ? width_of(s) : 1; }

/* Entries [first, first + step) of the block's rows of X, one row after the other. */
static void gather(const gpis_set *s, const block *b, int64_t first, const double *X, double *part) {
    const int64_t width = width_of(s), step = step_of(s, b);
    for (int64_t i = 0; i < b->set->d; i++)
        for (int64_t j = 0; j < step; j++) part[i * step + j] = X[b->columns[i] * width + first + j];
}

static void scatter(const gpis_set *s, const block *b, int64_t first, const double *part, double *X) {
    const int64_t width = width_of(s), step = step_of(s, b);
    for (int64_t i = 0; i < b->set->d; i++)
        for (int64_t j = 0; j < step; j++) X[b->columns[i] * width + first + j] = part[i * step + j];
}

static gpis_status map_blocks(gpis_set *s, bool to_cone, const double *v, double *x) {
    const blocks_state *p = s->state;
    gpis_status status = GPIS_OK;
    double *part = s->work;
    for (int64_t b = 0; b < p->count; b++) {
        const block *at = &p->blocks[b];
        gpis_set *set = at->set;
        const int64_t step = step_of(s, at);
        for (int64_t first = 0; first < width_of(s) && status == GPIS_OK; first += step) {
            gather(s, at, first, v, part);
            if (!to_cone)
                status = set->class->project(set, part, part);
            else if (set->unbounded)
                status = set->class->recession(set, part, part);
            else
                memset(part, 0, (size_t)(set->d * step) * sizeof *part);
            if (status == GPIS_OK) scatter(s, at, first, part, x);
        }
    }
    return status;
}

static gpis_status project(gpis_set *s, const double *v, double *x) { return map_blocks(s, false, v, x); }
static gpis_status recession(gpis_set *s, const double *v, double *x) { return map_blocks(s, true, v, x); }

static gpis_status support(gpis_set *s, const double *g, double *value) {
    const blocks_state *p = s->state;
    gpis_status status = GPIS_OK;
    gpis_sum sum = {0, 0};
    for (int64_t b = 0; b < p->count; b++) {
        const block *at = &p->blocks[b];
        for (int64_t first = 0; first < width_of(s) && status == GPIS_OK; first += step_of(s, at)) {
            double one = 0;
            gather(s, at, first, g, s->work);
            status = at->set->class->support(at->set, s->work, &one);
            gpis_sum_add(&sum, one);
        }
    }
    *value = gpis_sum_value(sum);
    return status;
}

/* `near`: a point where v is nearly normal to the product, for parts that make use of it; NULL: none. */
static gpis_status add_supports(gpis_set *s, const double *near, double *v, double *value, double *slack) {
    const blocks_state *p = s->state;
    gpis_status status = GPIS_OK;
    double sizes = 0, lost = 0, *point = s->work + s->d * width_of(s);
    int64_t terms = 0;
    *value = *slack = 0;
    for (int64_t b = 0; b < p->count; b++) {
        const block *at = &p->blocks[b];
        for (int64_t first = 0; first < width_of(s) && status == GPIS_OK; first += step_of(s, at), terms++) {
            double one = 0;
            gather(s, at, first, v, s->work);
            if (near) gather(s, at, first, near, point);
            status = gpis_set_support_at_part(at->set, near ? point : NULL, s->work, &one, &lost);
            scatter(s, at, first, s->work, v);
            *value += one;
            *slack = hypot(*slack, lost);
            sizes += fabs(one);
        }
    }
    *value += (double)terms * DBL_EPSILON * sizes; /* the rounding of the sum */
    return status;
}

static gpis_status support_near(gpis_set *s, double *v, double *value, double *slack) {
    return add_supports(s, NULL, v, value, slack);
}

static gpis_set *part(const gpis_set *s, int64_t i, const int64_t **columns) {
    const blocks_state *p = s->state;
    if (i >= p->count) return NULL;
    *columns = p->blocks[i].columns;
    return p->blocks[i].set;
}

static const gpis_set_class blocks_class = {
    .name = "blocks",
    .project = project,
    .support = support,
    .support_at = add_supports,
    .recession = recession,
    .support_near = support_near,
    .part = part,
    .destroy = destroy,
};

/* ---- the text: "nonneg[1-3] & l1:2[4,6]" ------------------------------------------------------------------------- */

static gpis_status describe(gpis_set *s, int64_t count, const int64_t *const *columns, gpis_set *const *sets) {
    void *text = NULL;
    int64_t capacity = 0, used = 0;
    gpis_status status = GPIS_OK;
    for (int64_t b = 0; b < count && status == GPIS_OK; b++) {
        const char *spec = sets[b]->spec;
        const bool compound = gpis_spec_is_compound(spec);
        char *list = gpis_columns_text(s->context, NULL, columns[b], sets[b]->d);
        const int64_t wanted = list ? used + (int64_t)(strlen(spec) + strlen(list)) + 16 : 0;
        status = list ? gpis_grow(s->context, &text, &capacity, used, wanted, 1) : GPIS_NO_MEMORY;
        if (status == GPIS_OK)
            used += snprintf((char *)text + used, (size_t)(capacity - used), "%s%s%s%s[%s]", b > 0 ? " & " : "",
                             compound ? "(" : "", spec, compound ? ")" : "", list);
        gpis_free(s->context, list);
    }
    if (status == GPIS_OK) status = gpis_set_describe(s, "%s", (const char *)text);
    gpis_free(s->context, text);
    return status;
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static gpis_status check_block(gpis_context *context, int64_t b, const int64_t *columns, const gpis_set *set) {
    if (!columns || !set)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "block %lld: its columns or its set are NULL", (long long)b + 1);
    if (set->context != context)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "block %lld: its set %.150s was made with another context",
                         (long long)b + 1, set->spec);
    return GPIS_OK;
}

/* Records the columns of block b in `owner`, which holds for each column its block, counted from 1, or 0. */
static gpis_status claim_columns(gpis_context *context, int64_t b, const int64_t *columns, const gpis_set *set,
                                 int64_t d, int64_t *owner) {
    for (int64_t i = 0; i < set->d; i++) {
        const int64_t j = columns[i];
        if (j < 0 || j >= d)
            return gpis_fail(context, GPIS_BAD_SHAPE,
                             "block %lld: there is no column %lld; columns are counted from 0 to %lld",
                             (long long)b + 1, (long long)j, (long long)d - 1);
        if (owner[j] > 0)
            return gpis_fail(context, GPIS_BAD_SET, "column %lld (counted from 0) is in block %lld and in block %lld",
                             (long long)j, (long long)owner[j], (long long)b + 1);
        owner[j] = b + 1;
    }
    return GPIS_OK;
}

static gpis_status check_columns(gpis_context *context, int64_t d, int64_t count, const int64_t *const *columns,
                                 gpis_set *const *sets) {
    int64_t *owner = gpis_alloc_zero(context, d, sizeof *owner);
    gpis_status status = owner ? GPIS_OK : GPIS_NO_MEMORY;
    for (int64_t b = 0; b < count && status == GPIS_OK; b++) {
        status = check_block(context, b, columns[b], sets[b]);
        if (status == GPIS_OK) status = claim_columns(context, b, columns[b], sets[b], d, owner);
    }
    for (int64_t j = 0; j < d && status == GPIS_OK; j++)
        if (owner[j] == 0)
            status = gpis_fail(
                context, GPIS_BAD_SET,
                "column %lld (counted from 0) is in no block; if it is free, give it a block with the set none",
                (long long)j);
    gpis_free(context, owner);
    return status;
}

/* The number of columns of X: that of the blocks that work on X as a matrix, which must agree; 1 if there is none. */
static gpis_status find_width(gpis_context *context, int64_t count, gpis_set *const *sets, int64_t *k, bool *matrix) {
    *k = 1;
    *matrix = false;
    for (int64_t b = 0; b < count; b++) {
        if (!sets[b]->matrix) continue;
        if (*matrix && sets[b]->k != *k)
            return gpis_fail(context, GPIS_BAD_SHAPE, "block %lld is for %lld columns of X and a block before for %lld",
                             (long long)b + 1, (long long)sets[b]->k, (long long)*k);
        *matrix = true;
        *k = sets[b]->k;
    }
    return GPIS_OK;
}

/* ---- making it --------------------------------------------------------------------------------------------------- */

/* One list of constraints, unless a block has a solver of its own (monotone). */
static bool is_polyhedron(const gpis_set *set) {
    return gpis_polyhedron_describes(set) && set->shape != GPIS_SHAPE_ORDERED && !set->class->part;
}

static gpis_status make_polyhedron(gpis_context *context, int64_t d, int64_t count, const int64_t *const *columns,
                                   gpis_set *const *sets, gpis_set **out) {
    gpis_polyhedron *list = NULL;
    gpis_set *s = NULL;
    gpis_status status = gpis_polyhedron_create(context, d, &list);
    for (int64_t b = 0; b < count && status == GPIS_OK; b++)
        status = gpis_polyhedron_add_set(list, sets[b], columns[b], NULL);
    if (status == GPIS_OK)
        status = gpis_polyhedron_finish(list, "blocks", NULL, NULL, &s);
    else
        gpis_polyhedron_destroy(list);
    if (status == GPIS_OK) status = describe(s, count, columns, sets);
    return gpis_set_finish(s, status, out);
}

static gpis_status take_names(gpis_set *s, int64_t count, const int64_t *const *columns, gpis_set *const *sets) {
    gpis_status status = GPIS_OK;
    for (int64_t b = 0; b < count && status == GPIS_OK; b++) status = gpis_set_inherit_names(s, sets[b], columns[b]);
    return status;
}

static gpis_status take_blocks(gpis_set *s, int64_t count, const int64_t *const *columns, gpis_set *const *sets) {
    const gpis_status status = gpis_set_take_state(s, sizeof(blocks_state));
    if (status != GPIS_OK) return status;
    blocks_state *p = s->state;
    p->blocks = gpis_alloc_zero(s->context, count, sizeof *p->blocks);
    if (!p->blocks) return GPIS_NO_MEMORY;
    p->count = count;
    s->exact_recession = true;
    for (int64_t b = 0; b < count; b++) {
        gpis_set *set = p->blocks[b].set = sets[b];
        int64_t *copy = p->blocks[b].columns = gpis_alloc(s->context, set->d, sizeof *copy);
        if (!copy) return GPIS_NO_MEMORY;
        memcpy(copy, columns[b], (size_t)set->d * sizeof *copy);
        s->radius = hypot(s->radius, set->radius * sqrt((double)(width_of(s) / step_of(s, &p->blocks[b]))));
        s->unbounded = s->unbounded || set->unbounded;
        s->iterative = s->iterative || set->iterative;
        s->has_support = s->has_support && set->has_support;
        s->exact_recession = s->exact_recession && (!set->unbounded || set->exact_recession);
    }
    return GPIS_OK;
}

static gpis_status make_product(gpis_context *context, int64_t d, int64_t k, bool matrix, int64_t count,
                                const int64_t *const *columns, gpis_set *const *sets, gpis_set **out) {
    gpis_set *s = NULL;
    gpis_status status = gpis_set_begin(context, &blocks_class, d, k, matrix, out, &s);
    if (status == GPIS_OK) status = describe(s, count, columns, sets);
    if (status == GPIS_OK) status = take_blocks(s, count, columns, sets);
    if (status == GPIS_OK) status = gpis_set_take_work(s, 2 * (matrix ? d * k : d));
    return gpis_set_finish(s, status, out);
}

gpis_status gpis_set_blocks(gpis_context *context, int64_t d, int64_t count, const int64_t *const *columns,
                            gpis_set *const *sets, gpis_set **out) {
    int64_t k;
    bool matrix, polyhedron = true;
    if (out) *out = NULL;
    if (!context) return GPIS_BAD_ARGUMENT;
    if (!columns || !sets || !out)
        return gpis_fail(context, GPIS_BAD_ARGUMENT,
                         "blocks need their columns, their sets and a place to put the set");
    if (d < 1 || count < 1) return gpis_fail(context, GPIS_BAD_SHAPE, "a product of sets needs a block and a column");
    gpis_status status = check_columns(context, d, count, columns, sets);
    if (status == GPIS_OK) status = find_width(context, count, sets, &k, &matrix);
    if (status != GPIS_OK) return status;
    for (int64_t b = 0; b < count; b++) polyhedron = polyhedron && is_polyhedron(sets[b]);
    gpis_set *s = NULL;
    status = polyhedron ? make_polyhedron(context, d, count, columns, sets, &s)
                        : make_product(context, d, k, matrix, count, columns, sets, &s);
    if (status == GPIS_OK) status = take_names(s, count, columns, sets);
    return gpis_set_finish(s, status, out);
}
