/* The double nearest to a decimal. */
#ifndef GPIS_DECIMAL_H
#define GPIS_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/* *out = w * 10^exponent, correctly rounded. False where this short computation cannot tell how to round; about one
 * number in five hundred with more than 15 digits, and all with exponents beyond its table. */
bool gpis_decimal(uint64_t w, int64_t exponent, double *out);

#endif
