/*
 * tv:R: total variation sum |x_{i+1} - x_i| <= R. Exact, O(d log d), by the solution path of
 *   x(lambda) = argmin 1/2 ||x - v||^2 + lambda TV(x),
 * whose member with TV = R is the projection. In one dimension neighbours that become equal stay equal, and a jump
 * keeps the sign it has in v until it vanishes. So x(lambda) is given by which edges (i, i+1) have closed: on a block
 * of n equal entries with mean m and signs l, r of the jumps at its ends (0 at the border)
 *   x = m + lambda (r - l) / n,     dTV/dlambda = -Q,  Q = sum over blocks of (r - l)^2 / n,
 * and an edge of sign s between blocks of means a, b and lengths p, q closes at
 *   lambda = s (b - a) / ((1 - s l) / p + (1 - s r) / q),  l, r the signs on the far sides.
 * A heap gives the next edge to close until one block is left, where TV = 0. Then TV is summed backwards (all terms
 * are positive, so no digits are lost) to the segment that contains R, and the blocks of that segment give x.
 *
 * Recession cone: the constants. Core: members of mean zero; support(g) = R max_i |sum_{j<=i} (g_j - mean g)|.
 */
#include <math.h>
#include <string.h>

#include "linalg/accurate.h"
#include "set/edge_heap.h"
#include "set/kinds.h"

typedef struct tv_state {
    gpis_edge_heap heap;
    double *mean;           /* owned: of the block that starts at i */
    int64_t *length, *head; /* owned: of the block that starts at i; the start of the block that ends at i */
    signed char *sign;      /* owned: of jump i */
    int64_t *event;         /* owned: when edge i closed, counted from 0; -1: equal from the start */
    double *lambda, *drop;  /* owned: at each event, lambda and the fall of Q */
} tv_state;

static void destroy(gpis_set *s) {
    tv_state *t = s->state;
    gpis_edge_heap_clear(s->context, &t->heap);
    gpis_free(s->context, t->mean);
    gpis_free(s->context, t->length);
    gpis_free(s->context, t->head);
    gpis_free(s->context, t->sign);
    gpis_free(s->context, t->event);
    gpis_free(s->context, t->lambda);
    gpis_free(s->context, t->drop);
}

static gpis_status take_memory(gpis_set *s) {
    gpis_status status = gpis_set_take_state(s, sizeof(tv_state));
    if (status != GPIS_OK) return status;
    tv_state *t = s->state;
    const int64_t d = s->d;
    if ((status = gpis_edge_heap_take(s->context, &t->heap, d)) != GPIS_OK) return status;
    t->mean = gpis_alloc(s->context, d, sizeof(double));
    t->length = gpis_alloc(s->context, d, sizeof(int64_t));
    t->head = gpis_alloc(s->context, d, sizeof(int64_t));
    t->sign = gpis_alloc(s->context, d, 1);
    t->event = gpis_alloc(s->context, d, sizeof(int64_t));
    t->lambda = gpis_alloc(s->context, d, sizeof(double));
    t->drop = gpis_alloc(s->context, d, sizeof(double));
    const bool all = t->mean && t->length && t->head && t->sign && t->event && t->lambda && t->drop;
    return all ? GPIS_OK : GPIS_NO_MEMORY;
}

static double total_variation(const double *x, int64_t d) {
    gpis_sum sum = {0, 0};
    for (int64_t i = 0; i + 1 < d; i++) gpis_sum_add(&sum, fabs(x[i + 1] - x[i]));
    return gpis_sum_value(sum);
}

static double mean_of(const double *v, int64_t d) {
    gpis_sum sum = {0, 0};
    for (int64_t i = 0; i < d; i++) gpis_sum_add(&sum, v[i] / (double)d);
    return gpis_sum_value(sum);
}

/* The sign of the jump after entry i; 0 outside. */
static int sign_at(const tv_state *t, int64_t i, int64_t d) { return i < 0 || i + 1 >= d ? 0 : t->sign[i]; }

