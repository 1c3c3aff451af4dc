/*
 * read: sets from text.
 *
 *     SPEC      TERM { & TERM }                          all of them hold
 *     TERM      BASE { @dct | @FILE.npy | [COLUMNS] }    from left to right
 *     BASE      NAME | NAME:ARGUMENTS | (SPEC) | {CONSTRAINT; CONSTRAINT; ...}
 *
 * In SPEC[COLUMNS] the columns are the entries of SPEC, in the order in which they are listed; the others are free. So
 * within the brackets of an outer list, columns have the numbers that they have in that list. A constraint is linear:
 * 'tv + radio <= 0.5' (linear_read.h).
 */
#ifndef GPIS_READ_H
#define GPIS_READ_H

#include "set/columns.h"
#include "set/set.h"

/* The set of a spec, for X of columns->d x k. It owns what it is made of. */
gpis_status gpis_set_read(gpis_context *context, const char *spec, const gpis_columns *columns, int64_t k,
                          gpis_set **out);
/* The set of all x for which `count` linear constraints hold. */
gpis_status gpis_set_read_linear(gpis_context *context, const char *const *texts, int64_t count,
                                 const gpis_columns *columns, int64_t k, gpis_set **out);

/* ---- parts of it ------------------------------------------------------------------------------------------------- */

/* A set of a kind by its name and its arguments, which are [spec->at, spec->end) (parse.c). */
gpis_status gpis_set_read_kind(gpis_spec *spec, int64_t d, int64_t k, gpis_set **out);
/* Linear constraints as a set for x of lookup->columns.d entries and k responses (linear_set.c). Each of the `count`
 * specs holds one, or several between semicolons. */
gpis_status gpis_set_read_rows(gpis_lookup *lookup, const gpis_spec *specs, int64_t count, int64_t k, gpis_set **out);
/* Gives the set the names of its entries, where they have some, for messages and results. */
gpis_status gpis_set_name_entries(const gpis_lookup *lookup, gpis_set *set);

#endif
