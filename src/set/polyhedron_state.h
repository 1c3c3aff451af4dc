/* What the files of the kind polyhedron share. */
#ifndef GPIS_SET_POLYHEDRON_STATE_H
#define GPIS_SET_POLYHEDRON_STATE_H

#include "set/walk.h"

typedef struct gpis_polyhedron_state {
    gpis_polyhedron *list;                       /* owned */
    gpis_walk *walk;                             /* owned */
    double *memory;                              /* owned: the arrays below */
    double *centre, *at, *copy, *lambda, *along; /* d; scratch */
    double *far, *aim, *last;                    /* d; scratch of a projection from far away */
    double *reach_lo, *reach_hi; /* d; bounds that the constraints together imply; infinite: none is known */
    struct {
        double *lo, *hi, *side;    /* d */
        double *lower, *upper, *R; /* rows, rows, sums */
    } cone;                        /* the limits of a cone */
    double *y, *nu;                /* rows, sums; the multipliers of the last fit */
    double *kappa;                 /* d */
    long double *extended;         /* owned: 2 d; scratch */
    double size;                   /* of the numbers in the limits */
} gpis_polyhedron_state;

/* p->cone as limits. */
gpis_limits gpis_polyhedron_cone(const gpis_polyhedron_state *p);

/* gpis_polyhedron_finish for a list that is not empty, and without a simpler kind; `penalty` may be NULL. */
gpis_status gpis_polyhedron_keep(gpis_polyhedron *list, const char *spec, const double *penalty, gpis_set **out);

/* ---- polyhedron_normal.c ---- */

/* The share of its terms up to which a limit counts as met at a solution. */
#define GPIS_MET 1e-10
/* Finds y and nu for which v is as near as can be to a normal of K at the member `at`; limits that are nearer than
 * `met` times their terms are met. */
gpis_status gpis_polyhedron_fit(gpis_set *s, const double *at, double met, const double *v);
/* The bound of polyhedron.c on the support function (with a penalty, on the conjugate) at v, with y and nu. Entries of
 * v are moved to where it is finite; the result is then within *slack of a vector that the bound holds for. */
void gpis_polyhedron_conjugate(gpis_set *s, double *v, double *value, double *slack);

/* ---- polyhedron_text.c ---- */

enum { GPIS_CONSTRAINT_TEXT = 160 };
/* The text of a bound (j), a row (d + i) or a sum (d + rows + k); `side`: 1 its upper limit, -1 its lower one. */
void gpis_polyhedron_text(const gpis_polyhedron *list, const char *const *names, int64_t constraint, int side,
                          char text[GPIS_CONSTRAINT_TEXT]);

/* ---- polyhedron_empty.c ---- */

/* Fails if the limits of one bound, or of one row over the bounds alone, contradict each other. */
gpis_status gpis_polyhedron_check_limits(const gpis_polyhedron *list, const char *const *names);
/* Fails if no x meets all constraints. */
gpis_status gpis_polyhedron_check_together(gpis_set *s);
/* The least and the largest value of row i over the bounds. */
void gpis_polyhedron_range(const gpis_polyhedron *list, int64_t i, double *least, double *most);

/* ---- polyhedron_judge.c ---- */

/* Sets the radius and the implied bounds, whether the set is bounded, and the warning. */
gpis_status gpis_polyhedron_judge(gpis_set *s);
/* Makes *out a set of a simpler kind, if the list is one; else *out is NULL. */
gpis_status gpis_polyhedron_simplify(const gpis_polyhedron *list, gpis_set **out);

#endif
