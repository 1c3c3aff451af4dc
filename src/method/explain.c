/* Warnings about the bound: for which data it holds, or why it is not good enough. */
#include <stdio.h>
#include <string.h>

#include "method/dependence.h"

typedef struct column_list {
    char text[120];
} column_list;

/* Whether column j takes part in one of the exact null vectors, or in one of the others. */
static bool is_involved(const gpis_dependence *dependence, int64_t d, int64_t j, bool exact) {
    const int64_t begin = exact ? 0 : dependence->exact, end = exact ? dependence->exact : dependence->found;
    for (int64_t i = begin; i < end; i++)
        if (dependence->vectors[i * d + j] != 0.0) return true;
    return false;
}

/* "'km' and 'm'", "3, 4, 7 and 12 more": as many labels as the text has space for. */
static column_list list_columns(const gpis_curvature *curvature, bool exact) {
    enum { RESERVED = 24 }; /* for " and N more" */
    const gpis_problem *p = curvature->problem;
    const gpis_dependence *dependence = &curvature->dependence;
    column_list out = {""};
    int64_t left = 0, shown = 0;
    for (int64_t j = 0; j < p->d; j++) left += is_involved(dependence, p->d, j, exact);
    for (int64_t j = 0; j < p->d && left > 0; j++) {
        if (!is_involved(dependence, p->d, j, exact)) continue;
        const gpis_column_label label = gpis_source_label(p->A, j);
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

/* The Gram matrix has only half of the digits. That columns are dependent to working accuracy is known only from a
 * measurement, or from the QR decomposition of a sketch with enough rows. */
static bool is_nearly_dependent(const gpis_run *run) {
    static const double WORKING_ACCURACY = 1e-13;
    const gpis_dependence *dependence = &run->curvature.dependence;
    const bool by_sketch = dependence->sought[true] && run->m >= 2 * run->problem->d && !dependence->full_rank;
    const bool by_measurement = dependence->nearness > 0.0 && dependence->nearness < WORKING_ACCURACY;
    return dependence->found > dependence->exact && (by_sketch || by_measurement);
}

static void explain_lack_of_bound(gpis_run *run) {
    const gpis_curvature *curvature = &run->curvature;
    const gpis_dependence *dependence = &curvature->dependence;
    const bool none = gpis_record_lower(&run->record) <= 0.0;
    if (none && run->problem->n < run->problem->d)
        gpis_run_warn(run, "A has fewer rows than columns, so there is no bound for this set; bound x");
    else if (none && dependence->exact >= dependence->deficit)
        gpis_run_warn(run,
                      "columns %s depend on each other exactly, so there is no bound for this set; drop those that the "
                      "others explain, or bound x",
                      list_columns(curvature, true).text);
    else if ((none || dependence->near_sought) && is_nearly_dependent(run))
        gpis_run_warn(run,
                      "columns %s depend on each other to working accuracy but not exactly, so nothing %scan be proven "
                      "for this set; drop one of them, or bound x",
                      list_columns(curvature, false).text, none ? "" : "better ");
}

/* A stalled run whose columns do not explain it. */
static void explain_stall(gpis_run *run) {
    const gpis_record *record = &run->record;
    if (record->noise > 0.1 * record->tol * record->objective)
        gpis_run_warn(run, "rounding errors of the objective, up to %.1e of it, do not allow this tolerance",
                      record->noise / record->objective);
    else
        gpis_run_warn(
            run, "the bound does not improve any more, most often because columns of A nearly depend on each other "
                 "or differ by many orders of magnitude");
}

static void explain_dependence(gpis_run *run) {
    const gpis_dependence *dependence = &run->curvature.dependence;
    if (!dependence->known || dependence->deficit == 0) return;
    const double nearness = gpis_record_bound(&run->record).nearness;
    if (nearness > 0.0)
        gpis_run_warn(run,
                      "columns %s depend on each other but for rounding; the bound holds for data that differ from "
                      "these by at most %.1e of each column",
                      list_columns(&run->curvature, false).text, nearness);
    else if (run->outcome != GPIS_SOLVED)
        explain_lack_of_bound(run);
}

void gpis_run_explain_bound(gpis_run *run) {
    explain_dependence(run);
    const bool wanted = run->settings->certificate != GPIS_CERTIFICATE_NONE;
    if (run->outcome == GPIS_STALLED && !run->audit && wanted && !run->warning[0]) explain_stall(run);
}
