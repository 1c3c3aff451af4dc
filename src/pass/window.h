/*
 * windows: the rows of A as a pass walks over them, a window at a time, in order.
 *
 * All rows of a resident source are one window. Of others a reader thread fetches window i + 1 while the caller works
 * on window i (two buffers in turn). Where a source can be asked by several threads at once and its rows lie one after
 * the other, those who work fetch their own rows, a run at a time, which are then in their cache already; the reader
 * only announces what comes next, so that the disk is busy while they compute. All rows are one window then, as no
 * thread has to wait for the others, unless a sketch wants to see them together.
 *
 * Windows are whole numbers of chunks and, for sketches, of GPIS_SKETCH_QUANTUM: how large they are shows in no sum.
 */
#ifndef GPIS_WINDOW_H
#define GPIS_WINDOW_H

#include "source/source.h"

typedef struct gpis_windows gpis_windows;

/* What the windows are for. */
typedef struct gpis_window_use {
    int64_t chunk_rows; /* what is worked on at a time */
    int64_t run_rows;   /* what one thread works on before it takes others: whole chunks */
    bool whole;         /* someone looks at whole windows (a sketch), not at chunks alone */
    int threads;        /* that take rows */
} gpis_window_use;

gpis_status gpis_windows_start(gpis_context *context, gpis_source *A, gpis_window_use use, gpis_windows **out);
/* Joins the reader. `status` is how the sweep went; a failure of the reader that nobody waited for does not replace its
 * message. NULL is fine. */
void gpis_windows_end(gpis_windows *windows, gpis_status status);

/* The next window, which ends the use of the one before; no rows: there are no more. */
gpis_status gpis_windows_next(gpis_windows *windows, gpis_block *window);
/* True where threads fetch their own rows: each row of a window must be taken before the window is whole. */
bool gpis_windows_are_shared(const gpis_windows *windows);
/* How many rows are best taken at a time: whole chunks, at most a run. */
int64_t gpis_windows_step(const gpis_windows *windows);
/* Rows [first, first + count) of the window at hand, for the thread numbered `thread`, until it gives them back. False
 * when they are not to be had, or rows before them are not. */
bool gpis_windows_take(gpis_windows *windows, const gpis_block *window, int64_t first, int64_t count, int thread,
                       gpis_block *rows);
void gpis_windows_give_back(gpis_windows *windows, const gpis_block *rows);
/* Whether all that was asked for was to be had; the message is about the first that was not. */
gpis_status gpis_windows_settle(gpis_windows *windows);

/* Bytes that the windows over A take under a memory limit (0: none). */
int64_t gpis_windows_memory(const gpis_source *A, int64_t limit, gpis_window_use use);

#endif
