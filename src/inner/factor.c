/* Without a constraint: s = x - H^-1 g, by the factor that the model has. */
#include <string.h>

#include "inner/solver.h"
#include "linalg/accurate.h"

static bool applies(const gpis_set *set) { return set->shape == GPIS_SHAPE_WHOLE; }

/* The state is the array of the step p. */
static gpis_status create(gpis_inner *inner) {
    inner->state = gpis_alloc(inner->context, inner->set->d * inner->set->k, sizeof(double));
    return inner->state ? GPIS_OK : GPIS_NO_MEMORY;
}

static void begin(gpis_inner *inner) { (void)inner; }

static gpis_status run(gpis_inner *inner, int64_t iterations, bool *done) {
    (void)iterations;
    const int64_t size = inner->set->d * inner->set->k;
    double *p = inner->state;
    memcpy(p, inner->g, (size_t)size * sizeof *p);
    gpis_model_whiten(inner->model, inner->set->k, p);
    const double norm = gpis_norm2(p, size);
    inner->value = -0.5 * norm * norm;
    gpis_model_unwhiten(inner->model, inner->set->k, p);
    for (int64_t i = 0; i < size; i++) inner->s[i] = inner->x[i] - p[i];
    *done = true;
    return GPIS_OK;
}

static void destroy(gpis_inner *inner) { gpis_free(inner->context, inner->state); }

const gpis_inner_solver gpis_inner_factor = {applies, create, begin, run, destroy};
