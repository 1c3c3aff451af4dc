/*
 * Polyhedra with linear rows, weighted sums and a penalty: the active-set method of set/walk.h with the model's H, for
 * each column by itself. The penalty counts half, as q is half of the fall of f. It starts on the face of the last
 * solution, which changes little from round to round.
 *
 * Where H_FF has no factor a multiple of D^-2 is added to H, D = diag(H)^-1/2. Each solution then becomes the next
 * centre, around which that costs nothing, until it stays where it is. Without such a multiple a second centre removes
 * rounding errors: they are relative to the way from the centre. If the method gives up, projected gradients go on.
 */
#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "inner/principal.h"
#include "inner/solver.h"
#include "linalg/accurate.h"
#include "set/walk.h"

enum { MAX_CENTRES = 12 };

typedef struct walk_state {
    gpis_walk *walk;         /* owned */
    gpis_principal *factor;  /* owned */
    gpis_fallback *fallback; /* owned */
    gpis_inner *inner;       /* borrowed: whose state it is */
    double *last;            /* owned: d x k; the solution of the last problem */
    bool warm, gave_up;
    double *half;                 /* owned: d; half of the penalty; NULL: none */
    double *s, *g, *move, *Hmove; /* owned: d; a column */
    double *p, *Hp;               /* owned: d x k */
} walk_state;

static bool applies(const gpis_set *set) { return set->polyhedron != NULL; }

/* ---- the metric -------------------------------------------------------------------------------------------------- */

/* A walk that is stopped ends as one that finds no factor does. */
static int64_t factor(void *user, const bool *member, const int64_t **order, bool *changed) {
    const walk_state *f = user;
    gpis_principal *p = f->factor;
    const double before = p->shift;
    if (gpis_is_stopped(f->inner->stop)) return -1;
    const bool found = gpis_principal_factor(p, member);
    *changed = *changed || p->shift != before;
    *order = p->index;
    return found ? p->count : -1;
}

static void whiten(void *user, int64_t count, double *V) {
    const gpis_principal *p = ((walk_state *)user)->factor;
    for (int64_t c = 0; c < count; c++)
        for (int64_t i = 0; i < p->count; i++) V[c * p->count + i] *= p->scale[p->index[i]];
    gpis_principal_half_solve(p, true, count, V);
}

static void unwhiten(void *user, double *v) {
    const gpis_principal *p = ((walk_state *)user)->factor;
    gpis_principal_half_solve(p, false, 1, v);
    for (int64_t i = 0; i < p->count; i++) v[i] *= p->scale[p->index[i]];
}

/* What is added to H_jj: the shift and, for a column of zeros, a small curvature. */
static double added(const walk_state *f, int64_t j) {
    const gpis_principal *p = f->factor;
    const bool zero = !(p->model->H[j * (p->d + 1)] > 0.0);
    return (p->shift + (zero ? 1.0 : 0.0)) / (p->scale[j] * p->scale[j]);
}

static void apply(void *user, const double *v, double *Hv) {
    const walk_state *f = user;
    const int64_t d = f->factor->d;
    int64_t count = 0;
    for (int64_t j = 0; j < d; j++) count += v[j] != 0.0;
    if (2 * count >= d || f->factor->model->by_rows)
        gpis_model_apply(f->factor->model, 1, v, Hv);
    else {
        memset(Hv, 0, (size_t)d * sizeof *Hv);
        for (int64_t j = 0; j < d; j++)
            if (v[j] != 0.0) cblas_daxpy((int)d, v[j], f->factor->model->H + j * d, 1, Hv, 1);
    }
    for (int64_t j = 0; j < d; j++) Hv[j] += added(f, j) * v[j];
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static gpis_status create(gpis_inner *inner) {
    gpis_context *context = inner->context;
    const int64_t d = inner->set->d, size = d * inner->set->k;
    walk_state *f = inner->state = gpis_alloc_zero(context, 1, sizeof *f);
    if (!f) return GPIS_NO_MEMORY;
    f->inner = inner;
    double **field[] = {&f->last, &f->p, &f->Hp, &f->s, &f->g, &f->move, &f->Hmove, &f->half};
    for (int i = 0; i < 8; i++)
        if (!(*field[i] = gpis_alloc_zero(context, i < 3 ? size : d, sizeof(double)))) return GPIS_NO_MEMORY;
    for (int64_t j = 0; inner->set->penalty && j < d; j++) f->half[j] = 0.5 * inner->set->penalty[j];
    gpis_status status = gpis_fallback_create(inner, &f->fallback);
    if (status == GPIS_OK) status = gpis_walk_create(context, inner->set->polyhedron, &f->walk);
    return status == GPIS_OK ? gpis_principal_create(context, inner->model, &f->factor) : status;
}

static void destroy(gpis_inner *inner) {
    walk_state *f = inner->state;
    if (!f) return;
    gpis_walk_destroy(f->walk);
    gpis_principal_destroy(f->factor);
    gpis_fallback_destroy(f->fallback);
    double *const vectors[] = {f->last, f->p, f->Hp, f->s, f->g, f->move, f->Hmove, f->half};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) gpis_free(inner->context, vectors[i]);
    gpis_free(inner->context, f);
}

