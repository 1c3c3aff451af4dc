/*
 * Sets that are simpler in other coordinates (gpis_set.inside): those under an orthogonal transform, and monotone and
 * tv in terms of jumps. With x = T z the model has H_z = T'H T and the gradient T'g. If the first entry of z is not
 * constrained ("loose"), it is eliminated: with H_z = [a h'; h B], g_z = (g_1, g_2) and a step (p_1, p_2),
 *
 *     p_1 = -(g_1 + <h, p_2>) / a,    and p_2 belongs to    B - h h' / a,    g_2 - h g_1 / a,
 *
 * an inner problem over `inside`, for whatever solver that set has.
 *
 * Digits are lost on the way to H_z and back. So the solution becomes the next centre, where the gradient is computed
 * with H itself, until q falls no more. H_z need only be close to T'H T. If it is not, as the bound at the solution
 * shows, the interior-point method goes on from there in the coordinates x (fallback.c).
 */
#include <math.h>
#include <string.h>

#include "inner/flat.h"
#include "inner/solver.h"
#include "linalg/accurate.h"

enum { MAX_CENTRES = 20 };
static const double GOOD = 1e-4;        /* a gap that is left to the next round, relative to the fall */
static const double LITTLE = 1e-10;     /* a gap that is not worth another centre */
static const double ROUNDINGS = 1000.0; /* of an entry of H_z: generous, since further centres correct the result */

typedef struct inside_state {
    gpis_model *model;       /* owned: in z, without the loose entry */
    gpis_inner *problem;     /* owned: the problem on that model, over set->inside */
    gpis_fallback *fallback; /* owned: takes over if the other coordinates do not help */
    bool centred;
    bool gave_up;           /* the fallback has taken over */
    double loose_fall;      /* how far q falls from the centre by the loose entry alone */
    bool warm;              /* the problem inside has a solution, of this problem or of the one before */
    double *h;              /* owned: d; a and h of the loose entry; a = 0: it has no curvature and stays where it is */
    double *z, *gradient_z; /* owned: d x k; the centre, and the gradient there */
    double *trial, *p, *Hp; /* owned: d x k */
    double *dual;           /* owned: d x k; that of the problem inside */
    double *in, *out;       /* owned: d; a column */
} inside_state;

static bool applies(const gpis_set *set) { return set->inside != NULL; }

static void transpose(int64_t d, const double *A, double *B) {
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++) B[j * d + i] = A[i * d + j];
}

/* H_z in `Hz`, by rows: (H T)' = T'H, and (T'H) T. `work`: d x d as well. */
static void turn_matrix(const gpis_inner *inner, double *Hz, double *work) {
    const gpis_set *set = inner->set;
    set->class->turn(set, GPIS_TRANSPOSED, set->d, inner->model->H, Hz);
    transpose(set->d, Hz, work);
    set->class->turn(set, GPIS_TRANSPOSED, set->d, work, Hz);
}

/* Finds a and h. If a is no more than rounding, the loose entry stays where it is. */
static void find_loose(inside_state *t, const gpis_set *set, const double *Hz) {
    double trace = 0.0;
    if (set->loose == 0) return;
    memcpy(t->h, Hz, (size_t)set->d * sizeof *t->h);
    for (int64_t j = 0; j < set->d; j++) trace += Hz[j * set->d + j];
    if (!(t->h[0] > gpis_set_rounding(set->d) * trace)) memset(t->h, 0, (size_t)set->d * sizeof *t->h);
}

/* Rounding errors can leave a diagonal entry below zero, or below what its row demands: in a matrix without negative
 * eigenvalues no entry is larger than the geometric mean of its two diagonal entries. */
static void restore_sign(int64_t rest, int64_t loose, int64_t d, const double *Hz, double *H) {
    for (int64_t i = 0; i < rest; i++)
        H[i * rest + i] = fmax(gpis_set_rounding(d) * fabs(Hz[(i + loose) * (d + 1)]), H[i * rest + i]);
    for (int64_t i = 0; i < rest; i++)
        for (int64_t j = 0; j < i; j++) {
            const double most = sqrt(H[i * rest + i]) * sqrt(H[j * rest + j]);
            H[i * rest + j] = H[j * rest + i] = fmin(most, fmax(-most, H[i * rest + j]));
        }
}

