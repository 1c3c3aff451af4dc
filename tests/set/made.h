/*
 * Sets that no spec describes: from arrays in memory, products over blocks, and sets of the caller's own. Tests name
 * them by patterns like those of specs, so that they go through every test that the specs go through.
 */
#ifndef GPIS_TESTS_SET_MADE_H
#define GPIS_TESTS_SET_MADE_H

#include "world.h"

/* ---- sets of the caller's own ----------------------------------------------------------------------------------- */

/* What their functions are given. */
typedef struct own_set {
    int64_t d;
    double R;
} own_set;

/* ||x||_2 <= R. */
static inline int own_ball_project(void *user, const double *v, double *x) {
    const own_set *own = user;
    const double norm = gpis_norm2(v, own->d);
    for (int64_t i = 0; i < own->d; i++) x[i] = norm > own->R ? v[i] / norm * own->R : v[i];
    return 0;
}

static inline int own_ball_support(void *user, const double *g, double *value) {
    const own_set *own = user;
    *value = own->R * gpis_norm2(g, own->d);
    return 0;
}

/* The second-order cone: x_1 >= ||(x_2, ..., x_d)||. */
static inline int own_cone_project(void *user, const double *v, double *x) {
    const own_set *own = user;
    const double rest = gpis_norm2(v + 1, own->d - 1), top = 0.5 * v[0] + 0.5 * rest;
    for (int64_t i = 0; i < own->d; i++) x[i] = v[i];
    if (rest <= v[0]) return 0;
    x[0] = rest <= -v[0] ? 0 : top;
    for (int64_t i = 1; i < own->d; i++) x[i] = rest <= -v[0] ? 0 : v[i] / rest * top;
    return 0;
}

/* The core of a cone is {0}. */
static inline int own_cone_support(void *user, const double *g, double *value) {
    (void)user, (void)g;
    *value = 0;
    return 0;
}

/* The half-space x_1 + ... + x_d <= R: along its normal n = (1, ..., 1) / sqrt(d) the core is R / sqrt(d). */
static inline double own_sum(const own_set *own, const double *v) {
    gpis_sum sum = {0, 0};
    for (int64_t i = 0; i < own->d; i++) gpis_sum_add(&sum, v[i]);
    return gpis_sum_value(sum);
}

static inline int own_half_move(const own_set *own, double limit, const double *v, double *x) {
    memcpy(x, v, (size_t)own->d * sizeof *x);
    for (int round = 0; round < 2; round++) { /* the second removes what rounding left of the first */
        const double over = own_sum(own, x) - limit;
        for (int64_t i = 0; over > 0 && i < own->d; i++) x[i] -= over / (double)own->d;
    }
    return 0;
}
static inline int own_half_project(void *user, const double *v, double *x) {
    return own_half_move(user, ((own_set *)user)->R, v, x);
}
static inline int own_half_recession(void *user, const double *v, double *x) { return own_half_move(user, 0, v, x); }

static inline int own_half_support(void *user, const double *g, double *value) {
    const own_set *own = user;
    *value = own->R / (double)own->d * own_sum(own, g);
    return 0;
}

static inline gpis_custom_set own_functions(const char *name, own_set *own) {
    gpis_custom_set f = {.name = name, .user = own};
    if (strcmp(name, "ball") == 0) {
        f.project = own_ball_project;
        f.support = own_ball_support;
        f.radius = own->R;
    } else if (strcmp(name, "cone") == 0) {
        f.project = f.recession = own_cone_project;
        f.support = own_cone_support;
    } else {
        assert_string_equal(name, "half");
        f.project = own_half_project;
        f.recession = own_half_recession;
        f.support = own_half_support;
        f.radius = own->R / sqrt((double)own->d);
    }
    return f;
}

/* ---- by patterns ------------------------------------------------------------------------------------------------ */

