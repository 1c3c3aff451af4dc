/* Names of columns for a message. */
#ifndef GPIS_COLUMN_LIST_H
#define GPIS_COLUMN_LIST_H

#include "problem/problem.h"

typedef struct gpis_column_list {
    char text[120];
} gpis_column_list;

/* "'km' and 'm'", "3, 4, 7 and 12 more": the columns j with parts[j] != 0, as many as the text has space for. */
gpis_column_list gpis_list_columns(const gpis_problem *problem, const double *parts);

#endif
