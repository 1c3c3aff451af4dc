/*
 * Rounds on a face: once a few rounds with a sketch tell which entries of the answer are free, the exact Gram matrix of
 * those columns alone, (count / d)^2 of the whole one, solves the rest in one step and proves it
 * (certificate/face.h).
 *
 * Which columns: the model of a sketch predicts the gradient at the next point, and by how much it was wrong is seen
 * there. Columns whose slack at the next point is within what it will be wrong by may yet become free.
 */
#ifndef GPIS_ON_FACE_H
#define GPIS_ON_FACE_H

#include "certificate/face.h"
#include "method/run.h"

typedef struct gpis_on_face {
    gpis_run *run;    /* borrowed */
    int64_t *columns; /* owned: count of them, rising */
    int64_t count;
    gpis_set *set;     /* owned */
    double *H;         /* owned: count x count, for the pass to fill; NULL: taken by the model */
    gpis_model *model; /* owned; NULL: not made yet */
    gpis_inner *inner; /* owned */
    double *x, *g;     /* owned: count each */
    bool stepped;      /* a point on it was solved for, so that what is measured there tells whether it holds */
} gpis_on_face;

/* Whether this problem can have one. */
bool gpis_on_face_applies(const gpis_run *run);
/* So many columns are worth it: their Gram matrix costs less than waiting for probes. */
int64_t gpis_on_face_most(const gpis_run *run);
/* Entries of x that are at no wall. */
int64_t gpis_on_face_free(const gpis_run *run, const double *x);

/* The columns that are free at x, where the gradient is g, or have slack_j <= margin ||a_j||, and some more where they
 * cost next to nothing. *out is NULL if those are too many, so many more than the free ones that another round pays, or
 * do not fit in memory. */
gpis_status gpis_on_face_create(gpis_run *run, const double *x, const double *g, double margin, gpis_on_face **out);
void gpis_on_face_destroy(gpis_on_face *face);
/* A pass with this load has filled H. */
gpis_status gpis_on_face_take_gram(gpis_on_face *face, const gpis_load *load);

/* Whether all other entries of x are at walls. */
bool gpis_on_face_contains(const gpis_on_face *face, const double *x);
/* At such a point: the bound, entered in the run; the minimiser on the face, as the next point; and false in *holds
 * when, at a point that was solved for, a column outside would lower f. */
gpis_status gpis_on_face_solve(gpis_on_face *face, const gpis_point *point, double *next, bool *holds);

#endif
