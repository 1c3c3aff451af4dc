/*
 * set: a closed convex set K, the constraint.
 *
 * Every set here is K = B + C: a bounded core B plus the recession cone C (C = {0} when K is bounded; B = {0} for a
 * cone). A kind provides, for a vector of d entries (or, for a `matrix` kind, X of d x k as a whole):
 *   project(v)    the nearest point of K
 *   support(g)    sup over s in B of <g, s>: always finite
 *   recession(v)  projection on C
 *   radius        sup over s in B of ||s||_2
 * and set.c derives the rest. On the polar of C the support function of K is that of B, elsewhere it is infinite; by
 * Moreau's theorem v - recession(v) is the nearest vector of that polar, and ||recession(v)|| the distance from it.
 *
 * Rounding. For `exact_recession` kinds v - recession(v) lies in the polar exactly. For the others (monotone, tv,
 * SPEC@dct) it does so up to gpis_set_rounding(d) * ||v||, the usual bound for d operations, enlarged for the constants
 * of an FFT; affine and SPEC@FILE.npy bound their own errors. So:
 *   gpis_set_support(g)       ignores an excess of that size relative to ||g||; beyond it the value is INFINITY. For
 *                             display.
 *   gpis_set_support_near(v)  cleans v itself, and returns how far the result can be from a vector where its value is a
 *                             true upper bound. For certificates, which must be right: they add that slack.
 *
 * Memory is allocated when the set is made, so the functions never allocate. For k > 1 columns set.c applies a vector
 * kind to each column of X by itself.
 *
 * Each kind has one constructor, declared in gpis.h; a spec is read by the kind's parse function, which ends in that
 * constructor. What distinguishes two sets of one kind, or one kind from another, is a field of struct gpis_set: code
 * outside this module asks for such a property and never for the name of a kind.
 *
 * A new kind is one new file, one line in the table of kinds.h and one declaration in gpis.h; it inherits
 * tests/set/test_conformance.c.
 */
#ifndef GPIS_SET_H
#define GPIS_SET_H

#include "base/base.h"
#include "set/spec.h"

/* The rule for the sum of the entries, for a set that consists of bounds and one sum. */
typedef enum gpis_sum_rule {
    GPIS_SUM_ANY,
    GPIS_SUM_IS_R,           /* sum x_i = R */
    GPIS_SUM_AT_MOST_R,      /* sum x_i <= R */
    GPIS_SUM_OF_SIZES_WITHIN /* sum |x_i| <= R */
} gpis_sum_rule;

/* Shapes for which there is a special solver, hull or bound. */
typedef enum gpis_shape {
    GPIS_SHAPE_OTHER,
    GPIS_SHAPE_WHOLE,   /* every x is a member */
    GPIS_SHAPE_BALL,    /* ||x||_2 <= R */
    GPIS_SHAPE_ORDERED, /* x_1 <= x_2 <= ... <= x_d */
    GPIS_SHAPE_NUCLEAR  /* the singular values of X, which has several columns, sum to at most R */
} gpis_shape;

/* Changes between x and other coordinates z, x = T z: z = T^-1 x; x = T z; T'v, which turns a gradient in x into one in
 * z; and T^-T v, which turns it back. */
typedef enum gpis_way { GPIS_TO_INSIDE, GPIS_TO_OUTSIDE, GPIS_TRANSPOSED, GPIS_TRANSPOSED_BACK } gpis_way;

typedef struct gpis_multiplier gpis_multiplier; /* multiplier.h */
struct gpis_polyhedron;                         /* polyhedron.h */

