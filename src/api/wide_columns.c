/* The working set: which columns are in it, and the points on them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/wide.h"
#include "ranks/join.h"
#include "set/extend.h"

/* ---- whether it applies ---- */

/* The exact path has to be known, and there has to be a first-order bound: every column has a weight in the sum. */
static bool is_suitable(const gpis_wide *w, const gpis_path_shape *s) {
    bool weighted = s->found && !s->equation;
    for (int64_t j = 0; weighted && j < w->D - 1; j++)
        weighted = s->weight[j] > 0.0 && s->lo[j] <= 0.0 && s->hi[j] >= 0.0;
    return weighted;
}

gpis_status gpis_wide_columns_apply(gpis_wide *w, bool *apply) {
    gpis_path_call *c = w->call;
    gpis_status status = GPIS_OK;
    *apply = c->given->k == 1;
    for (int64_t p = 0; *apply && status == GPIS_OK && p < w->parts; p++) {
        gpis_wide_part *part = &w->part[p];
        if (!c->options.penalised) {
            gpis_free(c->context, part->shape.memory);
            status = gpis_path_shape_find(c->context, w->D, &part->part.sets, c->values[c->count - 1], &part->shape);
        }
        *apply = status == GPIS_OK && is_suitable(w, &part->shape);
    }
    return status;
}

/* ---- the columns as a source ---- */

/* The chosen columns of A: one source, or those of the parts that A is joined of. */
typedef struct view {
    gpis_source *A;      /* owned */
    gpis_source **parts; /* owned, and each of them; NULL: A is in one piece */
    int64_t count;
} view;

static void close_view(gpis_context *context, view *v) {
    gpis_source_destroy(v->A);
    for (int64_t i = 0; v->parts && i < v->count; i++) gpis_source_destroy(v->parts[i]);
    gpis_free(context, v->parts);
    *v = (view){0};
}

static gpis_status open_view(gpis_context *context, gpis_source *A, const int64_t *columns, int64_t count, view *v) {
    const gpis_join *join = gpis_source_joined(A);
    *v = (view){0};
    if (!join) return gpis_source_choose(context, A, columns, count, &v->A);
    v->count = join->count;
    v->parts = gpis_alloc_zero(context, join->count, sizeof *v->parts);
    gpis_status status = v->parts ? GPIS_OK : GPIS_NO_MEMORY;
    for (int64_t i = 0; status == GPIS_OK && i < join->count; i++)
        status = gpis_source_choose(context, join->parts[i], columns, count, &v->parts[i]);
    return status == GPIS_OK ? gpis_source_join(context, v->parts, v->count, NULL, &v->A) : status;
}

/* ---- how many there can be ---- */

/* Bytes of the sums of `count` columns by folds while they are made and used, and of the points on them. */
static gpis_status memory_for(gpis_wide *w, const int64_t *columns, int64_t count, double *bytes) {
    const int64_t folds = gpis_max64(1, w->folds.count);
    double place;
    view v;
    gpis_pass pass = gpis_wide_pass(w);
    pass.quick = pass.sparing = true;
    pass.summary = pass.nonzeros = &place;
    gpis_load load = gpis_load_of(&pass, count);
    gpis_status status = open_view(w->call->context, w->complete.problem.A, columns, count, &v);
    if (status == GPIS_OK) {
        const double one = gpis_quadratic_memory(count + 1, 1), sums = (double)folds * one;
        const double points = 8.0 * (double)(w->parts * w->call->count) * (double)(count + 4);
        const double making = sums + gpis_pass_memory(w->call->context, v.A, &load);
        *bytes = points + sums + fmax(making, 8.0 * one) + 65536.0;
    }
    close_view(w->call->context, &v);
    return status;
}

/* The most columns, by bisection: the first so many stand for any. Half of the memory is left for the gradients. */
static gpis_status find_most(gpis_wide *w, gpis_wide_columns *s) {
    const double left = 0.5 * (double)gpis_account_left(w->call->context);
    int64_t low = 0, high = w->D - 1;
    for (int64_t j = 0; j < high; j++) s->columns[j] = j;
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        double bytes = 0.0;
        const gpis_status status = memory_for(w, s->columns, middle, &bytes);
        if (status != GPIS_OK) return status;
        if (bytes <= left)
            low = middle;
        else
            high = middle - 1;
    }
    s->most = low;
    return GPIS_OK;
}

