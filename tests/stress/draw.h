/* draw.h: the random numbers of one problem. A stream is a function of (seed, number, purpose) alone, so that a change
 * in what is drawn for one purpose leaves the others as they are. */
#ifndef GPIS_STRESS_DRAW_H
#define GPIS_STRESS_DRAW_H

#include <stdint.h>

typedef struct draw {
    uint64_t state;
} draw;

draw draw_begin(uint64_t seed, uint64_t number, uint64_t purpose);
double draw_uniform(draw *r); /* in [0, 1) */
double draw_normal(draw *r);
int64_t draw_integer(draw *r, int64_t low, int64_t high);     /* both included */
int64_t draw_log_integer(draw *r, int64_t low, int64_t high); /* its logarithm is uniform */
int draw_chance(draw *r, double probability);
double draw_power(draw *r, double low, double high); /* 10^t, t uniform in [low, high) */

#endif
