/*
 * Checkpoints by record and replay. Everything that a method does is a function of the results of its passes, bit for
 * bit. So a checkpoint is a journal of those results. A run that resumes repeats the same arithmetic from the start,
 * and its passes are answered from the journal without reading A. When the journal is used up, passes are made and
 * recorded again.
 *
 *     record 1     the key of the run (key.h), and what the planner chose
 *     record 2...  a pass: the clock of the run, a checksum of the question, and the answers in the order of gpis_pass
 *
 * The record of a gradient has the size of a row of A, that of the Gram matrix of d rows, that of a sketch of m rows.
 *
 * The question (what the pass was asked to compute, and where) is compared. A run that would not repeat the same
 * arithmetic, on another processor or with another BLAS, therefore ends with a message instead of a wrong answer. The
 * clock goes on from the time of the record.
 */
#ifndef GPIS_REPLAY_H
#define GPIS_REPLAY_H

#include "base/journal.h"
#include "cost/cost.h"
#include "pass/pass.h"

typedef struct gpis_run gpis_run;

/* What the planner chose. It is kept in the checkpoint because the planner might choose differently when it measures
 * the speed of the machine again. */
typedef struct gpis_choice {
    char method[16], sketch[16], plan[256]; /* sketch: its kind, or "" for that of the settings */
    int64_t m, passes;
    double seconds;
    gpis_prices prices; /* what the run weighs its ways by */
} gpis_choice;

typedef struct gpis_replay {
    gpis_journal *journal; /* owned */
    int64_t answered;      /* number of passes answered from the journal */
    bool live;             /* the journal is used up, and passes are recorded */
} gpis_replay;

/* With settings->checkpoint: opens the file if it exists, compares it with this run, and reads *choice from it. *found
 * says whether it exists. */
gpis_status gpis_replay_resume(gpis_run *run, gpis_choice *choice, bool *found);
/* Creates the file. */
gpis_status gpis_replay_create(gpis_run *run, const gpis_choice *choice);
/* The run has ended: completes the file. `trouble` (of `size` bytes) says why the file does not hold all passes of the
 * run; it is "" if it does, or if there is no file. */
void gpis_replay_finish(gpis_run *run, char *trouble, size_t size);
void gpis_replay_close(gpis_run *run);

/* Answers the pass from the journal. *answered is false if the journal is used up. */
gpis_status gpis_replay_answer(gpis_run *run, const gpis_pass *pass, bool *answered);
/* Records the results of a pass. */
void gpis_replay_keep(gpis_run *run, const gpis_pass *pass);

#endif