/* ---- choosing ---- */

/* Half of the gradient of the least f over the constant. */
static void reduce(const gpis_wide *w, const gpis_wide_part *p, const double *g, double *out) {
    const int64_t d = w->D - 1;
    const double last = w->call->given->intercept ? g[d] / p->weight : 0.0;
    for (int64_t j = 0; j < d; j++) out[j] = g[j] - p->sums[j] * last;
}

/* How much a column wants to leave 0, in units of its weight: in the direction that its bounds allow. */
static double pull_of(const gpis_path_shape *s, int64_t j, double g) {
    const bool held = g < 0.0 ? s->hi[j] == 0.0 : s->lo[j] == 0.0;
    return held ? 0.0 : fabs(g) / s->weight[j];
}

void gpis_wide_columns_forget(const gpis_wide *w, gpis_wide_columns *s) {
    for (int64_t j = 0; j < w->D - 1; j++) s->enter[j] = w->call->count, s->strength[j] = 0.0;
}

static void enter(gpis_wide_columns *s, int64_t j, int64_t index, double strength) {
    if (index > s->enter[j] || (index == s->enter[j] && strength <= s->strength[j])) return;
    s->enter[j] = index;
    s->strength[j] = strength;
}

/* nu: half of the penalty, or the largest pull of those in the sum. */
static double multiplier(const gpis_wide *w, const gpis_wide_columns *s, const gpis_wide_part *p, double value) {
    double nu = 0.0;
    if (w->call->options.penalised) return 0.5 * value;
    for (int64_t i = 0; i < s->count; i++) nu = fmax(nu, pull_of(&p->shape, s->columns[i], s->reduced[s->columns[i]]));
    return nu;
}

void gpis_wide_columns_hear(const gpis_wide *w, gpis_wide_columns *s, const gpis_wide_task *t, const double *g) {
    const gpis_wide_part *p = &w->part[t->part];
    reduce(w, p, g, s->reduced);
    const double nu = multiplier(w, s, p, w->call->values[t->index]);
    for (int64_t j = 0; j < w->D - 1; j++) {
        const double ratio = pull_of(&p->shape, j, s->reduced[j]) / (nu > 0.0 ? nu : 1e-300);
        enter(s, j, !s->member[j] && ratio > 1.0 ? t->index : w->call->count, ratio);
    }
    for (int64_t i = 0; i < s->count; i++)
        if (t->x[i] != 0.0) enter(s, s->columns[i], t->index, INFINITY);
}

/* A column that could be in the set. */
typedef struct candidate {
    int64_t column, enter;
    double strength;
    bool is_new;
} candidate;

static int by_need(const void *a, const void *b) {
    const candidate *p = a, *q = b;
    if (p->enter != q->enter) return p->enter < q->enter ? -1 : 1;
    if (p->strength != q->strength) return p->strength > q->strength ? -1 : 1;
    return p->column < q->column ? -1 : p->column > q->column;
}

static void list_members(const gpis_wide *w, gpis_wide_columns *s) {
    s->count = 0;
    for (int64_t j = 0; j < w->D - 1; j++)
        if (s->member[j]) s->columns[s->count++] = j;
}

/* Adds the first `wanted` columns to those that are kept: all members or, with `choose`, none, so that the members have
 * to be among the first again. */
static gpis_status add(gpis_wide *w, gpis_wide_columns *s, int64_t wanted, bool choose, bool *grown) {
    gpis_context *context = w->call->context;
    const int64_t d = w->D - 1;
    int64_t count = 0;
    *grown = false;
    candidate *list = gpis_alloc(context, d, sizeof *list);
    if (!list) return GPIS_NO_MEMORY;
    for (int64_t j = 0; j < d; j++) {
        const bool is_new = !s->member[j];
        if (choose) s->member[j] = false;
        if (!s->member[j] && s->strength[j] > 0.0) list[count++] = (candidate){j, s->enter[j], s->strength[j], is_new};
    }
    qsort(list, (size_t)count, sizeof *list, by_need);
    for (int64_t i = 0; i < gpis_min64(wanted, count); i++) {
        s->member[list[i].column] = true;
        *grown = *grown || list[i].is_new;
    }
    list_members(w, s);
    gpis_free(context, list);
    return GPIS_OK;
}

