/*
 * The paper's evaluation, done again: `gpis reproduce`. A race runs every method on one problem and keeps their traces
 * of (f - f*) / f*; the sweep of syn4 keeps line-search steps. Both are written as CSV, as figures and on a page.
 *
 * f* comes from an independent solve by `newton`, certified; never from a method of the race.
 */
#ifndef GPIS_EXPERIMENT_H
#define GPIS_EXPERIMENT_H

#include <limits.h>

#include "cli.h"
#include "gen.h"

enum { RUNNERS = 6, ACCURACIES = 3, SPARSITIES = 12, MOST_TRIALS = 50 };

/* ---- what is run (experiments.c) ----------------------------------------------------------------------------------
 */

/* A method with its settings, as it is named in tables and figures. */
typedef struct runner {
    const char *name;   /* "saga-10": in CSV files and on the command line */
    const char *label;  /* "SAGA b=10" */
    const char *method; /* of the library */
    int64_t batch;      /* saga */
    bool sketched;      /* the paper's own: gpis, acc-gpis */
} runner;
extern const runner runners[RUNNERS];

extern const double accuracies[ACCURACIES]; /* 1e-4, 1e-7, 1e-10 */

typedef struct experiment {
    const char *name, *title;
    bool gpcs;            /* start of gpis and acc-gpis: the paper's advice for signals, not for regression */
    double budget, quick; /* seconds for each method */
    const char *about;    /* one sentence for the page */
} experiment;
extern const experiment experiments[];
extern const int experiment_count;

typedef struct reproduce_options {
    const char *out, *year_file;
    bool quick, wanted[RUNNERS];
    uint64_t seed;
    int64_t threads;
    int done, total; /* runs, for the progress */
} reproduce_options;

/* ---- a race (race.c) ----------------------------------------------------------------------------------------------
 */

typedef struct sample {
    int64_t pass;
    double seconds, epochs, objective, error; /* error: (f - f*) / f* */
} sample;

typedef struct trace {
    sample *samples; /* owned */
    int64_t count, capacity;
    bool run, failed; /* it was run; memory ran out on the way */
} trace;

typedef struct race {
    const experiment *experiment;
    char name[32]; /* of its files: the experiment's, marked where the data is a stand-in */
    bool stand_in;
    int64_t n, d, k, m;
    char set[64];
    double best, certified; /* f* and its certified relative gap */
    double reference_seconds;
    trace traces[RUNNERS];
} race;

/* Returns 0 or an exit code; an interrupted race keeps what it has. */
int race_run(race *race, const experiment *experiment, reproduce_options *options);
void race_clear(race *race);
/* The first sample at or below this error; NULL if it was not reached. */
const sample *race_reach(const trace *trace, double accuracy);

/* ---- the sweep of syn4 (sweep.c) -----------------------------------------------------------------------------------
 */

typedef struct sweep {
    bool run;
    int64_t n, d, m, trials;
    int64_t sparsity[SPARSITIES];
    double step[SPARSITIES][MOST_TRIALS]; /* mean of eta L over all inner iterations of gpis */
    double mean[SPARSITIES], deviation[SPARSITIES];
} sweep;

int sweep_run(sweep *sweep, reproduce_options *options);

/* ---- results -------------------------------------------------------------------------------------------------------
 */

/* A path in the folder of results: DIR/NAMEending. */
int result_path(char path[PATH_MAX], const reproduce_options *options, const char *name, const char *ending);
int write_race_csv(const race *race, const reproduce_options *options);                             /* csv.c */
int write_sweep_csv(const sweep *sweep, const reproduce_options *options);                          /* csv.c */
int write_summary_csv(const race *races, int count, const reproduce_options *options);              /* csv.c */
int draw_race(const race *race, const reproduce_options *options);                                  /* drawing.c */
int draw_sweep(const sweep *sweep, const reproduce_options *options);                               /* drawing.c */
int write_page(const race *races, int count, const sweep *sweep, const reproduce_options *options); /* page.c */
void print_claims(FILE *page, const race *races, int count, const sweep *sweep);                    /* claims.c */
void print_machine(FILE *page, const reproduce_options *options);                                   /* machine.c */

/* ---- reproduce (reproduce.c) ----------------------------------------------------------------------------------------
 */

/* Runs the experiments that are marked, writes everything; returns an exit code. */
int reproduce(const bool *marked, reproduce_options *options);

#endif
