/* The yardstick of all measurements: how long it takes to read every byte of A once, and a few helpers. */
#ifndef BENCH_READ_H
#define BENCH_READ_H

#include <stddef.h>

#include "gpis.h"

typedef struct piece {
    const void *memory;
    size_t bytes;
} piece;

enum { BENCH_FAVOURITES = 3 };
typedef struct bench_reader {
    const piece *pieces; /* borrowed */
    int count;
    int favourites[BENCH_FAVOURITES]; /* the ways to read that were fastest on these pieces, best first */
} bench_reader;

/* Tries every way to read these pieces. */
bench_reader bench_reader_make(const piece *pieces, int count);
/* Seconds of one threaded read of all pieces: the best of the favourites. */
double bench_read(const bench_reader *reader);
/* The fastest way in words. */
void bench_describe_read(const bench_reader *reader, char *text, size_t size);

/* These end the program, with a message, where they cannot do their work. Memory of 2 MiB and more is aligned for huge
 * pages, and the system is asked to use them, as numpy asks for its arrays. */
void bench_check(gpis_context *context, gpis_status status);
void *bench_allocate(size_t bytes);

#endif
