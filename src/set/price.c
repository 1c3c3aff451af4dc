/* The prices of constraints, kind by kind. */
#include "set/price.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/accurate.h"
#include "set/kinds.h"
#include "set/penalised.h"
#include "set/polyhedron_state.h"

/* One column of X, or X as a whole for a set that works on it as a matrix. */
typedef struct question {
    gpis_set *set;
    const double *at, *l, *noise;
    int64_t response;
    const char *const *names; /* of the entries; NULL: x1, x2, ... */
    const int64_t *columns;   /* where the entries are in x; NULL: entry i is entry i; */
    bool elsewhere;           /* the entries are not those of x */
    gpis_price_fn take;
    void *user;
} question;

static gpis_status give(const question *q, const char *text, int64_t entry, double multiplier) {
    gpis_price price = {.response = q->response, .multiplier = multiplier};
    price.column = entry < 0 || q->elsewhere ? -1 : q->columns ? q->columns[entry] : entry;
    gpis_copy_text(price.text, sizeof price.text, text);
    return q->take(q->user, &price);
}

static gpis_status ask(const question *q);
static gpis_status ask_plain(const question *q);

/* How many numbers a question is about: an entry of x has q->set->k of them with `matrix`. */
static int64_t size_of(const gpis_set *s) { return s->matrix ? s->d * s->k : s->d; }

/* ---- penalties --------------------------------------------------------------------------------------------------- */

/* What the penalty lambda |x_j| leaves of l_j for the constraints; at 0 the slope of the penalty is anything up to
 * lambda, and a constraint that is loosened there has to make up for all of it. */
static double without_slope(double l, double lambda, double at) {
    if (at != 0.0) return l - copysign(lambda, at);
    return l > 0.0 ? fmax(0.0, l - lambda) : fmin(0.0, l + lambda);
}

/* Whether the penalty holds each entry by itself. A polyhedron takes it into account with its other multipliers, and in
 * a product each block does by itself. */
static bool has_slope(const gpis_set *s) {
    return s->penalised && (s->penalised->signs == GPIS_SIGNS_APART || s->penalised->signs == GPIS_SIGNS_FREE);
}

/* The price of the constraints alone. */
static gpis_status price_penalised(const question *q) {
    const gpis_set *s = q->set;
    double *l = gpis_alloc(s->context, s->d, sizeof *l);
    if (!l) return GPIS_NO_MEMORY;
    for (int64_t j = 0; j < s->d; j++) l[j] = without_slope(q->l[j], s->penalty[j], q->at[j]);
    question one = *q;
    one.l = l;
    const gpis_status status = ask_plain(&one);
    gpis_free(s->context, l);
    return status;
}

/* ---- polyhedra --------------------------------------------------------------------------------------------------- */

/* Multipliers of the rows and sums of a list, for which l is as near as can be to a normal at x. */
typedef struct multipliers {
    const gpis_polyhedron *list;
    const double *y, *nu;  /* of each row, of each sum */
    const double *penalty; /* that is shared out with them; NULL: none */
    double *rest;          /* d; what they leave of l for the bounds */
} multipliers;

static void find_rest(const question *q, const multipliers *m) {
    const gpis_polyhedron *list = m->list;
    double *r = m->rest;
    for (int64_t j = 0; j < list->d; j++) r[j] = q->l[j];
    for (int64_t i = 0; i < list->rows; i++)
        for (int64_t e = list->first[i]; m->y[i] != 0.0 && e < list->first[i + 1]; e++)
            r[list->column[e]] -= m->y[i] * list->value[e];
    for (int64_t j = 0; j < list->d; j++) {
        double kappa = m->penalty ? m->penalty[j] : 0.0;
        for (int64_t k = 0; k < list->sums; k++) kappa += m->nu[k] * list->weight[k * list->d + j];
        r[j] = without_slope(r[j], kappa, q->at[j]);
    }
}

/* The bounds of entries, of which r is the multiplier. */
static gpis_status price_entries(const question *q, const gpis_polyhedron *list, const double *r) {
    gpis_status status = GPIS_OK;
    for (int64_t j = 0; j < list->d && status == GPIS_OK; j++) {
        const bool low = q->at[j] <= list->lo[j], high = q->at[j] >= list->hi[j], fixed = low && high;
        const double price = low && !fixed ? -r[j] : r[j];
        char text[GPIS_CONSTRAINT_TEXT];
        if (!(low || high) || !(fabs(price) > q->noise[j]) || (!fixed && price < 0.0)) continue;
        gpis_polyhedron_text(list, q->names, j, high ? 1 : -1, text);
        status = give(q, text, j, price);
    }
    return status;
}

