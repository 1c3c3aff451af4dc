/* Random numbers by splitmix64: see draw.h. */
#include "draw.h"

#include <math.h>

static uint64_t next(draw *r) {
    uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

draw draw_begin(uint64_t seed, uint64_t number, uint64_t purpose) {
    draw r = {seed};
    r.state = next(&r) ^ number;
    r.state = next(&r) ^ purpose;
    next(&r);
    return r;
}

double draw_uniform(draw *r) { return (double)(next(r) >> 11) * 0x1p-53; }

double draw_normal(draw *r) {
    const double u = 1 - draw_uniform(r), v = draw_uniform(r);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

int64_t draw_integer(draw *r, int64_t low, int64_t high) {
    return low + (int64_t)(next(r) % (uint64_t)(high - low + 1));
}

int64_t draw_log_integer(draw *r, int64_t low, int64_t high) {
    const double t = log((double)low) + draw_uniform(r) * (log((double)high + 1) - log((double)low));
    const int64_t value = (int64_t)exp(t);
    return value < low ? low : value > high ? high : value;
}

int draw_chance(draw *r, double probability) { return draw_uniform(r) < probability; }

double draw_power(draw *r, double low, double high) { return pow(10, low + (high - low) * draw_uniform(r)); }