/* Columns 0, 2, ... of the world's d and columns ..., 3, 1, or the first half and the rest. */
static inline int64_t *world_columns(const world *w, bool halves, int block, int64_t *count) {
    int64_t *columns = calloc((size_t)w->d, sizeof *columns);
    const int64_t half = (w->d + 1) / 2;
    *count = block == 0 ? half : w->d - half;
    for (int64_t i = 0; i < *count; i++)
        columns[i] = halves ? block * half + i : block == 0 ? 2 * i : 2 * (*count - i) - 1;
    return columns;
}

/* A product of two sets, of which a single column leaves the first alone. */
static inline gpis_set *world_product(gpis_context *context, const world *w, bool halves, const char *const specs[2],
                                      int64_t k) {
    gpis_set *parts[2] = {NULL, NULL}, *set = NULL;
    int64_t *columns[2], counts[2];
    for (int b = 0; b < 2; b++) {
        columns[b] = world_columns(w, halves, b, &counts[b]);
        if (counts[b] == 0) continue;
        assert_ok(context, gpis_set_parse(context, specs[b], counts[b], k, &parts[b]));
        world_keep(w, parts[b]);
    }
    assert_ok(context,
              gpis_set_blocks(context, w->d, counts[1] > 0 ? 2 : 1, (const int64_t *const *)columns, parts, &set));
    for (int b = 0; b < 2; b++) free(columns[b]);
    return set;
}

static inline gpis_set *world_own(gpis_context *context, const world *w, const char *name, double R, int64_t k) {
    own_set *own = world_keep_memory(w, sizeof *own);
    *own = (own_set){w->d, R};
    const gpis_custom_set functions = own_functions(name, own);
    gpis_set *set = NULL;
    assert_ok(context, gpis_set_custom(context, &functions, w->d, k, &set));
    return set;
}

/* NAME of a pattern "memory:NAME" or "memory:NAME:#". */
static inline bool is_made(const char *pattern, const char *name) {
    const size_t length = strlen(name);
    return strncmp(pattern + 7, name, length) == 0 && (pattern[7 + length] == '\0' || pattern[7 + length] == ':');
}

/* The intersection of `count` sets, which live as long as the world. */
static inline gpis_set *world_meet(gpis_context *context, const world *w, gpis_set *const *parts, int64_t count) {
    gpis_set *set = NULL;
    for (int64_t i = 0; i < count; i++) world_keep(w, parts[i]);
    assert_ok(context, gpis_set_intersection(context, count, parts, &set));
    return set;
}

/* Entries with weights 0, 1, 2, 0, 1, 2, ... */
static inline double world_weight(int64_t j) { return (double)(j % 3); }

/* Polyhedra and intersections: sums of sizes with weights, rows, both with bounds, and with a ball. */
static inline gpis_set *world_polyhedron(gpis_context *context, const world *w, const char *name, double R, int64_t k) {
    const int64_t d = w->d;
    gpis_set *set = NULL, *parts[3] = {NULL};
    double *weights = new_vector(d), *twos = new_vector(d);
    int64_t *group = calloc((size_t)d, sizeof *group);
    for (int64_t j = 0; j < d; j++) weights[j] = world_weight(j), twos[j] = 1 + (double)(j % 2), group[j] = j % 3;
    const double low = 0, high = 2 * R + 1;
    if (strcmp(name, "weighted") == 0) {
        assert_ok(context, gpis_set_l1_weighted(context, R, twos, d, &set));
    } else if (strcmp(name, "exempt") == 0) {
        assert_ok(context, gpis_set_l1_weighted(context, R, weights, d, &set));
    } else if (strcmp(name, "groups") == 0) {
        assert_ok(context, gpis_set_group_by(context, R, group, d, &set));
    } else if (strcmp(name, "rows") == 0) {
        assert_ok(context, gpis_set_linear(context, w->C, w->b, NULL, w->m, d, NULL, &set));
    } else if (strcmp(name, "portfolio") == 0) {
        assert_ok(context, gpis_set_simplex(context, R, d, &parts[0]));
        assert_ok(context, gpis_set_linear(context, twos, &low, &high, 1, d, NULL, &parts[1]));
        assert_ok(context, gpis_set_l1_weighted(context, 1.75 * R, twos, d, &parts[2]));
        for (int i = 0; i < 3; i++) assert_ok(context, gpis_set_responses(parts[i], k));
        set = world_meet(context, w, parts, 3);
    } else {
        assert_string_equal(name, "meet");
        assert_ok(context, gpis_set_l2(context, R, d, &parts[0]));
        assert_ok(context, gpis_set_nonneg(context, d, &parts[1]));
        for (int i = 0; i < 2; i++) assert_ok(context, gpis_set_responses(parts[i], k));
        set = world_meet(context, w, parts, 2);
    }
    free(weights);
    free(twos);
    free(group);
    return set;
}

