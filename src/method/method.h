/*
 * method: one file for each algorithm, one row of the list in base/names.h. `run` reads like the algorithm on paper; it
 * starts from x0 (in K) and leaves what it found in the run. A row also tells the planner what the method would do with
 * a problem and what that costs, and tells the interface what the method can and cannot do; no other code knows a
 * method by its name.
 */
#ifndef GPIS_METHOD_H
#define GPIS_METHOD_H

#include "base/names.h"
#include "method/proposal.h"

struct gpis_method {
    const char *name;
    /* NULL if it can be used here, else the reason why not, in words. */
    const char *(*applicable)(const gpis_run *run);
    gpis_status (*run)(gpis_run *run, const double *x0);

    bool needs_sketch; /* it cannot do without: the settings must allow one */
    bool chooses_m;    /* its proposals differ in m; one that the settings give leaves the proposal with that m */
    bool endless;      /* it goes on for very long where only rounding errors move: something else must end the run */
    bool by_summary;   /* it can solve a problem that is known by its summary alone */
    bool by_rows;      /* it reads rows one by one: a checkpoint, which keeps the sums of whole passes, is no use */

    /* For the planner. Without `propose` the method is taken only where it is asked for by name, and nothing is
     * predicted; with it all four are there. */
    void (*propose)(const gpis_inquiry *inquiry, gpis_proposals *all);
    /* What it takes with m rows of the sketch work->sketch (0: without). */
    gpis_effort (*cost)(const gpis_workload *work, const gpis_speed *speed, int64_t m);
    /* Bytes that it holds at its height besides A, y and the set; an upper bound, and not half more than that. */
    double (*memory)(const gpis_run *run, const gpis_workload *work, int64_t m);
    /* Why its proposal was chosen, in words. */
    void (*explain)(const gpis_verdict *verdict, char *text, size_t size);
};

#define GPIS_METHOD_DECLARE(symbol, name) extern const gpis_method gpis_method_##symbol;
GPIS_METHOD_LIST(GPIS_METHOD_DECLARE)
#undef GPIS_METHOD_DECLARE

/* For rows: a method that can always be used, and one that needs a model of all columns, d x d. */
const char *gpis_always_applicable(const gpis_run *run);
const char *gpis_model_applicable(const gpis_run *run);

typedef struct gpis_methods {
    const gpis_method *const *rows;
    int count;
} gpis_methods;

/* All methods. The first proposal of the first one is what the others have to beat. */
gpis_methods gpis_all_methods(void);
/* The row of that name; NULL if there is none. */
const gpis_method *gpis_method_named(gpis_methods methods, const char *name);
/* Fails with a message that lists the names. */
gpis_status gpis_method_unknown(gpis_context *context, gpis_methods methods, const char *name);
/* The row of that name among all methods; where there is none, the message lists the names. */
const gpis_method *gpis_method_find(gpis_context *context, const char *name);

#endif
