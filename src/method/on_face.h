/*
 * Rounds on a face. A face of K is given by the columns whose entries are free; all other entries stay at their bounds.
 * Once a few rounds with a sketch show which entries of the answer are free, the exact Gram matrix of those columns
 * alone, whose cost is (count / d)^2 of that of the whole one, solves the rest in one step and proves it
 * (certificate/face.h).
 *
 * Which columns to take: the model of a sketch predicts the gradient at the next point, and the pass to that point
 * shows how wrong the prediction was. Columns whose slack at the next point is within the error to be expected there
 * may still become free, so they are taken too.
 */
#ifndef GPIS_ON_FACE_H
#define GPIS_ON_FACE_H

#include "certificate/face.h"
#include "method/run.h"

typedef struct gpis_on_face {
    const gpis_problem *problem; /* borrowed */
    int64_t *columns;            /* owned: `count` of them, ascending */
    int64_t count;
    gpis_set *set;         /* owned: K on these columns */
    double *H;             /* owned: count x count, for the pass to fill; NULL: taken by the model */
    gpis_model *model;     /* owned; NULL: not made yet */
    gpis_inner *inner;     /* owned: the inner problem on these columns */
    const gpis_stop *stop; /* borrowed: what that asks between its steps */
    double *x, *g;         /* owned: count each */
    bool stepped; /* a point on the face has been solved for, so the next measurement tells whether the face holds */
} gpis_on_face;

/* Whether this problem can be solved on a face. */
bool gpis_on_face_applies(const gpis_run *run);
/* The largest number of columns whose Gram matrix costs less than waiting for probes. */
int64_t gpis_on_face_most(const gpis_run *run);
/* How many entries of x are at no bound. */
int64_t gpis_on_face_free(const gpis_problem *problem, const double *x);

/* Chooses the columns that are free at x, where the gradient is g, or have slack_j <= margin ||a_j||, and some more
 * where they cost next to nothing. *out is NULL if those are too many, or so many more than the free ones that another
 * round pays, or do not fit in memory. */
gpis_status gpis_on_face_create(const gpis_run *run, const double *x, const double *g, double margin,
                                gpis_on_face **out);
void gpis_on_face_destroy(gpis_on_face *face);
/* A pass with this load has filled H: makes the model and the inner problem. */
gpis_status gpis_on_face_take_gram(gpis_on_face *face, const gpis_load *load);

/* Whether all other entries of x are at their bounds. */
bool gpis_on_face_contains(const gpis_on_face *face, const double *x);
/* At such a point: enters the bound in the record, and finds the minimiser on the face as the next point. *holds is
 * false if, at a point that was solved for, a column outside the face would lower f. */
gpis_status gpis_on_face_solve(gpis_on_face *face, gpis_record *record, gpis_account *account, const gpis_point *point,
                               double *next, bool *holds);

#endif
