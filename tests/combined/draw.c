/* Random combined problems. All numbers that the set is made of are multiples of 1/8, so that equalities are exact. */
#include "draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct dice {
    uint64_t seed, stream, next;
} dice;

static double uniform(dice *r) {
    double u;
    gpis_random_uniform(r->seed, r->stream, r->next++, 1, &u);
    return u;
}

static double normal(dice *r) {
    double u;
    gpis_random_normal(r->seed, r->stream, r->next++, 1, &u);
    return u;
}

static bool chance(dice *r, double p) { return uniform(r) < p; }
static int whole(dice *r, int low, int high) { return low + (int)(uniform(r) * (high - low + 1)); }
static double eighths(dice *r, int low, int high) { return whole(r, low, high) / 8.0; }

/* ---- data ---- */

static void draw_rows(dice *r, combined *p) {
    const bool integers = chance(r, 0.3), scaled = chance(r, 0.2);
    p->d = whole(r, 1, 8);
    p->n = chance(r, 0.1) ? whole(r, 1, p->d) : p->d + whole(r, 2, 30);
    for (int i = 0; i < p->n; i++) {
        for (int j = 0; j < p->d; j++) p->A[i * p->d + j] = integers ? whole(r, -3, 3) : normal(r);
        p->y[i] = integers ? whole(r, -9, 9) : 3.0 * normal(r);
    }
    for (int j = 0; j < p->d; j++) {
        const double unit = scaled ? pow(10.0, whole(r, -3, 3)) : 1.0;
        const int other = whole(r, 0, p->d - 1);
        const bool copy = other < j && chance(r, 0.08), zero = chance(r, 0.03);
        for (int i = 0; i < p->n; i++) {
            double *a = &p->A[i * p->d + j];
            *a = zero ? 0.0 : copy ? p->A[i * p->d + other] : *a * unit;
        }
    }
}

static void draw_terms(dice *r, drawn *out) {
    combined *p = &out->p;
    out->weighted = chance(r, 0.4);
    out->shifted = chance(r, 0.3);
    out->penalised = chance(r, 0.4);
    p->constant = chance(r, 0.5);
    out->ridge = chance(r, 0.3) ? pow(10.0, whole(r, -4, 2)) : 0.0;
    out->lambda = out->penalised ? pow(2.0, whole(r, -6, 6)) : 0.0;
    for (int i = 0; i < p->n; i++) {
        p->weight[i] = !out->weighted || i == 0 ? 1.0 : chance(r, 0.1) ? 0.0 : pow(10.0, 4.0 * uniform(r) - 2.0);
        p->offset[i] = out->shifted ? normal(r) : 0.0;
    }
    for (int j = 0; j < p->d; j++) {
        out->penalty_weights[j] = pow(2.0, whole(r, -2, 2)) * !chance(r, 0.2);
        p->ridge[j] = out->ridge;
        p->lambda[j] = (quad)out->lambda * out->penalty_weights[j];
    }
}

/* ---- the set, around a point that is inside ---- */

static void draw_bounds(dice *r, drawn *out) {
    combined *p = &out->p;
    out->bounded = chance(r, 0.6);
    for (int j = 0; j < p->d; j++) {
        p->inside[j] = chance(r, 0.3) ? 0.0 : eighths(r, -12, 12);
        const int kind = out->bounded ? whole(r, 0, 9) : 9;
        p->lower[j] = kind <= 5 ? p->inside[j] - eighths(r, 1, 8) : -INFINITY;
        p->upper[j] = kind >= 3 && kind <= 7 ? p->inside[j] + eighths(r, 1, 8) : INFINITY;
        if (kind == 8) p->lower[j] = p->upper[j] = p->inside[j];
    }
}

/* Whether row i of C depends on the equalities before it and on the entries that are fixed. */
static bool is_dependent(const combined *p, int last) {
    double M[MAX_LINEAR + 1][MAX_COLUMNS] = {{0}};
    int count = 0, rank = 0;
    for (int i = 0; i <= last; i++) {
        if (i < last && p->row_lower[i] != p->row_upper[i]) continue;
        for (int j = 0; j < p->d; j++) M[count][j] = p->lower[j] == p->upper[j] ? 0.0 : p->C[i * p->d + j];
        count++;
    }
    for (int j = 0; j < p->d && rank < count; j++) {
        int best = rank;
        for (int i = rank + 1; i < count; i++)
            if (fabs(M[i][j]) > fabs(M[best][j])) best = i;
        if (fabs(M[best][j]) < 1e-9) continue;
        for (int c = 0; c < p->d; c++) {
            const double kept = M[rank][c];
            M[rank][c] = M[best][c], M[best][c] = kept;
        }
        for (int i = rank + 1; i < count; i++) {
            const double factor = M[i][j] / M[rank][j];
            for (int c = j; c < p->d; c++) M[i][c] -= factor * M[rank][c];
        }
        rank++;
    }
    return rank < count;
}

