/* What the tests of sets share: small .npy files in a folder of their own, random vectors, norms. */
#ifndef GPIS_TESTS_SET_WORLD_H
#define GPIS_TESTS_SET_WORLD_H

#include "linalg/accurate.h"
#include "set/set.h"
#include "support.h"

/* Everything that a spec may refer to, for one d. */
typedef struct world {
    int64_t d, m;    /* entries; rows of C */
    char folder[64]; /* the folder of the files below */
    double *C, *b;   /* affine: C (m x d) has a redundant row where m > 1 */
    double *lo, *hi; /* box, with infinite bounds */
    double *U, *D;   /* orthogonal d x d: of the file, and the DCT by its formula */
    double *scratch[2];
    struct world_kept *kept; /* owned: what sets in use have borrowed */
} world;

/* Sets that others are made of, and the state of sets of the caller's own (made.h); it grows as they come. */
typedef struct world_kept {
    gpis_set **sets;
    void **memory;
    size_t set_count, memory_count;
} world_kept;

/* `set` lives until the end of the world. */
static inline void world_keep(const world *w, gpis_set *set) {
    world_kept *k = w->kept;
    k->sets = realloc(k->sets, (k->set_count + 1) * sizeof *k->sets);
    assert_non_null(k->sets);
    k->sets[k->set_count++] = set;
}

static inline void *world_keep_memory(const world *w, size_t size) {
    world_kept *k = w->kept;
    k->memory = realloc(k->memory, (k->memory_count + 1) * sizeof *k->memory);
    assert_non_null(k->memory);
    void *memory = k->memory[k->memory_count++] = calloc(1, size);
    assert_non_null(memory);
    return memory;
}

static inline void world_let_go(world *w) {
    for (size_t i = 0; i < w->kept->set_count; i++) gpis_set_destroy(w->kept->sets[i]);
    for (size_t i = 0; i < w->kept->memory_count; i++) free(w->kept->memory[i]);
    free(w->kept->sets);
    free(w->kept->memory);
    free(w->kept);
}

static inline void write_npy(const char *path, const double *data, int64_t rows, int64_t cols, int dimensions) {
    char shape[64], header[128];
    if (dimensions == 1)
        snprintf(shape, sizeof shape, "(%lld,)", (long long)rows);
    else
        snprintf(shape, sizeof shape, "(%lld, %lld)", (long long)rows, (long long)cols);
    const int used = snprintf(header, sizeof header, "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }", shape);
    memset(header + used, ' ', sizeof header - (size_t)used);
    header[117] = '\n';
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, f);
    fwrite(header, 1, 118, f);
    fwrite(data, sizeof *data, (size_t)(rows * cols), f);
    assert_int_equal(fclose(f), 0);
}

static inline double *new_vector(int64_t n) {
    double *v = calloc((size_t)n + 1, sizeof *v);
    assert_non_null(v);
    return v;
}

/* A fresh stream of numbers for every seed. */
static inline void fill_normal(double *v, int64_t n, uint64_t seed, double scale) {
    gpis_random_normal(seed, gpis_stream(GPIS_STREAM_USER, 77), 0, n, v);
    for (int64_t i = 0; i < n; i++) v[i] *= scale;
}

static inline double dot(const double *a, const double *b, int64_t n) {
    gpis_sum sum = {0, 0};
    for (int64_t i = 0; i < n; i++) gpis_sum_add(&sum, a[i] * b[i]);
    return gpis_sum_value(sum);
}

static inline double norm_of_difference(const double *a, const double *b, int64_t n) {
    double *c = new_vector(n);
    for (int64_t i = 0; i < n; i++) c[i] = a[i] - b[i];
    const double norm = gpis_norm2(c, n);
    free(c);
    return norm;
}

