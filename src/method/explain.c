/* Warnings about the bound: for which data it holds, or why it is not good enough. */
#include <math.h>

#include "linalg/accurate.h"
#include "linalg/flattest.h"
#include "method/column_list.h"
#include "method/dependence.h"

/* The columns that take part in one of the exact null vectors, or in one of the others. `parts` has d entries. */
static gpis_column_list list_dependent(const gpis_curvature *curvature, bool exact, double *parts) {
    const gpis_problem *p = curvature->problem;
    const gpis_dependence *dependence = &curvature->dependence;
    const int64_t begin = exact ? 0 : dependence->exact, end = exact ? dependence->exact : dependence->found;
    for (int64_t j = 0; j < p->d; j++) parts[j] = 0.0;
    for (int64_t i = begin; i < end; i++)
        for (int64_t j = 0; j < p->d; j++)
            if (dependence->vectors[i * p->d + j] != 0.0) parts[j] = 1.0;
    return gpis_list_columns(p, parts);
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

static void explain_lack_of_bound(gpis_run *run, double *parts) {
    const gpis_curvature *curvature = &run->curvature;
    const gpis_dependence *dependence = &curvature->dependence;
    const bool none = gpis_record_lower(&run->record) <= 0.0;
    if (none && run->problem->n < run->problem->d)
        gpis_run_warn(run, "A has fewer rows than columns, so there is no bound for this set; bound x");
    else if (none && dependence->exact >= dependence->deficit)
        gpis_run_warn(run,
                      "columns %s depend on each other exactly, so there is no bound for this set; drop those that the "
                      "others explain, or bound x",
                      list_dependent(curvature, true, parts).text);
    else if ((none || dependence->near_sought) && is_nearly_dependent(run))
        gpis_run_warn(run,
                      "columns %s depend on each other to working accuracy but not exactly, so nothing %scan be proven "
                      "for this set; drop one of them, or bound x",
                      list_dependent(curvature, false, parts).text, none ? "" : "better ");
}

static void explain_dependence(gpis_run *run, double *parts) {
    const gpis_dependence *dependence = &run->curvature.dependence;
    if (!dependence->known || dependence->deficit == 0) return;
    const double nearness = gpis_record_bound(&run->record).nearness;
    if (nearness > 0.0)
        gpis_run_warn(run,
                      "columns %s depend on each other but for rounding; the bound holds for data that differ from "
                      "these by at most %.1e of each column",
                      list_dependent(&run->curvature, false, parts).text, nearness);
    else if (run->outcome != GPIS_SOLVED)
        explain_lack_of_bound(run, parts);
}

/* ---- a run that has stalled for another reason ---- */

/* What can be measured about the columns of A without another pass. */
typedef struct columns_facts {
    double nearness;           /* how nearly columns depend on each other, relative to their sizes; 1: no model */
    gpis_column_list involved; /* those that do */
    double largest, smallest;  /* norms of columns that are not zero */
    int64_t of_largest, of_smallest;
} columns_facts;

/* `z` has d entries. */
static void find_nearly_dependent(const gpis_run *run, double *z, columns_facts *facts) {
    static const double SHARE = 0.03; /* of the largest part; a column with a smaller part does not matter */
    const gpis_model *model = run->curvature.model;
    if (!model) return;
    facts->nearness = gpis_model_flattest(model, z);
    const double largest = gpis_max_abs(z, model->d);
    for (int64_t j = 0; j < model->d; j++)
        if (fabs(z[j]) < SHARE * largest) z[j] = 0.0;
    facts->involved = gpis_list_columns(run->problem, z);
}

static void find_sizes(const gpis_run *run, columns_facts *facts) {
    const double *norms2 = run->curvature.norms2;
    for (int64_t j = 0; run->curvature.norms_known && j < run->problem->d; j++) {
        const double norm = sqrt(norms2[j]);
        if (norm > facts->largest) facts->largest = norm, facts->of_largest = j;
        if (norm > 0.0 && norm < facts->smallest) facts->smallest = norm, facts->of_smallest = j;
    }
}

static const double NEARLY = 1e-4, MANY_ORDERS = 1e5;

static double ratio_of_sizes(const columns_facts *facts) {
    return facts->largest > 0.0 ? facts->largest / facts->smallest : 1.0;
}

/* Terms that cancel are large beside what is left of them: the columns tell why they are. */
static void explain_noise(gpis_run *run, const columns_facts *facts) {
    const gpis_record *record = &run->record;
    gpis_run_warn(run, "rounding errors of the objective, up to %.1e of it, do not allow this tolerance",
                  record->noise / record->objective);
    if (facts->nearness < NEARLY)
        gpis_run_warn(run, "columns %s depend on each other up to %.0e of their size", facts->involved.text,
                      facts->nearness);
    else if (ratio_of_sizes(facts) > MANY_ORDERS)
        gpis_run_warn(run, "columns %s and %s differ in size by a factor of %.0e",
                      gpis_problem_label(run->problem, facts->of_smallest).text,
                      gpis_problem_label(run->problem, facts->of_largest).text, ratio_of_sizes(facts));
}

static void explain_stall(gpis_run *run, double *z) {
    const gpis_record *record = &run->record;
    columns_facts facts = {.nearness = 1.0, .smallest = INFINITY};
    find_nearly_dependent(run, z, &facts);
    find_sizes(run, &facts);
    const double ratio = ratio_of_sizes(&facts);
    if (!run->curvature.model && !(gpis_record_lower(record) > 0.0) && !gpis_curvature_fits(run->problem))
        gpis_run_warn(run,
                      "without the Gram matrix there is no bound for this set, and there is no memory for it: raise "
                      "the limit (option memory)");
    else if (record->noise > 0.1 * record->tol * record->objective)
        explain_noise(run, &facts);
    else if (facts.nearness < NEARLY)
        gpis_run_warn(run,
                      "columns %s depend on each other up to %.0e of their size, so rounding errors do not allow this "
                      "tolerance; drop one of them, or bound x more tightly",
                      facts.involved.text, facts.nearness);
    else if (ratio > MANY_ORDERS)
        gpis_run_warn(run,
                      "columns %s and %s differ in size by a factor of %.0e, so rounding errors do not allow this "
                      "tolerance; choose other units for them",
                      gpis_problem_label(run->problem, facts.of_smallest).text,
                      gpis_problem_label(run->problem, facts.of_largest).text, ratio);
    else
        gpis_run_warn(run,
                      "the gap, %.1e of the objective, does not shrink any more; the columns of A do not explain it "
                      "(their sizes differ by a factor of %.0e, and they depend on each other up to %.0e)",
                      gpis_record_gap(record) / record->objective, ratio, facts.nearness);
}

/* ---- a run that is solved, but not by its tolerance ---- */

static void explain_solved(gpis_run *run) {
    const gpis_record *record = &run->record;
    const gpis_settled settled = gpis_record_settled(record);
    if (settled == GPIS_SETTLED_AS_ZERO && record->objective > 0.0)
        gpis_run_warn(run, "the fit is exact to working accuracy: what is left of the objective is rounding");
    else if (settled == GPIS_SETTLED_BY_GRAIN)
        gpis_run_warn(
            run,
            "the fit is so nearly exact that double precision allows no smaller gap: rounding x alone changes "
            "the objective by up to %.1e of it",
            record->grain / record->objective);
}

/* The rows of a summary are not there, and what it knows is not enough. */
static void explain_summary(gpis_run *run) {
    const gpis_record *record = &run->record;
    const double gap = gpis_record_gap(record), share = gap / fmax(record->objective - gap, 0.0);
    if (isfinite(share))
        gpis_run_warn(run,
                      "the summary can prove a gap of %.1e of the objective, and none of %.1e: solve with A itself",
                      share, record->tol);
    else
        gpis_run_warn(run, "the summary can prove no gap for this set: solve with A itself");
}

gpis_status gpis_run_explain_bound(gpis_run *run) {
    const bool wanted = run->settings->certificate != GPIS_CERTIFICATE_NONE;
    double *parts = gpis_alloc(run->context, run->problem->d, sizeof *parts);
    if (!parts) return GPIS_NO_MEMORY;
    explain_dependence(run, parts);
    if (run->outcome == GPIS_SOLVED) explain_solved(run);
    if (run->outcome == GPIS_STALLED && wanted && !gpis_run_has_rows(run))
        explain_summary(run);
    else if (run->outcome == GPIS_STALLED && !run->audit && wanted && !run->warning[0])
        explain_stall(run, parts);
    gpis_free(run->context, parts);
    return GPIS_OK;
}