/* What counts as noise in the multiplier of a normal: the largest of its entries' noises, each in its unit. */
static double least_price(const question *q, const gpis_polyhedron *list, int64_t c) {
    double most = INFINITY;
    if (c >= list->rows) {
        for (int64_t j = 0; j < list->d; j++) {
            const double w = list->weight[(c - list->rows) * list->d + j];
            if (w > 0.0) most = fmin(most, q->noise[j] / w);
        }
        return most;
    }
    for (int64_t e = list->first[c]; e < list->first[c + 1]; e++)
        most = fmin(most, q->noise[list->column[e]] / fabs(list->value[e]));
    return most;
}

static gpis_status price_rows(const question *q, const multipliers *m) {
    const gpis_polyhedron *list = m->list;
    gpis_status status = GPIS_OK;
    for (int64_t c = 0; c < list->rows + list->sums && status == GPIS_OK; c++) {
        const bool sum = c >= list->rows;
        const double y = sum ? m->nu[c - list->rows] : m->y[c];
        char text[GPIS_CONSTRAINT_TEXT];
        if (!(fabs(y) > least_price(q, list, c))) continue;
        const bool equal = !sum && list->lower[c] == list->upper[c];
        gpis_polyhedron_text(list, q->names, list->d + c, y > 0.0 ? 1 : -1, text);
        status = give(q, text, -1, equal ? y : fabs(y));
    }
    return status;
}

static gpis_status price_constraints(const question *q, const multipliers *m) {
    find_rest(q, m);
    const gpis_status status = price_entries(q, m->list, m->rest);
    return status == GPIS_OK ? price_rows(q, m) : status;
}

/* By a fit of all multipliers together, which needs the constraints as a polyhedron. */
static gpis_status price_by_fit(const question *q) {
    gpis_set *s = q->set;
    gpis_polyhedron *list = NULL;
    gpis_status status = GPIS_OK;
    if (!s->polyhedron && !s->priced) {
        status = gpis_polyhedron_create(s->context, s->d, &list);
        if (status == GPIS_OK) status = gpis_polyhedron_add_set(list, s, NULL, NULL);
        if (status == GPIS_OK)
            status = gpis_polyhedron_keep(list, s->spec, has_slope(s) ? NULL : s->penalty, &s->priced);
        else
            gpis_polyhedron_destroy(list);
    }
    if (status != GPIS_OK) return status;
    if (!s->polyhedron) s = s->priced;
    status = gpis_polyhedron_fit(s, q->at, GPIS_MET, q->l);
    const gpis_polyhedron_state *p = s->state;
    return status == GPIS_OK ? price_constraints(q, &(multipliers){s->polyhedron, p->y, p->nu, s->penalty, p->along})
                             : status;
}

/* ---- one sum ----------------------------------------------------------------------------------------------------- */

/* Entry j of l along the sum: of x_j, or of |x_j|. */
static double along_sum(const question *q, int64_t j) {
    if (q->set->sum != GPIS_SUM_OF_SIZES_WITHIN) return q->l[j];
    return q->at[j] > 0.0 ? q->l[j] : q->at[j] < 0.0 ? -q->l[j] : fabs(q->l[j]);
}

/*
 * The multiplier nu of the sum of a set of bounds (lower ones of 0, or none that is met) and one sum that x meets: what
 * is left of l, without the bounds of the entries H that are 0, is
 *
 *     sum over the others of (l_j - nu)^2 + sum over H of max(0, l_j - nu)^2,
 *
 * whose derivative falls with nu and is convex, so that Newton's method ends after a few steps from below. False: all
 * entries are 0.
 */
static bool find_multiplier(const question *q, double *nu) {
    const int64_t d = q->set->d;
    int64_t count = 0, before = -1;
    *nu = INFINITY;
    while (count != before) {
        double sum = 0.0;
        before = count;
        count = 0;
        for (int64_t j = 0; j < d; j++)
            if (q->at[j] != 0.0 || along_sum(q, j) > *nu) sum += along_sum(q, j), count++;
        if (count == 0) return false;
        *nu = sum / (double)count;
    }
    return true;
}

/* The sum of the set is the only row, or the only sum, of its list. */
static gpis_status price_sum(const question *q, const gpis_polyhedron *list) {
    const gpis_set *s = q->set;
    gpis_sum total = {0, 0};
    double nu = 0.0;
    for (int64_t j = 0; j < s->d; j++) gpis_sum_add(&total, fabs(q->at[j]));
    const bool met = s->sum == GPIS_SUM_IS_R || gpis_sum_value(total) >= (1.0 - GPIS_MET) * s->R;
    if (met && !find_multiplier(q, &nu)) return price_by_fit(q);
    if (s->sum != GPIS_SUM_IS_R) nu = fmax(0.0, nu);
    double *rest = gpis_alloc(s->context, s->d, sizeof *rest);
    if (!rest) return GPIS_NO_MEMORY;
    const gpis_status status = price_constraints(q, &(multipliers){list, &nu, &nu, NULL, rest});
    gpis_free(s->context, rest);
    return status;
}

