/*
 * set: a closed convex set K, the constraint.
 *
 * The contract, for a vector of d entries (or, for a `matrix` kind, X of d x k as it is):
 *   project(v)    the nearest point of K
 *   support(g)    sup over s in K of <g, s>; INFINITY where there is none
 *   recession(v)  projection on the recession cone of K; NULL for a bounded set (the cone is {0}). A support function
 *                 is finite only on the polar of that cone, so v - recession(v) is the nearest vector on which the
 *                 certificate may evaluate it.
 *   radius        sup over s in K of ||s||_2; INFINITY when unbounded. For the rounding term of certificates.
 * Memory is taken when the set is made, so the three never allocate. For k > 1 columns gpis_set_* of set.c applies a
 * vector kind to each column of X by itself.
 *
 * A new kind is one new file and one line in the table of parse.c; it inherits tests/set/test_conformance.c.
 */
#ifndef GPIS_SET_H
#define GPIS_SET_H

#include "base/base.h"

typedef struct gpis_set_class {
    const char *name;
    const char *usage; /* how a spec looks, for messages: "l1:R" */
    bool matrix;       /* works on X as a d x k matrix, not on each column */
    /* Makes the set from the text after "name:" (NULL when there is no colon); s->d, s->k are known. Sets s->state,
     * s->radius, s->arguments. Leaves a message that shows where the text is wrong. */
    gpis_status (*parse)(gpis_set *s, const char *arguments);
    gpis_status (*project)(gpis_set *s, const double *v, double *x); /* x may be v */
    gpis_status (*support)(gpis_set *s, const double *g, double *value);
    gpis_status (*recession)(gpis_set *s, const double *v, double *x); /* NULL: bounded; x may be v */
    void (*destroy)(gpis_set *s);                                      /* frees s->state; NULL-safe; optional */
} gpis_set_class;

struct gpis_set {
    const gpis_set_class *class;
    gpis_context *context; /* borrowed */
    int64_t d, k;
    double radius;                  /* of one column for a vector kind */
    char *spec;                     /* owned: canonical text */
    void *state;                    /* owned by the kind */
    double *column_in, *column_out; /* owned: d entries each, when columns of X are taken one by one */
};

/* Projection on the recession cone of K (zero for a bounded set), over all columns. */
gpis_status gpis_set_recession(gpis_set *set, const double *v, double *x);
/* sup ||s||_2 over all of X: sqrt(k) times the radius of one column. */
double gpis_set_radius(const gpis_set *set);
bool gpis_set_is_bounded(const gpis_set *set);

#endif
