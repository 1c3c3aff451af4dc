/* A text that is written piece by piece, without formats: solves of microseconds write some. */
#ifndef GPIS_WRITER_H
#define GPIS_WRITER_H

#include "base/base.h"

/* Begins as {text, size}, where `text` has room for `size` bytes, at least 1. What does not fit is left out. */
typedef struct gpis_writer {
    char *text;
    size_t size, used;
} gpis_writer;

void gpis_write_text(gpis_writer *w, const char *text);
void gpis_write_whole(gpis_writer *w, int64_t value);
void gpis_write_number(gpis_writer *w, double value); /* the shortest decimal text that reads back as the same number */

#endif
