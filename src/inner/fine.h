/*
 * The problem itself in double-double, from its summary (linalg/quadratic.h), for sets that have a flat form (flat.h):
 * one response at a time, by the interior-point method of barrier.h.
 *
 * Minimises 1/2 f = 1/2 <x, G x> - <b, x> + ..., with the constraints in the coordinates z = P x. All numbers are
 * double-double, so that the solution v and its multipliers are known to some 25 digits, where x can only be known to
 * 16. The unknowns are x and not z, in whose coordinates columns of very different sizes would be mixed. Multipliers of
 * inequalities are positive throughout. So the multiplier that is handed out,
 *
 *     l = 2 P'm,     m = (upper - lower bounds) + (sums) + (groups) + E'nu,
 *
 * has a support function that follows from its parts, and no projection or clean-up is needed. That v is a solution, or
 * in K, is not claimed: certificates (certificate.h) find out what l and v are worth.
 *
 * A polyhedron, alone or meeting sums of norms, has copies of entries (lift.h), rows with limits (fine_rows.c), and
 * weighted sums of sizes, or a penalty (fine_sums.c). There l is made of the multipliers of rows, sums and norms, and
 * of what they leave of the gradient at v (fine_lift.c).
 *
 * Data are scaled by powers of two, so that the largest column and the response have norms of about 1.
 */
#ifndef GPIS_FINE_H
#define GPIS_FINE_H

#include "inner/flat.h"
#include "inner/lift.h"
#include "linalg/dd.h"
#include "linalg/quadratic.h"
#include "set/multiplier.h"

/* A slack and its multiplier, which stay positive, and the step of both. A slack of 0 means that there is no bound. */
typedef struct gpis_fine_pair {
    gpis_dd slack, dual, dslack, ddual;
    gpis_dd second; /* the product of both steps of the prediction */
    gpis_dd miss;   /* what is missing to the slack at z */
} gpis_fine_pair;

/* A group of a sum of norms, as in barrier.h. */
typedef struct gpis_fine_cone {
    gpis_dd t, y, dt, dy;
    gpis_dd w, eta, size2; /* the scaling; size2 = ||w_1||^2 */
    gpis_dd lambda, second, right;
} gpis_fine_cone;

/* A dense transform z = U x of flat->turns[i]; without U, x is the sum of jumps. */
typedef struct gpis_fine_turn {
    double *U, *U_low; /* owned: d x d, or NULL */
    double error;      /* of an entry, in units of GPIS_DD_UNIT */
} gpis_fine_turn;

