/*
 * What the fuzzing harnesses share. A harness is one file, fuzz_NAME.c, that defines fuzz_start and fuzz_input; fuzz.c
 * turns the two into the functions that libFuzzer calls. The same files, linked with driver.c instead of libFuzzer, run
 * the seeds as an ordinary test.
 *
 * A reader must answer any bytes with a status and a one-line message, or with data that can be read to the end. All
 * else ends the program, and so fails: a sanitizer's report, too much memory, too much time, a leak, fuzz_require.
 */
#ifndef GPIS_FUZZ_H
#define GPIS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpis.h"

/* ---- what a harness defines ---------------------------------------------------------------------------------------
 */

/* Called once. `fresh` is a folder for seeds that only this build of gpis can write, or NULL if none are wanted. */
void fuzz_start(const char *fresh);
/* One input. The current folder is an empty one of this process, and everything below is relative to it. */
void fuzz_input(const uint8_t *data, size_t size);

/* ---- what it is built from ----------------------------------------------------------------------------------------
 */

/* Ends the program with the text unless `holds`. */
void fuzz_require(bool holds, const char *text);
/* Records that the input was accepted as valid. If no seed is accepted, only refusals are tested, and the run fails. */
void fuzz_accept(void);
long fuzz_accepted(void);
/* Discards what the program under test writes to stderr, but not what sanitizers, libFuzzer and fuzz_require write. */
void fuzz_silence(void);

/* A context on one thread whose allocations together stay below FUZZ_MEMORY bytes: beyond that they fail. */
enum { FUZZ_MEMORY = 64 << 20 };
gpis_context *fuzz_context(void);
/* Destroys it; everything made with it must have been destroyed before. */
void fuzz_context_end(gpis_context *context);

void fuzz_write(const char *name, const void *data, size_t size);
/* A .npy file of doubles. */
void fuzz_write_npy(const char *name, const double *data, int64_t rows, int64_t cols, int dimensions);
/* Copies a file into the folder `fresh` under another name. */
void fuzz_keep_seed(const char *fresh, const char *file, const char *seed);

/* Checks what a refusal leaves behind: a status other than GPIS_OK, a message of one line, no result. */
void fuzz_check_refusal(const gpis_context *context, gpis_status status, const void *result);
/* Reads all the numbers, so that a sanitizer notices memory that is not valid. */
void fuzz_look(const double *numbers, int64_t count);
/* Reads a source as a solve would: its shape, names and y, then an audit and a gradient pass over all rows, unless it
 * has more than FUZZ_ENTRIES entries or rows. */
enum { FUZZ_ENTRIES = 1 << 13 };
void fuzz_walk_source(gpis_context *context, gpis_source *source);
/* The same, and blocks of rows from its beginning, middle and end, of a slice too. */
void fuzz_read_source(gpis_context *context, gpis_source *source);
/* Opens the file and reads it: once held in memory, once with so little memory that rows are read at each pass. */
void fuzz_open_source(const char *path, const char *target);
void fuzz_open_source_with(const char *path, const gpis_open_options *options);

#endif
