/* Text files, gzipped or not, read line by line, and the words of a line. */
#ifndef GPIS_TEXT_H
#define GPIS_TEXT_H

#include "base/number.h"

struct gzFile_s;

typedef struct gpis_text {
    gpis_context *context; /* borrowed */
    const char *path;      /* borrowed */
    struct gzFile_s *file; /* owned */
    char *buffer;          /* owned; [begin, end) has been read and not yet returned */
    int64_t capacity, begin, end;
    bool ended;          /* the file has no more */
    int64_t line, after; /* number of the first line of the last record returned, and of the line after that record */
    const gpis_open_options *options; /* borrowed: the progress function; NULL: none */
    int64_t size;                     /* of the file in bytes; 0: not known */
    double opened, reported;          /* times when it was opened and when progress was last reported */
} gpis_text;

/* Clears *text first, so that gpis_text_close may be called after any failure. Progress is reported to the function in
 * `options`, which may be NULL. */
gpis_status gpis_text_open(gpis_context *context, const char *path, const gpis_open_options *options, gpis_text *text);
void gpis_text_close(gpis_text *text);

/* The next line, without its end and with a NUL after it; *more is false at the end of the file. With `quoted`, a
 * newline between double quotes is part of the line. The span is valid until the next call. */
gpis_status gpis_text_next(gpis_text *text, bool quoted, gpis_span *line, bool *more);

/* Reads on until `wanted` bytes are there that have not been returned, or until the file ends; the last line then gets
 * a newline if it has none. They are [text->begin, text->end) of the buffer, and behind them is one more newline, so
 * that a search for the end of a line needs no other limit. The caller takes bytes by moving text->begin. */
gpis_status gpis_text_ahead(gpis_text *text, int64_t wanted);

/* The part of the file that has been read, from 0 to 1; 0: it is not known. */
double gpis_text_part(const gpis_text *text);

/* Cuts the next word, between blanks, off the front of *rest; false when there is none. */
bool gpis_text_word(gpis_span *rest, gpis_span *word);

bool gpis_text_is(gpis_span word, const char *text); /* equal, ignoring case */

/* A word for a message: shortened, and without control characters. */
typedef struct gpis_excerpt {
    char text[44];
} gpis_excerpt;
gpis_excerpt gpis_text_excerpt(gpis_span word);

#endif
