/* What a run of newton holds, for its rounds (newton.c) and its model (newton_model.c). */
#ifndef GPIS_NEWTON_H
#define GPIS_NEWTON_H

#include "certificate/probes.h"
#include "method/hull.h"
#include "method/on_face.h"

typedef struct gpis_newton {
    gpis_run *run;       /* borrowed */
    double *x, *g;       /* owned: where the last pass was, and the gradient there */
    double *xh, *gh;     /* owned: the same of the best point of the hull */
    double *next;        /* owned: the next point, */
    double *foreseen;    /* owned: and the gradient that the sketch foresees there */
    gpis_point point;    /* what the last pass measured, of x and g */
    gpis_point best;     /* the best point of the hull, of xh and gh */
    gpis_hull *hull;     /* owned */
    gpis_sketch *sketch; /* owned; NULL with the Gram matrix and with sampled rows */
    bool sampling;       /* sketches are samples of rows */
    int models;          /* sketches averaged in H */
    bool gram_tried, sketch_tried;
    gpis_probes *probes; /* owned; NULL: none */
    double *V, *AAV;     /* owned: d x GPIS_PROBES */
    bool hoping, hoped;  /* for a face, now, and at first; probes wait */
    gpis_on_face *face;  /* owned; NULL: none yet */
    int faces;           /* that did not hold */
    double wrong;        /* by how much the last gradient was foreseen wrongly, in units of its columns, at most */
    double improving;    /* what that is likely to shrink by in a round */
} gpis_newton;

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

#endif
