/*
 * The active-set method for a polyhedron (polyhedron.h):
 *
 *     minimise  1/2 <x - c, H (x - c)> + <g, x - c> + sum over j of lambda_j |x_j|    over the polyhedron.
 *
 * A face is given by the entries that are free, the others being held at lo, at hi or at 0, where |x_j| has its kink,
 * and by a working set of rows and sums that are met with equality. Entry j counts in sums as sign_j x_j. With the
 * gradient G at x, the minimum on a face and its multipliers are
 *
 *     H_FF p + G_F + sign_F lambda_F + N'(y, nu) = 0,    N p = what is missing,
 *
 * where the rows of N are those of the working set. N' is whitened, V = L^-1 N' with H_FF = L L', and V = Q R gives p
 * and the multipliers without products of V with itself.
 *
 * First block pivoting: go to the minimum of a face, hold every free entry that is outside its bounds, take every row
 * that is broken, and let everything go whose multiplier has the wrong sign, all at once. Usually a handful of faces
 * lead to the one where nothing is wrong. After a step that has left as much wrong as before, only what is wrong most
 * changes: what all changes at once undo of each other is less then. If it goes round in circles, the dual method of
 * Goldfarb and Idnani takes over: constraints with wrong multipliers are dropped, and then the worst broken constraint
 * q is taken in by raising its multiplier tau from 0. Along the way x(tau) stays the minimum of its face, and a
 * constraint whose multiplier would change its sign is dropped. Each constraint that is taken in raises the minimum, so
 * that no face comes twice, however many constraints meet at a point and however they depend on each other. If tau can
 * rise for ever, no x meets q and the constraints of the working set: their multipliers prove it (Farkas).
 *
 * H is known by its metric alone: a model's H (module inner), or I for projections.
 */
#ifndef GPIS_SET_WALK_H
#define GPIS_SET_WALK_H

#include "set/polyhedron.h"

/* The limits of the problem at hand: those of the polyhedron, or of a cone of directions in it. */
typedef struct gpis_limits {
    const double *lo, *hi;       /* d */
    const double *lower, *upper; /* rows */
    const double *R;             /* sums; infinite: no limit */
    const double *lambda;        /* d; NULL: no penalty */
    const double *side; /* d: 1 or -1: entry j counts in sums as x_j or -x_j; 0: as |x_j|; NULL: all as |x_j| */
} gpis_limits;

/* H, positive definite. F is in an order of the metric's own. */
typedef struct gpis_metric {
    void *user;         /* borrowed */
    const double *unit; /* borrowed: d; H_jj^-1/2, the units of the entries; NULL: ones */
    /* Factors H_FF, F = {j : member[j]}; *order: the entries of F. Returns how many they are; -1: there is no factor.
     * *changed is set if H itself had to be changed for that. */
    int64_t (*factor)(void *user, const bool *member, const int64_t **order, bool *changed);
    void (*whiten)(void *user, int64_t count, double *V);   /* V := L^-1 V, |F| x count, by columns */
    void (*unwhiten)(void *user, double *v);                /* v := L^-T v, |F| entries */
    void (*apply)(void *user, const double *v, double *Hv); /* d entries */
} gpis_metric;

typedef enum gpis_walk_end {
    GPIS_WALK_SOLVED,
    GPIS_WALK_EMPTY, /* no x meets all constraints: see `conflict` */
    GPIS_WALK_LOST   /* rounding errors, or too many faces */
} gpis_walk_end;

typedef enum gpis_held { GPIS_FREE, GPIS_AT_LO, GPIS_AT_HI, GPIS_AT_ZERO } gpis_held;

/* The face whose factors a walk has. */
typedef struct gpis_factored {
    bool valid;
    bool *member;  /* owned: d; F */
    double *sign;  /* owned: d; the signs with which the entries count in sums */
    int64_t *list; /* owned: the working set */
    int64_t count; /* of the list */
} gpis_factored;

typedef struct gpis_walk {
    gpis_context *context;    /* borrowed */
    const gpis_stop *stop;    /* borrowed: asked at each face with the metric I; NULL: nobody asks */
    const gpis_polyhedron *p; /* borrowed */
    int64_t d, rows, sums;
    gpis_limits of; /* the problem: borrowed, as are metric, c and g */
    gpis_metric metric;
    const double *c, *g;
    double *x, *G;        /* owned: d; the point and the gradient of the quadratic there */
    double grain;         /* the rounding errors of x, in units of the entries */
    double allowance;     /* how many times that rows may be off: 0 at first, 1 for the last digits */
    bool *ignored;        /* owned: d + rows + sums; constraints that depend on others and lack only rounding */
    gpis_held *held;      /* owned: d */
    double *sign;         /* owned: d; 1 or -1: how entry j counts in sums */
    int *kinks;           /* owned: d; how many terms with a kink at 0 entry j is in now */
    int *side;            /* owned: rows; 1 at upper, -1 at lower, 0 not in the working set */
    bool *tight;          /* owned: sums */
    double *y, *nu;       /* owned: rows, sums; the multipliers */
    double *kappa;        /* owned: d; lambda_j + sum over k of nu_k w_kj */
    double *t;            /* owned: d; -(G + C'y): within +-kappa at 0, at most kappa at lo, ... */
    int64_t *list, count; /* owned: the working set: row i is i, sum k is rows + k */
    bool *member;         /* owned: d */
    const int64_t *order; /* borrowed from the metric: F */
    int64_t free_count;
    int64_t *position;                  /* owned: d; of entry j in F; -1: it is held */
    int64_t *identity;                  /* owned: d; F in the order of the metric I */
    gpis_factored factored;             /* a face that is visited again keeps its factors */
    double *V, *tau, *panel;            /* owned: d x (rows + sums) and scratch: the QR decomposition */
    double *row_unit;                   /* owned: rows + sums; the norms of the rows in units of the entries */
    double *a, *p_free, *step, *Hp, *b; /* owned: d */
    double *missing, *dual;             /* owned: rows + sums */
    double *dt, *dkappa;                /* owned: d; the changes of t and kappa with tau */
    double *dt_size;                    /* owned: d; the sum of the sizes of the terms of dt and dkappa */
    int64_t faces, products;            /* since it was created */
    /* After GPIS_WALK_EMPTY: constraint `conflict` (entry j: j; row i: d + i; sum k: d + rows + k) cannot be met on its
     * side `conflict_side` together with the constraints that dual and dt are not 0 for. */
    int64_t conflict;
    int conflict_side;
} gpis_walk;

