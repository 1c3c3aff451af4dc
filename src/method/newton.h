/* What a run of newton holds, for its loop (newton.c), what rides along in its passes (newton_riders.c), and its model
 * (newton_model.c). */
#ifndef GPIS_NEWTON_H
#define GPIS_NEWTON_H

#include "certificate/probes.h"
#include "method/decide.h"
#include "method/hull.h"
#include "method/on_face.h"

/* How the rounds go, for the decision. */
typedef struct gpis_pace {
    double left;           /* how far the model says that f can fall from the best point: about f(x) - f* */
    int slow;              /* rounds in a row in which `left` shrank by less than half */
    int rounds;            /* since the model was made or changed */
    int idle;              /* rounds in a row in which neither the objective nor the gap moved but by rounding */
    double objective, gap; /* as they were when that was last looked at */
} gpis_pace;

typedef struct gpis_newton {
    gpis_run *run;    /* borrowed */
    double *vectors;  /* owned: all arrays below */
    double *x, *g;    /* where the last pass was, and the gradient there */
    double *xh, *gh;  /* the same of the best point of the hull */
    double *next;     /* the minimiser of the model, where the next round goes */
    double *foreseen; /* the gradient that a sketched model foresees there */
    double *step;     /* d: next - xh */
    double *V, *AAV;  /* d x GPIS_PROBES */
    gpis_point point; /* what the last pass measured, of x and g */
    gpis_point best;  /* the best point of the hull, of xh and gh */
    gpis_hull *hull;  /* owned */
    bool started;     /* a round's point has been measured */
    bool sharp;       /* the best point of the hull is known as well as if it had been measured */
    bool hull_tried;  /* it was measured in the last pass */
    bool round_made;  /* a round was made that the pace has not been judged by yet */
    bool polished;
    gpis_pace pace;
    /* The model. */
    bool begins_with_sketch;
    gpis_sketch *sketch; /* owned; NULL with the Gram matrix and with sampled rows */
    bool sampling;       /* sketches are samples of rows */
    int models;          /* sketches averaged in H */
    bool gram_tried, sketch_tried;
    gpis_probes *probes; /* owned; NULL: none */
    /* The face. */
    bool expects_face; /* few entries of the answer are likely to be free; no probes are sent meanwhile */
    bool expected_face_at_start;
    gpis_on_face *face; /* owned; NULL: none yet */
    int faces_left;     /* faces that did not hold, and were left */
    double wrong;       /* the largest error of the last gradient foreseen, in units of its columns */
    double improving;   /* the factor by which that is likely to shrink in a round */
} gpis_newton;

/* ---- the model (newton_model.c) ---- */

/* A sketch, of Y too if k is not 0. With few rows to sketch, only a Gaussian one is sure to keep all directions. */
gpis_status gpis_newton_make_sketch(gpis_newton *s, int64_t m, int64_t k);
/* The pass that sketches A and y. */
gpis_status gpis_newton_sketch_all(gpis_newton *s);
/* Another sketch in the model, which has been made (rows are sampled here), and new probes, since those belong to a
 * factor. With x0, that point of the sketched problem, in s->point. */
gpis_status gpis_newton_add_to_model(gpis_newton *s, const double *x0);
/* Whether another sketch may be averaged in. */
bool gpis_newton_can_average(const gpis_newton *s);
/* One pass for the Gram matrix, in the place of all sketches. */
gpis_status gpis_newton_make_gram(gpis_newton *s);

/* ---- what rides along (newton_riders.c) ---- */

/* Puts everybody who has a reason on the pass; the costs, in units of one gradient, are added to *gradients. */
gpis_status gpis_newton_board(gpis_newton *s, const gpis_action *action, gpis_pass *pass, double *gradients);
/* The pass has been made: everybody takes what it brought. */
gpis_status gpis_newton_alight(gpis_newton *s, const gpis_action *action, const gpis_pass *pass);

#endif
