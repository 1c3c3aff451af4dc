/*
 * One method of gpis on a problem that lies in a folder:
 *     own FOLDER SET METHOD TOL LIMIT ROUNDS [OBJECTIVE]
 * FOLDER holds y.npy and either A.npy or compressed rows, A.shape ("rows columns"), A.indptr (int64), A.indices (int32)
 * and A.values (float64). Everything is in memory before the clock runs. Each round is a few reads of A, then a solve,
 * so that a noisy machine disturbs both alike. With OBJECTIVE a solve ends once it has a feasible point as good as
 * that, certified or not. Its output follows the protocol of solve.py; x goes to FOLDER/METHOD.npy.
 */
#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpis.h"
#include "read.h"

enum { READS = 5 };

typedef struct problem {
    gpis_source *A;
    gpis_array y, dense; /* owned */
    void *indptr, *indices, *values;
    piece pieces[3];
    int piece_count;
} problem;

static void path_of(const char *folder, const char *name, char path[4096]) {
    if (snprintf(path, 4096, "%s/%s", folder, name) < 4096) return;
    fprintf(stderr, "own: the name of the folder is too long\n");
    exit(2);
}

static FILE *open_file(const char *folder, const char *name) {
    char path[4096];
    path_of(folder, name, path);
    return fopen(path, "rb");
}

/* The whole file, which must have this size. */
static void *load(problem *p, const char *folder, const char *name, size_t bytes) {
    void *memory = bench_allocate(bytes);
    FILE *file = open_file(folder, name);
    if (!file || fread(memory, 1, bytes, file) != bytes) {
        fprintf(stderr, "own: cannot read %zu bytes of %s/%s\n", bytes, folder, name);
        exit(3);
    }
    fclose(file);
    p->pieces[p->piece_count++] = (piece){memory, bytes};
    return memory;
}

static void open_csr(gpis_context *context, const char *folder, FILE *shape, problem *p) {
    int64_t n, d;
    if (fscanf(shape, "%" SCNd64 " %" SCNd64, &n, &d) != 2 || n < 1 || d < 1) {
        fprintf(stderr, "own: %s/A.shape must hold two numbers\n", folder);
        exit(2);
    }
    p->indptr = load(p, folder, "A.indptr", (size_t)(n + 1) * sizeof(int64_t));
    const int64_t nonzeros = ((const int64_t *)p->indptr)[n];
    p->indices = load(p, folder, "A.indices", (size_t)nonzeros * sizeof(int32_t));
    p->values = load(p, folder, "A.values", (size_t)nonzeros * sizeof(double));
    bench_check(context, gpis_source_csr(context, n, d, p->indptr, p->indices, p->values, GPIS_FLOAT64, &p->A));
}

static void open_dense(gpis_context *context, const char *folder, problem *p) {
    char path[4096];
    path_of(folder, "A.npy", path);
    bench_check(context, gpis_array_read(context, path, &p->dense));
    const int64_t n = p->dense.rows, d = p->dense.cols;
    p->pieces[p->piece_count++] = (piece){p->dense.data, (size_t)(n * d) * sizeof(double)};
    bench_check(context, gpis_source_dense(context, p->dense.data, GPIS_FLOAT64, GPIS_ROW_MAJOR, n, d, d, &p->A));
}

static problem open_problem(gpis_context *context, const char *folder) {
    problem p = {0};
    char path[4096];
    path_of(folder, "y.npy", path);
    bench_check(context, gpis_array_read(context, path, &p.y));
    FILE *shape = open_file(folder, "A.shape");
    if (shape) {
        open_csr(context, folder, shape, &p);
        fclose(shape);
    } else {
        open_dense(context, folder, &p);
    }
    return p;
}

static void close_problem(gpis_context *context, problem *p) {
    gpis_source_destroy(p->A);
    gpis_array_clear(context, &p->y);
    gpis_array_clear(context, &p->dense);
    free(p->indptr);
    free(p->indices);
    free(p->values);
}

/* Ends the solve once its best objective is as good as the one asked for. */
static int good_enough(void *asked, const gpis_progress *progress) {
    return progress->objective <= *(const double *)asked;
}

static void report(const gpis_result *r, double seconds) {
    printf("status %s\nmethod %s\ngap_kind %s\ngap %.3e\npasses %" PRId64 "\nsketches %" PRId64 "\nplan %s\n",
           gpis_outcome_text(r->outcome), r->method, gpis_gap_kind_text(r->gap_kind), gpis_relative_gap(r), r->passes,
           r->sketches, r->plan);
    if (!isnan(r->predicted_seconds)) /* some methods predict nothing */
        printf("predicted_passes %" PRId64 "\npredicted_seconds %.4g\n", r->predicted_passes, r->predicted_seconds);
    printf("round %.9g\n", seconds);
    fflush(stdout);
}

int main(int argc, char **argv) {
    if (argc < 7) {
        fprintf(stderr, "usage: own FOLDER SET METHOD TOL LIMIT ROUNDS [OBJECTIVE]\n");
        return 2;
    }
    const char *folder = argv[1], *method = argv[3];
    const double limit = atof(argv[5]);
    double asked = argc > 7 ? atof(argv[7]) : -INFINITY;
    gpis_context *context = NULL;
    gpis_set *set = NULL;
    bench_check(context, gpis_context_create(&context));
    problem p = open_problem(context, folder);
    gpis_source_info shape;
    gpis_source_describe(p.A, &shape);
    gpis_problem *posed = NULL;
    bench_check(context, gpis_problem_create(context, p.A, &posed));
    bench_check(context, gpis_problem_response(posed, p.y.data, p.y.rows, p.y.cols));
    bench_check(context, gpis_set_parse(context, argv[2], posed, &set));
    bench_check(context, gpis_problem_constrain(posed, set));
    gpis_settings settings = gpis_settings_default();
    settings.method = method;
    /* `newton` by name stands for the exact Gram matrix. */
    if (strcmp(method, "newton") == 0) settings.sketch = "none";
    gpis_machine machine = gpis_machine_default(); /* as the program does: measured once, not for each solve */
    bench_check(context, gpis_machine_measure(context, &machine));
    settings.machine = &machine;
    settings.tol = atof(argv[4]);
    settings.time_limit = limit;
    settings.progress = good_enough;
    settings.progress_user = &asked;

    const bench_reader reader = bench_reader_make(p.pieces, p.piece_count);
    puts("ready");
    fflush(stdout);
    char name[64], path[4096];
    snprintf(name, sizeof name, "%s.npy", method);
    path_of(folder, name, path);
    double spent = 0;
    for (int r = 0; r < atoi(argv[6]) && (r == 0 || spent < limit / 4); r++) {
        for (int k = 0; k < READS; k++) printf("read %.9g\n", bench_read(&reader));
        gpis_result *result = NULL;
        const double start = omp_get_wtime();
        bench_check(context, gpis_solve(posed, &settings, &result));
        const double seconds = omp_get_wtime() - start;
        spent += seconds;
        if (r == 0) bench_check(context, gpis_array_write(context, path, result->x, shape.cols, p.y.cols, 2));
        report(result, seconds);
        gpis_result_destroy(result);
    }
    gpis_problem_destroy(posed);
    gpis_set_destroy(set);
    close_problem(context, &p);
    gpis_context_destroy(context);
    return 0;
}
