/* A list of columns in words. */
#include "method/column_list.h"

#include <stdio.h>
#include <string.h>

gpis_column_list gpis_list_columns(const gpis_problem *problem, const double *parts) {
    enum { RESERVED = 24 }; /* for " and N more" */
    gpis_column_list out = {""};
    int64_t left = 0, shown = 0;
    for (int64_t j = 0; j < problem->d; j++) left += parts[j] != 0.0;
    for (int64_t j = 0; j < problem->d && left > 0; j++) {
        if (parts[j] == 0.0) continue;
        const gpis_column_label label = gpis_problem_label(problem, j);
        const size_t used = strlen(out.text);
        if (used + strlen(label.text) + RESERVED > sizeof out.text) break;
        const char *between = shown == 0 ? "" : left == 1 ? " and " : ", ";
        snprintf(out.text + used, sizeof out.text - used, "%s%s", between, label.text);
        shown++;
        left--;
    }
    const size_t used = strlen(out.text);
    if (left > 0) snprintf(out.text + used, sizeof out.text - used, " and %lld more", (long long)left);
    return out;
}
