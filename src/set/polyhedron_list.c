/* The list of the constraints of a polyhedron, and the sets that are such lists. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "set/kinds.h"
#include "set/polyhedron.h"

gpis_status gpis_polyhedron_create(gpis_context *context, int64_t d, gpis_polyhedron **out) {
    gpis_polyhedron *p = *out = gpis_alloc_zero(context, 1, sizeof *p);
    if (!p) return GPIS_NO_MEMORY;
    p->context = context;
    p->d = d;
    p->lo = gpis_alloc(context, d, sizeof(double));
    p->hi = gpis_alloc(context, d, sizeof(double));
    p->first = gpis_alloc_zero(context, 1, sizeof *p->first);
    for (int64_t j = 0; p->lo && p->hi && j < d; j++) p->lo[j] = -INFINITY, p->hi[j] = INFINITY;
    return p->lo && p->hi && p->first ? GPIS_OK : GPIS_NO_MEMORY;
}

void gpis_polyhedron_destroy(gpis_polyhedron *p) {
    if (!p) return;
    for (int64_t i = 0; i < p->rows; i++) gpis_free(p->context, p->row_name[i]);
    for (int64_t k = 0; k < p->sums; k++) gpis_free(p->context, p->sum_name[k]);
    void *const all[] = {p->lo,    p->hi,       p->first,  p->column, p->value,   p->lower,
                         p->upper, p->row_name, p->weight, p->R,      p->sum_name};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpis_free(p->context, all[i]);
    gpis_free(p->context, p);
}

/* ---- constraints ------------------------------------------------------------------------------------------------- */

void gpis_polyhedron_add_bounds(gpis_polyhedron *p, int64_t j, double lo, double hi) {
    p->lo[j] = fmax(p->lo[j], lo == 0 ? 0 : lo); /* -0 is 0 */
    p->hi[j] = fmin(p->hi[j], hi == 0 ? 0 : hi);
}

static gpis_status grow(gpis_polyhedron *p, void **memory, int64_t used, int64_t wanted, size_t size) {
    int64_t capacity = used;
    return gpis_grow(p->context, memory, &capacity, used, wanted, size);
}

/* Room for one more row of so many entries. All arrays have as much room as the first, and one number more. */
static gpis_status make_room(gpis_polyhedron *p, int64_t count) {
    const int64_t entries = p->first[p->rows], rows = p->rows;
    gpis_status status = GPIS_OK;
    if (entries + count > p->entry_room) {
        const int64_t room = gpis_max64(2 * p->entry_room, entries + count);
        status = grow(p, (void **)&p->column, entries, room, sizeof *p->column);
        if (status == GPIS_OK) status = grow(p, (void **)&p->value, entries, room, sizeof *p->value);
        if (status == GPIS_OK) p->entry_room = room;
    }
    if (status != GPIS_OK || rows < p->row_room) return status;
    const int64_t room = gpis_max64(2 * p->row_room, 4);
    status = grow(p, (void **)&p->first, rows + 1, room + 1, sizeof *p->first);
    if (status == GPIS_OK) status = grow(p, (void **)&p->lower, rows, room, sizeof *p->lower);
    if (status == GPIS_OK) status = grow(p, (void **)&p->upper, rows, room, sizeof *p->upper);
    if (status == GPIS_OK) status = grow(p, (void **)&p->row_name, rows, room, sizeof *p->row_name);
    if (status == GPIS_OK) p->row_room = room;
    return status;
}

/* lower <= c x_j <= upper as bounds of x_j. Returns false if they would not be exact. */
static bool add_as_bounds(gpis_polyhedron *p, int64_t j, double c, double lower, double upper) {
    const double a = lower / c, b = upper / c;
    const bool exact = (isinf(lower) || fma(a, c, -lower) == 0) && (isinf(upper) || fma(b, c, -upper) == 0);
    if (!exact || (isinf(a) && !isinf(lower)) || (isinf(b) && !isinf(upper))) return false;
    gpis_polyhedron_add_bounds(p, j, c > 0 ? a : b, c > 0 ? b : a);
    return true;
}

gpis_status gpis_polyhedron_add_row(gpis_polyhedron *p, int64_t count, const int64_t *column, const double *value,
                                    double lower, double upper, const char *name) {
    int64_t entries = 0, last = -1;
    for (int64_t i = 0; i < count; i++)
        if (value[i] != 0) entries++, last = i;
    if (isinf(lower) && isinf(upper) && lower < 0 && upper > 0) return GPIS_OK;
    if (entries == 1 && add_as_bounds(p, column[last], value[last], lower, upper)) return GPIS_OK;
    const gpis_status status = make_room(p, entries);
    if (status != GPIS_OK) return status;
    char *copy = name ? gpis_duplicate_text(p->context, name) : NULL;
    if (name && !copy) return GPIS_NO_MEMORY;
    int64_t at = p->first[p->rows];
    for (int64_t i = 0; i < count; i++)
        if (value[i] != 0) p->column[at] = column[i], p->value[at++] = value[i];
    p->lower[p->rows] = lower == 0 ? 0 : lower;
    p->upper[p->rows] = upper == 0 ? 0 : upper;
    p->row_name[p->rows++] = copy;
    p->first[p->rows] = at;
    return GPIS_OK;
}