typedef struct gpis_set_class {
    const char *name;
    const char *usage; /* the form of a spec, for messages: "l1:R"; without a colon the kind takes no arguments */
    /* How a spec becomes a set; each kind that has a spec gives one of the three. The first two are the constructors of
     * kinds without arguments and of kinds that know R alone. `parse`, which goes before them, reads other arguments
     * and calls the constructor; what follows the arguments is checked by the caller. d and k are those of X. */
    gpis_status (*plain)(gpis_context *context, int64_t d, gpis_set **out);
    gpis_status (*of_radius)(gpis_context *context, double R, int64_t d, gpis_set **out);
    gpis_status (*parse)(gpis_spec *arguments, int64_t d, int64_t k, gpis_set **out);

    gpis_status (*project)(gpis_set *s, const double *v, double *x);     /* x may be v */
    gpis_status (*support)(gpis_set *s, const double *g, double *value); /* called only where s->has_support */
    gpis_status (*recession)(gpis_set *s, const double *v, double *x);   /* NULL: always bounded; x may be v */
    void (*destroy)(gpis_set *s);                                        /* frees what s->state owns; optional */
    /* Optional: argmin over K of 1/2 ||x - v||^2 + step times the sum of penalty_j |x_j|, for one column; x may be v.
     */
    gpis_status (*prox)(gpis_set *s, double step, const double *v, double *x);
    bool relative_support; /* rounding of support(g) is relative to its value, as that of a norm, not to its terms */
    /* Optional, for the kinds that consist of the bounds lo_i <= x_i <= hi_i and s->sum, and of nothing else. They are
     * polyhedra, and a solver can move along their faces. */
    void (*bounds)(const gpis_set *s, int64_t i, double *lo, double *hi);
    /* Optional, for those of them in which some entries can be held at zero (or, without a sum, at a bound) while the
     * others keep their rules: makes the set for the `count` entries columns[i] of `whole`. */
    gpis_status (*select)(const gpis_set *whole, const int64_t *columns, int64_t count, gpis_set **out);
    /* Optional, for the kinds that are {x : <q_i, x - x0> = 0 for all i}, x0 a member: the q_i, orthonormal, *count x
     * d. */
    const double *(*normals)(const gpis_set *s, int64_t *count);
    /* Goes with `normals`: the equations C x = b as they were given; C is *count x d. */
    void (*equations)(const gpis_set *s, int64_t *count, const double **C, const double **b);
    /* Goes with normals: row i of as many equations <c_i, x> = b_i, as they were given, which imply all others. */
    const double *(*equation)(const gpis_set *s, int64_t i, double *b);
    /* Optional, for kinds whose state is computed with rounding errors, so that the support function of the state is
     * not that of the set which was asked for: gpis_set_support_near for one column (or, with `matrix`, for X). */
    gpis_status (*support_near)(gpis_set *s, double *v, double *value, double *slack);
    /* Optional: the same where v is nearly normal to K at the member `at` (gpis_set_support_at), for one column. */
    gpis_status (*support_at)(gpis_set *s, const double *at, double *v, double *value, double *slack);
    /* Optional: gpis_set_support_low_part for this kind (multiplier.h). */
    gpis_status (*support_low)(gpis_set *s, gpis_multiplier *m);
    /* Optional, for products of sets: block i and the entries that are in it, or NULL if there are not so many. */
    gpis_set *(*part)(const gpis_set *s, int64_t i, const int64_t **columns);
    /* Optional, for sums of the 2-norms of groups of entries: group c has the entries (*member)[(*first)[c]] ...
     * Returns the number of groups. */
    int64_t (*groups)(const gpis_set *s, const int64_t **member, const int64_t **first);
    /* Optional, for intersections: set i of those that x is in, or NULL if there are not so many. */
    gpis_set *(*piece)(const gpis_set *s, int64_t i);
    const double *(*share)(const gpis_set *s,
                           int64_t i); /* goes with `piece`: its part of the last split of support_at */
    /* Goes with s->inside: each of `count` vectors of d entries, one after the other; out is another array. */
    void (*turn)(const gpis_set *s, gpis_way way, int64_t count, const double *in, double *out);
    /* Goes with turn where z = U x for a dense U that is nearly orthogonal: U + U_low, d x d, as it was given. Returns
     * a bound on the error of an entry in units of GPIS_DD_UNIT. */
    double (*matrix_low)(const gpis_set *s, double *U, double *U_low);
} gpis_set_class;

