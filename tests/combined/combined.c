/*
 * Combined problems by the thousand:  combined [--seed N] [--count N] [--curved] [--case N]
 *
 * Prints the counts, and a line for each problem that was not solved. Fails if anything false was said, a constraint
 * was broken, or a call failed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static const char *const names[VERDICTS] = {"solved", "not solved", "no reference", "FALSE", "BROKEN", "FAILED"};

int main(int argc, char **argv) {
    uint64_t seed = 1, first = 0, count = 2000;
    bool curved = false;
    long counts[VERDICTS] = {0};
    for (int i = 1; i < argc; i++) {
        const bool more = i + 1 < argc;
        if (strcmp(argv[i], "--curved") == 0)
            curved = true;
        else if (more && strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[++i], NULL, 10);
        else if (more && strcmp(argv[i], "--count") == 0)
            count = strtoull(argv[++i], NULL, 10);
        else if (more && strcmp(argv[i], "--case") == 0)
            first = strtoull(argv[++i], NULL, 10), count = 1;
        else
            return fprintf(stderr, "usage: combined [--seed N] [--count N] [--curved] [--case N]\n"), 2;
    }
    for (uint64_t number = first; number < first + count; number++) {
        char why[600] = "";
        const verdict v = check_combined(seed, number, curved, why, sizeof why);
        counts[v]++;
        if (v != VERDICT_SOLVED || count == 1) printf("%llu %s: %s\n", (unsigned long long)number, names[v], why);
        fflush(stdout);
    }
    printf("%llu combined problems:", (unsigned long long)count);
    for (int v = 0; v < VERDICTS; v++) printf(" %ld %s%s", counts[v], names[v], v + 1 < VERDICTS ? "," : "\n");
    return counts[VERDICT_FALSE] + counts[VERDICT_BROKEN] + counts[VERDICT_FAILED] > 0;
}
