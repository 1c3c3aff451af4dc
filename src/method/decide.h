/*
 * What newton does next: a pure function from facts to an action, so that every state can be tested by itself. It reads
 * no data and changes nothing; newton.c looks, asks, and acts. docs/design lists the phases and what leads to each.
 */
#ifndef GPIS_DECIDE_H
#define GPIS_DECIDE_H

#include <stdbool.h>

/* What the next pass over A is for, or what is done without one. */
typedef enum gpis_phase {
    GPIS_PHASE_SKETCH,     /* sketch A and y; the solution of the sketched problem is where the rounds begin */
    GPIS_PHASE_START,      /* measure the starting point */
    GPIS_PHASE_HULL,       /* measure the best point of the hull, which its points are too far away from to know it */
    GPIS_PHASE_EXTENDED,   /* measure the best point again, in extended precision */
    GPIS_PHASE_GRAM,       /* make the Gram matrix, which takes the place of all sketches */
    GPIS_PHASE_ROUND,      /* measure the minimiser of the model */
    GPIS_PHASE_LEAVE_FACE, /* no pass: go back from the face to the model of all columns */
    GPIS_PHASE_POLISH,     /* about to end in extended precision: one more step for the last digits of x */
    GPIS_PHASE_END
} gpis_phase;

const char *gpis_phase_text(gpis_phase phase);
/* Whether a phase measures a point in a pass of its own, with riders; and whether bounds are looked for after it. */
bool gpis_phase_measures(gpis_phase phase);
bool gpis_phase_certifies(gpis_phase phase);

typedef struct gpis_action {
    gpis_phase phase;
    bool gram;            /* START: the Gram matrix is made in the same pass */
    bool probes;          /* START, HULL, ROUND: the probes ride along */
    bool sketch;          /* ROUND: another sketch rides along, to be averaged into the model */
    bool look_for_face;   /* ROUND: the Gram matrix of the columns that are free rides along, if they are few enough */
    bool give_up_on_face; /* no face is expected from now on */
    bool stalled;         /* END: nothing moves any more */
} gpis_action;

typedef enum gpis_model_kind { GPIS_MODEL_NONE, GPIS_MODEL_SKETCH, GPIS_MODEL_GRAM } gpis_model_kind;

typedef struct gpis_facts {
    /* The record of the run. */
    bool ended;                     /* the tolerance, a limit or the caller has ended it */
    bool solved;                    /* and it was the tolerance */
    bool exhausted;                 /* no further pass may be made */
    bool wants_bounds, wants_proof; /* any certificate; a proven one and no other */
    /* The points. */
    bool started;     /* a point has been measured */
    bool given_start; /* the caller has given a start, which may be good enough to need no model */
    bool one_pass;    /* a single pass is allowed */
    bool sharp;       /* the best point of the hull is known as well as if it had been measured */
    bool hull_tried;  /* it has just been measured for that */
    /* The model. */
    gpis_model_kind model;
    bool begins_with_sketch;    /* as the plan has chosen */
    bool gram_tried, gram_fits; /* the Gram matrix has been made before; there is memory for it */
    bool gram_is_cheaper;       /* than the rounds that wait for probes, since no face is expected any more */
    bool can_average;           /* another sketch may be averaged into the model */
    bool has_lost_digits; /* the Gram matrix had to be shifted, and the rows of a sketch may still have those digits */
    /* Precision. */
    bool extended;         /* residuals are computed in extended precision */
    bool noise_in_the_way; /* rounding stands between the objective and the tolerance */
    bool can_extend;       /* extended precision has not been tried */
    /* Faces and probes. */
    bool expects_face;  /* few entries of the answer are likely to be free */
    bool on_face;       /* the Gram matrix of their columns is there, or on its way */
    bool probes_useful; /* they may still find a bound, or a better one */
    bool probes_young;  /* and have not had many steps */
    bool can_polish;    /* there is an inner problem to take a last step from */
    /* The pace. */
    int slow, slow_limit;     /* rounds in a row that shrank the error by less than half */
    int rounds, rounds_limit; /* since the model was made or changed */
    int idle, patience;       /* rounds in a row in which nothing moved but by rounding */
} gpis_facts;

gpis_action gpis_decide(const gpis_facts *facts);

/* The probes may find a bound soon: nothing that stands still until then is given up. */
static inline bool gpis_is_waiting_for_probes(const gpis_facts *f) {
    return !f->on_face && f->probes_useful && f->probes_young;
}

#endif
