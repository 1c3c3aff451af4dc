/*
 * The key of a run: all that decides over the bits of its answer, as text, a line for each thing:
 *
 *     NAME tab VALUE newline
 *
 * Threads and limits are not in it, since they do not: passes, seconds, rounds. Large things (A, y, the start) are
 * there by a checksum, whose value starts with '#'.
 */
#ifndef GPIS_KEY_H
#define GPIS_KEY_H

#include "method/run.h"

/* The key of this run; *text is the caller's to free. */
gpis_status gpis_key_make(const gpis_run *run, char **text);
/* GPIS_OK when both are the same, else GPIS_BAD_ARGUMENT with a line that names what differs; `path`: what was made
 * with `before`. */
gpis_status gpis_key_compare(gpis_context *context, const char *path, const char *before, const char *now);

#endif
