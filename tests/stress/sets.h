/* sets.h: the constraint of a problem as a set of gpis. */
#ifndef GPIS_STRESS_SETS_H
#define GPIS_STRESS_SETS_H

#include <gpis.h>

#include "problem.h"

enum { STACK_SIZE = 64 };

/* The last set is K; the others are what it is made of. All are owned. */
typedef struct set_stack {
    gpis_set *sets[STACK_SIZE];
    int count;
} set_stack;

/* Pushes the set of `c` for k responses, and the sets that it is made of. They stay in the stack after a failure. */
gpis_status sets_make(gpis_context *context, const constraint *c, int64_t k, set_stack *s);
gpis_set *sets_last(const set_stack *s);
void sets_clear(set_stack *s);

#endif