/* (r - l)^2 / n of the block that starts at i. */
static double bend(const tv_state *t, int64_t i, int64_t d) {
    const double r_l = sign_at(t, i + t->length[i] - 1, d) - sign_at(t, i - 1, d);
    return r_l * r_l / (double)t->length[i];
}

/* The lambda at which edge i, between two blocks, closes. */
static double closing(const tv_state *t, int64_t i, int64_t d) {
    const int64_t left = t->head[i], right = i + 1;
    const int s = t->sign[i];
    const double l = s * sign_at(t, left - 1, d), r = s * sign_at(t, right + t->length[right] - 1, d);
    const double rate = (1 - l) / (double)t->length[left] + (1 - r) / (double)t->length[right];
    return rate > 0 ? fmax(s * (t->mean[right] - t->mean[left]), 0) / rate : INFINITY;
}

/* Joins the blocks on both sides of edge i. */
static void join(tv_state *t, int64_t i) {
    const int64_t left = t->head[i], right = i + 1;
    const double p = (double)t->length[left], q = (double)t->length[right];
    t->mean[left] += (t->mean[right] - t->mean[left]) * (q / (p + q));
    t->length[left] += t->length[right];
    t->head[left + t->length[left] - 1] = left;
}

/* Blocks at lambda = 0: runs of equal entries of v. */
static void start(tv_state *t, const double *v, int64_t d) {
    for (int64_t i = 0; i < d; i++) {
        t->mean[i] = v[i];
        t->length[i] = 1;
        t->head[i] = i;
        t->event[i] = -1;
        t->sign[i] = i + 1 < d ? (signed char)((v[i + 1] > v[i]) - (v[i + 1] < v[i])) : 0;
    }
    for (int64_t i = 0; i + 1 < d; i++)
        if (t->sign[i] == 0) join(t, i);
    gpis_edge_heap_empty(&t->heap);
    for (int64_t i = 0; i + 1 < d; i++)
        if (t->sign[i] != 0) gpis_edge_heap_push(&t->heap, i, closing(t, i, d));
}

/* Closes all edges in the order of the path; returns the number of events. */
static int64_t follow_path(tv_state *t, int64_t d) {
    int64_t events = 0;
    double lambda = 0;
    for (; t->heap.count > 0; events++) {
        const int64_t i = gpis_edge_heap_pop(&t->heap, &t->lambda[events]);
        lambda = t->lambda[events] = fmax(lambda, t->lambda[events]);
        const int64_t left = t->head[i];
        const double before = bend(t, left, d) + bend(t, i + 1, d);
        join(t, i);
        t->drop[events] = before - bend(t, left, d);
        t->event[i] = events;
        const int64_t last = left + t->length[left] - 1;
        if (left > 0) gpis_edge_heap_update(&t->heap, left - 1, closing(t, left - 1, d));
        if (last + 1 < d) gpis_edge_heap_update(&t->heap, last, closing(t, last, d));
    }
    return events;
}

/* How many events have happened where TV falls through R. */
static int64_t find_segment(const tv_state *t, int64_t events, double R) {
    double Q = 0, tv = 0;
    for (int64_t j = events - 1; j >= 0; j--) {
        Q += t->drop[j];
        tv += Q * (t->lambda[j] - (j > 0 ? t->lambda[j - 1] : 0));
        if (tv >= R) return j;
    }
    return 0;
}

