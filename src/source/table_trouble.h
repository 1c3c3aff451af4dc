/* What is wrong with a table, in words. */
#ifndef GPIS_SOURCE_TABLE_TROUBLE_H
#define GPIS_SOURCE_TABLE_TROUBLE_H

#include "source/table_piece.h"

/* Where the text of a table stands. */
typedef struct gpis_table_place {
    const gpis_table_plan *plan; /* borrowed */
    const gpis_sample *sample;   /* borrowed: the names of all columns */
    int64_t line;                /* number of the first line of the piece */
} gpis_table_place;

gpis_status gpis_table_complain(const gpis_table_place *place, const gpis_table_trouble *trouble);
/* The table has numbers with a decimal comma and others with a point. */
gpis_status gpis_table_mixed_marks(const gpis_table_plan *plan, int64_t point_line, int64_t comma_line);

#endif