/* No more than twice as many as before: the points of a set that is much too small violate too many. And some more than
 * are violated, which saves rounds. Where there is no memory for so many, columns that no point needs make room. */
gpis_status gpis_wide_columns_grow(gpis_wide *w, gpis_wide_columns *s, bool *grown) {
    enum { SPARE = 8 };
    int64_t violated = 0;
    for (int64_t j = 0; j < w->D - 1; j++) violated += !s->member[j] && s->enter[j] < w->call->count;
    const int64_t more = gpis_min64(s->count, violated + s->count / SPARE);
    const bool full = s->count + more > s->most;
    *grown = false;
    if (violated == 0) return GPIS_OK;
    return add(w, s, full ? s->most : more, full, grown);
}

static gpis_status allocate(gpis_wide *w, gpis_wide_columns *s) {
    gpis_context *context = w->call->context;
    const int64_t d = w->D - 1;
    s->columns = gpis_alloc(context, d, sizeof *s->columns);
    s->member = gpis_alloc_zero(context, d, sizeof *s->member);
    s->enter = gpis_alloc(context, d, sizeof *s->enter);
    s->strength = gpis_alloc(context, d, sizeof *s->strength);
    s->reduced = gpis_alloc(context, d, sizeof *s->reduced);
    return s->columns && s->member && s->enter && s->strength && s->reduced ? GPIS_OK : GPIS_NO_MEMORY;
}

gpis_status gpis_wide_columns_begin(gpis_wide *w, gpis_wide_columns *s) {
    enum { MIN_FIRST = 64, ROOTS = 4 };
    const int64_t d = w->D - 1, first = gpis_max64(MIN_FIRST, (int64_t)(ROOTS * sqrt((double)d)));
    bool grown;
    *s = (gpis_wide_columns){0};
    gpis_status status = allocate(w, s);
    if (status == GPIS_OK) status = find_most(w, s);
    if (status != GPIS_OK || s->most == 0) return status;
    gpis_wide_columns_forget(w, s);
    for (int64_t p = 0; p < w->parts; p++) {
        reduce(w, &w->part[p], w->part[p].b, s->reduced);
        for (int64_t j = 0; j < d; j++) /* b is minus the gradient */
            enter(s, j, w->call->count, pull_of(&w->part[p].shape, j, -s->reduced[j]));
    }
    return add(w, s, gpis_min64(first, s->most), false, &grown);
}

void gpis_wide_columns_end(gpis_wide *w, gpis_wide_columns *s) {
    gpis_context *context = w->call->context;
    gpis_free(context, s->columns);
    gpis_free(context, s->member);
    gpis_free(context, s->enter);
    gpis_free(context, s->strength);
    gpis_free(context, s->reduced);
}

/* ---- the points on them ---- */

/* The sets of a part for the columns of the working set: its weights and bounds there. */
typedef struct narrow_sets {
    gpis_context *context;
    bool penalised, constant, bounded;
    int64_t d;
    double *weight, *lo, *hi, *penalty; /* of the columns of the set */
    double *memory;                     /* owned: all of them */
    gpis_set *sum, *box;                /* owned: what the set of a value is made of */
} narrow_sets;

static gpis_status take_columns(const gpis_wide *w, const gpis_wide_part *p, const gpis_wide_columns *s,
                                narrow_sets *n) {
    const int64_t d = s->count;
    *n = (narrow_sets){.context = w->call->context,
                       .penalised = w->call->options.penalised,
                       .constant = w->call->given->intercept,
                       .d = d,
                       .memory = gpis_alloc(w->call->context, 4 * d, sizeof(double))};
    if (!n->memory) return GPIS_NO_MEMORY;
    n->weight = n->memory, n->lo = n->weight + d, n->hi = n->lo + d, n->penalty = n->hi + d;
    for (int64_t i = 0; i < d; i++) {
        n->weight[i] = p->shape.weight[s->columns[i]];
        n->lo[i] = p->shape.lo[s->columns[i]];
        n->hi[i] = p->shape.hi[s->columns[i]];
        n->bounded = n->bounded || !isinf(n->lo[i]) || !isinf(n->hi[i]);
    }
    return GPIS_OK;
}