struct gpis_set {
    const gpis_set_class *class;
    gpis_context *context; /* borrowed */
    int64_t d, k;
    bool matrix;          /* works on X as a d x k matrix, not on each column */
    double radius;        /* of the core B; of one column unless `matrix` */
    bool unbounded;       /* C is more than {0} */
    bool exact_recession; /* v - recession(v) has no rounding errors */
    bool constants;       /* C is the line of the vectors whose entries are all equal */
    bool iterative;       /* its projection is an iteration of many steps, not a formula */
    bool has_support;     /* false: only the projection is known, and there is no certificate */
    gpis_shape shape;
    gpis_sum_rule sum; /* with class->bounds */
    double R;          /* for the kinds that have it */
    int64_t group;  /* above 0: K is where the 2-norms of groups of so many consecutive entries add up to at most R */
    char *spec;     /* owned: canonical text */
    char *sum_text; /* owned, with `sum`: the text of the sum alone, where the set is more; NULL: the spec */
    void *state;    /* owned by the kind, if R and work are not enough */
    double *work;   /* owned: scratch of the kind */
    double *column_in, *column_out; /* owned: d entries each (d * k with `matrix`) */
    /* For the kinds that are a simpler set in other coordinates (class->turn): K = {T z : z_1 .. z_loose are free, the
     * others are in `inside`}. A solver can then work in these coordinates. */
    gpis_set *inside; /* of d - loose entries and k columns; NULL: none */
    bool owns_inside; /* false: borrowed from the caller */
    int64_t loose;    /* 0 or 1 */
    /* For the kind polyhedron: its constraints; borrowed from the state. NULL: another kind. */
    const struct gpis_polyhedron *polyhedron;
    double *penalty; /* owned: d entries lambda_j >= 0 of the penalty (penalty.h); NULL: none */
    /* Owned: what goes with a penalty of the kinds that do not know of it; NULL: there is none, or the kind knows. */
    struct gpis_penalised *penalised;
    bool is_view;       /* all that is not of the penalty is borrowed from another set */
    char **names;       /* owned, d texts: the names of the entries in messages and results; NULL: x1, x2, ... */
    gpis_set *own_part; /* owned: a set that this one is made of, and no other; NULL: none */
    /* Owned: its constraints as a list, made when they are first asked for (gpis_polyhedron_of), by any thread; as a
     * polyhedron, made when prices are first asked for that need one (price.c). */
    struct gpis_polyhedron *_Atomic listed;
    gpis_set *priced;
    char *warning; /* owned: what the caller should know about the constraints; NULL: nothing */
    /* What a set that was read from text is made of: a chain, each of which this set destroys. */
    gpis_set *parts, *next_part;
    const gpis_stop *stop; /* borrowed: gpis_set_watch; NULL: nobody asks */
};

/* From now on projections that take many steps ask `stop` between them, also those of the sets that this one is made
 * of, and fail with GPIS_STOPPED if it says so. Once it says so, it goes on saying so. NULL: nobody asks any more. */
void gpis_set_watch(gpis_set *set, const gpis_stop *stop);
/* GPIS_STOPPED, with a message, if the one who watches wants to stop. */
gpis_status gpis_set_go_on(const gpis_set *set);

/* A member of K near v (not x), which is one up to rounding: v itself, with its entries moved to their bounds, where
 * the projection of its kind (on planes, in other coordinates, on sums) would only add rounding errors of its own, else
 * its projection. */
gpis_status gpis_set_approach(gpis_set *set, const double *v, double *x);

/* Projection on the recession cone of K (zero for a bounded set), over all columns. x may be v. */
gpis_status gpis_set_recession(gpis_set *set, const double *v, double *x);

/* Replaces v by w, which is v - recession(v) up to rounding, and promises that some w* with ||w - w*||_F <= *slack has
 * a true support_K(w*) <= *value < INFINITY. *value includes the rounding of its own evaluation; *slack is 0 for
 * bounded sets (where w = v) and for exact kinds. */
gpis_status gpis_set_support_near(gpis_set *set, double *v, double *value, double *slack);
/* The same for one column of X or, with `matrix`, for X as a whole: for kinds that are made of other sets. */
gpis_status gpis_set_support_near_part(gpis_set *set, double *v, double *value, double *slack);

/* The same for a v that is nearly normal to K at the member `at`, which some kinds make use of: they return a value
 * that is attained there, or nearly. A bounded set may move v, too. */
gpis_status gpis_set_support_at(gpis_set *set, const double *at, double *v, double *value, double *slack);
/* The same for one column of X or, with `matrix`, for X as a whole; `at` NULL: no such point is known. */
gpis_status gpis_set_support_at_part(gpis_set *set, const double *at, double *v, double *value, double *slack);

/* sup ||s||_2 over all of X; INFINITY when unbounded. */
double gpis_set_radius(const gpis_set *set);
/* The same over the core B; always finite. */
double gpis_set_core_radius(const gpis_set *set);
bool gpis_set_is_bounded(const gpis_set *set);
/* At least sup over K of the sum of e_j |s_jc| over all entries, for d numbers e_j >= 0, up to d + 4 roundings;
 * INFINITY where no such bound is known. (reach.c) */
double gpis_set_reach(const gpis_set *set, const double *e);

/* K with all entries but columns[0 .. count - 1] held fixed, for kinds with `select`. */
gpis_status gpis_set_select(const gpis_set *set, const int64_t *columns, int64_t count, gpis_set **out);

/* A bound on the rounding errors of d operations, relative to the norm of their data. */
double gpis_set_rounding(int64_t d);

#endif
