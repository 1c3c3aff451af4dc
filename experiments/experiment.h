/*
 * The paper's evaluation, done again: `gpis reproduce`. There are three kinds of experiment. A race runs every method
 * on one problem and keeps the trace of (f - f*) / f*. The sweep of syn4 keeps the steps of the line search. The study
 * of the bounds measures by how much a round shrinks the error, beside what the theorems promise. All are written as
 * CSV, as figures and on a page.
 *
 * f* comes from an independent solve by `newton`, certified; never from a method of the paper.
 */
#ifndef GPIS_EXPERIMENT_H
#define GPIS_EXPERIMENT_H

#include <limits.h>

#include "cli.h"
#include "gen.h"

enum { RUNNERS = 7, ACCURACIES = 3, MAX_REPEATS = 40, SPARSITIES = 12, MOST_TRIALS = 50 };

/* ---- what is run (experiments.c) ----------------------------------------------------------------------------------
 */

/* SKETCHED: the paper's own methods. RIVAL: those it compares them with. OURS: what `gpis solve` does by itself, which
 * is not in the paper and takes no part in verdicts. */
typedef enum family { SKETCHED, RIVAL, OURS } family;

/* A method with its settings, as it is named in tables and figures. */
typedef struct runner {
    const char *name;   /* "saga-10": in CSV files and on the command line */
    const char *label;  /* "SAGA b=10" */
    const char *method; /* of the library */
    int64_t batch;      /* saga */
    family family;
} runner;
enum { GPIS, ACC_GPIS, APGD, SAGA_10, SAGA_50, SAGA_100, DEFAULT_SOLVER }; /* places in `runners` */
extern const runner runners[RUNNERS];

extern const double accuracies[ACCURACIES]; /* 1e-4, 1e-7, 1e-10 */
#define GOAL (accuracies[ACCURACIES - 1])

typedef enum experiment_kind { RACE, SWEEP, BOUNDS } experiment_kind;

/* The paper's Tables 1 to 4; NULL: it says nothing. */
typedef struct paper_setup {
    const char *size, *sparsity, *cond, *dictionary, *m;
} paper_setup;

typedef struct experiment {
    const char *name, *title;
    experiment_kind kind;
    bool gpcs;            /* start of gpis and acc-gpis: the paper's advice for signals, not for regression */
    double budget, quick; /* seconds of processor time for each method */
    paper_setup paper;
    const char *about; /* one sentence for the page */
} experiment;
extern const experiment experiments[];
extern const int experiment_count;

typedef struct reproduce_options {
    const char *out, *year_file;
    bool quick, wanted[RUNNERS];
    bool figures; /* there is a gnuplot to draw them */
    uint64_t seed;
    int64_t threads; /* of each method; 0: all */
    int done, total; /* runs, for the progress */
} reproduce_options;

/* ---- a problem in memory (problem.c) -------------------------------------------------------------------------------
 */

typedef struct problem {
    gpis_context *context; /* owned, as all of it */
    gpis_source *A;
    gpis_set *set;
    gpis_problem *posed; /* A, y and the set together */
    gen_problem data;
} problem;

/* Makes the data and opens it; `set`: a spec, or NULL for the one that belongs to the data. Returns 0 or an exit code.
 */
int problem_open(problem *problem, const gen_options *options, int64_t threads, const char *set);
void problem_close(problem *problem);
/* f* by a certified solve to `tol`; *result is the caller's to destroy, and NULL after a failure. Returns 0 or an exit
 * code. */
int problem_solve(problem *problem, double tol, gpis_result **result);

/* ---- a race (race.c) ----------------------------------------------------------------------------------------------
 */

typedef struct sample {
    int64_t pass;
    double seconds;                  /* wall-clock */
    double processor;                /* processor seconds, over the same work */
    double epochs, objective, error; /* error: (f - f*) / f* */
} sample;

/* The fastest of a method's repeats, which differ in nothing but time. */
typedef struct trace {
    sample *samples; /* owned */
    int64_t count, capacity;
    bool run, failed;    /* it was run; memory ran out on the way */
    int repeats;         /* how many times it was run to the end */
    double best, second; /* what the two fastest repeats took, by the clock that is judged by; infinite: none */
    double processor;    /* processor seconds of all repeats */
} trace;

