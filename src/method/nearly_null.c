/*
 * Columns that depend on each other except for the rounding of the data. There is a matrix A + E very near to A for
 * which they depend exactly, and for A + E the bounds of exactly dependent columns hold (docs/maths, "Nearly dependent
 * columns").
 *
 * Let the rows v of N be the null vectors, exact ones and nearly exact ones, D = diag(||a_j||), and Q an orthonormal
 * basis of the rows of N D. Then
 *
 *     E = -A D^-1 QQ' D   has   (A + E) N' = 0   and   ||E_j|| <= ||A D^-1 Q|| ||a_j||,
 *
 * and ||A D^-1 Q||^2 <= ||A N'||_F^2 t, where M = N D^2 N' and t is the trace of M^-1 over the nearly null rows alone,
 * since A v = 0 for the others. A pass in extended precision measures ||A N'||_F, and also A'A N', with which the
 * nearly null rows can be improved.
 */
#include <float.h>
#include <lapacke.h>
#include <math.h>

#include "linalg/rounding.h"
#include "method/dependence.h"

/* What counts as rounding of the data: 16 times the rounding error of reading a decimal number. */
static const double ROUNDING = 0x1p-49;

typedef struct measurement {
    int64_t count;    /* number of nearly null vectors */
    double *N;        /* borrowed: count x d; the exact ones come right before them in memory */
    int64_t exact;    /* number of exact ones */
    double *X, *G;    /* d x count: X = N', and A'A X */
    double *M;        /* (exact + count) x (exact + count) */
    double *norms;    /* ||a_j||, 1 for a column of zeros */
    double objective; /* ||A X||_F^2 */
    gpis_load load;   /* of the pass that measured it */
} measurement;

static double size_of(const measurement *s, int64_t d, int64_t i) {
    double sum = 0.0;
    for (int64_t j = 0; j < d; j++) sum += s->N[i * d + j] * s->N[i * d + j] * s->norms[j] * s->norms[j];
    return sqrt(sum);
}

/* The power of two that gives row i about unit length, in units of the columns. With a power of two whole numbers keep
 * their digits. */
static double unit_of(const measurement *s, int64_t d, int64_t i) { return ldexp(1.0, -ilogb(size_of(s, d, i))); }

static void normalise(const measurement *s, int64_t d, int64_t i) {
    const double unit = unit_of(s, d, i);
    for (int64_t j = 0; j < d; j++) s->N[i * d + j] *= unit;
}

static gpis_status measure(gpis_run *run, measurement *s) {
    const int64_t d = run->problem->d;
    for (int64_t i = 0; i < s->count; i++) {
        normalise(s, d, i);
        for (int64_t j = 0; j < d; j++) s->X[j * s->count + i] = s->N[i * d + j];
    }
    const gpis_pass pass = {.k = s->count, .X = s->X, .extended = true, .objective = &s->objective, .G = s->G};
    s->load = gpis_run_load(run->problem, &pass);
    return gpis_run_pass(run, &pass, (double)s->count / (double)run->problem->k);
}

/* <v_a, D^2 v_b>. Rows are numbered from the first exact one on; the exact ones are at negative places before N. */
static double product_of(const measurement *s, int64_t d, int64_t a, int64_t b) {
    const double *u = s->N + (a - s->exact) * d, *v = s->N + (b - s->exact) * d;
    long double sum = 0.0L;
    for (int64_t j = 0; j < d; j++) sum += (long double)u[j] * v[j] * s->norms[j] * s->norms[j];
    return (double)sum;
}

/* The trace of M^-1 over the nearly null rows; infinite where the vectors are so nearly dependent that rounding errors
 * exceed the margin of nearness_of. The exact rows must not change, so they count with the length that normalise would
 * give them, which does not change the trace. */
