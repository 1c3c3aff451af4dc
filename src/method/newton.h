/*
 * What a run of newton holds, for its loop (newton.c), for what rides along in its passes (newton_riders.c), for its
 * model (newton_model.c), and for what follows a pass (newton_certify.c).
 */
#ifndef GPIS_NEWTON_H
#define GPIS_NEWTON_H

#include "certificate/probes.h"
#include "method/decide.h"
#include "method/hull.h"
#include "method/look.h"
#include "method/on_face.h"
#include "method/sample.h"

enum { GPIS_PROBE_STEPS = 60 }; /* passes that a probe can ride in; each takes memory for a vector of d numbers */

/* How fast the rounds get on, for the decision. */
typedef struct gpis_pace {
    double left;           /* how far f can fall from the best point according to the model: about f(x) - f* */
    int slow;              /* rounds in a row in which `left` shrank by less than half */
    int rounds;            /* rounds since the model was made or changed */
    int idle;              /* rounds in a row in which objective and gap moved by rounding only, or far too slowly */
    double objective, gap; /* of the record after the round before */
} gpis_pace;

typedef struct gpis_newton {
    gpis_run *run;     /* borrowed */
    double *vectors;   /* owned: all arrays below are parts of it */
    double *x, *g;     /* the point of the latest pass, and the gradient there */
    double *xh, *gh;   /* the best point of the hull, and the gradient there */
    double *next;      /* the minimiser of the model, to which the next round goes */
    double *predicted; /* the gradient that a sketched model predicts at `next` */
    double *step;      /* d: next - xh */
    double *V, *AAV;   /* d x GPIS_PROBES: what the probes ask of a pass, and its answer */
    gpis_point point;  /* what the latest pass measured; borrows x and g */
    gpis_point best;   /* the best point of the hull; borrows xh and gh */
    gpis_hull *hull;   /* owned */
    bool sharp;        /* the best point of the hull is known as well as if it had been measured */
    /* The phase of the latest action, other than a measurement of the hull's best point, which only completes the
     * action before it. GPIS_PHASE_SKETCH until the first point has been measured. */
    gpis_phase phase;
    gpis_phase measured_for; /* the phase of the latest measurement; GPIS_PHASE_SKETCH: none yet */
    bool measured;           /* the latest action has measured `point`, and bounded f* from it by first order */
    gpis_pace pace;
    /* The model. */
    gpis_sketch *sketch;           /* owned; NULL with the Gram matrix and with sampled rows */
    bool sampling;                 /* sketches are samples of rows */
    int models;                    /* how many sketches are averaged in H */
    bool summarises;               /* the summary is made in the place of the Gram matrix */
    bool gram_tried, sketch_tried; /* a Gram matrix, a sketch has been made before */
    bool finish_tried;             /* the finish in double-double has been tried */
    bool shortcut_tried;           /* the same from the summary that the run has */
    bool sketch_skipped;           /* many entries are free, and the Gram matrix is cheaper than the planned sketch */
    double *gram;                  /* owned: the Gram matrix, while a pass is making it; else NULL */
    gpis_probes *probes;           /* owned; NULL: there are none */
    /* The face. */
    bool expects_face;           /* few entries of the answer are likely to be free; no probes are sent meanwhile */
    bool expected_face_at_start; /* the same, when the sketched problem had been solved */
    gpis_on_face *face;          /* owned; NULL: there is none yet */
    int faces_left;              /* faces that did not hold and were left */
    double look_promised;    /* the objective that a look at some rows has promised, from above; 0: there was none */
    double prediction_error; /* the largest error of `predicted` at the latest point, in units of the columns */
    double prediction_rate;  /* the factor by which that error is likely to shrink in a round */
} gpis_newton;

/* ---- the loop (newton.c) ---- */

gpis_facts gpis_newton_look(const gpis_newton *s);
/* A point can be measured: a pass may be made, or none is needed. */
bool gpis_newton_may_measure(const gpis_newton *s);

/* ---- the model (newton_model.c) ---- */