/* What else the machine had to do: load averages, and what the clocks said over all runs. */
typedef struct load {
    double before, after; /* load average of the last minute; negative: not known */
    double seconds, processor;
} load;

typedef struct race {
    const experiment *experiment;
    char name[32];               /* of its files: the experiment's, marked where the data is a stand-in */
    bool stand_in, by_processor; /* by_processor: verdicts compare processor time */
    int64_t n, d, k, m, threads;
    int64_t sparsity; /* negative: not known, as cond */
    double cond;
    char set[64];
    double best, certified; /* f* and its certified relative gap */
    double reference_seconds;
    trace traces[RUNNERS];
    load load;
} race;

/* Returns 0 or an exit code; an interrupted race keeps what it has. */
int race_run(race *race, const experiment *experiment, reproduce_options *options);
void race_clear(race *race);
/* The first sample at or below this error; NULL if it was not reached (trace.c, as the next). */
const sample *race_reach(const trace *trace, double accuracy);
/* Seconds by the clock that verdicts are made by: processor time where methods have one thread each, since that is
 * what the wall clock shows on an idle machine and does not change on a busy one; else wall-clock time. */
double race_seconds(const race *race, const sample *sample);

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

/* ---- the study of the bounds (study.c) ------------------------------------------------------------------------------
 */

enum { SKETCH_SIZES = 6, INNER_LENGTHS = 6, THEOREMS = 3 };

/* Factors by which one round multiplies ||A (x - x*)||: bounds (infinite: there is none) and the worst that was seen.
 */
typedef struct study {
    bool run;
    int64_t n, d, trials;
    double cond, delta; /* a bound may fail in one round with probability delta */
    /* Inner problems solved exactly, against the rows m of the sketch. */
    double m[SKETCH_SIZES];
    double proposition[SKETCH_SIZES], direct[SKETCH_SIZES], rule_of_thumb[SKETCH_SIZES];
    double gaussian[SKETCH_SIZES], count[SKETCH_SIZES];
    /* A Gaussian sketch of `rows` rows, against the number of inner iterations. */
    int64_t rows;
    double inner[INNER_LENGTHS];
    double theorem[THEOREMS][INNER_LENGTHS];
    double gpis[INNER_LENGTHS], acc_gpis[INNER_LENGTHS];
} study;

int study_run(study *study, reproduce_options *options);

/* ---- results -------------------------------------------------------------------------------------------------------
 */

/* All that was measured. */
typedef struct results {
    race *races; /* owned */
    int count;
    sweep sweep;
    study study;
} results;

/* A path in the folder of results: DIR/NAMEending. */
int result_path(char path[PATH_MAX], const reproduce_options *options, const char *name, const char *ending);
int write_race_csv(const race *race, const reproduce_options *options);          /* csv.c */
int write_sweep_csv(const sweep *sweep, const reproduce_options *options);       /* csv.c */
int write_study_csv(const study *study, const reproduce_options *options);       /* csv.c */
int write_summary_csv(const results *results, const reproduce_options *options); /* csv.c */
int draw_race(const race *race, const reproduce_options *options);               /* drawing.c */
int draw_sweep(const sweep *sweep, const reproduce_options *options);            /* drawing.c */
int draw_study(const study *study, const reproduce_options *options);            /* drawing.c */
int write_page(const results *results, const reproduce_options *options);        /* page.c */
void print_claims(FILE *page, const results *results);                           /* claims.c */
void print_setup(FILE *page, const results *results);                            /* setup.c */
void print_theory_table(FILE *page, const results *results);                     /* setup.c */
void print_machine(FILE *page, const reproduce_options *options);                /* machine.c */
double machine_load(void);                     /* the load average of the last minute; -1: unknown (machine.c) */
void print_html(FILE *page, const char *text); /* a text from outside, escaped (machine.c) */

/* ---- reproduce (reproduce.c) ----------------------------------------------------------------------------------------
 */

/* Runs the experiments that are marked, writes everything; returns an exit code. */
int reproduce(const bool *marked, reproduce_options *options);

#endif
