/*
 * The account of a run: how much was read and computed, for how long, and what of that has been reported.
 *
 * The clock can be paused for work that is done only in order to measure. While it is paused nothing is charged,
 * neither seconds nor arithmetic; passes and bytes are facts and are always counted.
 */
#ifndef GPIS_ACCOUNT_H
#define GPIS_ACCOUNT_H

#include "base/base.h"

/* Only the functions below write these fields. Invariants: 0 <= reported <= passes; while the clock is paused the
 * seconds stand still at seconds_paused and processor_paused. */
typedef struct gpis_account {
    double started;           /* the clock when the run began, moved forward by the time that was not charged */
    bool reports;             /* somebody is told of processor time: to ask the system for it takes a microsecond */
    double processor_started; /* the same as `started` for the processor time of the process, with reports */
    double pass_started;      /* the clock when the latest pass over A began */
    bool paused;              /* nothing is charged at the moment */
    double seconds_paused;    /* seconds charged when the clock was paused */
    double processor_paused;  /* the same for processor time */
    int64_t memory_before;    /* bytes in use when the run began */
    int64_t passes;           /* passes over A, made or taken from a checkpoint */
    int64_t sketches;         /* sketches and samples made */
    double epochs;            /* arithmetic, in units of one gradient over all rows */
    double bytes_read;        /* bytes of A */
    int64_t inner_iterations; /* of the latest inner problem */
    double step_sum;          /* sum of the steps that line searches accepted since the latest report */
    int64_t steps;            /* how many steps those are */
    int64_t reported;         /* the caller has been told of so many passes */
    double reported_gap;      /* the gap of the latest report; NaN before the first */
} gpis_account;

/* Starts the clock. */
void gpis_account_begin(gpis_account *account, int64_t memory_before, bool reports);

double gpis_account_seconds(const gpis_account *account);
double gpis_account_processor_seconds(const gpis_account *account); /* 0 without reports */
double gpis_account_pass_seconds(const gpis_account *account);      /* since the latest pass began */
void gpis_account_pause(gpis_account *account);
void gpis_account_resume(gpis_account *account);
/* Sets the clock to the time at which a checkpoint recorded a pass. */
void gpis_account_set_seconds(gpis_account *account, double seconds);

void gpis_account_begin_pass(gpis_account *account);
/* A pass over A is done. `epochs` is its arithmetic in gradients over all rows. */
void gpis_account_enter_pass(gpis_account *account, double epochs, double bytes);
/* A sketch or a sample is being made. Its arithmetic and reading are entered by the functions beside this one. */
void gpis_account_enter_sketch(gpis_account *account);
/* Arithmetic, and bytes of A, besides those of a pass. */
void gpis_account_enter_work(gpis_account *account, double epochs, double bytes);
/* An inner problem took so many iterations. */
void gpis_account_enter_inner(gpis_account *account, int64_t iterations);
/* Line searches accepted `count` steps, of length `sum` in total. */
void gpis_account_enter_steps(gpis_account *account, double sum, int64_t count);

/* Fills *progress with what happened since the latest report. Returns false, and does nothing, if no pass has been made
 * since then. `m` is the number of rows of the sketch. */
bool gpis_account_report(gpis_account *account, double objective, double gap, int64_t m, gpis_progress *progress);

#endif
