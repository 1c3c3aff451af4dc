/* newton's model of A'A: sketches and samples, averaged, or the Gram matrix; and the probes that belong to it. */
#include <math.h>

#include "method/look.h"
#include "method/newton.h"

enum { MAX_MODELS = 8 }; /* sketches that are averaged in one model */

/* H <- (models H + (SA)'(SA)) / (models + 1), and its factor. With x0, measures that point of the sketched problem. The
 * sketch has been filled; rows are sampled here. */
static gpis_status mix_model(gpis_newton *s, const double *x0, bool coarse, bool *on_A) {
    gpis_run *run = s->run;
    const int64_t entries = run->problem->d * run->problem->d;
    double *H = gpis_alloc(run->context, entries, sizeof *H), *g = x0 ? s->g : NULL;
    gpis_sample *sample = NULL;
    *on_A = false;
    if (!H) return GPIS_NO_MEMORY;
    gpis_status status = s->sampling
                             ? gpis_run_sample_gram(run, (uint64_t)s->models, H, x0, g, &s->point, on_A, &sample)
                             : gpis_run_sketch_gram(run, s->sketch, coarse, H, x0, g, &s->point);
    if (status != GPIS_OK) {
        gpis_free(run->context, H);
        return status;
    }
    const double share = 1.0 / (s->models + 1);
    const double *old = s->models > 0 ? run->curvature.model->H : NULL;
    for (int64_t i = 0; s->models > 0 && i < entries; i++) H[i] = share * H[i] + (1.0 - share) * old[i];
    const gpis_origin origin = {s->sampling ? NULL : s->sketch, sample, coarse};
    status = gpis_run_take_model(run, H, (double)run->m, &origin);
    gpis_sample_destroy(sample);
    return status;
}

/* Another sketch is in the model, to which new probes belong. */
static gpis_status begin_probes(gpis_newton *s) {
    const gpis_run *run = s->run;
    s->models++;
    if (run->settings->certificate != GPIS_CERTIFICATE_ANY) return GPIS_OK;
    /* delta / 2, delta / 4, ...: the chance that any of the models is trusted wrongly stays below delta */
    return gpis_probes_create(run->context, run->curvature.model, GPIS_PROBES, GPIS_PROBE_STEPS,
                              ldexp(run->settings->delta, -s->models), run->settings->seed, (uint64_t)s->models,
                              &s->probes);
}

/* The first sketch, which the others only improve, may be multiplied in single precision. */
gpis_status gpis_newton_add_to_model(gpis_newton *s, const double *x0, bool *on_A) {
    gpis_run *run = s->run;
    gpis_probes_destroy(s->probes);
    s->probes = NULL;
    const bool coarse = s->models == 0 && !s->sampling && gpis_run_coarse_pays(run, s->sketch);
    gpis_status status = mix_model(s, x0, coarse, on_A);
    if (status == GPIS_OK && coarse && gpis_curvature_is_too_coarse(&run->curvature))
        status = mix_model(s, x0, false, on_A);
    if (status != GPIS_OK) return status;
    return begin_probes(s);
}

gpis_status gpis_newton_take_sample(gpis_newton *s, gpis_sample *sample, bool *seen) {
    gpis_run *run = s->run;
    run->kind = gpis_sketch_find("sample");
    run->m = sample->rows->n;
    gpis_account_enter_sketch(&run->account);
    const gpis_status status = gpis_look_model(run, sample, s->x, s->g, &s->point, seen);
    s->sampling = *seen;
    return status == GPIS_OK && *seen ? begin_probes(s) : status;
}

gpis_status gpis_newton_make_sketch(gpis_newton *s, int64_t m, int64_t k) {
    gpis_run *run = s->run;
    const gpis_problem *p = run->problem;
    const gpis_sketch_class *kind = m > p->n / 2 && k == 0 ? gpis_sketch_find("gaussian") : run->kind;
    s->sketch_tried = true;
    run->m = m;
    s->sampling = kind->of_rows && gpis_sample_is_at_hand(p->A);
    if (s->sampling) return GPIS_OK;
    return gpis_sketch_create(run->context, kind, m, p->n, p->d, k, run->settings->seed, 0, &s->sketch);
}

gpis_status gpis_newton_sketch_all(gpis_newton *s) {
    gpis_run *run = s->run;
    const gpis_problem *p = run->problem;
    const gpis_pass pass = {.k = p->k, .Y = p->Y, .sketch = s->sketch};
    gpis_account_enter_sketch(&run->account);
    return gpis_run_pass(run, &pass, s->sketch->class->cost(p->n, p->d, run->m));
}

/* There is memory for another model beside the present one. */
static bool has_memory_to_average(const gpis_newton *s) {
    const gpis_run *run = s->run;
    const gpis_problem *p = run->problem;
    const double square = 8.0 * (double)p->d * (double)p->d;
    const double strips = gpis_pass_gram_strips((double)run->m, (double)p->d);
    const double rows = s->sampling ? gpis_sample_memory(p->A, 0, run->m) : 0.0;
    const gpis_load load = gpis_load_with_terms(gpis_load_worst(p->d, p->k, 0, 0, !s->sampling), &p->terms);
    const double sweep = gpis_pass_memory(run->context, p->A, &load);
    return fmax(square * (strips + 2.0) + rows, sweep) <= (double)gpis_account_left(run->context);
}

/* A sample that works badly has missed a few heavy rows, and so would the next one. The Gram matrix does not. */
bool gpis_newton_can_average(const gpis_newton *s) {
    if (s->sampling && !s->gram_tried && gpis_curvature_fits(s->run->problem)) return false;
    return s->models < MAX_MODELS && has_memory_to_average(s);
}

static void drop_probes_and_rows(gpis_newton *s) {
    gpis_probes_destroy(s->probes);
    gpis_sketch_destroy(s->sketch);
    s->probes = NULL;
    s->sketch = NULL;
}

void gpis_newton_drop_sketch(gpis_newton *s) {
    drop_probes_and_rows(s);
    gpis_curvature_drop(&s->run->curvature);
    s->models = 0;
    s->sketch_tried = false; /* should the Gram matrix lose digits, the rows of a sketch may still have them */
}

/* Points are measured more exactly already than a summary would tell. */
static bool has_left_summary(const gpis_newton *s) { return s->run->extended && s->phase != GPIS_PHASE_START; }

/* A sketched model has no use beside the Gram matrix, and its memory is needed. The sketch may have left less of it
 * than there was at the start, when the summary was to be made in the place of the Gram matrix. */
gpis_status gpis_newton_make_gram(gpis_newton *s) {
    drop_probes_and_rows(s);
    if (s->run->curvature.sketched) gpis_curvature_drop(&s->run->curvature);
    s->gram_tried = true;
    const bool summarises = s->summarises && !has_left_summary(s) && gpis_workload_summarises(s->run->problem);
    return summarises ? gpis_run_summarise(s->run) : gpis_run_make_model(s->run);
}
