/* Settings: taken from the caller, completed, checked. The modules behind trust them. */
#include "api/settings.h"

#include <math.h>
#include <string.h>

#include "base/options.h"
#include "base/sized.h"
#include "method/method.h"

static gpis_status check_sketch(gpis_context *context, const gpis_settings *s, int64_t n) {
    const bool none = gpis_run_is_unsketched(s), chosen = s->sketch && strcmp(s->sketch, "auto") == 0;
    if (!chosen && !none && !(s->sketch && gpis_sketch_find(s->sketch)))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "no sketch is called '%s'; there are %s",
                         s->sketch ? s->sketch : "", gpis_sketch_names());
    const gpis_method *method = s->method ? gpis_method_named(gpis_all_methods(), s->method) : NULL;
    if (none && (s->m > 0 || (method && method->needs_sketch)))
        return gpis_fail(context, GPIS_BAD_ARGUMENT,
                         "sketch 'none': without a sketch there is %s; leave one of them out",
                         s->m > 0 ? "no m" : "no such method");
    if (s->m < 0 || s->m > n)
        return gpis_fail(context, GPIS_BAD_ARGUMENT,
                         "a sketch of m = %lld rows: m must be from 1 to the %lld rows of A", (long long)s->m,
                         (long long)n);
    if (s->rounds < 0) return gpis_fail(context, GPIS_BAD_ARGUMENT, "rounds must not be negative");
    char trouble[160];
    if (s->inner && gpis_option_explain(gpis_option_find("inner"), s->inner, trouble, sizeof trouble) > 0)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "option %s", trouble);
    if (s->batch < 1)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "a batch has at least 1 row, not %lld", (long long)s->batch);
    return GPIS_OK;
}

static gpis_status check_values(gpis_context *context, const gpis_settings *s) {
    if (!(s->tol > 0.0 && s->tol < 1.0))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "the tolerance must be between 0 and 1, not %g", s->tol);
    if (!(s->delta > 0.0 && s->delta < 1.0))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "delta must be between 0 and 1, not %g", s->delta);
    if (s->memory < 0) return gpis_fail(context, GPIS_BAD_ARGUMENT, "the memory limit must not be negative");
    if (s->max_passes < 0) return gpis_fail(context, GPIS_BAD_ARGUMENT, "max_passes must not be negative");
    if (!(s->time_limit >= 0.0)) return gpis_fail(context, GPIS_BAD_ARGUMENT, "time_limit must not be negative");
    if (!(s->checkpoint_every >= 0.0))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "checkpoint_every must not be negative");
    if (s->resume && !s->checkpoint)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "to resume needs the checkpoint to resume from");
    if (!(s->gamma_u > 1.0 && isfinite(s->gamma_u)))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "gamma_u must be greater than 1, not %g", s->gamma_u);
    if (!(s->gamma_d >= 1.0 && isfinite(s->gamma_d)))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "gamma_d must be at least 1, not %g", s->gamma_d);
    if (!(s->fixed_step >= 0.0 && isfinite(s->fixed_step)))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "fixed_step must not be negative");
    if (s->certificate < GPIS_CERTIFICATE_ANY || s->certificate > GPIS_CERTIFICATE_NONE)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "there is no certificate number %d", (int)s->certificate);
    if (s->restart < GPIS_RESTART_GRADIENT || s->restart > GPIS_RESTART_NONE)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "there is no restart number %d", (int)s->restart);
    if (s->threads < 0 || s->threads > GPIS_MAX_THREADS)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "threads must be from 0 to %d, not %d", GPIS_MAX_THREADS,
                         s->threads);
    return GPIS_OK;
}

static gpis_status check_start(const gpis_problem *problem, const gpis_settings *s) {
    if (s->x0 && s->x0_entries != problem->size && s->x0_entries != problem->A->d * problem->k)
        return gpis_fail(problem->context, GPIS_BAD_SHAPE, "x0 has %lld entries and needs %lld x %lld%s",
                         (long long)s->x0_entries, (long long)problem->A->d, (long long)problem->k,
                         problem->terms.constant ? ", or one row more with the intercept" : "");
    for (int64_t i = 0; s->x0 && i < s->x0_entries; i++)
        if (!isfinite(s->x0[i]))
            return gpis_fail(problem->context, GPIS_BAD_DATA, "entry %lld of x0 is %g", (long long)i + 1, s->x0[i]);
    return GPIS_OK;
}

static bool is_speed(double speed) { return isfinite(speed) && speed > 0.0; }

static gpis_status check_machine(gpis_context *context, const gpis_machine *machine) {
    if (machine->threads >= 1 && is_speed(machine->read_bytes) && is_speed(machine->gradient_bytes) &&
        is_speed(machine->syrk_flops) && is_speed(machine->memory) &&
        (machine->disk_bytes == 0.0 || is_speed(machine->disk_bytes)))
        return GPIS_OK;
    return gpis_fail(context, GPIS_BAD_ARGUMENT, "a machine has threads, speeds and memory, all of them positive");
}

bool gpis_settings_are_limited(const gpis_settings *settings) {
    return settings->max_passes > 0 || settings->time_limit > 0.0;
}

gpis_status gpis_settings_check_end(gpis_context *context, const gpis_settings *s) {
    if (s->certificate != GPIS_CERTIFICATE_NONE || gpis_settings_are_limited(s)) return GPIS_OK;
    return gpis_fail(context, GPIS_BAD_ARGUMENT,
                     "without a certificate nothing ends the run: give option max-passes or option time-limit");
}

void gpis_settings_fit_set(gpis_settings *settings, const gpis_set *set) {
    if (!set->has_support) settings->certificate = GPIS_CERTIFICATE_NONE;
}

static gpis_status take_machine(gpis_call *call, gpis_context *context) {
    call->machine = gpis_machine_default();
    const gpis_status status = gpis_sized_take(context, "figures of a machine", "gpis_machine_init",
                                               call->settings.machine, &call->machine, sizeof call->machine);
    call->settings.machine = &call->machine;
    return status == GPIS_OK ? check_machine(context, &call->machine) : status;
}

gpis_status gpis_call_begin(gpis_call *call, const gpis_problem *problem, const gpis_settings *given) {
    gpis_context *context = problem->context;
    *call = (gpis_call){.threads = context->threads, .limit = context->limit};
    gpis_status status = gpis_settings_take(context, given, &call->settings);
    if (status == GPIS_OK) status = check_values(context, &call->settings);
    if (status == GPIS_OK) status = check_start(problem, &call->settings);
    if (status == GPIS_OK) status = check_sketch(context, &call->settings, problem->n);
    if (status == GPIS_OK) status = take_machine(call, context);
    if (status != GPIS_OK) return status;
    call->began = true;
    if (call->settings.threads > 0) context->threads = call->settings.threads;
    if (call->settings.memory > 0) context->limit = call->settings.memory;
    return GPIS_OK;
}

void gpis_call_end(gpis_call *call, gpis_context *context) {
    if (!call->began) return;
    context->threads = call->threads;
    context->limit = call->limit;
}
