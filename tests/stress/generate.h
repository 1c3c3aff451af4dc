/* generate.h: the two halves of problem_draw, which share nothing but the problem and the x behind its data. */
#ifndef GPIS_STRESS_GENERATE_H
#define GPIS_STRESS_GENERATE_H

#include "draw.h"
#include "problem.h"

/* Fills A, Y and the flavours of data for the shape that p already has. x (d x k) is the solution that Y was made from,
 * before noise. */
void generate_data(problem *p, draw *r, double *x);
/* Fills p->set, of this kind, with sizes that suit x, and its flavours. */
void generate_set(problem *p, set_kind kind, draw *r, const double *x);
/* Sometimes adds a penalty, where gpis and the reference know how; A and Y are there. */
void generate_penalty(problem *p, draw *r);
/* Tables as they are met in practice: their shape and flavour; and A itself, for a problem with one of those flavours.
 */
void table_shape(problem *p, draw *r);
void generate_table(problem *p, draw *r);
static inline void add_flavour(problem *p, int flavour) { p->flavours |= UINT32_C(1) << flavour; }
static inline int has_flavour(const problem *p, int flavour) { return (int)(p->flavours >> flavour & 1); }

#endif