static inline gpis_set *world_memory_set(gpis_context *context, const world *w, const char *pattern, const char *R,
                                         int64_t k) {
    const double radius = strtod(R, NULL);
    gpis_set *set = NULL, *base = NULL;
    char l1[64], l2[64], nuclear[64];
    snprintf(l1, sizeof l1, "l1:%s", R);
    snprintf(l2, sizeof l2, "l2:%s", R);
    snprintf(nuclear, sizeof nuclear, "nuclear:%s", R);
    if (is_made(pattern, "box")) {
        assert_ok(context, gpis_set_box(context, w->lo, w->hi, w->d, &set));
    } else if (is_made(pattern, "upper")) {
        assert_ok(context, gpis_set_box(context, NULL, w->hi, w->d, &set));
    } else if (is_made(pattern, "affine")) {
        assert_ok(context, gpis_set_affine(context, w->C, w->b, w->m, w->d, &set));
    } else if (is_made(pattern, "transform")) {
        assert_ok(context, gpis_set_simplex(context, radius, w->d, &base));
        assert_ok(context, gpis_set_transform(context, base, w->U, &set));
    } else if (is_made(pattern, "dct")) {
        assert_ok(context, gpis_set_l1(context, radius, w->d, &base));
        assert_ok(context, gpis_set_dct(context, base, &set));
    } else if (is_made(pattern, "blocks")) {
        set = world_product(context, w, false, (const char *const[]){l1, l2}, k);
    } else if (is_made(pattern, "cones")) {
        set = world_product(context, w, true, (const char *const[]){"monotone", "nonneg"}, k);
    } else if (is_made(pattern, "bounds")) {
        set = world_product(context, w, false, (const char *const[]){"nonneg", "box:-1,2"}, k);
    } else if (is_made(pattern, "nuclear")) {
        set = world_product(context, w, true, (const char *const[]){nuclear, l1}, k);
    } else if (strncmp(pattern + 7, "poly-", 5) == 0) {
        char name[16] = "";
        sscanf(pattern + 12, "%15[a-z]", name);
        set = world_polyhedron(context, w, name, radius, k);
    } else {
        char name[16] = "";
        sscanf(pattern + 7, "%15[a-z]", name);
        set = world_own(context, w, name, radius, k);
    }
    if (base) world_keep(w, base);
    assert_ok(context, gpis_set_responses(set, k));
    return set;
}

/* The set of a pattern: "memory:..." as above, else a spec as world_spec writes it. */
static inline gpis_set *world_set(gpis_context *context, const world *w, const char *pattern, const char *R,
                                  int64_t k) {
    if (strncmp(pattern, "memory:", 7) == 0) return world_memory_set(context, w, pattern, R, k);
    char spec[256];
    gpis_set *set = NULL;
    world_spec(w, pattern, R, spec, sizeof spec);
    assert_ok(context, gpis_set_parse(context, spec, w->d, k, &set));
    return set;
}

#endif
