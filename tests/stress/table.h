/* table.h: the counts of a run, by set, by flavour and by method, and its worst cases. */
#ifndef GPIS_STRESS_TABLE_H
#define GPIS_STRESS_TABLE_H

#include <stdio.h>

#include "judge.h"

typedef struct table table;

/* `unsolved` (NULL: none) gets every case that is not solved. */
table *table_create(uint64_t seed, FILE *unsolved);
void table_destroy(table *t);
void table_take(void *t, const verdict *v);
void table_print(const table *t);
/* Writes the counts, all together and by set and flavour, below the line of the file that begins with "<!-- stress";
 * what is above it stays. Returns non-zero, and says why, where that cannot be done. */
int table_write_markdown(const table *t, const char *path);
/* Non-zero: a fault that must never be. */
int table_fatal(const table *t);
/* Everything about one problem. */
void verdict_print(uint64_t seed, const verdict *v);

#endif
