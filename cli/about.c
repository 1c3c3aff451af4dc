/* What the program says about itself, in --help and in its manual page. */
#include <string.h>

#include "cli.h"

const char cli_about[] = "Large-scale constrained least squares with a certificate: minimise ||y - A x||^2 over x in a "
                         "convex set, with a bound on how far the answer is from the best possible one.";
const char cli_exit_codes[] = "0 certified to the tolerance, 1 ended before it, 2 bad usage or bad input,\n"
                              "3 file or memory trouble, 130 interrupted.";
const char cli_example[] = "gpis solve data.csv --target price --set l1:3.5 --out x.npy";

const cli_command *cli_find_command(const cli_command *table, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0) return &table[i];
    return NULL;
}