typedef struct gpis_fine {
    gpis_context *context;         /* borrowed */
    const gpis_quadratic *summary; /* borrowed */
    gpis_lift *lift;               /* owned; NULL: the set has a flat form of its own */
    gpis_flat *flat;               /* owned */
    int64_t own, d, k, equalities; /* entries of x, and with the further ones */
    int64_t limits;                /* rows with limits; their pairs come after those of the d entries */
    int64_t stiff, *stiff_row;     /* owned: limits; the rows whose multipliers are unknowns of the present step */
    int64_t *stiff_at;             /* owned: limits; where row t is among them; -1: nowhere */
    double unit, response;         /* powers of two: x is scaled by `unit`, and y by 1 / response */
    gpis_fine_turn *turns;         /* owned: as many as flat has */
    double *G, *G_low;             /* owned: d x d; A'A */
    double *P, *P_low;             /* owned: d x d; NULL: z = x */
    double *H, *H_low;             /* owned: d x d; G and the equations */
    double *B, *B_low;             /* owned: d x d; the barrier in z, where that is not x; and P'B */
    double *BP, *BP_low;           /* owned: d x d, the same */
    double *M, *M_low;             /* owned: d x d; the factor of the present matrix */
    double *near, *unit_x; /* owned: d + limits, d; what changes f by about ||y||^2, for each entry of z and of x */
    double *shift;         /* owned: d; the diagonal of G, of which a very small part keeps M definite */
    double part, of_zeros; /* that part, and what is added for a column of zeros */
    double *E, *e;         /* owned: rows of equations in z, those of sums that must be R among them */
    double *rho;           /* owned: the weights of the equations in H */
    double *EP, *EP_low;   /* owned: the equations in x */
    double *V, *V_low, *S, *S_low;  /* owned: M^-1/2 N', a row for each equation and stiff row, the factor of V'V */
    gpis_dd *nu, *dnu, *wide;       /* owned: multipliers of equations and their steps, and scratch */
    gpis_dd *give, *pull;           /* owned: of equations and stiff rows: N p - give dnu = pull */
    int64_t balls;                  /* weighted sums of sizes (fine_sums.c); the next five are for each of them */
    gpis_fine_pair *ball;           /* owned; what the sum leaves of R */
    gpis_dd *dball, *pull_ball;     /* owned: the change of its multiplier, and the right side of its equation */
    double *rho_ball;               /* owned; the part of its equation that is in the matrix */
    double *normal, *normal_low;    /* owned: d for each; n_k */
    gpis_dd *gamma, *gamma_scratch; /* owned: balls x balls */
    gpis_fine_pair *plus, *minus;   /* owned: own; t - x and t + x of the entries that have a size t of their own */
    gpis_dd *t, *dt, *rt, *want;    /* owned: own; sizes, their steps, the gradient in t, and what t wants */
    gpis_fine_pair *lower, *upper, *sums;          /* owned: d + limits each, d */
    gpis_fine_cone *cones;                         /* owned: d */
    gpis_dd *b, *x, *r, *step;                     /* owned: d; right side, point, gradient of the Lagrangian, step */
    gpis_dd *z, *p;                                /* owned: d; point and step in z */
    gpis_dd *y, *dy, *w, *lambda, *second, *right; /* owned: d; of the cones */
    gpis_dd *in, *out, *u, *v;                     /* owned: d; scratch */
    double *off, *off_in;                          /* owned: d; errors of l */
    double omega;                                  /* the size of a residual at the start */
    double allowance; /* what an entry's share of the multiplier may cost before it is left out of it: fine_lift.c */
    int64_t steps;    /* made since it was created */
} gpis_fine;

/* The solution x + x_low, d x k numbers each; borrowed. */
typedef struct gpis_fine_point {
    double *x, *x_low;
} gpis_fine_point;

gpis_status gpis_fine_create(gpis_context *context, gpis_set *set, const gpis_quadratic *summary, gpis_fine **out);
void gpis_fine_destroy(gpis_fine *f);
/* The largest number of bytes that it holds. */
double gpis_fine_memory(const gpis_set *set);
/* The part of the diagonal of G that rounding errors hide. */
#define GPIS_FINE_HIDDEN 1e-29
/* What to aim at. */
typedef struct gpis_fine_aim {
    double goal;  /* slacks times multipliers add up to this, in units of f */
    double shift; /* the part of the diagonal of G that is added to it in every step: how far x goes along directions in
                     which f hardly changes. GPIS_FINE_HIDDEN: as far as they can be told from rounding errors */
    const gpis_stop *stop; /* borrowed: asked before each step; NULL: nobody asks */
} gpis_fine_aim;
/* Solves for response c, from the point x of d x k. Column c of v and of l is filled, and the support function of this
 * response is added to that of l. */
void gpis_fine_solve(gpis_fine *f, int64_t c, const double *x, gpis_fine_aim aim, const gpis_fine_point *v,
                     gpis_known_multiplier *l);

/* Entry (i, j) of the summary in the units of the problem. */
gpis_dd gpis_fine_entry(const gpis_fine *f, int64_t i, int64_t j);

/* ---- fine_turn.c ---- */

gpis_status gpis_fine_make_turns(gpis_fine *f);
/* v := P v. */
void gpis_fine_turn_in(const gpis_fine *f, gpis_dd *v);
/* v := P'v. If v is within `off` (NULL: nobody asks) of another vector, off becomes a bound for the result. */
void gpis_fine_turn_back(const gpis_fine *f, gpis_dd *v, double *off);

/* ---- fine_rows.c: row t of those with limits ---- */

