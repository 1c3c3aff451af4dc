/* columns: the columns of A (base/columns.h) as the text of a set or of a constraint names them. */
#ifndef GPIS_SET_COLUMNS_H
#define GPIS_SET_COLUMNS_H

#include "base/columns.h"
#include "set/spec.h"

/* The column of this name, which stands at `at` of the spec. Fails where there is none, suggesting the nearest name, or
 * more than one. */
gpis_status gpis_lookup_one(gpis_lookup *lookup, const gpis_spec *spec, const char *at, gpis_span name, int64_t *out);
/* The complaint that there is no such column. */
gpis_status gpis_lookup_fail(const gpis_lookup *lookup, const gpis_spec *spec, const char *at, gpis_span name);

/* Reads a list up to the character `close`, which is skipped. The caller frees out->columns by gpis_free. */
gpis_status gpis_select_columns(gpis_lookup *lookup, gpis_spec *spec, char close, gpis_selection *out);

/* The columns as a list of numbers, "1-3,6", which reads back as the same; lookup NULL: for columns without names. NULL
 * when there is no memory; gpis_free. */
char *gpis_columns_text(gpis_context *context, gpis_lookup *lookup, const int64_t *columns, int64_t count);

#endif
