/* Random small polyhedra, as sets and as lists of inequalities (faces.h). */
#ifndef GPIS_TESTS_DRAW_H
#define GPIS_TESTS_DRAW_H

#include "base/random.h"
#include "set/faces.h"
#include "set/world.h"

/* A random polyhedron of d entries in both forms. Integer data make degenerate corners common. */
typedef struct random_polyhedron {
    faces f;
    gpis_set *set;
    gpis_set *pieces[8];
    int count;
    double inside[FACES_D]; /* a member */
} random_polyhedron;

static inline double pick(uint64_t seed, int64_t at) {
    const gpis_bits bits = gpis_random_bits(seed, gpis_stream(GPIS_STREAM_USER, 78), (uint64_t)at);
    return (double)gpis_random_below(bits.v[0], 1000000) / 1e6;
}

static inline double whole(uint64_t seed, int64_t at, int from, int to) {
    return from + floor(pick(seed, at) * (to - from + 1));
}

static inline void draw_bounds(gpis_context *context, random_polyhedron *p, uint64_t seed) {
    double lo[FACES_D], hi[FACES_D];
    const int d = p->f.d;
    for (int j = 0; j < d; j++) {
        const double kind = pick(seed, 100 + j), x = p->inside[j];
        lo[j] = kind < 0.3 ? -INFINITY : kind < 0.5 ? x : x - whole(seed, 120 + j, 0, 2);
        hi[j] = kind > 0.8 ? INFINITY : kind < 0.1 ? fmax(lo[j], x) : x + whole(seed, 140 + j, 0, 3);
        faces_bound(&p->f, j, lo[j], hi[j]);
    }
    assert_ok(context, gpis_set_box(context, lo, hi, d, &p->pieces[p->count++]));
}

static inline void draw_rows(gpis_context *context, random_polyhedron *p, uint64_t seed, int rows) {
    double C[8 * FACES_D], lower[8], upper[8];
    const int d = p->f.d;
    for (int i = 0; i < rows; i++) {
        double value = 0;
        for (int j = 0; j < d; j++) {
            C[i * d + j] = i > 0 && pick(seed, 300 + i) < 0.25 ? 2 * C[(i - 1) * d + j] /* dependent */
                                                               : whole(seed, 200 + 10 * i + j, -2, 2);
            value += C[i * d + j] * p->inside[j];
        }
        const double kind = pick(seed, 320 + i);
        lower[i] = kind < 0.3 ? value : kind < 0.5 ? -INFINITY : value - whole(seed, 340 + i, 0, 2);
        upper[i] = kind < 0.2 ? value : kind > 0.8 ? INFINITY : value + whole(seed, 360 + i, 0, 2);
        faces_row(&p->f, C + i * d, lower[i], upper[i]);
    }
    assert_ok(context, gpis_set_linear(context, C, lower, upper, rows, d, NULL, &p->pieces[p->count++]));
}

static inline void draw_sizes(gpis_context *context, random_polyhedron *p, uint64_t seed) {
    double weight[FACES_D], R = 0;
    const int d = p->f.d;
    for (int j = 0; j < d; j++) {
        weight[j] = whole(seed, 400 + j, 0, 2);
        R += weight[j] * fabs(p->inside[j]);
    }
    R += whole(seed, 420, 0, 2);
    faces_sizes(&p->f, weight, R);
    assert_ok(context, gpis_set_l1_weighted(context, R, weight, d, &p->pieces[p->count++]));
}

static inline void draw(gpis_context *context, uint64_t seed, random_polyhedron *p) {
    *p = (random_polyhedron){.f.d = 1 + (int)(seed % 4)};
    for (int j = 0; j < p->f.d; j++) p->inside[j] = whole(seed, j, -2, 2);
    if (seed % 5 != 0) draw_bounds(context, p, seed);
    if (seed % 3 != 0) draw_rows(context, p, seed, 1 + (int)(seed % 4));
    if (seed % 2 == 0) draw_sizes(context, p, seed);
    if (seed % 8 == 0) draw_sizes(context, p, seed + 1000);
    if (p->count == 0) draw_rows(context, p, seed, 2);
    assert_ok(context, gpis_set_intersection(context, p->count, p->pieces, &p->set));
}

static inline void let_go(random_polyhedron *p) {
    gpis_set_destroy(p->set);
    for (int i = 0; i < p->count; i++) gpis_set_destroy(p->pieces[i]);
}

#endif
