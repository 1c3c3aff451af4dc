/* The yardstick: read every byte once, and do as little as possible with it. */
#include "read.h"

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void bench_check(gpis_context *context, gpis_status status) {
    if (status == GPIS_OK) return;
    fprintf(stderr, "bench: %s: %s\n", gpis_status_text(status), context ? gpis_last_error(context) : "");
    exit(1);
}

void *bench_allocate(size_t bytes) {
    void *memory = NULL;
    if (posix_memalign(&memory, 4096, bytes) != 0) {
        fprintf(stderr, "bench: out of memory (%zu bytes)\n", bytes);
        exit(3);
    }
    return memory;
}

typedef uint64_t v8u __attribute__((vector_size(64), aligned(8)));

#if defined(__x86_64__) && !defined(__clang__)
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
static uint64_t
read_words(const uint64_t *words, size_t count) {
    v8u a = {0}, b = {0}, c = {0}, d = {0};
    size_t i = 0;
    for (; i + 32 <= count; i += 32) {
        const v8u *v = (const v8u *)(words + i);
        a ^= v[0];
        b ^= v[1];
        c ^= v[2];
        d ^= v[3];
    }
    a ^= b ^ c ^ d;
    uint64_t sum = 0;
    for (; i < count; i++) sum ^= words[i];
    for (int l = 0; l < 8; l++) sum ^= a[l];
    return sum;
}

double bench_plain_read(const piece *pieces, int count) {
    static volatile uint64_t sink;
    uint64_t sum = 0;
    const double start = omp_get_wtime();
#pragma omp parallel reduction(^ : sum)
    {
        const size_t threads = (size_t)omp_get_num_threads(), me = (size_t)omp_get_thread_num();
        for (int p = 0; p < count; p++) {
            const size_t words = pieces[p].bytes / 8, begin = words * me / threads, end = words * (me + 1) / threads;
            sum ^= read_words((const uint64_t *)pieces[p].memory + begin, end - begin);
        }
    }
    const double seconds = omp_get_wtime() - start;
    sink = sum;
    (void)sink;
    return seconds;
}