gpis_status gpis_polyhedron_add_sum(gpis_polyhedron *p, int64_t count, const int64_t *column, const double *weight,
                                    double R, const char *name) {
    for (int64_t i = 0; R == 0.0 && i < count; i++)
        if (weight[i] > 0.0) gpis_polyhedron_add_bounds(p, column[i], 0.0, 0.0);
    if (R == 0.0) return GPIS_OK;
    if (p->sums == p->sum_room) {
        const int64_t room = gpis_max64(2 * p->sum_room, 2);
        gpis_status status = grow(p, (void **)&p->weight, p->sums * p->d, room * p->d, sizeof *p->weight);
        if (status == GPIS_OK) status = grow(p, (void **)&p->R, p->sums, room, sizeof *p->R);
        if (status == GPIS_OK) status = grow(p, (void **)&p->sum_name, p->sums, room, sizeof *p->sum_name);
        if (status != GPIS_OK) return status;
        p->sum_room = room;
    }
    char *copy = gpis_duplicate_text(p->context, name);
    if (!copy) return GPIS_NO_MEMORY;
    double *w = p->weight + p->sums * p->d;
    memset(w, 0, (size_t)p->d * sizeof *w);
    for (int64_t i = 0; i < count; i++) w[column[i]] = weight[i];
    p->R[p->sums] = R;
    p->sum_name[p->sums++] = copy;
    return GPIS_OK;
}

/* ---- sets -------------------------------------------------------------------------------------------------------- */

bool gpis_polyhedron_describes(const gpis_set *set) {
    const int64_t *columns;
    if (set->matrix) return false;
    if (set->polyhedron || set->class->bounds || set->class->equations) return true;
    if (set->shape == GPIS_SHAPE_WHOLE || set->shape == GPIS_SHAPE_ORDERED) return true;
    if (!set->class->part) return false;
    for (int64_t i = 0; set->class->part(set, i, &columns); i++)
        if (!gpis_polyhedron_describes(set->class->part(set, i, &columns))) return false;
    return true;
}

/* A set, where its entries are, and scratch for a row of it. */
typedef struct piece {
    const gpis_set *set;
    const double *scale; /* NULL: ones */
    int64_t *place;      /* set->d: the columns */
    double *value;       /* set->d */
} piece;

static double scale_of(const piece *s, int64_t i) { return s->scale ? s->scale[i] : 1.0; }

/* The row in `value` of all entries of the piece. Columns that are not ascending are sorted with their values. */
static gpis_status add_all(gpis_polyhedron *p, const piece *s, double lower, double upper, const char *name) {
    int64_t *column = gpis_alloc(p->context, s->set->d, sizeof *column);
    double *dense = gpis_alloc_zero(p->context, p->d, sizeof *dense);
    gpis_status status = column && dense ? GPIS_OK : GPIS_NO_MEMORY;
    if (status == GPIS_OK) {
        int64_t count = 0;
        for (int64_t i = 0; i < s->set->d; i++) dense[s->place[i]] = s->value[i];
        for (int64_t j = 0; j < p->d; j++)
            if (dense[j] != 0) column[count] = j, dense[count++] = dense[j];
        status = gpis_polyhedron_add_row(p, count, column, dense, lower, upper, name);
    }
    gpis_free(p->context, column);
    gpis_free(p->context, dense);
    return status;
}

/* Entries >= 0 whose sum is 0, or at most 0, are held at 0: beside a row, rounding would leave something of them. */
static gpis_status add_bounds_and_sum(gpis_polyhedron *p, const piece *s) {
    const gpis_set *set = s->set;
    const char *name = set->sum_text ? set->sum_text : set->spec;
    bool zero = set->R == 0.0 && (set->sum == GPIS_SUM_IS_R || set->sum == GPIS_SUM_AT_MOST_R);
    for (int64_t i = 0; i < set->d; i++) {
        double lo, hi;
        set->class->bounds(set, i, &lo, &hi);
        gpis_polyhedron_add_bounds(p, s->place[i], lo / scale_of(s, i), hi / scale_of(s, i));
        s->value[i] = scale_of(s, i);
        zero = zero && lo >= 0.0;
    }
    for (int64_t i = 0; zero && i < set->d; i++) gpis_polyhedron_add_bounds(p, s->place[i], 0.0, 0.0);
    if (zero) return GPIS_OK;
    if (set->sum == GPIS_SUM_OF_SIZES_WITHIN)
        return gpis_polyhedron_add_sum(p, set->d, s->place, s->value, set->R, name);
    if (set->sum == GPIS_SUM_ANY) return GPIS_OK;
    return add_all(p, s, set->sum == GPIS_SUM_IS_R ? set->R : -INFINITY, set->R, name);
}

