/* newton's model of A'A: sketches and samples, averaged, or the Gram matrix; and the probes that belong to it. */
#include <math.h>

#include "method/newton.h"

enum { MOST_STEPS = 60, MOST_MODELS = 8 }; /* of a probe; averaged */

/* H <- ((models) H + (SA)'(SA)) / (models + 1) and its factor. With x0, that point of the sketched problem. The sketch
 * has been made; rows are sampled here. */
static gpis_status mix_model(gpis_newton *s, const double *x0, bool coarse) {
    gpis_run *run = s->run;
    const int64_t entries = run->problem->d * run->problem->d;
    double *H = gpis_alloc(run->context, entries, sizeof *H), *g = x0 ? s->g : NULL;
    gpis_sample *sample = NULL;
    if (!H) return GPIS_NO_MEMORY;
    gpis_status status = s->sampling ? gpis_run_sample(run, (uint64_t)s->models, x0, H, g, &s->point, &sample)
                                     : gpis_run_sketch_gram(run, s->sketch, coarse, H, x0, g, &s->point);
    if (status != GPIS_OK) {
        gpis_free(run->context, H);
        return status;
    }
    const double share = 1.0 / (s->models + 1);
    for (int64_t i = 0; s->models > 0 && i < entries; i++) H[i] = share * H[i] + (1.0 - share) * run->model->H[i];
    const gpis_origin origin = {s->sampling ? NULL : s->sketch, sample, coarse};
    status = gpis_run_take_model(run, H, (double)run->m, &origin);
    gpis_sample_destroy(sample);
    return status;
}

/* Another sketch in the model, and new probes, since those belong to a factor. The first one, which the others only
 * improve, may be coarse. */
gpis_status gpis_newton_add_to_model(gpis_newton *s, const double *x0) {
    gpis_run *run = s->run;
    gpis_probes_destroy(s->probes);
    s->probes = NULL;
    const bool coarse = s->models == 0 && !s->sampling && gpis_run_coarse_pays(run, s->sketch);
    gpis_status status = mix_model(s, x0, coarse);
    if (status == GPIS_OK && coarse && gpis_run_model_is_too_coarse(run)) status = mix_model(s, x0, false);
    if (status != GPIS_OK) return status;
    run->model->c = 0.0; /* nothing is known of it yet; the probes compare its factor, shifted or not, with A'A */
    run->model->slack = 0.0;
    s->models++;
    if (run->settings->certificate != GPIS_CERTIFICATE_ANY) return GPIS_OK;
    /* The chances of all models together stay below delta. */
    return gpis_probes_create(run->context, run->model, GPIS_PROBES, MOST_STEPS,
                              ldexp(run->settings->delta, -s->models), run->settings->seed, (uint64_t)s->models,
                              &s->probes);
}

/* A sketch, of Y too if k is not 0. With few rows to sketch, only a Gaussian one is sure to keep all directions. */
gpis_status gpis_newton_make_sketch(gpis_newton *s, int64_t m, int64_t k) {
    gpis_run *run = s->run;
    const gpis_sketch_class *kind = m > run->problem->n / 2 && k == 0 ? gpis_sketch_find("gaussian") : run->kind;
    s->sketch_tried = true;
    run->m = m;
    s->sampling = kind->of_rows && gpis_sample_is_at_hand(run->problem->A);
    if (s->sampling) return GPIS_OK;
    return gpis_sketch_create(run->context, kind, m, run->problem->n, run->problem->d, k, run->settings->seed, 0,
                              &s->sketch);
}

/* The pass that sketches A and y. */
gpis_status gpis_newton_sketch_all(gpis_newton *s) {
    gpis_run *run = s->run;
    const gpis_pass pass = {.k = run->problem->k, .Y = run->problem->Y, .sketch = s->sketch};
    run->sketches++;
    return gpis_run_pass(run, &pass, s->sketch->class->cost(run->problem->n, run->problem->d, run->m));
}

/* Another model beside the one at hand. */
static bool has_room_to_average(const gpis_newton *s) {
    const gpis_run *run = s->run;
    const double square = 8.0 * (double)run->problem->d * (double)run->problem->d;
    const double strips = gpis_pass_gram_strips((double)run->m, (double)run->problem->d);
    const double rows = s->sampling ? gpis_sample_memory(run->problem->A, 0, run->m) : 0.0;
    const gpis_load load = gpis_load_worst(run->problem->d, run->problem->k, 0, 0, !s->sampling);
    const double sweep = gpis_pass_memory(run->context, run->problem->A, &load);
    return fmax(square * (strips + 2.0) + rows, sweep) <= (double)gpis_account_left(run->context);
}

/* Sampled rows that disappoint have missed a few heavy ones, and the next sample would, too: the Gram matrix does not.
 */
bool gpis_newton_can_average(const gpis_newton *s) {
    if (s->sampling && !s->gram_tried && gpis_run_model_fits(s->run)) return false;
    return s->models < MOST_MODELS && has_room_to_average(s);
}

gpis_status gpis_newton_make_gram(gpis_newton *s) {
    gpis_probes_destroy(s->probes);
    gpis_sketch_destroy(s->sketch);
    s->probes = NULL;
    s->sketch = NULL;
    s->gram_tried = true;
    return gpis_run_make_model(s->run, NULL, NULL, NULL);
}