gpis_dd gpis_fine_row_value(const gpis_fine *f, int64_t t, const gpis_dd *v); /* <c_t, v> */
void gpis_fine_add_row(const gpis_fine *f, int64_t t, gpis_dd times, gpis_dd *to);
double gpis_fine_row_size(const gpis_fine *f, int64_t t); /* |c_t| times `near` */
/* Adds row t, with the multiplier over the slack omega, to the matrix, as a stiff one or not. */
void gpis_fine_take_row(gpis_fine *f, int64_t t, gpis_dd omega);
gpis_dd gpis_fine_row_growth(const gpis_fine *f, int64_t t); /* <c_t, p> for the step p */
/* Adds what row t pushes to the right side, or to the one of the stiff rows. */
void gpis_fine_push_row(gpis_fine *f, int64_t t, gpis_dd push, gpis_dd *side);

/* ---- fine_sums.c ---- */

static inline bool gpis_fine_is_split(const gpis_fine *f, int64_t j) { return f->lift && f->lift->split[j]; }
void gpis_fine_open_sizes(gpis_fine *f);
gpis_dd gpis_fine_size_of_sum(const gpis_fine *f, int64_t k); /* what is to be at most R_k */
/* Adds the multipliers of sizes and sums to u, those of the entries, and finds the gradient in t. */
void gpis_fine_balance_sizes(gpis_fine *f, gpis_dd *u);
/* Adds them to the matrix, and makes n_k and gamma. */
void gpis_fine_take_sizes(gpis_fine *f);
/* The change of a multiplier if nothing moves, and the step of a pair whose slack grows (fine_step.c). */
typedef struct gpis_fine_push {
    gpis_dd (*of)(const gpis_fine_pair *pair, gpis_dd mu, bool correct);
    gpis_dd mu;
    bool correct;
} gpis_fine_push;
typedef void (*gpis_fine_move)(gpis_fine_pair *pair, gpis_dd growth, gpis_dd mu, bool correct);
/* Adds to the right side, and finds pull_ball. */
void gpis_fine_push_sizes(gpis_fine *f, gpis_fine_push push, gpis_dd *side);
/* The steps of all pairs and sizes, from the step p and the multipliers dnu of the equations of the sums. */
void gpis_fine_move_sizes(gpis_fine *f, const gpis_dd *dnu, gpis_fine_push push, gpis_fine_move move);

/* ---- fine_lift.c ---- */

/* lambda_j / 2 in the units of the problem. */
double gpis_fine_penalty(const gpis_fine *f, int64_t j);

/* A sum with the size of its terms. */
typedef struct gpis_fine_sum {
    gpis_dd sum;
    double size;
    int64_t terms;
} gpis_fine_sum;

/* Adds a b. */
void gpis_fine_add_term(gpis_fine_sum *s, gpis_dd a, double b);
/* An upper bound on the error of the sum, which begins with terms = 4. */
double gpis_fine_sum_error(const gpis_fine_sum *s);
/* The linear term of the objective in entry j. */
gpis_dd gpis_fine_slope(const gpis_fine *f, int64_t j);
/* From the multipliers of rows, sums and norms: m of the entries of x in p, within `off` of a vector m* of which the
 * support function, or with a penalty the conjugate, is at most what is returned. */
gpis_dd gpis_fine_lifted(gpis_fine *f);

/* ---- fine_cone.c: as in barrier_cone.c ---- */

void gpis_fine_scale_cones(gpis_fine *f);
void gpis_fine_cone_sides(gpis_fine *f, gpis_dd mu, bool correct);
void gpis_fine_cone_duals(gpis_fine *f, bool keep);
double gpis_fine_cone_reach(const gpis_fine *f, double most);
gpis_dd gpis_fine_cone_gap(const gpis_fine *f, double step);
gpis_dd gpis_fine_norm2(const gpis_fine *f, int64_t c, const gpis_dd *v);
/* At least the longest of the multipliers -y of the groups of sum s, and hardly more. */
gpis_dd gpis_fine_multiplier_of_norms(const gpis_fine *f, int64_t s);

/* ---- fine_step.c: as in barrier_step.c ---- */

/* e - E z for equation r. */
gpis_dd gpis_fine_miss(const gpis_fine *f, int64_t r);
/* False if there is no factor. */
bool gpis_fine_factor(gpis_fine *f);
/* The gradient of the Lagrangian at the present point, in r. */
void gpis_fine_balance(gpis_fine *f);
void gpis_fine_direction(gpis_fine *f, gpis_dd mu, bool correct);

#endif