static gpis_status price_polyhedron(const question *q) {
    const gpis_set *s = q->set;
    const gpis_polyhedron *list;
    const gpis_status status = gpis_polyhedron_of(q->set, &list);
    if (status != GPIS_OK) return status;
    const bool apart = !s->penalty || has_slope(s); /* the penalty is in l already */
    if (list->rows + list->sums == 0 && apart) return price_entries(q, list, q->l);
    return s->class->bounds && apart ? price_sum(q, list) : price_by_fit(q);
}

/* x_i <= x_(i+1) has the price l_1 + ... + l_i. */
static gpis_status price_order(const question *q) {
    double sum = 0.0, noise = 0.0;
    gpis_status status = GPIS_OK;
    for (int64_t i = 0; i + 1 < q->set->d && status == GPIS_OK; i++) {
        char text[GPIS_PRICE_TEXT], left[GPIS_NUMBER_TEXT], right[GPIS_NUMBER_TEXT];
        sum += q->l[i];
        noise += q->noise[i];
        if (q->at[i] != q->at[i + 1] || !(sum > noise)) continue;
        snprintf(text, sizeof text, "%.70s <= %.70s", gpis_set_entry_name(q->names, i, left),
                 gpis_set_entry_name(q->names, i + 1, right));
        status = give(q, text, -1, sum);
    }
    return status;
}

/* ---- others ------------------------------------------------------------------------------------------------------ */

static gpis_status price_norm(const question *q) {
    const gpis_set *s = q->set;
    const int64_t n = size_of(s), k = n / s->d;
    double along = 0.0, noise = 0.0;
    for (int64_t i = 0; i < n; i++) {
        along += q->l[i] * q->at[i];
        noise += q->noise[i / k] * fabs(q->at[i]);
    }
    return s->R > 0.0 && along > noise ? give(q, s->spec, -1, along / s->R) : GPIS_OK;
}

static gpis_status price_parts(const question *q) {
    const int64_t *own, width = q->set->matrix ? q->set->k : 1;
    const gpis_penalised *penalised = q->set->penalised; /* has the blocks with their penalties */
    gpis_set *part;
    gpis_status status = GPIS_OK;
    for (int64_t b = 0; status == GPIS_OK && (part = q->set->class->part(q->set, b, &own)); b++) {
        if (penalised) part = penalised->part[b];
        const int64_t n = part->d;
        double *memory = gpis_alloc(part->context, (2 * width + 1) * n, sizeof *memory);
        int64_t *columns = gpis_alloc(part->context, n, sizeof *columns);
        double *at = memory, *l = memory + width * n, *noise = memory + 2 * width * n;
        if (!memory || !columns) status = GPIS_NO_MEMORY;
        for (int64_t first = 0; first < width && status == GPIS_OK; first += part->matrix ? width : 1) {
            const int64_t step = part->matrix ? width : 1;
            for (int64_t i = 0; i < n; i++) {
                columns[i] = q->columns ? q->columns[own[i]] : own[i];
                noise[i] = q->noise[own[i]];
                for (int64_t c = 0; c < step; c++) {
                    at[i * step + c] = q->at[own[i] * width + first + c];
                    l[i * step + c] = q->l[own[i] * width + first + c];
                }
            }
            question one = *q;
            one.set = part, one.at = at, one.l = l, one.noise = noise, one.columns = columns;
            one.names = (const char *const *)part->names;
            one.response = q->response + first;
            status = ask(&one);
        }
        gpis_free(part->context, memory);
        gpis_free(part->context, columns);
    }
    return status;
}

/* Each column of `in` in other coordinates. */
static void turn_columns(const gpis_set *s, gpis_way way, const double *in, double *out, double *column) {
    const int64_t d = s->d, k = size_of(s) / d;
    for (int64_t c = 0; c < k; c++) {
        for (int64_t j = 0; j < d; j++) column[j] = in[j * k + c];
        s->class->turn(s, way, 1, column, column + d);
        for (int64_t j = 0; j < d; j++) out[j * k + c] = column[d + j];
    }
}

/* Entries that are 0, or at a bound, are so only up to the rounding of the change of coordinates. Since l is normal to
 * the set at z, z is also the member nearest to z + theta l (with a penalty, the prox), whose entries are exact. */
static gpis_status find_member(gpis_set *inside, const double *l, double *z, double *scratch) {
    const int64_t n = size_of(inside);
    const double norm = gpis_max_abs(l, n), theta = norm > 0.0 ? gpis_max_abs(z, n) / norm : 0.0;
    for (int64_t i = 0; i < n; i++) scratch[i] = z[i] + theta * l[i];
    return gpis_set_prox_part(inside, theta, scratch, z);
}

