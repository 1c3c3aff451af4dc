/* The rows of a summary, which are not there: a source with sizes and names alone. */
#ifndef GPIS_SUMMARY_ROWS_H
#define GPIS_SUMMARY_ROWS_H

#include "source/source.h"

/* A source of d columns; the caller sets n and gives it names. Everything that would read a row is refused. */
gpis_status gpis_summary_rows_new(gpis_context *context, int64_t d, gpis_source **out);

#endif
