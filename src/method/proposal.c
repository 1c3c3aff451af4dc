/* What the rows of the table of methods share. */
#include "method/method.h"

const char *gpis_always_applicable(const gpis_run *run) {
    (void)run;
    return NULL;
}

const char *gpis_model_applicable(const gpis_run *run) {
    enum { MAX_COLUMNS = 20000 }; /* H takes 3.2 GB, and its factor as much again */
    return run->problem->d > MAX_COLUMNS ? "it keeps a matrix of d x d numbers, and A has more than 20000 columns"
                                         : NULL;
}

gpis_proposal *gpis_propose(gpis_proposals *all) {
    gpis_proposal *p = &all->list[all->count];
    if (all->count < GPIS_MAX_PROPOSALS) all->count++;
    *p = (gpis_proposal){.worthwhile = 1.0};
    return p;
}
