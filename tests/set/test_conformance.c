/*
 * The properties that every set must have, for every kind and for many sizes and scales. A new kind is one new line in
 * `kinds`, with its own measure of how far x is outside.
 */
#include <cblas.h>
#include <lapacke.h>

#include "made.h"
#include "set/kinds.h"

/* How far x (d entries) is outside the set, by the definition of the kind; R is that of the spec. */
typedef double (*outside_fn)(const world *w, double R, const double *x);

static double out_none(const world *w, double R, const double *x) { return (void)w, (void)R, (void)x, 0; }

static double out_nonneg(const world *w, double R, const double *x) {
    (void)R;
    double worst = 0;
    for (int64_t i = 0; i < w->d; i++) worst = fmax(worst, -x[i]);
    return worst;
}

static double out_box(const world *w, double R, const double *x) {
    (void)R;
    double worst = 0;
    for (int64_t i = 0; i < w->d; i++) worst = fmax(worst, fmax(w->lo[i] - x[i], x[i] - w->hi[i]));
    return worst;
}

static double out_half_file_box(const world *w, double R, const double *x) {
    (void)R;
    double worst = 0;
    for (int64_t i = 0; i < w->d; i++) worst = fmax(worst, fmax(w->lo[i] - x[i], x[i] - 3));
    return worst;
}

static double out_unit_box(const world *w, double R, const double *x) {
    (void)R;
    double worst = 0;
    for (int64_t i = 0; i < w->d; i++) worst = fmax(worst, fmax(-1 - x[i], x[i] - 2));
    return worst;
}

static double out_l1(const world *w, double R, const double *x) { return gpis_sum_abs(x, w->d) - R; }
static double out_l2(const world *w, double R, const double *x) { return gpis_norm2(x, w->d) - R; }
static double out_linf(const world *w, double R, const double *x) { return gpis_max_abs(x, w->d) - R; }

static double out_simplex(const world *w, double R, const double *x) {
    gpis_sum sum = {-R, 0};
    for (int64_t i = 0; i < w->d; i++) gpis_sum_add(&sum, x[i]);
    return fmax(out_nonneg(w, R, x), fabs(gpis_sum_value(sum)));
}

static double out_sum(const world *w, double R, const double *x) {
    (void)R;
    gpis_sum sum = {-0.5, 0};
    for (int64_t i = 0; i < w->d; i++) gpis_sum_add(&sum, x[i]);
    return fabs(gpis_sum_value(sum)) / sqrt((double)w->d);
}

static double out_capped(const world *w, double R, const double *x) {
    return fmax(out_nonneg(w, R, x), out_l1(w, R, x));
}

static double out_monotone(const world *w, double R, const double *x) {
    (void)R;
    double worst = 0;
    for (int64_t i = 0; i + 1 < w->d; i++) worst = fmax(worst, x[i] - x[i + 1]);
    return worst;
}

static double out_tv(const world *w, double R, const double *x) {
    double sum = 0;
    for (int64_t i = 0; i + 1 < w->d; i++) sum += fabs(x[i + 1] - x[i]);
    return sum - R;
}

static double out_affine(const world *w, double R, const double *x) {
    (void)R;
    double worst = 0;
    for (int64_t i = 0; i < w->m; i++)
        worst = fmax(worst, fabs(dot(w->C + i * w->d, x, w->d) - w->b[i]) / gpis_norm2(w->C + i * w->d, w->d));
    return worst;
}

static const double *times(const world *w, const double *U, const double *x, int slot) {
    for (int64_t i = 0; i < w->d; i++) w->scratch[slot][i] = dot(U + i * w->d, x, w->d);
    return w->scratch[slot];
}