/* Makes a sketch of m rows, of Y too if k is not 0. Where A has few rows, only a Gaussian sketch is sure to keep all
 * directions. */
gpis_status gpis_newton_make_sketch(gpis_newton *s, int64_t m, int64_t k);
/* The pass that sketches A and Y. */
gpis_status gpis_newton_sketch_all(gpis_newton *s);
/* Makes a model of sampled rows in the place of the planned sketch, and measures s->x on their problem. *seen is false,
 * and there is no model, if the rows show too little (look.h). */
gpis_status gpis_newton_take_sample(gpis_newton *s, gpis_sample *sample, bool *seen);
/* Averages another sketch, which has been filled, or another sample, which is drawn here, into the model. New probes
 * are begun, since probes belong to one factor. With x0, measures that point of the sketched problem, in s->point;
 * *on_A says that it was measured on A itself (gpis_run_sample_gram). */
gpis_status gpis_newton_add_to_model(gpis_newton *s, const double *x0, bool *on_A);
/* Whether another sketch may be averaged into the model. */
bool gpis_newton_can_average(const gpis_newton *s);
/* Gives up the sketched model, and everything that belongs to it. */
void gpis_newton_drop_sketch(gpis_newton *s);
/* Makes the Gram matrix, which takes the place of all sketches, by one pass; or the summary in its place. */
gpis_status gpis_newton_make_gram(gpis_newton *s);

/* ---- the ways, weighed again (newton_weigh.c) ---- */

/* The share of the entries that are free at s->x. */
double gpis_newton_share(const gpis_newton *s);
/* Whether to look at some rows before the sketch is made. */
bool gpis_newton_looks_first(const gpis_newton *s);
/* A look has shown how many entries are likely to be free: finds whether the rounds are likely to end on a face, for
 * which the model of the rows that were looked at is good enough; or whether the Gram matrix is cheaper than the
 * planned sketch of m rows. Where neither is, that sketch is to be made. */
void gpis_newton_weigh_look(gpis_newton *s, gpis_free_share free, const gpis_sketch_class *kind, int64_t m);
/* The same where the sketched problem has been solved at s->x. The sketch is given up for the Gram matrix where that is
 * cheaper; its solution is still a better starting point than the first. */
void gpis_newton_weigh_sketch(gpis_newton *s);
/* Whether the Gram matrix costs less than the rounds that the probes of the sketched model still need. */
bool gpis_newton_gram_is_cheaper(const gpis_newton *s);
/* The solution of the rows that were looked at has been measured: finds whether they have misled the run. */
bool gpis_newton_look_has_misled(const gpis_newton *s);
/* Whether it should be clear by now which columns are free, and is not. */
bool gpis_newton_face_is_late(const gpis_newton *s);

/* ---- what rides along (newton_riders.c) ---- */

/* Puts everything that has a reason to ride along on the pass, and adds its cost, in units of one gradient, to
 * *gradients. */
gpis_status gpis_newton_board(gpis_newton *s, const gpis_action *action, gpis_pass *pass, double *gradients);
/* The pass has been made: each rider takes its result. */
gpis_status gpis_newton_take(gpis_newton *s, const gpis_action *action, const gpis_pass *pass);

/* ---- after a pass (newton_certify.c) ---- */

/* The inner problem around `from` has been solved: takes its minimiser as the next point, and predicts the gradient
 * there with a sketched model. */
void gpis_newton_predict(gpis_newton *s, const gpis_point *from);
/* The gradient at the predicted point has been measured: finds how far the prediction was off. */
void gpis_newton_compare(gpis_newton *s);
/* Goes back to the model of all columns. */
void gpis_newton_leave_face(gpis_newton *s);
/* Finds the best point of the hull, its bounds and the next point, and checks whether the run ends. If the best point
 * is not known well enough, and may still be measured, does nothing: the decision is then to measure it. If a
 * measurement has not helped, the best measured point serves. */
gpis_status gpis_newton_certify(gpis_newton *s);

#endif
