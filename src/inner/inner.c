/* The inner problem on a model: by its factor without a constraint, by accelerated projected gradient with one. */
#include "inner/inner.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

static bool unconstrained(const gpis_set *set) { return strcmp(set->class->name, "none") == 0; }

/* grad q(s) = H (s - x) + g and <p, H p>, by one product of H with the pair (s - x, p): H is read once. */
static gpis_status trial(void *user, const double *s, const double *p, double *gradient, double *curvature,
                         double *value) {
    gpis_inner *inner = user;
    const int64_t d = inner->set->d, k = inner->set->k;
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = 0; i < k; i++) {
            inner->pair[j * 2 * k + i] = s[j * k + i] - inner->x[j * k + i];
            inner->pair[j * 2 * k + k + i] = p[j * k + i];
        }
    gpis_model_apply(inner->model, 2 * k, inner->pair, inner->product);
    *curvature = *value = 0.0;
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = 0; i < k; i++) {
            const double Hs = inner->product[j * 2 * k + i], Hp = inner->product[j * 2 * k + k + i];
            const double g = inner->g[j * k + i];
            gradient[j * k + i] = Hs + g;
            *curvature += p[j * k + i] * Hp;
            *value += inner->pair[j * 2 * k + i] * (0.5 * Hs + g);
        }
    return GPIS_OK;
}

const gpis_descent_settings gpis_inner_fast = {
    .accelerated = true, .gamma_u = 2.0, .gamma_d = 1.1, .restart = GPIS_RESTART_GRADIENT};

gpis_status gpis_inner_create(gpis_context *context, gpis_set *set, const gpis_model *model,
                              const gpis_descent_settings *settings, gpis_inner **out) {
    *out = NULL;
    const int64_t size = set->d * set->k;
    gpis_inner *inner = gpis_alloc_zero(context, 1, sizeof *inner);
    if (!inner) return GPIS_NO_MEMORY;
    inner->context = context;
    inner->set = set;
    inner->model = model;
    inner->x = gpis_alloc(context, size, sizeof(double));
    inner->g = gpis_alloc(context, size, sizeof(double));
    inner->pair = gpis_alloc(context, 2 * size, sizeof(double));
    inner->product = gpis_alloc(context, 2 * size, sizeof(double));
    if (!inner->x || !inner->g || !inner->pair || !inner->product ||
        gpis_descent_create(context, set, settings, trial, inner, &inner->descent) != GPIS_OK) {
        gpis_inner_destroy(inner);
        return GPIS_NO_MEMORY;
    }
    *out = inner;
    return GPIS_OK;
}

void gpis_inner_begin(gpis_inner *inner, const double *x, const double *g) {
    const int64_t d = inner->set->d, size = d * inner->set->k;
    memcpy(inner->x, x, (size_t)size * sizeof(double));
    memcpy(inner->g, g, (size_t)size * sizeof(double));
    double largest = 0.0; /* diagonal entry of H: a first guess of 1 / eta, from below */
    for (int64_t j = 0; j < d; j++) largest = fmax(largest, inner->model->H[j * d + j]);
    gpis_descent_start(inner->descent, x, g, 0.0, largest > 0.0 ? 1.0 / largest : 1.0);
    inner->s = inner->descent->x;
}

/* s = x - H^-1 g */
static void solve_unconstrained(gpis_inner *inner) {
    const gpis_model *m = inner->model;
    const int64_t size = m->d * inner->set->k;
    double *step = inner->pair;
    memcpy(step, inner->g, (size_t)size * sizeof(double));
    gpis_model_solve(m, inner->set->k, step);
    for (int64_t i = 0; i < size; i++) step[i] = inner->x[i] - step[i];
    inner->s = step;
}

gpis_status gpis_inner_run(gpis_inner *inner, int64_t iterations, bool *done) {
    *done = unconstrained(inner->set);
    if (*done) {
        solve_unconstrained(inner);
        return GPIS_OK;
    }
    for (int64_t i = 0; i < iterations && !*done; i++) {
        bool moved;
        const gpis_status status = gpis_descent_step(inner->descent, &moved);
        if (status != GPIS_OK) return status;
        *done = !moved;
    }
    inner->s = inner->descent->x;
    return GPIS_OK;
}

double gpis_inner_fall(const gpis_inner *inner) { return fmax(0.0, -inner->descent->value); }

void gpis_inner_destroy(gpis_inner *inner) {
    if (!inner) return;
    gpis_descent_destroy(inner->descent);
    gpis_free(inner->context, inner->x);
    gpis_free(inner->context, inner->g);
    gpis_free(inner->context, inner->pair);
    gpis_free(inner->context, inner->product);
    gpis_free(inner->context, inner);
}