static double out_l1_dct(const world *w, double R, const double *x) { return out_l1(w, R, times(w, w->D, x, 0)); }
static double out_nonneg_dct(const world *w, double R, const double *x) {
    return out_nonneg(w, R, times(w, w->D, x, 0));
}
static double out_simplex_U(const world *w, double R, const double *x) {
    return out_simplex(w, R, times(w, w->U, x, 0));
}
static double out_monotone_U(const world *w, double R, const double *x) {
    return out_monotone(w, R, times(w, w->U, x, 0));
}
static double out_tv_dct_U(const world *w, double R, const double *x) {
    return out_tv(w, R, times(w, w->D, times(w, w->U, x, 0), 1));
}

/* x less what only block `block` of world_product sees of it. */
static const double *part_of(const world *w, bool halves, int block, const double *x, int64_t *count) {
    int64_t *columns = world_columns(w, halves, block, count);
    for (int64_t i = 0; i < *count; i++) w->scratch[block][i] = x[columns[i]];
    free(columns);
    return w->scratch[block];
}

static double out_blocks(const world *w, double R, const double *x) {
    int64_t n, m;
    const double *even = part_of(w, false, 0, x, &n), *odd = part_of(w, false, 1, x, &m);
    return fmax(gpis_sum_abs(even, n) - R, gpis_norm2(odd, m) - R);
}

static double out_cones(const world *w, double R, const double *x) {
    int64_t n, m;
    const double *first = part_of(w, true, 0, x, &n), *rest = part_of(w, true, 1, x, &m);
    const world of_first = {.d = n}, of_rest = {.d = m};
    return fmax(out_monotone(&of_first, R, first), out_nonneg(&of_rest, R, rest));
}

static double out_bounds(const world *w, double R, const double *x) {
    int64_t n, m;
    const double *even = part_of(w, false, 0, x, &n), *odd = part_of(w, false, 1, x, &m);
    const world of_even = {.d = n}, of_odd = {.d = m};
    return fmax(out_nonneg(&of_even, R, even), out_unit_box(&of_odd, R, odd));
}

static double out_l2_and_l1(const world *w, double R, const double *x) {
    int64_t n, m;
    const double *first = part_of(w, true, 0, x, &n), *rest = part_of(w, true, 1, x, &m);
    return fmax(gpis_norm2(first, n) - R, gpis_sum_abs(rest, m) - R);
}

static double out_upper(const world *w, double R, const double *x) {
    (void)R;
    double worst = 0;
    for (int64_t i = 0; i < w->d; i++) worst = fmax(worst, x[i] - w->hi[i]);
    return worst;
}

static double out_cone(const world *w, double R, const double *x) {
    (void)R;
    return gpis_norm2(x + 1, w->d - 1) - x[0];
}

static double out_half(const world *w, double R, const double *x) {
    gpis_sum sum = {-R, 0};
    for (int64_t i = 0; i < w->d; i++) gpis_sum_add(&sum, x[i]);
    return gpis_sum_value(sum) / sqrt((double)w->d);
}

/* sum of w_j |x_j| for the weights of world_polyhedron. */
static double out_weighted(const world *w, double R, const double *x) {
    double sum = -R;
    for (int64_t j = 0; j < w->d; j++) sum += (1 + (double)(j % 2)) * fabs(x[j]);
    return sum;
}

static double out_exempt(const world *w, double R, const double *x) {
    double sum = -R;
    for (int64_t j = 0; j < w->d; j++) sum += world_weight(j) * fabs(x[j]);
    return sum;
}

static double out_groups(const world *w, double R, const double *x) {
    double sum = -R;
    for (int64_t g = 0; g < 3; g++) {
        double norm = 0;
        for (int64_t j = g; j < w->d; j += 3) norm = hypot(norm, x[j]);
        sum += norm;
    }
    return sum;
}

static double out_rows(const world *w, double R, const double *x) {
    (void)R;
    double worst = 0;
    for (int64_t i = 0; i < w->m; i++)
        worst = fmax(worst, (w->b[i] - dot(w->C + i * w->d, x, w->d)) / gpis_norm2(w->C + i * w->d, w->d));
    return worst;
}

