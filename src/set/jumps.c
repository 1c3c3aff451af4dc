/*
 * Coordinates for the kinds that compare neighbours (monotone, tv): x_i = z_1 + ... + z_i. z_1 is free (`loose`), since
 * a constant may be added to all of x, and the jumps z_2 .. z_d are in a set of their own.
 */
#include "set/kinds.h"

void gpis_set_turn_jumps(const gpis_set *s, gpis_way way, int64_t count, const double *in, double *out) {
    const int64_t d = s->d;
    const bool from_the_end = way == GPIS_TRANSPOSED || way == GPIS_TRANSPOSED_BACK;
    const bool differences = way == GPIS_TO_INSIDE || way == GPIS_TRANSPOSED_BACK;
    for (int64_t c = 0; c < count; c++, in += d, out += d) {
        double last = 0.0;
        for (int64_t j = 0; j < d; j++) {
            const int64_t i = from_the_end ? d - 1 - j : j;
            const double v = in[i];
            out[i] = differences ? v - last : last + v;
            last = differences ? v : out[i];
        }
    }
}
