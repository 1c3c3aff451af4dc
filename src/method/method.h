/*
 * method: one file for each algorithm, one row of the table in method.c. `run` reads like the algorithm on paper; it
 * starts from x0 (in K) and leaves what it found in the run.
 */
#ifndef GPIS_METHOD_H
#define GPIS_METHOD_H

#include "method/run.h"

typedef struct gpis_method {
    const char *name;
    /* NULL if it can be used here, else the reason why not, in words. */
    const char *(*applicable)(const gpis_run *run);
    gpis_status (*run)(gpis_run *run, const double *x0);
} gpis_method;

extern const gpis_method gpis_method_newton;
extern const gpis_method gpis_method_gpis;
extern const gpis_method gpis_method_acc_gpis;
extern const gpis_method gpis_method_pgd;
extern const gpis_method gpis_method_apgd;
extern const gpis_method gpis_method_saga;

const char *gpis_always_applicable(const gpis_run *run);

/* The method of that name; NULL, with a message that lists the names, if there is none. */
const gpis_method *gpis_method_find(gpis_context *context, const char *name);

#endif