static gpis_status turn_model(gpis_inner *inner) {
    inside_state *t = inner->state;
    const int64_t d = inner->set->d, loose = inner->set->loose, rest = d - loose;
    double *Hz = gpis_alloc(inner->context, d * d, sizeof *Hz), *H = gpis_alloc(inner->context, d * d, sizeof *H);
    const bool allocated = Hz && H;
    if (allocated) {
        turn_matrix(inner, Hz, H);
        find_loose(t, inner->set, Hz);
        for (int64_t i = 0; i < rest; i++)
            for (int64_t j = 0; j < rest; j++) {
                const int64_t row = i + loose, column = j + loose;
                const double removed = loose && t->h[0] > 0.0 ? t->h[row] / t->h[0] * t->h[column] : 0.0;
                H[i * rest + j] = 0.5 * (Hz[row * d + column] + Hz[column * d + row]) - removed;
            }
        restore_sign(rest, loose, d, Hz, H);
    }
    gpis_free(inner->context, Hz);
    if (allocated) return gpis_model_create(inner->context, rest, H, ROUNDINGS, &t->model);
    gpis_free(inner->context, H);
    return GPIS_NO_MEMORY;
}

static gpis_status create(gpis_inner *inner) {
    gpis_context *context = inner->context;
    const int64_t d = inner->set->d, size = d * inner->set->k;
    inside_state *t = inner->state = gpis_alloc_zero(context, 1, sizeof *t);
    if (!t) return GPIS_NO_MEMORY;
    double **field[] = {&t->z, &t->gradient_z, &t->trial, &t->p, &t->Hp, &t->dual, &t->h, &t->in, &t->out};
    for (int i = 0; i < 9; i++)
        if (!(*field[i] = gpis_alloc_zero(context, i < 6 ? size : d, sizeof(double)))) return GPIS_NO_MEMORY;
    gpis_status status = gpis_fallback_create(inner, &t->fallback);
    if (status == GPIS_OK) status = turn_model(inner);
    if (status == GPIS_OK) status = gpis_inner_create(context, inner->set->inside, t->model, NULL, &t->problem);
    return status == GPIS_INTERNAL ? GPIS_OK : status; /* if there is no factor in z, there is the fallback */
}

static void destroy(gpis_inner *inner) {
    inside_state *t = inner->state;
    if (!t) return;
    gpis_inner_destroy(t->problem);
    gpis_model_destroy(t->model);
    gpis_fallback_destroy(t->fallback);
    double *const vectors[] = {t->z, t->gradient_z, t->trial, t->p, t->Hp, t->dual, t->h, t->in, t->out};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) gpis_free(inner->context, vectors[i]);
    gpis_free(inner->context, t);
}

static void begin(gpis_inner *inner) {
    inside_state *t = inner->state;
    t->centred = false;
    t->gave_up = !t->problem;
    if (t->gave_up) gpis_fallback_begin(t->fallback);
}

/* Transforms each column of X. Y may be X. */
static void turn_columns(const gpis_inner *inner, gpis_way way, const double *X, double *Y) {
    const inside_state *t = inner->state;
    const int64_t d = inner->set->d, k = inner->set->k;
    for (int64_t c = 0; c < k; c++) {
        for (int64_t j = 0; j < d; j++) t->in[j] = X[j * k + c];
        inner->set->class->turn(inner->set, way, 1, t->in, t->out);
        for (int64_t j = 0; j < d; j++) Y[j * k + c] = t->out[j];
    }
}

/* Entries that differ from the last solution by rounding alone are set to it. So an entry that was at a bound is at
 * that bound again, and the face is not lost. */
static void snap(const inside_state *t, double *z, int64_t size) {
    const double grain = gpis_set_rounding(t->model->d) * gpis_max_abs(z, size);
    for (int64_t i = 0; t->warm && i < size; i++)
        if (fabs(z[i] - t->problem->s[i]) <= grain) z[i] = t->problem->s[i];
}

/* Begins the problem inside, centred at s. */
static gpis_status centre(gpis_inner *inner) {
    inside_state *t = inner->state;
    const gpis_set *set = inner->set;
    const int64_t k = set->k, rest = (set->d - set->loose) * k, ahead = set->loose * k;
    gpis_inner_value(inner, inner->s, t->p, t->Hp);
    for (int64_t i = 0; i < set->d * k; i++) t->p[i] = inner->g[i] + t->Hp[i];
    turn_columns(inner, GPIS_TRANSPOSED, t->p, t->gradient_z);
    turn_columns(inner, GPIS_TO_INSIDE, inner->s, t->z);
    t->loose_fall = 0.0;
    memcpy(t->p, t->gradient_z + ahead, (size_t)rest * sizeof *t->p);
    for (int64_t c = 0; t->h[0] > 0.0 && c < k; c++) {
        const double step = t->gradient_z[c] / t->h[0];
        for (int64_t j = 1; j < set->d; j++) t->p[(j - 1) * k + c] -= t->h[j] * step;
        t->loose_fall += 0.5 * step * t->gradient_z[c];
    }
    snap(t, t->z + ahead, rest);
    const gpis_status status = gpis_set_project(set->inside, t->z + ahead, t->z + ahead);
    if (status == GPIS_OK) gpis_inner_begin(t->problem, t->z + ahead, t->p);
    t->centred = true;
    return status;
}