/* Writes x for the blocks that are there after `events` events, with the lambda that makes TV = R. */
static void write_segment(tv_state *t, const double *v, double *x, int64_t d, int64_t events, double R) {
    gpis_sum tv = {0, 0}; /* sum s_i (m_{b+1} - m_b) = sum of m_b (l - r) over the blocks */
    double Q = 0;
    for (int64_t i = 0, end; i < d; i = end) {
        for (end = i + 1; end < d && t->event[end - 1] < events; end++) continue;
        t->length[i] = end - i;
        t->mean[i] = mean_of(v + i, end - i);
        Q += bend(t, i, d);
        gpis_sum_add(&tv, t->mean[i] * (sign_at(t, i - 1, d) - sign_at(t, end - 1, d)));
    }
    const double lambda = Q > 0 ? fmax(gpis_sum_value(tv) - R, 0) / Q : 0;
    for (int64_t i = 0; i < d;) {
        const int64_t end = i + t->length[i];
        const double value = t->mean[i] + lambda * (sign_at(t, end - 1, d) - sign_at(t, i - 1, d)) / (double)(end - i);
        while (i < end) x[i++] = value;
    }
}

/* If entries are much larger than R, rounding can leave TV above R. Then x is moved towards its mean, a little further
 * each time until TV <= R, and finally onto the mean. */
static void settle(double *x, int64_t d, double R) {
    const double mean = mean_of(x, d);
    double give = 0, tv;
    for (int round = 0; (tv = total_variation(x, d)) > R * (1 + 1e-14); round++) {
        if (round > 0) give = fmax(2 * give, tv - R);
        const double shrink = fmax(R - give, 0) / tv;
        for (int64_t i = 0; i < d; i++) x[i] = mean + (x[i] - mean) * shrink;
    }
}

static gpis_status project(gpis_set *s, const double *v, double *x) {
    tv_state *t = s->state;
    const int64_t d = s->d;
    if (total_variation(v, d) <= s->R) {
        if (x != v) memcpy(x, v, (size_t)d * sizeof *x);
        return GPIS_OK;
    }
    const double mean = mean_of(v, d); /* subtracted first: entries far from zero would lose digits */
    for (int64_t i = 0; i < d; i++) x[i] = v[i] - mean;
    start(t, x, d);
    const int64_t events = follow_path(t, d);
    write_segment(t, x, x, d, s->R > 0 ? find_segment(t, events, s->R) : events, s->R);
    settle(x, d, s->R);
    for (int64_t i = 0; i < d; i++) x[i] += mean;
    settle(x, d, s->R);
    return GPIS_OK;
}

static gpis_status support(gpis_set *s, const double *g, double *value) {
    const double mean = mean_of(g, s->d);
    gpis_sum sum = {0, 0};
    double top = 0;
    for (int64_t i = 0; i + 1 < s->d; i++) {
        gpis_sum_add(&sum, g[i] - mean);
        top = fmax(top, fabs(gpis_sum_value(sum)));
    }
    *value = s->R * top;
    return GPIS_OK;
}

static gpis_status recession(gpis_set *s, const double *v, double *x) {
    const double mean = mean_of(v, s->d);
    for (int64_t i = 0; i < s->d; i++) x[i] = mean;
    return GPIS_OK;
}

const gpis_set_class gpis_kind_tv = {
    .name = "tv",
    .usage = "tv:R",
    .of_radius = gpis_set_tv,
    .project = project,
    .support = support,
    .recession = recession,
    .destroy = destroy,
    .support_low = gpis_chain_tv,
    .turn = gpis_set_turn_jumps,
};

/* The jumps are in the l1 ball; one entry has none. The radius is that of a step in the middle. */
gpis_status gpis_set_tv(gpis_context *context, double R, int64_t d, gpis_set **out) {
    gpis_set *s = NULL;
    gpis_status status = gpis_set_begin(context, &gpis_kind_tv, d, 1, false, out, &s);
    if (status == GPIS_OK) status = gpis_set_take_radius(s, R);
    if (status == GPIS_OK) status = take_memory(s);
    if (status == GPIS_OK && d > 1) status = gpis_set_l1(context, R, d - 1, &s->inside);
    if (status == GPIS_OK) {
        s->owns_inside = true;
        s->loose = d > 1;
        s->unbounded = s->constants = true;
        s->radius = R * sqrt((double)(d / 2) * (double)(d - d / 2) / (double)d);
    }
    return gpis_set_finish(s, status, out);
}