static double out_portfolio(const world *w, double R, const double *x) {
    double sum = 0;
    for (int64_t j = 0; j < w->d; j++) sum += (1 + (double)(j % 2)) * x[j];
    return fmax(fmax(out_simplex(w, R, x), out_weighted(w, 1.75 * R, x)), fmax(-sum, sum - 2 * R - 1));
}

static double out_meet(const world *w, double R, const double *x) { return fmax(out_l2(w, R, x), out_nonneg(w, R, x)); }

enum {
    CONE = 1,    /* or affine: rounding is relative to the vector, not to R */
    BOUNDED = 2, /* for every d */
    MATRIX = 4   /* works on X as a whole: `outside` is for one column, out_matrix for more */
};

typedef struct kind {
    const char *pattern; /* see world_spec */
    outside_fn outside;
    int flags;
} kind;

static const kind kinds[] = {
    {"none", out_none, CONE},
    {"nonneg", out_nonneg, CONE},
    {"box:-1,2", out_unit_box, BOUNDED},
    {"box:0,inf", out_nonneg, CONE},
    {"box:-inf,inf", out_none, CONE},
    {"box:$/lo.npy,$/hi.npy", out_box, CONE},
    {"box:$/lo.npy,3", out_half_file_box, CONE},
    {"l1:#", out_l1, BOUNDED},
    {"l2:#", out_l2, BOUNDED},
    {"linf:#", out_linf, BOUNDED},
    {"sum:0.5", out_sum, CONE},
    {"sum:,#", out_half, CONE},
    {"simplex:#", out_simplex, BOUNDED},
    {"nonneg & sum:#", out_simplex, BOUNDED},
    {"nonneg & l1:# & box:,inf", out_capped, BOUNDED},
    {"l1:#[*]", out_l1, BOUNDED},
    {"capped-simplex:#", out_capped, BOUNDED},
    {"group:#:1", out_l1, BOUNDED},
    {"group:#:%", out_l2, BOUNDED},
    {"tv:#", out_tv, 0},
    {"monotone", out_monotone, CONE},
    {"affine:$/C.npy,$/b.npy", out_affine, CONE},
    {"nuclear:#", out_l2, BOUNDED | MATRIX},
    {"l1:#@dct", out_l1_dct, BOUNDED},
    {"nonneg@dct", out_nonneg_dct, CONE},
    {"simplex:#@$/U.npy", out_simplex_U, BOUNDED},
    {"monotone@$/U.npy", out_monotone_U, CONE},
    {"tv:#@dct@$/U.npy", out_tv_dct_U, CONE},
    {"memory:box", out_box, CONE},
    {"memory:upper", out_upper, CONE},
    {"memory:affine", out_affine, CONE},
    {"memory:transform:#", out_simplex_U, BOUNDED},
    {"memory:dct:#", out_l1_dct, BOUNDED},
    {"memory:blocks:#", out_blocks, BOUNDED},
    {"memory:cones", out_cones, CONE},
    {"memory:bounds", out_bounds, CONE},
    {"memory:nuclear:#", out_l2_and_l1, BOUNDED | MATRIX},
    {"memory:ball:#", out_l2, BOUNDED},
    {"memory:cone", out_cone, CONE},
    {"memory:half:#", out_half, CONE},
    {"memory:poly-weighted:#", out_weighted, BOUNDED},
    {"memory:poly-exempt:#", out_exempt, CONE},
    {"memory:poly-groups:#", out_groups, BOUNDED},
    {"memory:poly-rows", out_rows, CONE},
    {"memory:poly-portfolio:#", out_portfolio, BOUNDED},
    {"memory:poly-meet:#", out_meet, BOUNDED},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* No kind that has a spec is left out above. */
static void every_kind_is_tested(void **state) {
    (void)state;
    static const gpis_set_class *const all[] = {
#define ADDRESS(symbol) &gpis_kind_##symbol,
        GPIS_SET_LIST(ADDRESS)
#undef ADDRESS
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const size_t length = strlen(all[i]->name);
        bool found = false;
        for (int j = 0; j < KINDS; j++)
            found = found || (strncmp(kinds[j].pattern, all[i]->name, length) == 0 &&
                              (kinds[j].pattern[length] == ':' || kinds[j].pattern[length] == '\0'));
        if (!found) fail_msg("the set %s has no line in `kinds`", all[i]->name);
    }
}

/* One set under test, with vectors of d x k entries to work with. */
typedef struct trial {
    const kind *kind;
    const world *w;
    gpis_context *context;
    gpis_set *set;
    double R, scale; /* of v */
    int64_t k, n;
    double *v, *p, *u, *q, *s;
} trial;

static bool is_affine(const trial *t) { return strstr(t->kind->pattern, "affine") != NULL; }
/* A plane in one dimension is a point. */
static bool is_plane(const trial *t) { return is_affine(t) || strcmp(t->kind->pattern, "sum:0.5") == 0; }
static bool is_bounded(const trial *t) { return (t->kind->flags & BOUNDED) || (is_plane(t) && t->w->d == 1); }

/* What rounding is relative to, for a result p of the projection of v. */
static double unit(const trial *t, const double *v, const double *p) {
    return fmax(t->R, fmax((t->kind->flags & CONE) || is_affine(t) ? gpis_norm2(v, t->n) : 0, gpis_norm2(p, t->n)));
}

#define check(t, condition)                                                                                 \
    do {                                                                                                    \
        if (!(condition))                                                                                   \
            fail_msg("%s, d = %lld, k = %lld, scale %g: %s", gpis_set_spec((t)->set), (long long)(t)->w->d, \
                     (long long)(t)->k, (t)->scale, #condition);                                            \
    } while (0)

/* By another algorithm (QR iteration) than the set's own (divide and conquer), for the first d rows of X. */
static double out_nuclear(const trial *t, int d, const double *X) {
    const int k = (int)t->k;
    double *copy = new_vector(d * k), *sigma = new_vector(k), unused, superb[8];
    memcpy(copy, X, (size_t)(d * k) * sizeof *X);
    assert_int_equal(LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'N', k, d, copy, k, sigma, &unused, 1, &unused, 1, superb),
                     0);
    const double norm = gpis_sum_abs(sigma, k < d ? k : d);
    free(copy);
    free(sigma);
    return norm - t->R;
}

/* nuclear, and the product that has it in its first half and l1 for the columns of the rest. */
static double out_matrix(const trial *t, const double *X) {
    const int64_t d = t->w->d, first = strncmp(t->kind->pattern, "memory", 6) == 0 ? (d + 1) / 2 : d;
    double worst = out_nuclear(t, (int)first, X);
    for (int64_t j = 0; j < t->k && first < d; j++) {
        double sum = 0;
        for (int64_t i = first; i < d; i++) sum += fabs(X[i * t->k + j]);
        worst = fmax(worst, sum - t->R);
    }
    return worst;
}

static void assert_member(const trial *t, const double *X, double tolerance) {
    if ((t->kind->flags & MATRIX) && t->k > 1) {
        check(t, out_matrix(t, X) <= tolerance);
        return;
    }
    double *column = new_vector(t->w->d);
    for (int64_t j = 0; j < t->k; j++) {
        for (int64_t i = 0; i < t->w->d; i++) column[i] = X[i * t->k + j];
        const double outside = t->kind->outside(t->w, t->R, column);
        if (!(outside <= tolerance))
            fail_msg("%s, d = %lld, scale %g: outside by %.3g > %.3g", gpis_set_spec(t->set), (long long)t->w->d,
                     t->scale, outside, tolerance);
    }
    free(column);
}

/* Different shapes of input: noise, ties, zeros, one spike, sorted both ways. */
enum { SHAPES = 6 };
static void fill_shape(double *v, int64_t n, int shape, double scale, uint64_t seed) {
    fill_normal(v, n, seed, scale);
    for (int64_t i = 0; i < n; i++) {
        if (shape == 1) v[i] = scale * round(v[i] / scale);
        if (shape == 2) v[i] = 0;
        if (shape == 3) v[i] = i == n / 2 ? 10 * scale : 0;
        if (shape == 4) v[i] = scale * (double)(i % 50) / 7;
        if (shape == 5) v[i] = -scale * (double)(i % 50) / 7;
    }
}

static void check_projection(trial *t, int shape) {
    fill_shape(t->v, t->n, shape, t->scale, 3);
    assert_ok(t->context, gpis_set_project(t->set, t->v, t->p));
    const double size = unit(t, t->v, t->p);
    assert_member(t, t->p, 1e-12 * size);

    /* again, in place, and the distance */
    assert_ok(t->context, gpis_set_project(t->set, t->p, t->q));
    check(t, norm_of_difference(t->p, t->q, t->n) <= 1e-12 * size);
    memcpy(t->q, t->v, (size_t)t->n * sizeof *t->q);
    assert_ok(t->context, gpis_set_project(t->set, t->q, t->q));
    check(t, memcmp(t->p, t->q, (size_t)t->n * sizeof *t->q) == 0);
    double distance;
    assert_ok(t->context, gpis_set_distance(t->set, t->v, &distance));
    check(t, fabs(distance - norm_of_difference(t->v, t->p, t->n)) <= 1e-14 * distance);
    assert_ok(t->context, gpis_set_distance(t->set, t->p, &distance));
    check(t, distance <= 1e-12 * size);

    /* against other members: <v - p, s - p> <= 0, and the projection is non-expansive */
    for (uint64_t i = 0; i < 4; i++) {
        fill_shape(t->u, t->n, i == 3 ? shape : 0, t->scale * (i == 0 ? 1e-2 : i == 1 ? 1 : 30), 100 + i);
        assert_ok(t->context, gpis_set_project(t->set, t->u, t->s));
        const double apart = norm_of_difference(t->v, t->u, t->n), size_s = fmax(size, unit(t, t->u, t->s));
        check(t, norm_of_difference(t->p, t->s, t->n) <= apart * (1 + 1e-12) + 1e-12 * size_s);
        const double norm_v = gpis_norm2(t->v, t->n);
        if (norm_v == 0 || size_s == 0) continue;
        for (int64_t j = 0; j < t->n; j++) {
            t->q[j] = t->v[j] / norm_v - t->p[j] / norm_v;
            t->s[j] = t->s[j] / size_s - t->p[j] / size_s;
        }
        check(t, dot(t->q, t->s, t->n) <= 1e-12 * fmax(1, size / norm_v));
    }
}

static void check_recession(trial *t) {
    fill_shape(t->v, t->n, 0, t->scale, 5);
    assert_ok(t->context, gpis_set_recession(t->set, t->v, t->u));
    const double size = gpis_norm2(t->v, t->n);
    check(t, gpis_set_is_bounded(t->set) == is_bounded(t));
    if (is_bounded(t)) {
        check(t, gpis_norm2(t->u, t->n) == 0);
        return;
    }
    /* Moreau: v = u + (v - u), orthogonal; the cone keeps its own and sends its polar to zero */
    for (int64_t i = 0; i < t->n; i++) t->q[i] = t->v[i] / size - t->u[i] / size, t->s[i] = t->u[i] / size;
    check(t, fabs(dot(t->q, t->s, t->n)) <= 1e-12);
    assert_ok(t->context, gpis_set_recession(t->set, t->s, t->p));
    check(t, norm_of_difference(t->p, t->s, t->n) <= 1e-12);
    assert_ok(t->context, gpis_set_recession(t->set, t->q, t->p));
    check(t, gpis_norm2(t->p, t->n) <= 1e-12);
    /* from a member, any way along the cone */
    assert_ok(t->context, gpis_set_project(t->set, t->v, t->p));
    for (int64_t i = 0; i < t->n; i++) t->p[i] += 100 * t->u[i];
    assert_member(t, t->p, 1e-12 * fmax(t->R, 100 * size + gpis_norm2(t->p, t->n)));
}

/* sup <g, s> is approached by the projection of a long multiple of g. */
/* No member, such as t->s, is beyond the reach of its set, with errors of very different sizes; one is 0. */
static void check_reach(const trial *t, int turn) {
    const int64_t d = t->set->d, k = t->set->k;
    double *e = malloc((size_t)d * sizeof *e), sum = 0;
    assert_non_null(e);
    for (int64_t j = 0; j < d; j++) e[j] = j % 5 == 4 ? 0.0 : pow(10.0, (double)((j + turn) % 7) - 3.0);
    for (int64_t i = 0; i < d * k; i++) sum += e[i / k] * fabs(t->s[i]);
    check(t, sum <= gpis_set_reach(t->set, e) * (1 + 1e-12));
    free(e);
}

/* K = B + C: a member is no farther from the cone C than the radius of B. Of a polyhedron with rows no B is known. */
static void check_radius(trial *t) {
    if (t->set->polyhedron && !is_bounded(t)) return;
    const double radius = gpis_set_core_radius(t->set);
    assert_ok(t->context, gpis_set_recession(t->set, t->s, t->u));
    for (int64_t i = 0; i < t->n; i++) t->u[i] = t->s[i] - t->u[i];
    check(t, gpis_norm2(t->u, t->n) <= radius * (1 + 1e-12) + 1e-12 * gpis_norm2(t->s, t->n));
}

static void check_support(trial *t) {
    const double radius = gpis_set_core_radius(t->set);
    fill_shape(t->v, t->n, 0, t->scale, 7);
    assert_ok(t->context, gpis_set_recession(t->set, t->v, t->u));
    const double free_part = gpis_norm2(t->u, t->n), norm_v = gpis_norm2(t->v, t->n);
    double value, near, slack;
    assert_ok(t->context, gpis_set_support(t->set, t->v, &value));
    if (free_part > 1e-3 * norm_v) check(t, value == INFINITY);

    double *w = t->q;
    memcpy(w, t->v, (size_t)t->n * sizeof *w);
    assert_ok(t->context, gpis_set_support_near(t->set, w, &near, &slack));
    check(t, isfinite(near) && slack >= 0 && slack <= 1e-12 * norm_v);
    for (int64_t i = 0; i < t->n; i++) {
        if (t->set->class->support_near && !is_bounded(t))
            check(t, fabs(w[i] - (t->v[i] - t->u[i])) <= 1e-12 * norm_v);
        else
            check(t, w[i] == t->v[i] - t->u[i]);
    }
    const double norm_w = gpis_norm2(w, t->n);
    assert_ok(t->context, gpis_set_support(t->set, w, &value));
    if (norm_w > 1e-3 * norm_v) {
        check(t, isfinite(value));
        check(t, near - value <= 1e-12 * norm_v * radius);
        /* A kind with a support_near of its own is more accurate there than in its support function. */
        check(t, near >= value - (t->set->class->support_near ? 1e-14 * norm_v * radius : 0.0));
    }
    if (is_bounded(t)) check(t, slack == 0);
    for (uint64_t i = 0; i < 4; i++) { /* no member does better */
        fill_shape(t->v, t->n, 0, fmax(t->scale, radius) * (double)(1 + i), 200 + i);
        assert_ok(t->context, gpis_set_project(t->set, t->v, t->s));
        if (is_bounded(t)) check(t, gpis_norm2(t->s, t->n) <= gpis_set_radius(t->set) * (1 + 1e-14));
        check_radius(t);
        check_reach(t, i);
        check(t, near >= dot(w, t->s, t->n) - (slack + 1e-15 * norm_w) * gpis_norm2(t->s, t->n));
    }
    if (norm_w <= 1e-3 * norm_v || radius == 0) return;
    const double longer = 1e8 * radius / norm_w; /* the projection then misses the supremum by 2e-8 of radius ||w|| */
    for (int64_t i = 0; i < t->n; i++) t->v[i] = w[i] * longer;
    assert_ok(t->context, gpis_set_project(t->set, t->v, t->s));
    check(t, fabs(dot(w, t->s, t->n) - near) <= 1e-7 * radius * norm_w);
}

/* Column j of X by itself gives the same bits. */
static void check_columns(trial *t, const char *R) {
    fill_shape(t->v, t->n, 0, t->scale, 9);
    assert_ok(t->context, gpis_set_project(t->set, t->v, t->p));
    double together, apart = 0;
    assert_ok(t->context, gpis_set_support(t->set, t->v, &together));
    gpis_set *one = world_set(t->context, t->w, t->kind->pattern, R, 1);
    for (int64_t j = 0; j < t->k; j++) {
        double value;
        for (int64_t i = 0; i < t->w->d; i++) t->u[i] = t->v[i * t->k + j];
        assert_ok(t->context, gpis_set_support(one, t->u, &value));
        assert_ok(t->context, gpis_set_project(one, t->u, t->u));
        for (int64_t i = 0; i < t->w->d; i++) check(t, t->u[i] == t->p[i * t->k + j]);
        apart += value;
    }
    check(t, apart == together);
    check(t, gpis_set_core_radius(t->set) == sqrt((double)t->k) * gpis_set_core_radius(one));
    gpis_set_destroy(one);
}

static void run_trial(gpis_context *context, const world *w, const kind *which, const char *R, double scale,
                      int64_t k) {
    trial t = {.kind = which, .w = w, .context = context, .scale = scale, .k = k, .n = w->d * k};
    t.R = strchr(which->pattern, '#') ? strtod(R, NULL) : 2;
    double **vectors[] = {&t.v, &t.p, &t.u, &t.q, &t.s};
    for (int i = 0; i < 5; i++) *vectors[i] = new_vector(t.n);
    t.set = world_set(context, w, which->pattern, R, k);
    for (int shape = 0; shape < SHAPES; shape++) check_projection(&t, shape);
    check_recession(&t);
    check_support(&t);
    if (!(which->flags & MATRIX)) check_columns(&t, R);
    gpis_set_destroy(t.set);
    for (int i = 0; i < 5; i++) free(*vectors[i]);
}

static void run_size(int64_t d, int64_t k, const char *const *radii, const double *scales, int count) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, d);
    for (int i = 0; i < KINDS; i++)
        for (int j = 0; j < count; j++) run_trial(context, &w, &kinds[i], radii[j], scales[j], k);
    world_end(&w);
    test_context_end(context, &memory);
}

static void test_sizes(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 3, 5, 17, 64, 257};
    static const char *const radii[] = {"1.5", "0.01", "40", "0"};
    static const double scales[] = {1, 1, 1, 1};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        run_size(sizes[i], 1, radii, scales, sizes[i] < 100 ? 4 : 1);
}

static void test_responses(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 5, 64};
    static const char *const radii[] = {"1.5", "0"};
    static const double scales[] = {1, 1};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) run_size(sizes[i], 3, radii, scales, 2);
}

static void test_scales(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 5, 64};
    static const char *const radii[] = {"1.5e140", "1.5e-140", "1.5", "1.5", "1.5e-140", "1.5e140", "1e-3", "1"};
    static const double scales[] = {1e140, 1e-140, 1e140, 1e-140, 1e140, 1e-140, 1e9, 1e16};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) run_size(sizes[i], 1, radii, scales, 8);
}

int main(void) {
    openblas_set_num_threads(1); /* as the library runs it; threads that wait for each other only slow small sizes */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_tested),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_responses),
        cmocka_unit_test(test_scales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
