/*
 * windows: the rows of A as a pass walks over them, a window at a time, in order.
 *
 * All rows of a resident source are one window. Of other sources a reader thread fetches window i + 1 while the caller
 * works on window i (two buffers in turn). If a source may be called by several threads at once and its rows are
 * row-major, the threads that work fetch their own rows, a run at a time, and so have them in their cache; the reader
 * only announces what comes next, so that the disk is busy while they compute. All rows are then one window, since no
 * thread has to wait for the others, unless a sketch needs rows together.
 *
 * A window is a multiple of a chunk and, for sketches, of GPIS_SKETCH_QUANTUM rows, so its size does not change any
 * sum.
 */
#ifndef GPIS_WINDOW_H
#define GPIS_WINDOW_H

#include "source/source.h"

typedef struct gpis_windows gpis_windows;

/* What the windows are for. */
typedef struct gpis_window_use {
    int64_t chunk_rows; /* rows that are worked on at a time */
    int64_t run_rows;   /* rows that one thread works on in a row: a multiple of chunk_rows */
    bool whole;         /* whole windows are needed, by a sketch, and not only chunks */
    int threads;        /* threads that take rows */
} gpis_window_use;

gpis_status gpis_windows_start(gpis_context *context, gpis_source *A, gpis_window_use use, gpis_windows **out);
/* Ends the reader thread. `status` is that of the sweep: if it has failed, its message is kept, whatever the reader has
 * reported since. `windows` may be NULL. */
void gpis_windows_end(gpis_windows *windows, gpis_status status);

/* The next window; the one before is no longer valid. At the end *window has no rows. */
gpis_status gpis_windows_next(gpis_windows *windows, gpis_block *window);
/* True if threads fetch their own rows: the window is complete once every row of it has been taken. */
bool gpis_windows_are_shared(const gpis_windows *windows);
/* How many rows a thread should take at a time: whole chunks, at most a run. */
int64_t gpis_windows_step(const gpis_windows *windows);
/* Rows [first, first + count) of the current window, for thread number `thread`, until it gives them back. False if
 * they, or rows before them, could not be fetched. */
bool gpis_windows_take(gpis_windows *windows, const gpis_block *window, int64_t first, int64_t count, int thread,
                       gpis_block *rows);
void gpis_windows_give_back(gpis_windows *windows, const gpis_block *rows);
/* The status of all rows taken so far; the message is about the first that could not be fetched. */
gpis_status gpis_windows_settle(gpis_windows *windows);

/* Bytes that the windows over A need under a memory limit (0: none). */
int64_t gpis_windows_memory(const gpis_source *A, int64_t limit, gpis_window_use use);

#endif
