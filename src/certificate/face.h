/*
 * The second-order bound on a face of K, with a proof: for sets made of bounds and at most one sum. A face is given by
 * its free columns F, whose Gram matrix is known; all other entries stay at their bounds ("walls").
 *
 * Let x be in K with each entry outside F at a bound (at zero, where K has a sum). slack_j of a column j outside F is
 * the rate at which the linear part of f rises when its entry leaves the wall, while the same amount of the sum is
 * taken from the best column k of F,
 *
 *     without a sum:        slack_j = g_j at a lower bound, -g_j at an upper one
 *     sum of sizes:         slack_j = max over F of |g| - |g_j|
 *     sum:                  slack_j = g_j - min over F of g.
 *
 * With a penalty, zero is a wall of every entry that has one, and lambda_j / 2 is added to the rate at which f rises
 * wherever |x_j| grows, subtracted where it falls: slack_j = lambda_j / 2 - |g_j| at a zero without a bound.
 *
 * With lead = min over j of slack_j / (||a_j|| + ||a_k||) (||a_k|| = 0 without a sum), the second-order bound of the
 * problem on F alone, in which the other columns do not occur, holds for the whole problem:
 *
 *     f(x) - f* <= gap,    if lead^2 >= gap.
 *
 * Proof in docs/maths/certificates.md, "On a face".
 */
#ifndef GPIS_CERTIFICATE_FACE_H
#define GPIS_CERTIFICATE_FACE_H

#include "certificate/certificate.h"

/* A face: its free columns, and the problem on them. All pointers are borrowed. */
typedef struct gpis_face {
    const int64_t *columns; /* ascending */
    int64_t count;
    gpis_set *set;           /* K_F, the set of their entries alone (gpis_set_select) */
    const gpis_model *model; /* of their Gram matrix */
} gpis_face;

/* Whether there is such a bound for this set. */
bool gpis_face_applies(const gpis_set *set);
/* Whether entry j of x is at a bound (at zero, where K has a sum). */
bool gpis_face_is_at_wall(const gpis_set *set, const double *x, int64_t j);
/* Computes slack_j of every column that is not a member of F, -infinity where its entry is not at a bound; 0 for
 * members. Returns the best column k of F; -1 if there is none. */
int64_t gpis_face_slacks(const gpis_set *set, const double *x, const double *g, const bool *member, double *slack);

/* `s`: a near minimiser on the face, of `count` entries. *gap is infinite if the lead is too small for a proof; *lead
 * is negative if a column outside the face would lower f. */
gpis_status gpis_certificate_on_face(gpis_context *context, const gpis_set *set, const gpis_point *point,
                                     const gpis_face *face, const double *s, double *gap, double *lead);

#endif