/* ---- solving ----------------------------------------------------------------------------------------------------- */

static void begin(gpis_inner *inner) { ((walk_state *)inner->state)->gave_up = false; }

/* The gradient at the column s, which becomes the centre. */
static void find_gradient(gpis_inner *inner, int64_t c) {
    walk_state *f = inner->state;
    const int64_t d = inner->set->d, k = inner->set->k;
    for (int64_t j = 0; j < d; j++) f->move[j] = f->s[j] - inner->x[j * k + c];
    gpis_model_apply(inner->model, 1, f->move, f->Hmove);
    for (int64_t j = 0; j < d; j++) f->g[j] = inner->g[j * k + c] + f->Hmove[j];
}

static gpis_walk_end solve_around(gpis_inner *inner, int64_t c) {
    walk_state *f = inner->state;
    const gpis_limits of = gpis_walk_limits(inner->set->polyhedron, inner->set->penalty ? f->half : NULL);
    const gpis_metric metric = {f, f->factor->scale, factor, whiten, unwhiten, apply};
    find_gradient(inner, c);
    memcpy(f->move, f->s, (size_t)inner->set->d * sizeof *f->s);
    return gpis_walk_solve(f->walk, &of, &metric, f->move, f->g, f->s);
}

/* How far the last solution is from its centre, relative to its size, both in units of the entries. */
static double moved(const walk_state *f) {
    double away = 0.0, size = 0.0;
    for (int64_t j = 0; j < f->factor->d; j++) {
        away = fmax(away, fabs(f->s[j] - f->move[j]) / f->factor->scale[j]);
        size = fmax(size, fabs(f->s[j]) / f->factor->scale[j]);
    }
    return size > 0.0 ? away / size : 0.0;
}

/* Equations may hold several entries at 0 together, which they reach up to rounding errors of their own size. These
 * entries become 0, if the constraints are met then. */
static void drop_dust(walk_state *f) {
    static const double DUST = DBL_EPSILON * DBL_EPSILON;
    const int64_t d = f->factor->d;
    const double least = DUST * gpis_max_abs(f->s, d);
    for (int64_t j = 0; j < d; j++) f->move[j] = fabs(f->s[j]) > least ? f->s[j] : 0.0;
    if (!gpis_walk_meets(f->walk, f->s) && gpis_walk_meets(f->walk, f->move))
        memcpy(f->s, f->move, (size_t)d * sizeof *f->s);
}

/* With a nearly singular H, rounding errors of a step along which q hardly changes are long: it may miss the
 * constraints of its own face. Then the nearest point of the set takes its place. */
static gpis_status meet_constraints(gpis_inner *inner, int64_t c) {
    walk_state *f = inner->state;
    const int64_t d = inner->set->d, k = inner->set->k;
    if (gpis_walk_meets(f->walk, f->s)) return GPIS_OK;
    const gpis_status status = inner->set->class->project(inner->set, f->s, f->s);
    drop_dust(f);
    for (int64_t j = 0; j < d; j++) inner->s[j * k + c] = f->s[j];
    return status;
}

static bool solve_column(gpis_inner *inner, int64_t c) {
    static const double STILL = 1e-13;
    walk_state *f = inner->state;
    const int64_t d = inner->set->d, k = inner->set->k;
    bool solved = false;
    for (int64_t j = 0; j < d; j++) f->s[j] = inner->s[j * k + c];
    for (int i = 0; i < MAX_CENTRES; i++) {
        if (solve_around(inner, c) != GPIS_WALK_SOLVED) return false;
        for (int64_t j = 0; j < d; j++) inner->s[j * k + c] = f->s[j];
        solved = true;
        const double way = moved(f);
        if (way <= STILL || (i > 0 && f->factor->shift == 0.0)) break;
    }
    return solved;
}

static gpis_status run(gpis_inner *inner, int64_t iterations, bool *done) {
    walk_state *f = inner->state;
    const int64_t size = inner->set->d * inner->set->k, faces = f->walk->faces, products = f->walk->products;
    if (f->gave_up) return gpis_fallback_run(f->fallback, iterations, done);
    if (f->warm && gpis_inner_value(inner, f->last, f->p, f->Hp) < 0.0)
        memcpy(inner->s, f->last, (size_t)size * sizeof(double));
    *done = true;
    gpis_status status = GPIS_OK;
    for (int64_t c = 0; c < inner->set->k && status == GPIS_OK; c++) {
        const bool solved = solve_column(inner, c);
        if (solved) status = meet_constraints(inner, c);
        *done = solved && *done;
    }
    inner->iterations += f->walk->faces - faces;
    inner->trials += f->walk->products - products;
    inner->value = gpis_inner_value(inner, inner->s, f->p, f->Hp);
    memcpy(f->last, inner->s, (size_t)size * sizeof(double));
    f->warm = true;
    f->gave_up = !*done;
    if (f->gave_up) gpis_fallback_begin(f->fallback);
    return status;
}

const gpis_inner_solver gpis_inner_walk = {applies, create, begin, run, destroy};