gpis_status gpis_walk_create(gpis_context *context, const gpis_polyhedron *p, gpis_walk **out);
void gpis_walk_destroy(gpis_walk *w); /* NULL is fine */
/* The number of bytes that it holds. */
double gpis_walk_memory(const gpis_polyhedron *p);
/* Starts on the face of x, which need not meet the constraints, and leaves the minimiser there. Bounds are met exactly.
 */
gpis_walk_end gpis_walk_solve(gpis_walk *w, const gpis_limits *of, const gpis_metric *metric, const double *c,
                              const double *g, double *x);
/* The limits of the polyhedron itself. */
gpis_limits gpis_walk_limits(const gpis_polyhedron *p, const double *penalty);
/* The metric H = I for this walk. */
gpis_metric gpis_walk_identity(gpis_walk *w);

/* ---- walk_face.c: one face ---- */

/* Factors H_FF and N; rows that depend on others leave the working set. False: there is no factor. */
bool gpis_walk_factor(gpis_walk *w, bool *changed);
/* The step to the minimum of the face, in `step`, and the multipliers y and nu there. */
void gpis_walk_find_step(gpis_walk *w);
/* The change of the minimum and of the multipliers (`step`, `dual`) with tau, for the normal in `b`. Returns the square
 * of the share of b that the working set does not contain. */
double gpis_walk_find_direction(gpis_walk *w);
void gpis_walk_evaluate(gpis_walk *w);   /* finds G and the grain */
void gpis_walk_find_duals(gpis_walk *w); /* finds kappa and t from y and nu */
void gpis_walk_find_grain(gpis_walk *w);
/* <c_i, x>, and the sum k with the signs of this face; *size: the sum of the sizes of the terms. */
double gpis_walk_row_value(const gpis_walk *w, int64_t i, const double *x, double *size);
double gpis_walk_sum_value(const gpis_walk *w, int64_t k, double *size);
/* Adds `times` the normal of row c, or of sum c - rows, to `out`, d entries. */
void gpis_walk_add_normal(const gpis_walk *w, int64_t c, double times, double *out);

/* ---- walk_state.c: what is wrong at a point ---- */

static inline double gpis_walk_unit(const gpis_walk *w, int64_t j) { return w->metric.unit ? w->metric.unit[j] : 1.0; }
static inline double gpis_walk_lambda(const gpis_walk *w, int64_t j) { return w->of.lambda ? w->of.lambda[j] : 0.0; }
/* Finds the face of x. */
void gpis_walk_read(gpis_walk *w);
/* The interval in which a free entry may be on this face. */
void gpis_walk_piece(const gpis_walk *w, int64_t j, double *lo, double *hi);
/* Holds entry j where it has left its piece, at the lower or upper end; frees it on the side that its multiplier asks
 * for. */
void gpis_walk_hold(gpis_walk *w, int64_t j, bool upper);
void gpis_walk_free_entry(gpis_walk *w, int64_t j);
void gpis_walk_take_row(gpis_walk *w, int64_t i, int side);
void gpis_walk_take_sum(gpis_walk *w, int64_t k);
void gpis_walk_drop(gpis_walk *w, int64_t at); /* list[at] */
/* How far entry j is outside its piece (> 0 above, < 0 below); row i its limits; sum k its R (0 or more). */
double gpis_walk_entry_outside(const gpis_walk *w, int64_t j);
double gpis_walk_row_outside(const gpis_walk *w, int64_t i);
double gpis_walk_sum_outside(const gpis_walk *w, int64_t k);
/* Whether x meets the bounds of the polyhedron exactly, and its rows and sums to a few units in the last place. */
bool gpis_walk_meets(const gpis_walk *w, const double *x);
/* By how much the multiplier of a held entry, of a row or sum in the working set has the wrong sign. */
double gpis_walk_entry_wrong(const gpis_walk *w, int64_t j);
double gpis_walk_normal_wrong(const gpis_walk *w, int64_t c);
/* The rounding error of a multiplier: of entry j, and of constraint c of the list. `products` is gpis_walk_rounding. */
double gpis_walk_rounding(const gpis_walk *w);
double gpis_walk_entry_noise(const gpis_walk *w, int64_t j, double products);
double gpis_walk_normal_noise(const gpis_walk *w, int64_t c, double products);

/* ---- walk_dual.c ---- */

/* From the minimum of a face with right multipliers to that of the problem. */
gpis_walk_end gpis_walk_dual(gpis_walk *w, int64_t most);

#endif
