/* Random combined problems: a problem is a function of its seed and number alone. */
#ifndef GPIS_TESTS_COMBINED_DRAW_H
#define GPIS_TESTS_COMBINED_DRAW_H

#include "gpis.h"
#include "reference.h"

/* What of a problem is given to the library, beside what the reference knows. */
typedef struct drawn {
    combined p;
    bool weighted, shifted, penalised, bounded, grouped;
    double ridge, lambda, penalty_weights[MAX_COLUMNS];
    int storage; /* of A: rows, columns, compressed rows, rows on demand, two parts */
} drawn;

enum { DRAWN_STORAGES = 5 };

void draw(uint64_t seed, uint64_t number, bool curved, drawn *out);
/* One line that says what the problem consists of. */
void describe_drawn(const drawn *d, char *text, size_t size);

/* The problem as the library sees it, and all that was made for it. */
typedef struct posed {
    gpis_context *context; /* borrowed */
    gpis_source *parts[2], *A;
    gpis_set *pieces[MAX_SUMS + 4], *set;
    gpis_problem *problem;
    double storage[MAX_ROWS * MAX_COLUMNS];
    int64_t indptr[MAX_ROWS + 1];
    int32_t indices[MAX_ROWS * MAX_COLUMNS];
} posed;

gpis_status pose(gpis_context *context, const drawn *d, posed *out);
void unpose(posed *p);

#endif
