/* The yardstick of all measurements: how long it takes to read every byte of A once, and a few helpers. */
#ifndef BENCH_READ_H
#define BENCH_READ_H

#include <stddef.h>

#include "gpis.h"

typedef struct piece {
    const void *memory;
    size_t bytes;
} piece;

/* Seconds of one threaded read of all pieces. */
double bench_plain_read(const piece *pieces, int count);

/* These end the program, with a message, where they cannot do their work. */
void bench_check(gpis_context *context, gpis_status status);
void *bench_allocate(size_t bytes);

#endif