static double inverse_trace(const measurement *s, int64_t d) {
    static const double MAX_TRACE = 1e8;
    const int64_t all = s->exact + s->count;
    const lapack_int size = (lapack_int)all;
    for (int64_t a = 0; a < all; a++) {
        const double unit_a = unit_of(s, d, a - s->exact);
        for (int64_t b = 0; b <= a; b++)
            s->M[b * all + a] = s->M[a * all + b] = unit_a * unit_of(s, d, b - s->exact) * product_of(s, d, a, b);
    }
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', size, s->M, size) != 0) return INFINITY;
    if (LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', size, s->M, size) != 0) return INFINITY;
    double trace = 0.0;
    for (int64_t a = s->exact; a < all; a++) trace += s->M[a * (all + 1)];
    return trace <= MAX_TRACE ? trace : INFINITY;
}

/* An upper bound on ||E_j|| / ||a_j||, for all j. The margin covers rounding errors of norms and of the trace. */
static double nearness_of(const gpis_problem *p, const measurement *s) {
    static const double MARGIN = 1.01;
    const gpis_roundings roundings = gpis_pass_roundings(p->A, &s->load);
    double terms = 0.0;
    for (int64_t i = 0; i < s->count * p->d; i++) terms += fabs(s->N[i]) * s->norms[i % p->d];
    const double norm = sqrt(s->objective * (1.0 + roundings.objective * GPIS_UNIT)) +
                        (roundings.residual + 2.0) * GPIS_EXTENDED_UNIT * terms;
    return MARGIN * norm * sqrt(inverse_trace(s, p->d));
}

/* One step of Newton's method towards the least ||A v||, for rows where ||A v|| is more than rounding. Entries that are
 * zero stay zero. */
static void improve(const gpis_model *model, measurement *s, double *step) {
    const int64_t d = model->d, count = s->count;
    for (int64_t i = 0; i < count; i++) {
        double *v = s->N + i * d, square = 0.0;
        for (int64_t j = 0; j < d; j++) {
            step[j] = s->G[j * count + i];
            square += v[j] * step[j];
        }
        if (square <= 4.0 * DBL_EPSILON * DBL_EPSILON) continue;
        gpis_model_solve(model, 1, step);
        for (int64_t j = 0; j < d; j++)
            if (v[j] != 0.0) v[j] -= step[j];
    }
}

/* Improves the rows as long as that helps. Columns that are merely ill conditioned cost one pass. */
static gpis_status measure_and_improve(gpis_run *run, measurement *s, double *step) {
    enum { MAX_PASSES = 3 };
    gpis_dependence *dependence = &run->curvature.dependence;
    double before = 1e-5; /* guesses are nearer than that, and so are the null vectors of the Gram matrix */
    gpis_status status = measure(run, s);
    for (int i = 1; status == GPIS_OK; i++) {
        dependence->nearness = nearness_of(run->problem, s);
        if (dependence->nearness <= ROUNDING || !(dependence->nearness <= 0.1 * before)) break;
        if (i == MAX_PASSES || gpis_run_exhausted(run)) break;
        before = dependence->nearness;
        improve(run->curvature.model, s, step);
        status = measure(run, s);
    }
    if (status == GPIS_OK && dependence->nearness <= ROUNDING) dependence->near = s->count;
    return status;
}

gpis_status gpis_run_measure_nearby(gpis_run *run) {
    const gpis_dependence *dependence = &run->curvature.dependence;
    const double *norms2 = run->curvature.norms2;
    const int64_t d = run->problem->d, all = dependence->found, exact = dependence->exact, count = all - exact;
    double *memory = gpis_alloc(run->context, 2 * d * count + all * all + 2 * d, sizeof *memory);
    if (!memory) return GPIS_NO_MEMORY;
    measurement s = {.count = count, .N = dependence->vectors + exact * d, .exact = exact, .X = memory};
    s.G = s.X + d * count;
    s.M = s.G + d * count;
    s.norms = s.M + all * all;
    for (int64_t j = 0; j < d; j++) s.norms[j] = norms2[j] > 0.0 ? sqrt(norms2[j]) : 1.0;
    const gpis_status status = measure_and_improve(run, &s, s.norms + d);
    gpis_free(run->context, memory);
    return status;
}