/* In other coordinates, K = {T z}: <l, T z> = <T'l, z>. */
static gpis_status price_inside(const question *q) {
    gpis_set *s = q->set;
    const int64_t d = s->d, n = size_of(s), loose = s->loose * (n / d);
    double *memory = gpis_alloc(s->context, 3 * n + 2 * d, sizeof *memory), most = 0.0;
    if (!memory) return GPIS_NO_MEMORY;
    double *z = memory, *l = memory + n, *scratch = memory + 2 * n, *noise = memory + 3 * n;
    turn_columns(s, GPIS_TO_INSIDE, q->at, z, noise);
    turn_columns(s, GPIS_TRANSPOSED, q->l, l, noise);
    for (int64_t j = 0; j < d; j++) most = fmax(most, q->noise[j]);
    for (int64_t j = 0; j < d; j++) noise[j] = most * sqrt((double)d);
    question one = *q;
    one.set = s->inside, one.names = (const char *const *)s->inside->names, one.elsewhere = true;
    one.at = z + loose, one.l = l + loose, one.noise = noise + s->loose;
    gpis_status status = find_member(s->inside, l + loose, z + loose, scratch);
    if (status == GPIS_OK) status = ask(&one);
    gpis_free(s->context, memory);
    return status;
}

/* The split of l among the sets that x is in. Where they meet, x is on each of them only up to rounding. */
static gpis_status price_pieces(const question *q) {
    gpis_set *s = q->set, *piece;
    const int64_t n = size_of(s);
    double *l = gpis_alloc(s->context, 4 * n, sizeof *l), value, slack;
    if (!l) return GPIS_NO_MEMORY;
    memcpy(l, q->l, (size_t)n * sizeof *l);
    gpis_status status = s->class->support_at(s, q->at, l, &value, &slack);
    for (int64_t i = 0; status == GPIS_OK && (piece = s->class->piece(s, i)); i++) {
        question one = *q;
        memcpy(l + n, s->class->share(s, i), (size_t)n * sizeof *l);
        one.set = piece;
        one.l = l + n;
        one.at = l + 2 * n;
        if (!piece->matrix && s->matrix) continue; /* a set for each column beside one for X: no text for it */
        memcpy(l + 2 * n, q->at, (size_t)n * sizeof *l);
        status = find_member(piece, one.l, l + 2 * n, l + 3 * n);
        if (status == GPIS_OK) status = ask(&one);
    }
    gpis_free(s->context, l);
    return status;
}

static gpis_status ask_plain(const question *q) {
    const gpis_set *s = q->set;
    if (s->class->piece) return price_pieces(q);
    if (s->shape == GPIS_SHAPE_ORDERED) return price_order(q);
    if (s->class->part && !gpis_polyhedron_describes(s)) return price_parts(q);
    if (s->constants || s->group || s->class->groups || s->shape == GPIS_SHAPE_BALL || s->class->relative_support)
        return price_norm(q);
    if (gpis_polyhedron_describes(s)) return price_polyhedron(q);
    return s->inside ? price_inside(q) : GPIS_OK;
}

static gpis_status ask(const question *q) {
    const gpis_set *s = q->set;
    if (!s->has_support || s->shape == GPIS_SHAPE_WHOLE) return GPIS_OK;
    return has_slope(s) ? price_penalised(q) : ask_plain(q);
}

gpis_status gpis_set_prices_part(gpis_set *set, const double *at, const double *l, const double *noise,
                                 gpis_price_fn take, void *user) {
    const question q = {.set = set,
                        .at = at,
                        .l = l,
                        .noise = noise,
                        .names = (const char *const *)set->names,
                        .take = take,
                        .user = user};
    return ask(&q);
}

gpis_status gpis_set_prices(gpis_set *set, const double *at, const double *l, const double *noise, gpis_price_fn take,
                            void *user) {
    question q = {.set = set, .noise = noise, .names = (const char *const *)set->names, .take = take, .user = user};
    if (set->matrix || set->k == 1) return gpis_set_prices_part(set, at, l, noise, take, user);
    gpis_status status = GPIS_OK;
    double *memory = gpis_alloc(set->context, 2 * set->d, sizeof *memory);
    if (!memory) return GPIS_NO_MEMORY;
    for (int64_t c = 0; c < set->k && status == GPIS_OK; c++) {
        for (int64_t j = 0; j < set->d; j++) {
            memory[j] = at[j * set->k + c];
            memory[set->d + j] = l[j * set->k + c];
        }
        q.at = memory, q.l = memory + set->d, q.response = c;
        status = ask(&q);
    }
    gpis_free(set->context, memory);
    return status;
}