static void draw_linear(dice *r, combined *p) {
    p->rows = chance(r, 0.5) ? 0 : whole(r, 1, 5);
    for (int i = 0; i < p->rows; i++) {
        double at = 0.0;
        const bool equal = chance(r, 0.25), copy = i > 0 && chance(r, 0.1);
        for (int j = 0; j < p->d; j++) {
            double *c = &p->C[i * p->d + j];
            *c = copy ? p->C[(i - 1) * p->d + j] : chance(r, 0.5) ? 0.0 : whole(r, -3, 3);
            at += *c * p->inside[j];
        }
        p->row_lower[i] = chance(r, 0.5) ? at - eighths(r, 1, 16) : -INFINITY;
        p->row_upper[i] = !isfinite(p->row_lower[i]) || chance(r, 0.4) ? at + eighths(r, 1, 16) : INFINITY;
        if (equal) p->row_lower[i] = p->row_upper[i] = at;
        if (equal && is_dependent(p, i)) p->row_lower[i] = at - 0.5, p->row_upper[i] = at + 0.5;
    }
}

/* The last row again, if it is an equality: it follows from the one before. */
static void draw_redundant(dice *r, combined *p) {
    const int last = p->rows - 1;
    if (last < 0 || p->row_lower[last] != p->row_upper[last] || !chance(r, 0.5)) return;
    for (int j = 0; j < p->d; j++) p->C[p->rows * p->d + j] = 2.0 * p->C[last * p->d + j];
    p->row_lower[p->rows] = p->row_upper[p->rows] = 2.0 * p->row_lower[last];
    p->rows++;
    p->redundant = 1;
}

static void draw_sums(dice *r, combined *p) {
    p->sums = chance(r, 0.5) ? 0 : whole(r, 1, MAX_SUMS);
    for (int s = 0; s < p->sums; s++) {
        double total = 0.0;
        for (int j = 0; j < p->d; j++) {
            p->v[s][j] = chance(r, 0.2) ? 0.0 : pow(2.0, whole(r, -1, 1));
            total += p->v[s][j] * fabs(p->inside[j]);
        }
        p->R[s] = total + eighths(r, 1, 16);
    }
}

static void draw_curved(dice *r, drawn *out) {
    combined *p = &out->p;
    double sum2 = 0.0, sizes = 0.0;
    for (int j = 0; j < p->d; j++) sum2 += p->inside[j] * p->inside[j], sizes += fabs(p->inside[j]);
    if (chance(r, 0.5)) {
        p->ball = ceil(8.0 * sqrt(sum2)) / 8.0 + eighths(r, 1, 8);
    } else {
        p->group_R = sizes + eighths(r, 1, 8);
        for (int j = 0; j < p->d; j++) p->group[j] = whole(r, 0, j < 1 ? 0 : (int)p->group[j - 1] + 1);
        for (int j = 1; j < p->d; j++)
            if (p->group[j] > p->group[j - 1] + 1) p->group[j] = p->group[j - 1] + 1;
        out->grouped = true;
    }
}

void draw(uint64_t seed, uint64_t number, bool curved, drawn *out) {
    dice r = {.seed = seed, .stream = number + 1};
    memset(out, 0, sizeof *out);
    draw_rows(&r, &out->p);
    draw_terms(&r, out);
    draw_bounds(&r, out);
    draw_linear(&r, &out->p);
    draw_redundant(&r, &out->p);
    draw_sums(&r, &out->p);
    if (curved) draw_curved(&r, out);
    out->storage = whole(&r, 0, DRAWN_STORAGES - 1);
}

void describe_drawn(const drawn *d, char *text, size_t size) {
    const combined *p = &d->p;
    snprintf(text, size, "%d x %d:%s%s%s%s%s%s, %d rows (%d redundant), %d sums%s%s, storage %d", p->n, p->d,
             d->weighted ? " weights" : "", d->shifted ? " offset" : "", p->constant ? " constant" : "",
             d->ridge > 0 ? " ridge" : "", d->penalised ? " penalty" : "", d->bounded ? " bounds" : "", p->rows,
             p->redundant, p->sums, p->ball > 0 ? ", ball" : "", p->group_R > 0 ? ", groups" : "", d->storage);
}

/* ---- the problem for the library ---- */

static int make_rows(void *user, int64_t row0, int64_t nrows, double *rows) {
    const combined *p = user;
    memcpy(rows, p->A + row0 * p->d, (size_t)(nrows * p->d) * sizeof *rows);
    return 0;
}

