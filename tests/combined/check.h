/* One combined problem, solved by the library at tolerance 1e-10 and judged by the reference. */
#ifndef GPIS_TESTS_COMBINED_CHECK_H
#define GPIS_TESTS_COMBINED_CHECK_H

#include <stddef.h>

#include "draw.h"

typedef enum verdict {
    VERDICT_SOLVED,  /* solved, and it is */
    VERDICT_OPEN,    /* not solved, and nothing false was said */
    VERDICT_UNKNOWN, /* the reference did not succeed */
    VERDICT_FALSE,   /* a gap below the true error, or solved where it is not */
    VERDICT_BROKEN,  /* x breaks a constraint */
    VERDICT_FAILED,  /* the call failed */
    VERDICTS
} verdict;

verdict check_combined(uint64_t seed, uint64_t number, bool curved, char *why, size_t size);

#endif
