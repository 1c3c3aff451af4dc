/* For any set: projected gradient (descent.h) on the model, with the settings of the inner problem. */
#include <math.h>
#include <string.h>

#include "inner/solver.h"

/* grad q(s) = H (s - x) + g and <p, H p>, by one product of H with the pair (s - x, p), side by side: H is read once.
 * For one column two products are faster than one of two columns; then the pair lies one after the other. */
static gpis_status trial(void *user, const double *s, const double *p, double *gradient, double *curvature,
                         double *value) {
    gpis_gradient *on = user;
    const gpis_inner *inner = on->inner;
    const int64_t d = inner->set->d, k = inner->set->k;
    const int64_t row = k == 1 ? 1 : 2 * k, second = k == 1 ? d : k;
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = 0; i < k; i++) {
            on->pair[j * row + i] = s[j * k + i] - inner->x[j * k + i];
            on->pair[j * row + second + i] = p[j * k + i];
        }
    gpis_model_apply(inner->model, row, on->pair, on->product);
    if (k == 1) gpis_model_apply(inner->model, 1, on->pair + d, on->product + d);
    *curvature = *value = 0.0;
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = 0; i < k; i++) {
            const double Hs = on->product[j * row + i], Hp = on->product[j * row + second + i];
            const double g = inner->g[j * k + i];
            gradient[j * k + i] = Hs + g;
            *curvature += p[j * k + i] * Hp;
            *value += on->pair[j * row + i] * (0.5 * Hs + g);
        }
    if (inner->set->penalty) *value += gpis_inner_rise(inner, s);
    return GPIS_OK;
}

gpis_status gpis_gradient_create(gpis_inner *inner, gpis_gradient **out) {
    const int64_t size = inner->set->d * inner->set->k;
    gpis_gradient *on = *out = gpis_alloc_zero(inner->context, 1, sizeof *on);
    if (!on) return GPIS_NO_MEMORY;
    on->inner = inner;
    on->pair = gpis_alloc(inner->context, 2 * size, sizeof(double));
    on->product = gpis_alloc(inner->context, 2 * size, sizeof(double));
    if (!on->pair || !on->product) return GPIS_NO_MEMORY;
    return gpis_descent_create(inner->context, inner->set, &inner->settings, trial, on, &on->descent);
}

void gpis_gradient_destroy(gpis_gradient *on) {
    if (!on) return;
    gpis_context *context = on->inner->context;
    gpis_descent_destroy(on->descent);
    gpis_free(context, on->pair);
    gpis_free(context, on->product);
    gpis_free(context, on);
}

void gpis_gradient_begin(gpis_gradient *on) {
    const gpis_inner *inner = on->inner;
    const int64_t d = inner->set->d, size = d * inner->set->k;
    double largest = 0.0; /* diagonal entry of H: a first guess of 1 / eta, from below */
    for (int64_t j = 0; j < d; j++) largest = fmax(largest, inner->model->H[j * d + j]);
    const double value = gpis_inner_value(inner, inner->s, on->pair, on->product);
    for (int64_t i = 0; i < size; i++) on->product[i] += inner->g[i];
    gpis_descent_start(on->descent, inner->s, on->product, value, largest > 0.0 ? 1.0 / largest : 1.0);
}

gpis_status gpis_gradient_run(gpis_gradient *on, int64_t iterations, bool *done) {
    gpis_inner *inner = on->inner;
    const int64_t steps = on->descent->iterations, trials = on->descent->trials;
    const double step_sum = on->descent->step_sum;
    *done = false;
    for (int64_t i = 0; i < iterations && !*done && !gpis_is_stopped(inner->stop); i++) {
        bool moved;
        const gpis_status status = gpis_descent_step(on->descent, &moved);
        if (status != GPIS_OK) return status;
        *done = !moved;
    }
    memcpy(inner->s, on->descent->x, (size_t)on->descent->size * sizeof(double));
    inner->value = on->descent->value;
    inner->iterations += on->descent->iterations - steps;
    inner->trials += on->descent->trials - trials;
    inner->step_sum += on->descent->step_sum - step_sum;
    return GPIS_OK;
}

static bool applies(const gpis_set *set) {
    (void)set;
    return true;
}

static gpis_status create(gpis_inner *inner) {
    gpis_gradient *on = NULL;
    const gpis_status status = gpis_gradient_create(inner, &on);
    inner->state = on;
    return status;
}

static void begin(gpis_inner *inner) { gpis_gradient_begin(inner->state); }

static gpis_status run(gpis_inner *inner, int64_t iterations, bool *done) {
    return gpis_gradient_run(inner->state, iterations, done);
}

static void destroy(gpis_inner *inner) { gpis_gradient_destroy(inner->state); }

const gpis_inner_solver gpis_inner_gradient = {applies, create, begin, run, destroy};
