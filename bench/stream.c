/*
 * What rows from a file cost, against rows in memory and against plain reading. `stream [rounds] [part] [folder]`: with
 * part 10 a tenth of the rows; the files lie in the folder (default: here) and are removed in the end.
 *
 *   cached  a gradient pass over a .npy file in the page cache that does not fit the memory limit, in units of the same
 *           pass over the same file mapped into memory;
 *   cold    the same pass after the file was dropped from the page cache: its speed as a part of what plain sequential
 *           reading of the file, dropped just as well, reaches.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpis.h"
#include "read.h"

enum { LIMIT = 1 << 27 }; /* bytes: far below the files */

/* ---- files --------------------------------------------------------------------------------------------------------
 */

typedef struct shape {
    int64_t n, d;
    gpis_type type;
    gpis_order order;
} shape;

static int64_t bytes_of(const shape *s) { return s->n * s->d * (s->type == GPIS_FLOAT64 ? 8 : 4); }

static void trouble(const char *path) {
    perror(path);
    exit(3);
}

/* Small numbers; the kernels do not care which. */
static void write_file(const char *path, const shape *s) {
    enum { BLOCK = 1 << 20 };
    char header[128];
    FILE *file = fopen(path, "wb");
    if (!file) trouble(path);
    const int length =
        snprintf(header, sizeof header,
                 "\x93NUMPY\x01%c\x76%c{'descr': '<f%d', 'fortran_order': %s, "
                 "'shape': (%" PRId64 ", %" PRId64 "), }",
                 0, 0, s->type == GPIS_FLOAT64 ? 8 : 4, s->order == GPIS_COLUMN_MAJOR ? "True" : "False", s->n, s->d);
    memset(header + length, ' ', sizeof header - (size_t)length);
    header[sizeof header - 1] = '\n';
    fwrite(header, 1, sizeof header, file);
    char *block = bench_allocate(BLOCK);
    for (int64_t i = 0; i < BLOCK / 8; i++) {
        const double value = (double)((i * 2654435761u) >> 8 & 0xffff) / 65536.0 - 0.5;
        if (s->type == GPIS_FLOAT64)
            ((double *)block)[i] = value;
        else
            ((float *)block)[2 * i] = ((float *)block)[2 * i + 1] = (float)value;
    }
    for (int64_t left = bytes_of(s); left > 0; left -= BLOCK)
        if (fwrite(block, 1, (size_t)(left < BLOCK ? left : BLOCK), file) == 0) trouble(path);
    free(block);
    if (fflush(file) != 0 || fsync(fileno(file)) != 0 || fclose(file) != 0) trouble(path);
}

/* Out of the page cache. */
static void drop(const char *path) {
    const int fd = open(path, O_RDONLY);
    if (fd < 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0) trouble(path);
    close(fd);
}

/* Seconds of reading the file from end to end as `cat` does it. */
static double read_file(const char *path) {
    enum { BLOCK = 1 << 20 };
    char *block = bench_allocate(BLOCK);
    const int fd = open(path, O_RDONLY);
    if (fd < 0) trouble(path);
    posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    const double start = omp_get_wtime();
    ssize_t got;
    while ((got = read(fd, block, BLOCK)) > 0) continue;
    const double seconds = omp_get_wtime() - start;
    close(fd);
    free(block);
    return seconds;
}

/* ---- passes --------------------------------------------------------------------------------------------------------
 */

typedef struct problem {
    gpis_context *context;
    gpis_source *A;
    gpis_problem *posed; /* A and y together */
    int64_t d;
    double *x, *y, *g;
} problem;

static problem open_problem(const char *path, const shape *s, int64_t limit) {
    problem p = {0};
    bench_check(NULL, gpis_context_create(&p.context));
    bench_check(p.context, gpis_context_set_memory(p.context, limit));
    bench_check(p.context, gpis_source_open(p.context, path, NULL, &p.A));
    p.x = bench_allocate((size_t)s->d * sizeof(double));
    p.g = bench_allocate((size_t)s->d * sizeof(double));
    p.y = bench_allocate((size_t)s->n * sizeof(double));
    gpis_random_normal(1, 1, 0, s->d, p.x);
    gpis_random_normal(1, 2, 0, s->n, p.y);
    p.d = s->d;
    bench_check(p.context, gpis_problem_create(p.context, p.A, &p.posed));
    bench_check(p.context, gpis_problem_response(p.posed, p.y, s->n, 1));
    return p;
}

static void close_problem(problem *p) {
    gpis_problem_destroy(p->posed);
    gpis_source_destroy(p->A);
    gpis_context_destroy(p->context);
    free(p->x);
    free(p->y);
    free(p->g);
}

static double gradient_pass(problem *p) {
    double f;
    const double start = omp_get_wtime();
    bench_check(p->context, gpis_evaluate(p->posed, p->x, p->d, &f, p->g));
    return omp_get_wtime() - start;
}

static double cached(const char *path, const shape *s, int rounds) {
    problem inside = open_problem(path, s, 0), outside = open_problem(path, s, LIMIT);
    double best[2] = {INFINITY, INFINITY};
    for (int r = 0; r < rounds; r++) {
        best[0] = fmin(best[0], gradient_pass(&inside));
        best[1] = fmin(best[1], gradient_pass(&outside));
    }
    close_problem(&inside);
    close_problem(&outside);
    printf("  in memory %.1f GB/s, by windows %.1f GB/s\n", 1e-9 * (double)bytes_of(s) / best[0],
           1e-9 * (double)bytes_of(s) / best[1]);
    return best[1] / best[0];
}

static double cold(const char *path, const shape *s, int rounds) {
    double plain = INFINITY, pass = INFINITY;
    for (int r = 0; r < rounds; r++) {
        drop(path);
        plain = fmin(plain, read_file(path));
        drop(path);
        problem p = open_problem(path, s, LIMIT);
        pass = fmin(pass, gradient_pass(&p));
        close_problem(&p);
    }
    printf("  plain reading %.2f GB/s, a pass %.2f GB/s\n", 1e-9 * (double)bytes_of(s) / plain,
           1e-9 * (double)bytes_of(s) / pass);
    return plain / pass;
}

static void row(const char *what, double ratio, double target, int below) {
    const int met = below ? ratio <= target : ratio >= target;
    printf("  %-52s %6.2f   (target %.2f)%s\n", what, ratio, target, met ? "" : "   missed");
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 7;
    const int64_t part = argc > 2 ? atoi(argv[2]) : 1;
    static const shape shapes[] = {{400000, 500, GPIS_FLOAT64, GPIS_ROW_MAJOR},
                                   {200000, 1000, GPIS_FLOAT64, GPIS_ROW_MAJOR},
                                   {400000, 1000, GPIS_FLOAT32, GPIS_ROW_MAJOR},
                                   {200000, 1000, GPIS_FLOAT64, GPIS_COLUMN_MAJOR}};
    char path[4096];
    snprintf(path, sizeof path, "%s/bench-stream.npy", argc > 3 ? argv[3] : ".");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        shape s = shapes[i];
        s.n /= part;
        printf("%" PRId64 " x %" PRId64 ", %s, %s\n", s.n, s.d, s.type == GPIS_FLOAT64 ? "float64" : "float32",
               s.order == GPIS_ROW_MAJOR ? "row-major" : "column-major");
        write_file(path, &s);
        row("cached: gradient pass by windows, over one in memory", cached(path, &s, rounds), 1.3, 1);
        row("cold: speed of the pass, over plain reading", cold(path, &s, rounds < 3 ? rounds : 3), 0.85, 0);
        unlink(path);
    }
    return 0;
}
