/*
 * The second-order bound with the Gram matrix of some columns alone, proven: for sets made of bounds and at most one
 * sum, where the other columns have entries that wait at their walls.
 *
 * Let x be in K, F the columns whose Gram matrix is known, and let each other entry of x be at a bound (at zero, where
 * K has a sum). Column j outside F has slack_j: the rate at which the linear part of f rises when its entry leaves the
 * wall, and as much of the sum goes to the best column k of F in exchange,
 *
 *     without a sum:        slack_j = g_j at a lower bound, -g_j at an upper one
 *     sum of sizes:         slack_j = max over F of |g| - |g_j|
 *     sum:                  slack_j = g_j - min over F of g.
 *
 * With lead = min over j of slack_j / (||a_j|| + ||a_k||) (||a_k|| = 0 without a sum), the second-order bound of the
 * problem on F, which knows nothing of the other columns, holds for the whole one:
 *
 *     f(x) - f* <= gap,    if lead^2 >= gap.
 *
 * Proof in docs/maths/certificates.md, "On a face".
 */
#ifndef GPIS_CERTIFICATE_FACE_H
#define GPIS_CERTIFICATE_FACE_H

#include "certificate/certificate.h"

/* Some columns of a problem, and the problem on them. All borrowed. */
typedef struct gpis_face {
    const int64_t *columns; /* rising */
    int64_t count;
    gpis_set *set;           /* K_F (gpis_set_select) */
    const gpis_model *model; /* of their Gram matrix */
} gpis_face;

/* A kind of set for which there is such a bound. */
bool gpis_face_applies(const gpis_set *set);
/* True where entry j of x is at a wall that it may wait at. */
bool gpis_face_is_at_wall(const gpis_set *set, const double *x, int64_t j);
/* slack_j of every column that is no member, 0 for the members; -infinity where x is not at a wall. The column that
 * takes over what others have of the sum, -1: none. */
int64_t gpis_face_slacks(const gpis_set *set, const double *x, const double *g, const bool *member, double *slack);

/* `s`: a near minimiser on the face, of `count` entries. *gap is infinite where the lead is not enough; *lead is
 * negative when a column outside the face would lower f. */
gpis_status gpis_certificate_on_face(gpis_context *context, const gpis_set *set, const gpis_point *point,
                                     const gpis_face *face, const double *s, double *gap, double *lead);

#endif
