/* What the passes of a run compute, in numbers. */
#include "method/run.h"

gpis_load gpis_run_load(const gpis_problem *problem, const gpis_pass *pass) {
    gpis_pass whole = *pass;
    whole.terms = problem->terms;
    return gpis_load_of(&whole, problem->A->d);
}
