/* The clock and the counters of a run. */
#include "method/account.h"

#include <math.h>

static double processor_clock(const gpis_account *a) { return a->reports ? gpis_processor_clock() : 0.0; }

void gpis_account_begin(gpis_account *account, int64_t memory_before, bool reports) {
    *account = (gpis_account){
        .started = gpis_clock(), .reports = reports, .memory_before = memory_before, .reported_gap = NAN};
    account->processor_started = processor_clock(account);
}

/* ---- the clock ---- */

double gpis_account_seconds(const gpis_account *a) { return a->paused ? a->seconds_paused : gpis_clock() - a->started; }

double gpis_account_processor_seconds(const gpis_account *a) {
    return a->paused ? a->processor_paused : processor_clock(a) - a->processor_started;
}

double gpis_account_pass_seconds(const gpis_account *a) { return gpis_clock() - a->pass_started; }

void gpis_account_pause(gpis_account *a) {
    a->seconds_paused = gpis_account_seconds(a);
    a->processor_paused = gpis_account_processor_seconds(a);
    a->paused = true;
}

void gpis_account_resume(gpis_account *a) {
    if (!a->paused) return;
    a->paused = false;
    a->started = gpis_clock() - a->seconds_paused;
    a->processor_started = processor_clock(a) - a->processor_paused;
}

void gpis_account_set_seconds(gpis_account *a, double seconds) {
    a->seconds_paused = seconds;
    a->started = gpis_clock() - seconds;
}

/* ---- entries ---- */

void gpis_account_begin_pass(gpis_account *a) { a->pass_started = gpis_clock(); }

void gpis_account_enter_pass(gpis_account *a, double epochs, double bytes) {
    a->passes++;
    gpis_account_enter_work(a, epochs, bytes);
}

void gpis_account_enter_sketch(gpis_account *a) { a->sketches++; }

void gpis_account_enter_work(gpis_account *a, double epochs, double bytes) {
    if (!a->paused) a->epochs += epochs;
    a->bytes_read += bytes;
}

void gpis_account_enter_inner(gpis_account *a, int64_t iterations) { a->inner_iterations = iterations; }

void gpis_account_enter_steps(gpis_account *a, double sum, int64_t count) {
    a->step_sum += sum;
    a->steps += count;
}

/* ---- reports ---- */

bool gpis_account_report(gpis_account *a, double objective, double gap, int64_t m, gpis_progress *progress) {
    if (a->reported == a->passes) return false;
    *progress = (gpis_progress){.pass = a->passes,
                                .seconds = gpis_account_seconds(a),
                                .epochs = a->epochs,
                                .objective = objective,
                                .gap = gap,
                                .contraction = gap / a->reported_gap,
                                .m = m,
                                .inner_iterations = a->inner_iterations,
                                .step = a->steps > 0 ? a->step_sum / (double)a->steps : 0.0,
                                .processor_seconds = gpis_account_processor_seconds(a)};
    a->reported = a->passes;
    a->reported_gap = gap;
    a->step_sum = 0.0;
    a->steps = 0;
    return true;
}
