/* How fast this machine is: usual figures, or what the passes themselves measure on rows that are made up. */
#include <math.h>
#include <unistd.h>

#include "base/sized.h"
#include "linalg/blas.h"
#include "pass/pass.h"

/* 256 MB of rows, more than most caches hold, with more columns than the kernel of gram.h takes, so that dsyrk is
 * measured.
 */
enum { ROWS = 1 << 16, COLUMNS = 512 };
enum {
    GRAM_SHARE = 8,
    ATTEMPTS = 9
}; /* the Gram matrix is of an eighth of the rows, and every time the best of nine */

/* A small virtual machine: two cores that share a memory channel, AVX2, 4 GB, a solid-state disk. Decisions within a
 * run are made for this machine (cost.h), so other figures mean answers with other bits. */
gpis_status gpis_machine_init(gpis_machine *machine, size_t size) {
    static const gpis_machine usual = {.size = sizeof usual,
                                       .threads = 2,
                                       .read_bytes = 12e9,
                                       .gradient_bytes = 10e9,
                                       .syrk_flops = 30e9,
                                       .memory = 4294967296.0,
                                       .disk_bytes = 1e9};
    return gpis_sized_init(machine, size, &usual, sizeof usual);
}

/* With one thread, processor time: other programs that share the processor do not count. With several threads, whose
 * processor time would hide that they wait for each other, elapsed time. */
static double seconds_now(int threads) { return threads == 1 ? gpis_processor_clock() : gpis_clock(); }

/* A plain read: every cache line is touched, and the sum keeps the compiler from leaving it out. */
static double read_all(const double *rows, int64_t count, int threads) {
    double sum = 0.0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum) schedule(static)
    for (int64_t i = 0; i < count; i += 8) sum += rows[i];
    return sum;
}

/* Rows of small numbers, written by the threads that will read them. */
static void make_rows(double *rows, int64_t count, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < count; i++) rows[i] = (double)((i * 7919) % 1009) / 1009.0 - 0.5;
}

static void time_read(const double *rows, int threads, double *best) {
    const double before = seconds_now(threads);
    const volatile double sum = read_all(rows, (int64_t)ROWS * COLUMNS, threads);
    (void)sum;
    *best = fmin(*best, seconds_now(threads) - before);
}

static gpis_status time_pass(gpis_context *context, gpis_source *A, const gpis_pass *pass, double *best) {
    const double before = seconds_now(context->threads);
    const gpis_status status = gpis_pass_run(context, A, pass);
    *best = fmin(*best, seconds_now(context->threads) - before);
    return status;
}

/* Speeds of a plain read, of a gradient pass and, on a part of the rows, of a Gram pass. Of each the best attempt
 * counts: whatever else the machine does can only make them slower. They take turns, since plans depend on their
 * ratios: what disturbs the machine for a while disturbs all of them. `vectors`: y, x, g and H. */
static gpis_status time_all(gpis_context *context, const double *rows, double *vectors, gpis_machine *machine) {
    double *Y = vectors, *X = Y + ROWS, *G = X + COLUMNS, *H = G + COLUMNS, objective;
    double read = INFINITY, gradient = INFINITY, gram = INFINITY;
    gpis_source *A = NULL, *part = NULL;
    gpis_status status = gpis_source_dense(context, rows, GPIS_FLOAT64, GPIS_ROW_MAJOR, ROWS, COLUMNS, COLUMNS, &A);
    if (status == GPIS_OK)
        status =
            gpis_source_dense(context, rows, GPIS_FLOAT64, GPIS_ROW_MAJOR, ROWS / GRAM_SHARE, COLUMNS, COLUMNS, &part);
    for (int j = 0; j < COLUMNS; j++) X[j] = 1.0; /* at 0 a gradient takes less */
    const gpis_pass at_x = {.k = 1, .Y = Y, .X = X, .objective = &objective, .G = G}, of_gram = {.gram = H};
    for (int i = 0; i < ATTEMPTS && status == GPIS_OK; i++) {
        time_read(rows, context->threads, &read);
        status = time_pass(context, A, &at_x, &gradient);
        if (status == GPIS_OK) status = time_pass(context, part, &of_gram, &gram);
    }
    gpis_source_destroy(part);
    gpis_source_destroy(A);
    machine->read_bytes = 8.0 * ROWS * COLUMNS / read;
    machine->gradient_bytes = 8.0 * ROWS * COLUMNS / gradient;
    machine->syrk_flops = (double)(ROWS / GRAM_SHARE) * COLUMNS * COLUMNS / gram;
    return status;
}

/* Measures into *out, which holds usual figures. */
static gpis_status measure(gpis_context *context, gpis_machine *out) {
    const int64_t count = (int64_t)ROWS * COLUMNS;
    int outside;
    gpis_status status = gpis_blas_enter(context, context->threads, &outside);
    double *rows = gpis_alloc(context, count, sizeof *rows);
    double *vectors = gpis_alloc_zero(context, ROWS + 2 * COLUMNS + COLUMNS * COLUMNS, sizeof *vectors);
    if (status == GPIS_OK && !(rows && vectors)) status = GPIS_NO_MEMORY;
    if (status == GPIS_OK) {
        make_rows(rows, count, context->threads);
        out->threads = context->threads;
        status = time_all(context, rows, vectors, out);
    }
    gpis_blas_leave(outside);
    gpis_free(context, vectors);
    gpis_free(context, rows);
    const double pages = (double)sysconf(_SC_PHYS_PAGES), size = (double)sysconf(_SC_PAGESIZE);
    if (pages > 0.0 && size > 0.0) out->memory = 0.5 * pages * size;
    return status;
}

gpis_status gpis_machine_measure(gpis_context *context, gpis_machine *machine) {
    if (!context || !machine) return gpis_fail(context, GPIS_BAD_ARGUMENT, "there is no place to put the measurement");
    gpis_machine measured = gpis_machine_default();
    gpis_status status =
        gpis_sized_take(context, "figures of a machine", "gpis_machine_init", machine, &measured, sizeof measured);
    if (status == GPIS_OK) status = measure(context, &measured);
    return status == GPIS_OK ? gpis_sized_give(machine, &measured, sizeof measured) : status;
}
