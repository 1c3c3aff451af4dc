/* Projected gradient with Algorithm 3, Nesterov's extrapolation and restart. */
#include "inner/descent.h"

#include <math.h>
#include <string.h>

#include "linalg/accurate.h"
#include "set/penalty.h"

enum { VECTORS = 9, MAX_HALVINGS = 200 };

/* A step may be at most so many times as long as the shortest one. In a direction without curvature steps would grow
 * for ever, and magnify the rounding errors of the gradient. */
static const double MAX_GROWTH = 1e6;

gpis_status gpis_descent_create(gpis_context *context, gpis_set *set, const gpis_descent_settings *settings,
                                gpis_trial_fn trial, void *user, gpis_descent **out) {
    *out = NULL;
    gpis_descent *s = gpis_alloc_zero(context, 1, sizeof *s);
    if (!s) return GPIS_NO_MEMORY;
    s->context = context;
    s->set = set;
    s->settings = *settings;
    s->trial = trial;
    s->user = user;
    s->size = set->d * set->k;
    const int64_t stride = (s->size + 7) / 8 * 8;
    s->vectors = gpis_alloc_zero(context, VECTORS * stride, sizeof(double));
    if (!s->vectors) {
        gpis_free(context, s);
        return GPIS_NO_MEMORY;
    }
    double **field[VECTORS] = {&s->x,    &s->gradient,      &s->old_x, &s->old_gradient, &s->z, &s->z_gradient,
                               &s->next, &s->next_gradient, &s->p};
    for (int i = 0; i < VECTORS; i++) *field[i] = s->vectors + i * stride;
    *out = s;
    return GPIS_OK;
}

void gpis_descent_destroy(gpis_descent *s) {
    if (!s) return;
    gpis_free(s->context, s->vectors);
    gpis_free(s->context, s);
}

/* z = x: the next step is taken without momentum. */
static void forget_momentum(gpis_descent *s) {
    memcpy(s->z, s->x, (size_t)s->size * sizeof(double));
    memcpy(s->z_gradient, s->gradient, (size_t)s->size * sizeof(double));
    s->tau = 1.0;
    s->extrapolated = false;
}

void gpis_descent_start(gpis_descent *s, const double *x, const double *gradient, double value, double eta) {
    memmove(s->x, x, (size_t)s->size * sizeof(double));
    memmove(s->gradient, gradient, (size_t)s->size * sizeof(double));
    s->value = value;
    s->eta = s->shortest = s->settings.fixed_step > 0.0 ? s->settings.fixed_step : eta;
    forget_momentum(s);
}

/* next = P_K(z - eta grad q(z)), p = next - z. With a penalty the prox of eta h / 2 takes the place of P_K. */
static gpis_status project_step(gpis_descent *s, double eta, double *norm) {
    for (int64_t i = 0; i < s->size; i++) s->p[i] = s->z[i] - eta * s->z_gradient[i];
    const gpis_status status = gpis_set_prox(s->set, 0.5 * eta, s->p, s->next);
    for (int64_t i = 0; i < s->size; i++) s->p[i] = s->next[i] - s->z[i];
    *norm = gpis_norm2(s->p, s->size);
    return status;
}

/* Algorithm 3 at z: the longest step of the form gamma_d eta / gamma_u^j with <p, H p> <= ||p||^2 / eta.
 * The square of ||p|| may not be a number where x is in absurd units, so it is not formed. */
static gpis_status line_search(gpis_descent *s, double *value, double *norm) {
    const bool search = !(s->settings.fixed_step > 0.0);
    double eta = search ? fmin(s->eta * s->settings.gamma_d, MAX_GROWTH * s->shortest) : s->eta;
    for (int halvings = 0;; halvings++, eta /= s->settings.gamma_u) {
        gpis_status status = project_step(s, eta, norm);
        if (status != GPIS_OK || *norm == 0.0) return status;
        double curvature;
        status = s->trial(s->user, s->next, s->p, s->next_gradient, &curvature, value);
        if (status != GPIS_OK) return status;
        s->trials++;
        if (!search || eta * (curvature / *norm / *norm) <= 1.0 || halvings == MAX_HALVINGS) break;
    }
    s->eta = eta;
    s->shortest = fmin(s->shortest, eta);
    return GPIS_OK;
}

/* O'Donoghue and Candes: the momentum points uphill. */
static bool wants_restart(const gpis_descent *s, double value) {
    if (!s->extrapolated) return false;
    if (s->settings.restart == GPIS_RESTART_FUNCTION) return value > s->value;
    if (s->settings.restart == GPIS_RESTART_NONE) return false;
    double uphill = 0.0; /* <z - x+, x+ - x> */
    for (int64_t i = 0; i < s->size; i++) uphill += (s->z[i] - s->next[i]) * (s->next[i] - s->x[i]);
    return uphill > 0.0;
}

/* old <- current <- next; the memory of the old one serves for the next. */
static void rotate(double **old, double **current, double **next) {
    double *free_one = *old;
    *old = *current;
    *current = *next;
    *next = free_one;
}

/* z = x+ + ((tau - 1) / tau+) (x+ - x), and the gradient, affine, likewise. */
static void extrapolate(gpis_descent *s) {
    const double tau = (1.0 + sqrt(1.0 + 4.0 * s->tau * s->tau)) / 2.0;
    const double beta = (s->tau - 1.0) / tau;
    for (int64_t i = 0; i < s->size; i++) {
        s->z[i] = s->x[i] + beta * (s->x[i] - s->old_x[i]);
        s->z_gradient[i] = s->gradient[i] + beta * (s->gradient[i] - s->old_gradient[i]);
    }
    s->tau = tau;
    s->extrapolated = beta > 0.0;
}

gpis_status gpis_descent_step(gpis_descent *s, bool *moved) {
    double value = NAN, norm = 0.0;
    gpis_status status = line_search(s, &value, &norm);
    if (status != GPIS_OK) return status;
    if (s->extrapolated && (norm == 0.0 || wants_restart(s, value))) {
        forget_momentum(s);
        status = line_search(s, &value, &norm);
        if (status != GPIS_OK) return status;
    }
    *moved = norm > 0.0;
    if (!*moved) return GPIS_OK;
    s->iterations++;
    s->step_sum += s->eta;
    rotate(&s->old_x, &s->x, &s->next);
    rotate(&s->old_gradient, &s->gradient, &s->next_gradient);
    s->value = value;
    if (s->settings.accelerated)
        extrapolate(s);
    else
        forget_momentum(s);
    return GPIS_OK;
}
