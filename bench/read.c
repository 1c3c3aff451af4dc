/*
 * The yardstick: the fastest way known to read every byte of A once, doing nothing with it but an exclusive or.
 *
 * Which way is the fastest depends on the processor: some follow one stream per thread best, some want several streams
 * at a time, and on some the hardware's prefetcher stops at the end of each page of 4 KiB, so that prefetching by
 * software helps. So all the ways in the table are tried on the data at first, and from then on every measurement is
 * the best of the few that were fastest.
 */
#define _DEFAULT_SOURCE /* madvise */
#include "read.h"

#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

void bench_check(gpis_context *context, gpis_status status) {
    if (status == GPIS_OK) return;
    fprintf(stderr, "bench: %s: %s\n", gpis_status_text(status), context ? gpis_last_error(context) : "");
    exit(1);
}

enum { SMALL_PAGE = 1 << 12, HUGE_PAGE = 1 << 21 };

void *bench_allocate(size_t bytes) {
    void *memory = NULL;
    if (posix_memalign(&memory, bytes < HUGE_PAGE ? SMALL_PAGE : HUGE_PAGE, bytes) != 0) {
        fprintf(stderr, "bench: out of memory (%zu bytes)\n", bytes);
        exit(3);
    }
    if (bytes >= HUGE_PAGE) madvise(memory, bytes, MADV_HUGEPAGE); /* a wish, which the system may not grant */
    return memory;
}

typedef uint64_t v8u __attribute__((vector_size(64), aligned(8)));
enum { STEP = 32 }; /* words of a stream read at a time: four vectors of 64 bytes */

/* Reads `streams` equal parts of the words side by side and prefetches `ahead` bytes before each is needed (0: not at
 * all). Both are constants where this is inlined. */
static inline __attribute__((always_inline)) uint64_t read_streams(const uint64_t *words, size_t count, size_t streams,
                                                                   size_t ahead) {
    const size_t part = count / streams / STEP * STEP;
    v8u a = {0}, b = {0}, c = {0}, d = {0};
    for (size_t i = 0; i < part; i += STEP)
        for (size_t s = 0; s < streams; s++) {
            const v8u *v = (const v8u *)(words + s * part + i);
            for (size_t line = 0; ahead > 0 && line < 4; line++)
                __builtin_prefetch((const char *)(v + line) + ahead); /* beyond the end it does nothing */
            a ^= v[0];
            b ^= v[1];
            c ^= v[2];
            d ^= v[3];
        }
    a ^= b ^ c ^ d;
    uint64_t sum = 0;
    for (size_t i = streams * part; i < count; i++) sum ^= words[i];
    for (int l = 0; l < 8; l++) sum ^= a[l];
    return sum;
}

#if defined(__x86_64__) && !defined(__clang__)
#define FOR_EACH_PROCESSOR __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOR_EACH_PROCESSOR
#endif

/* streams, bytes prefetched ahead */
#define WAYS(WAY) \
    WAY(1, 0)     \
    WAY(2, 0)     \
    WAY(4, 0)     \
    WAY(8, 0) WAY(16, 0) WAY(1, 1024) WAY(1, 4096) WAY(2, 1024) WAY(2, 2048) WAY(4, 1024) WAY(4, 2048) WAY(8, 1024)

#define DEFINE(streams, ahead)                                                                         \
    FOR_EACH_PROCESSOR static uint64_t read_##streams##_##ahead(const uint64_t *words, size_t count) { \
        return read_streams(words, count, streams, ahead);                                             \
    }
WAYS(DEFINE)

static const struct way {
    uint64_t (*read)(const uint64_t *words, size_t count);
    int streams, ahead;
} ways[] = {
#define ENTER(streams, ahead) {read_##streams##_##ahead, streams, ahead},
    WAYS(ENTER)};
enum { COUNT = sizeof ways / sizeof ways[0], TRIALS = 3 };

/* Seconds of one threaded read of all pieces. */
static double time_way(const bench_reader *reader, int way) {
    static volatile uint64_t sink; /* so that the reads cannot be left out */
    uint64_t sum = 0;
    const double start = omp_get_wtime();
#pragma omp parallel reduction(^ : sum)
    {
        const size_t threads = (size_t)omp_get_num_threads(), me = (size_t)omp_get_thread_num();
        for (int p = 0; p < reader->count; p++) {
            const size_t words = reader->pieces[p].bytes / 8;
            const size_t begin = words * me / threads, end = words * (me + 1) / threads;
            sum ^= ways[way].read((const uint64_t *)reader->pieces[p].memory + begin, end - begin);
        }
    }
    const double seconds = omp_get_wtime() - start;
    sink = sum;
    (void)sink;
    return seconds;
}

/* The fastest way that is not among the `taken` first favourites. */
static int fastest(const double *best, const int *favourites, int taken) {
    int found = -1;
    for (int w = 0; w < COUNT; w++) {
        int is_taken = 0;
        for (int t = 0; t < taken; t++) is_taken |= favourites[t] == w;
        if (!is_taken && (found < 0 || best[w] < best[found])) found = w;
    }
    return found;
}

bench_reader bench_reader_make(const piece *pieces, int count) {
    bench_reader reader = {.pieces = pieces, .count = count};
    double best[COUNT];
    for (int w = 0; w < COUNT; w++) best[w] = INFINITY;
    for (int trial = 0; trial < TRIALS; trial++)
        for (int w = 0; w < COUNT; w++) best[w] = fmin(best[w], time_way(&reader, w));
    for (int f = 0; f < BENCH_FAVOURITES; f++) reader.favourites[f] = fastest(best, reader.favourites, f);
    return reader;
}

double bench_read(const bench_reader *reader) {
    double seconds = INFINITY;
    for (int f = 0; f < BENCH_FAVOURITES; f++) seconds = fmin(seconds, time_way(reader, reader->favourites[f]));
    return seconds;
}

void bench_describe_read(const bench_reader *reader, char *text, size_t size) {
    const struct way *way = &ways[reader->favourites[0]];
    const int length = snprintf(text, size, "%d stream%s a thread", way->streams, way->streams > 1 ? "s" : "");
    if (way->ahead > 0 && length > 0 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length, ", prefetched %d bytes ahead", way->ahead);
}
