/* solvers.h: ways to minimise ||c - M z|| over the set of a model, in quadruple precision. None of them promises
 * anything: model_bracket tells how good the z is that they leave. */
#ifndef GPIS_STRESS_SOLVERS_H
#define GPIS_STRESS_SOLVERS_H

#include "model.h"

/* Bounds and sums: from face to face until no multiplier has the wrong sign. Starts from 0, projected. */
void solve_polyhedron(const model *z, quad *at);
/* One ball that holds all entries and has one group: the secular equation. */
void solve_ball(const model *z, quad *at);
/* The mu >= 0 for which z_j = q_j / (sigma2_j + mu) has length R; 0 if it is not longer for mu = 0. */
quad solve_secular(int64_t p, const quad *sigma2, const quad *q, quad R);
/* One ball of several groups: reweighted balls until it is clear which groups are 0, then Newton's method on the
 * others. `at` is where it starts. */
void solve_groups(const model *z, quad *at);
/* Anything: accelerated projected gradients with restarts, for at most so many iterations, from `at`. */
void solve_gradient(const model *z, int64_t iterations, quad *at);

#endif