static gpis_status add_equations(gpis_polyhedron *p, const piece *s) {
    int64_t count;
    const double *C, *b;
    gpis_status status = GPIS_OK;
    s->set->class->equations(s->set, &count, &C, &b);
    for (int64_t r = 0; r < count && status == GPIS_OK; r++) {
        for (int64_t i = 0; i < s->set->d; i++) s->value[i] = C[r * s->set->d + i] * scale_of(s, i);
        status = add_all(p, s, b[r], b[r], NULL);
    }
    return status;
}

static gpis_status add_order(gpis_polyhedron *p, const piece *s) {
    gpis_status status = GPIS_OK;
    for (int64_t i = 0; i + 1 < s->set->d && status == GPIS_OK; i++) {
        const bool ascending = s->place[i] < s->place[i + 1];
        const int64_t column[2] = {s->place[ascending ? i : i + 1], s->place[ascending ? i + 1 : i]};
        const double left = scale_of(s, i), right = -scale_of(s, i + 1);
        const double value[2] = {ascending ? left : right, ascending ? right : left};
        status = gpis_polyhedron_add_row(p, 2, column, value, -INFINITY, 0, NULL);
    }
    return status;
}

static gpis_status add_polyhedron(gpis_polyhedron *p, const piece *s) {
    const gpis_polyhedron *q = s->set->polyhedron;
    gpis_status status = GPIS_OK;
    for (int64_t i = 0; i < q->d; i++)
        gpis_polyhedron_add_bounds(p, s->place[i], q->lo[i] / scale_of(s, i), q->hi[i] / scale_of(s, i));
    for (int64_t r = 0; r < q->rows && status == GPIS_OK; r++) {
        memset(s->value, 0, (size_t)q->d * sizeof *s->value);
        for (int64_t e = q->first[r]; e < q->first[r + 1]; e++)
            s->value[q->column[e]] = q->value[e] * scale_of(s, q->column[e]);
        status = add_all(p, s, q->lower[r], q->upper[r], q->row_name[r]);
    }
    for (int64_t k = 0; k < q->sums && status == GPIS_OK; k++) {
        for (int64_t i = 0; i < q->d; i++) s->value[i] = q->weight[k * q->d + i] * scale_of(s, i);
        status = gpis_polyhedron_add_sum(p, q->d, s->place, s->value, q->R[k], q->sum_name[k]);
    }
    return status;
}

static gpis_status add_parts(gpis_polyhedron *p, const piece *s) {
    const int64_t *own;
    const gpis_set *part;
    gpis_status status = GPIS_OK;
    for (int64_t b = 0; status == GPIS_OK && (part = s->set->class->part(s->set, b, &own)); b++) {
        int64_t *here = gpis_alloc(p->context, part->d, sizeof *here);
        double *scale = gpis_alloc(p->context, part->d, sizeof *scale);
        if (!here || !scale) status = GPIS_NO_MEMORY;
        for (int64_t i = 0; status == GPIS_OK && i < part->d; i++)
            here[i] = s->place[own[i]], scale[i] = scale_of(s, own[i]);
        if (status == GPIS_OK) status = gpis_polyhedron_add_set(p, part, here, s->scale ? scale : NULL);
        gpis_free(p->context, here);
        gpis_free(p->context, scale);
    }
    return status;
}

static gpis_status add_piece(gpis_polyhedron *p, const piece *s) {
    if (s->set->polyhedron) return add_polyhedron(p, s);
    if (s->set->class->bounds) return add_bounds_and_sum(p, s);
    if (s->set->class->equations) return add_equations(p, s);
    if (s->set->shape == GPIS_SHAPE_ORDERED) return add_order(p, s);
    return s->set->class->part ? add_parts(p, s) : GPIS_OK;
}

gpis_status gpis_polyhedron_add_set(gpis_polyhedron *p, const gpis_set *set, const int64_t *columns,
                                    const double *scale) {
    piece s = {set, scale, gpis_alloc(p->context, set->d, sizeof *s.place),
               gpis_alloc(p->context, set->d, sizeof *s.value)};
    gpis_status status = s.place && s.value ? GPIS_OK : GPIS_NO_MEMORY;
    for (int64_t i = 0; status == GPIS_OK && i < set->d; i++) s.place[i] = columns ? columns[i] : i;
    if (status == GPIS_OK) status = add_piece(p, &s);
    gpis_free(p->context, s.place);
    gpis_free(p->context, s.value);
    return status;
}

/* Threads that ask at the same time make a list each; the first one stays. */
gpis_status gpis_polyhedron_of(gpis_set *set, const gpis_polyhedron **out) {
    gpis_polyhedron *list = NULL, *first = NULL;
    *out = set->polyhedron ? set->polyhedron : set->listed;
    if (*out) return GPIS_OK;
    gpis_status status = gpis_polyhedron_create(set->context, set->d, &list);
    if (status == GPIS_OK) status = gpis_polyhedron_add_set(list, set, NULL, NULL);
    const bool kept = status == GPIS_OK && atomic_compare_exchange_strong(&set->listed, &first, list);
    *out = kept ? list : first;
    if (!kept) gpis_polyhedron_destroy(list);
    return status;
}