/* Transforms a point of the problem inside to the coordinates x, with the best value of the loose entry. */
static void carry_over(const gpis_inner *inner, const double *from, double *X) {
    const inside_state *t = inner->state;
    const int64_t d = inner->set->d, k = inner->set->k, ahead = inner->set->loose * k;
    memcpy(X, t->z, (size_t)(d * k) * sizeof *X);
    memcpy(X + ahead, from, (size_t)(d * k - ahead) * sizeof *X);
    for (int64_t c = 0; t->h[0] > 0.0 && c < k; c++) {
        double slope = t->gradient_z[c];
        for (int64_t j = 1; j < d; j++) slope += t->h[j] * (X[j * k + c] - t->z[j * k + c]);
        X[c] -= slope / t->h[0];
    }
    turn_columns(inner, GPIS_TO_OUTSIDE, X, X);
}

/* Takes the solution inside as s, unless q is higher there by more than rounding. Where q itself no longer shows a
 * difference, its gradient is still more accurate there, and bounds are made of the gradient. */
static gpis_status come_back(gpis_inner *inner) {
    inside_state *t = inner->state;
    const int64_t size = inner->set->d * inner->set->k;
    const bool apart = t->problem->dual != t->problem->s;
    if (apart) carry_over(inner, t->problem->dual, t->dual);
    inner->dual = apart ? t->dual : inner->s;
    carry_over(inner, t->problem->s, t->trial);
    if (!gpis_all_finite(t->trial, size)) return GPIS_OK;
    const gpis_status status = gpis_set_project(inner->set, t->trial, t->trial);
    if (status != GPIS_OK) return status;
    const double value = gpis_inner_value(inner, t->trial, t->p, t->Hp);
    if (!(value < inner->value + gpis_inner_noise(inner, t->trial, t->Hp))) return GPIS_OK;
    inner->value = value;
    memcpy(inner->s, t->trial, (size_t)size * sizeof *inner->s);
    return GPIS_OK;
}

/* One run of the problem inside. */
static gpis_status run_inside(gpis_inner *inner, int64_t iterations, bool *done) {
    inside_state *t = inner->state;
    const int64_t steps = t->problem->iterations, trials = t->problem->trials;
    gpis_status status = t->centred ? GPIS_OK : centre(inner);
    t->problem->stop = inner->stop;
    if (status == GPIS_OK) status = gpis_inner_run(t->problem, iterations, done);
    t->warm = true;
    if (status == GPIS_OK) status = come_back(inner);
    inner->iterations += t->problem->iterations - steps;
    inner->trials += t->problem->trials - trials;
    return status;
}

/* Where the interior-point method does not know the set, the fallback takes gradient steps: these are of no use if each
 * of their projections is an iteration. */
static bool has_fallback(const gpis_inner *inner) { return !inner->set->iterative || gpis_flat_exists(inner->set); }

static gpis_status run(gpis_inner *inner, int64_t iterations, bool *done) {
    inside_state *t = inner->state;
    if (t->gave_up) return gpis_fallback_run(t->fallback, iterations, done);
    gpis_status status = run_inside(inner, iterations, done);
    inner->bound = t->problem->bound - t->loose_fall; /* around x */
    const double promised = gpis_inner_fall(t->problem) + t->loose_fall;
    for (int centres = 1; status == GPIS_OK && *done && centres < MAX_CENTRES; centres++) {
        if (gpis_is_stopped(inner->stop)) break;
        const double before = inner->value;
        bool solved;
        status = gpis_inner_check(inner, LITTLE, t->p, t->Hp, &solved);
        if (status != GPIS_OK || solved) break;
        t->centred = false;
        status = run_inside(inner, iterations, done);
        if (!(inner->value < before - fmax(1e-13 * fabs(before), gpis_inner_noise(inner, t->trial, t->Hp)))) break;
    }
    if (status != GPIS_OK || !*done || gpis_is_stopped(inner->stop)) return status;
    bool solved;
    if (-inner->value < 0.5 * promised) inner->bound = -INFINITY; /* of a model that is too far from the true one */
    status = gpis_inner_check(inner, GOOD, t->p, t->Hp, &solved);
    if (status != GPIS_OK || solved || !has_fallback(inner)) return status;
    t->gave_up = true;
    gpis_fallback_begin(t->fallback);
    return gpis_fallback_run(t->fallback, iterations, done);
}

const gpis_inner_solver gpis_inner_inside = {applies, create, begin, run, destroy};
