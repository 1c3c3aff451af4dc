/*
 * Checkpoints by record and replay. Whatever a method does is a function of what its passes give, bit for bit; so a
 * checkpoint is a journal of what passes gave. A run that resumes does the same arithmetic from the start, its passes
 * being answered from the journal, A not being read; when the journal is used up, passes are made and recorded again.
 *
 *     record 1     the key of the run (key.h), and what the planner chose
 *     record 2...  a pass: the clock of the run, a checksum of what was asked, and the answers in the order of
 * gpis_pass
 *
 * A gradient takes as much room as a row of A, the Gram matrix as d rows, a sketch as m rows.
 *
 * What was asked is compared, so that a run which would not come out the same (another processor, another BLAS) ends
 * with a word instead of a wrong answer. The clock goes on from where it was recorded.
 */
#ifndef GPIS_REPLAY_H
#define GPIS_REPLAY_H

#include "base/journal.h"
#include "pass/pass.h"

typedef struct gpis_run gpis_run;

/* What the planner chose; kept, since the speeds it goes by may be measured anew and differ. */
typedef struct gpis_choice {
    char method[16], sketch[16], plan[256]; /* sketch: its kind; "": as the settings say */
    int64_t m, passes;
    double seconds;
} gpis_choice;

typedef struct gpis_replay {
    gpis_journal *journal; /* owned */
    int64_t answered;      /* passes, from the journal */
    bool live;             /* it is used up */
} gpis_replay;

/* With settings->checkpoint: looks whether the file is there and may be. If so, *found is true and *choice as kept. */
gpis_status gpis_replay_resume(gpis_run *run, gpis_choice *choice, bool *found);
/* Makes the file. */
gpis_status gpis_replay_create(gpis_run *run, const gpis_choice *choice);
/* Ends the file's part in the run. `trouble` (of `size` bytes) says why the file does not hold all passes of the run;
 * "" if it does, or there is none. */
void gpis_replay_finish(gpis_run *run, char *trouble, size_t size);
void gpis_replay_close(gpis_run *run);

/* Fills in what the pass asks for if the journal has it; else *answered is false. */
gpis_status gpis_replay_answer(gpis_run *run, const gpis_pass *pass, bool *answered);
/* Keeps what a pass gave. */
void gpis_replay_keep(gpis_run *run, const gpis_pass *pass);

#endif