/* The set of a value without penalty and constant, in *out. */
static gpis_status make_base(narrow_sets *n, double value, gpis_set **out) {
    gpis_status status = GPIS_OK;
    if (n->bounded) status = gpis_set_box(n->context, n->lo, n->hi, n->d, &n->box);
    if (status == GPIS_OK && !n->bounded && n->penalised) status = gpis_set_none(n->context, n->d, &n->box);
    if (status == GPIS_OK && !n->penalised) status = gpis_set_l1_weighted(n->context, value, n->weight, n->d, &n->sum);
    if (status != GPIS_OK) return status;
    gpis_set *const both[] = {n->sum, n->box};
    if (n->sum && n->box) return gpis_set_intersection(n->context, 2, both, out);
    *out = n->sum ? n->sum : n->box;
    n->sum = n->box = NULL; /* the caller has it */
    return GPIS_OK;
}

static void destroy_set(void *user, gpis_fit_set *set) {
    narrow_sets *n = user;
    if (set->all != set->core) gpis_set_destroy(set->all);
    gpis_set_destroy(set->core);
    gpis_set_destroy(n->sum);
    gpis_set_destroy(n->box);
    n->sum = n->box = NULL;
    *set = (gpis_fit_set){0};
}

static gpis_status make_set(void *user, double value, gpis_fit_set *out) {
    narrow_sets *n = user;
    gpis_set *base = NULL;
    *out = (gpis_fit_set){0};
    for (int64_t i = 0; i < n->d; i++) n->penalty[i] = value * n->weight[i];
    gpis_status status = make_base(n, value, &base);
    const gpis_extension core = {.penalty = n->penalised ? n->penalty : NULL},
                         all = {.constant = true, .penalty = core.penalty};
    out->core = out->all = base;
    if (status == GPIS_OK && n->penalised) {
        status = gpis_set_extend(n->context, base, &core, &out->core);
        if (status != GPIS_OK) out->core = NULL;
        n->sum = base; /* borrowed by the set with the penalty */
        out->all = out->core;
    }
    if (status == GPIS_OK && n->constant) status = gpis_set_extend(n->context, base, &all, &out->all);
    if (status != GPIS_OK) out->all = out->core;
    return status;
}

/* The path of one part, on the sums of the working set. */
static gpis_status walk(gpis_wide *w, const gpis_wide_columns *s, const gpis_path_call *inner, int64_t p,
                        gpis_wide_batch *b) {
    static const double SHARE = 0.1; /* of the tolerance: bounds over all columns have more to cover */
    gpis_path_part part = {0};
    narrow_sets n = {0};
    if (b->count == 0) return GPIS_OK;
    gpis_status status = gpis_path_part_begin(&part, inner, w->part[p].fold);
    if (status == GPIS_OK) status = take_columns(w, &w->part[p], s, &n);
    if (status == GPIS_OK) {
        const gpis_path_sets sets = {make_set, destroy_set, &n, n.penalised};
        gpis_path_walk path = {
            .fit = part.fit, .sets = &sets, .count = b->count, .values = b->values, .X = b->X, .points = b->points};
        part.fit->tol *= SHARE;
        status = gpis_path_walk_run(&path);
    }
    gpis_free(w->call->context, n.memory);
    gpis_path_part_end(&part);
    return status;
}

gpis_status gpis_wide_columns_solve(gpis_wide *w, const gpis_wide_columns *s, gpis_wide_batch *batches) {
    gpis_path_call *c = w->call;
    const gpis_summary_options o = gpis_path_summary_options(c, w->folds.count > 1, w->folds.seed);
    gpis_summary *summary = NULL;
    gpis_problem narrow = *c->given;
    gpis_path_call inner = *c;
    view v;
    gpis_status status = open_view(c->context, c->given->A, s->columns, s->count, &v);
    narrow.A = v.A;
    narrow.d = narrow.size = s->count;
    narrow.set = NULL;
    narrow.penalty = NULL;
    if (status == GPIS_OK) status = gpis_summary_make(&narrow, &o, &summary);
    if (status == GPIS_OK) {
        gpis_path_count_sweep(c);
        inner.given = &narrow;
        inner.base = gpis_summary_instead_of_rows(&narrow, summary);
        inner.data = summary;
    }
    for (int64_t p = 0; status == GPIS_OK && p < w->parts; p++) status = walk(w, s, &inner, p, &batches[p]);
    gpis_summary_destroy(summary);
    close_view(c->context, &v);
    return status;
}