static gpis_status compress(gpis_context *context, const combined *p, posed *out) {
    int64_t count = 0;
    for (int i = 0; i < p->n; i++) {
        out->indptr[i] = count;
        for (int j = 0; j < p->d; j++)
            if (p->A[i * p->d + j] != 0.0) {
                out->indices[count] = j;
                out->storage[count++] = p->A[i * p->d + j];
            }
    }
    out->indptr[p->n] = count;
    return gpis_source_csr(context, p->n, p->d, out->indptr, out->indices, out->storage, GPIS_FLOAT64, &out->A);
}

static gpis_status join(gpis_context *context, const combined *p, posed *out) {
    const int half = p->n / 2;
    gpis_status status =
        gpis_source_dense(context, p->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, half, p->d, p->d, &out->parts[0]);
    if (status == GPIS_OK)
        status = gpis_source_dense(context, p->A + half * p->d, GPIS_FLOAT64, GPIS_ROW_MAJOR, p->n - half, p->d, p->d,
                                   &out->parts[1]);
    return status == GPIS_OK ? gpis_source_join(context, out->parts, 2, NULL, &out->A) : status;
}

static gpis_status make_source(gpis_context *context, const drawn *d, posed *out) {
    const combined *p = &d->p;
    switch (d->storage) {
    case 1:
        for (int i = 0; i < p->n; i++)
            for (int j = 0; j < p->d; j++) out->storage[i + j * p->n] = p->A[i * p->d + j];
        return gpis_source_dense(context, out->storage, GPIS_FLOAT64, GPIS_COLUMN_MAJOR, p->n, p->d, p->n, &out->A);
    case 2: return compress(context, p, out);
    case 3: return gpis_source_callback(context, p->n, p->d, make_rows, (void *)p, 0, &out->A);
    case 4:
        if (p->n >= 2) return join(context, p, out);
        /* fall through */
    default: return gpis_source_dense(context, p->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, p->n, p->d, p->d, &out->A);
    }
}

static gpis_status make_set(gpis_context *context, const drawn *d, posed *out) {
    const combined *p = &d->p;
    gpis_status status = GPIS_OK;
    int count = 0;
    if (d->bounded) status = gpis_set_box(context, p->lower, p->upper, p->d, &out->pieces[count++]);
    if (status == GPIS_OK && p->rows > 0)
        status = gpis_set_linear(context, p->C, p->row_lower, p->row_upper, p->rows, p->d, NULL, &out->pieces[count++]);
    for (int s = 0; s < p->sums && status == GPIS_OK; s++)
        status = gpis_set_l1_weighted(context, p->R[s], p->v[s], p->d, &out->pieces[count++]);
    if (status == GPIS_OK && p->ball > 0) status = gpis_set_l2(context, p->ball, p->d, &out->pieces[count++]);
    if (status == GPIS_OK && d->grouped)
        status = gpis_set_group_by(context, p->group_R, p->group, p->d, &out->pieces[count++]);
    if (status != GPIS_OK || count == 0) return status;
    status = gpis_set_intersection(context, count, out->pieces, &out->set);
    return status == GPIS_OK ? gpis_problem_constrain(out->problem, out->set) : status;
}

gpis_status pose(gpis_context *context, const drawn *d, posed *out) {
    const combined *p = &d->p;
    memset(out, 0, sizeof *out);
    out->context = context;
    gpis_status status = make_source(context, d, out);
    if (status == GPIS_OK) status = gpis_problem_create(context, out->A, &out->problem);
    if (status == GPIS_OK) status = gpis_problem_response(out->problem, p->y, p->n, 1);
    if (status == GPIS_OK && d->weighted) status = gpis_problem_weights(out->problem, p->weight, p->n);
    if (status == GPIS_OK && d->shifted) status = gpis_problem_offset(out->problem, p->offset, p->n, 1);
    if (status == GPIS_OK && p->constant) status = gpis_problem_intercept(out->problem, 1);
    if (status == GPIS_OK && d->ridge > 0) status = gpis_problem_ridge(out->problem, d->ridge);
    if (status == GPIS_OK && d->penalised)
        status = gpis_problem_penalty(out->problem, d->lambda, d->penalty_weights, p->d);
    return status == GPIS_OK ? make_set(context, d, out) : status;
}

void unpose(posed *p) {
    gpis_problem_destroy(p->problem);
    gpis_set_destroy(p->set);
    for (size_t i = 0; i < sizeof p->pieces / sizeof *p->pieces; i++) gpis_set_destroy(p->pieces[i]);
    gpis_source_destroy(p->A);
    for (int i = 0; i < 2; i++) gpis_source_destroy(p->parts[i]);
}