/* U = (I - 2 a a'/a'a)(I - 2 b b'/b'b) with signs changed: orthogonal to rounding, and far from the identity. */
static inline void fill_orthogonal(double *U, int64_t d, uint64_t seed) {
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++) U[i * d + j] = i == j ? (i % 2 ? -1 : 1) : 0;
    double *a = new_vector(d);
    for (int reflection = 0; reflection < 3; reflection++) {
        fill_normal(a, d, seed + (uint64_t)reflection, 1);
        const double aa = dot(a, a, d);
        for (int64_t j = 0; j < d; j++) {
            double aU = 0;
            for (int64_t i = 0; i < d; i++) aU += a[i] * U[i * d + j];
            for (int64_t i = 0; i < d; i++) U[i * d + j] -= 2 * aU / aa * a[i];
        }
    }
    free(a);
}

static inline void fill_dct(double *D, int64_t d) {
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++)
            D[i * d + j] = (double)(sqrtl((i ? 2.0L : 1.0L) / (long double)d) *
                                    cosl(3.14159265358979323846264338327950288L *
                                         (long double)((2 * i * j + i) % (4 * d)) / (2 * (long double)d)));
}

static inline void world_path(const world *w, const char *name, char *path, size_t size) {
    snprintf(path, size, "%s/%s.npy", w->folder, name);
}

static inline void world_write(const world *w, const char *name, const double *data, int64_t rows, int64_t cols,
                               int dimensions) {
    char path[128];
    world_path(w, name, path, sizeof path);
    write_npy(path, data, rows, cols, dimensions);
}

static inline void world_begin(world *w, int64_t d) {
    *w = (world){.d = d, .m = d == 1 ? 1 : 1 + d / 3};
    strcpy(w->folder, "setXXXXXX");
    assert_non_null(mkdtemp(w->folder));
    w->C = new_vector(w->m * d);
    w->b = new_vector(w->m);
    w->lo = new_vector(d);
    w->hi = new_vector(d);
    w->U = new_vector(d * d);
    w->D = new_vector(d * d);
    for (int i = 0; i < 2; i++) w->scratch[i] = new_vector(d);
    w->kept = calloc(1, sizeof *w->kept);
    assert_non_null(w->kept);
    fill_normal(w->C, w->m * d, 1, 1);
    fill_normal(w->b, w->m, 2, 1);
    if (w->m > 1) { /* the last row repeats the first, in other units */
        for (int64_t j = 0; j < d; j++) w->C[(w->m - 1) * d + j] = -3 * w->C[j];
        w->b[w->m - 1] = -3 * w->b[0];
    }
    for (int64_t i = 0; i < d; i++) {
        w->lo[i] = i % 4 == 0 ? -INFINITY : -0.5 + 0.1 * (double)(i % 7);
        w->hi[i] = i % 3 == 1 ? INFINITY : 0.25 + (double)(i % 2);
    }
    fill_orthogonal(w->U, d, 10);
    fill_dct(w->D, d);
    world_write(w, "C", w->C, w->m, d, 2);
    world_write(w, "b", w->b, w->m, 1, 1);
    world_write(w, "lo", w->lo, d, 1, 1);
    world_write(w, "hi", w->hi, d, 1, 2);
    world_write(w, "U", w->U, d, d, 2);
}

static inline void world_end(world *w) {
    static const char *const names[] = {"C", "b", "lo", "hi", "U", "weights", "groups", "odd & [1]"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[128];
        world_path(w, names[i], path, sizeof path);
        unlink(path);
    }
    assert_int_equal(rmdir(w->folder), 0);
    world_let_go(w);
    double *owned[] = {w->C, w->b, w->lo, w->hi, w->U, w->D, w->scratch[0], w->scratch[1]};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) free(owned[i]);
}

/* Writes a spec in which $ stands for the folder of files, # for R and % for d. */
static inline void world_spec(const world *w, const char *pattern, const char *R, char *spec, size_t size) {
    size_t used = 0;
    spec[0] = '\0';
    for (const char *p = pattern; *p; p++) {
        if (*p == '$')
            used += (size_t)snprintf(spec + used, size - used, "%s", w->folder);
        else if (*p == '#')
            used += (size_t)snprintf(spec + used, size - used, "%s", R);
        else if (*p == '%')
            used += (size_t)snprintf(spec + used, size - used, "%lld", (long long)w->d);
        else if (used + 1 < size)
            spec[used++] = *p;
        assert_true(used < size);
        spec[used] = '\0';
    }
}

#endif
