/*
 * What newton does next: a pure function from facts to an action, so that every state can be tested by itself. It reads
 * no data and changes nothing; newton.c collects the facts, asks, and acts. docs/design lists the phases and what leads
 * to each of them.
 */
#ifndef GPIS_DECIDE_H
#define GPIS_DECIDE_H

#include <stdbool.h>

/* What the next pass over A is for, or what is done without one. */
typedef enum gpis_phase {
    GPIS_PHASE_SKETCH,     /* sketch A and y; the solution of the sketched problem is the starting point */
    GPIS_PHASE_START,      /* measure the starting point */
    GPIS_PHASE_HULL,       /* measure the best point of the hull, which cannot be known well enough from the others */
    GPIS_PHASE_ROWS,       /* measure the best point again, by a pass: the summary does not know it well enough */
    GPIS_PHASE_EXTENDED,   /* measure the best point again, in extended precision */
    GPIS_PHASE_GRAM,       /* make the Gram matrix, which takes the place of all sketches */
    GPIS_PHASE_ROUND,      /* measure the minimiser of the model */
    GPIS_PHASE_LEAVE_FACE, /* no pass: go back from the face to the model of all columns */
    GPIS_PHASE_FINISH,     /* go on with a summary in double-double, which takes one pass (finish.h) */
    GPIS_PHASE_POLISH,     /* the run is about to end: further steps for the last digits of x */
    GPIS_PHASE_END
} gpis_phase;

const char *gpis_phase_text(gpis_phase phase);
/* Whether a phase measures a point by a pass in which others ride along. */
bool gpis_phase_measures(gpis_phase phase);
/* Whether bounds are computed after a phase. */
bool gpis_phase_certifies(gpis_phase phase);

typedef struct gpis_action {
    gpis_phase phase;
    bool gram;            /* START: the Gram matrix is made in the same pass, or the summary in its place */
    bool probes;          /* START, HULL, ROUND: the probes ride along */
    bool sketch;          /* ROUND: another sketch rides along, to be averaged into the model */
    bool look_for_face;   /* ROUND: the Gram matrix of the free columns rides along, if they are few enough */
    bool give_up_on_face; /* from now on the answer is not expected to have few free entries */
    bool stalled;         /* END: there is no progress any more, and nothing left to try */
} gpis_action;

typedef enum gpis_model_kind { GPIS_MODEL_NONE, GPIS_MODEL_SKETCH, GPIS_MODEL_GRAM } gpis_model_kind;

typedef struct gpis_facts {
    /* The end. */
    bool ended;        /* the tolerance, a limit or the caller has ended the run */
    bool solved;       /* it was the tolerance */
    bool exhausted;    /* no further pass may be made */
    bool rowless;      /* the problem is known by its summary alone: no pass can be made at all */
    bool wants_bounds; /* the caller wants a certificate */
    bool wants_proof;  /* the caller accepts no probable certificate */
    /* The points. */
    bool started;     /* a point has been measured */
    bool given_start; /* the caller has given a starting point, which may be so good that no model is needed */
    bool one_pass;    /* the caller allows a single pass */
    bool sharp;       /* the best point of the hull is known as well as if it had been measured */
    bool hull_tried;  /* the latest measurement was one of the hull's best point */
    /* The model. */
    gpis_model_kind model;
    bool begins_with_sketch; /* the plan has chosen a sketch */
    bool gram_tried;         /* the Gram matrix has been made before */
    bool gram_fits;          /* there is memory for the Gram matrix */
    bool gram_is_cheaper;    /* than the rounds that the probes still need */
    bool can_average;        /* another sketch may be averaged into the model */
    bool has_lost_digits;    /* the Gram matrix had to be shifted; the rows of a sketch may still have those digits */
    bool flat;               /* the Gram matrix is nearly singular, and the bound has to allow for that */
    bool flat_sketch;        /* the same of a sketch, whose factor then comes from its rows */
    bool finish_tried;       /* the finish in double-double has been tried */
    bool can_finish;         /* the finish in double-double has not been tried, and there is memory for it */
    /* The summary. */
    bool summarises; /* a pass that would make the Gram matrix makes the summary in its place */
    bool by_summary; /* points are measured from the summary, without a pass */
    bool needs_rows; /* the summary does not know the best point well enough for the tolerance, or for the finish */
    bool rough;      /* the summary knows the best objective to fewer digits than a result is to have */
    /* Precision. */
    bool extended;         /* residuals are computed in extended precision */
    bool noise_in_the_way; /* rounding stands between the objective and the tolerance */
    bool can_extend;       /* extended precision has not been tried */
    /* Faces and probes. */
    bool expects_face;  /* few entries of the answer are likely to be free */
    bool on_face;       /* the Gram matrix of the free columns has been made, or is being made */
    bool probes_useful; /* probes may still find a bound, or a better one */
    bool probes_young;  /* the probes have not had many steps yet */
    bool can_polish;    /* there is an inner problem to take a last step from */
    bool can_refine;    /* every x is allowed: the answer is refined, by steps that may need no pass (refine.h) */
    bool worth_polish;  /* many digits are wanted, and the model sees a fall of f that is more than rounding */
    /* The pace. */
    int slow, slow_limit; /* rounds in a row that shrank the error by less than half; so many call for another model */
    int rounds, rounds_limit; /* rounds since the model was made or changed; so many call for another model */
    int finish_after;         /* rounds with a Gram matrix that cost as much as the finish is likely to */
    int idle, patience;       /* rounds in a row without progress; so many call for a last resort */
} gpis_facts;

gpis_action gpis_decide(const gpis_facts *facts);

/* The probes may soon find a bound: until then a lack of progress is no reason to give anything up. */
static inline bool gpis_is_waiting_for_probes(const gpis_facts *f) {
    return !f->on_face && f->probes_useful && f->probes_young;
}

#endif
