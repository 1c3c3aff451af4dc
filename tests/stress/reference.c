/* f* of a problem: see reference.h. One QR reduces A and Y to d rows; each response is solved in simple coordinates. */
#include "reference.h"

#include <stdlib.h>
#include <string.h>

#include "nuclear.h"
#include "solvers.h"

quad reference_objective(const problem *p, const quad *x, quad *error, quad *size2) {
    quad value = 0, size = 0, penalty = 0;
    for (int64_t c = 0; c < p->k; c++) {
        quad *magnitude = ALLOCATE(quad, p->d), sum = 0, yy = 0;
        for (int64_t i = 0; i < p->n; i++) {
            quad r = p->Y[i * p->k + c];
            yy += r * r;
            for (int64_t j = 0; j < p->d; j++) {
                const quad a = p->A[i * p->d + j];
                r -= a * x[j * p->k + c];
                magnitude[j] += a * a;
            }
            sum += r * r;
        }
        quad parts = sqrtq(yy);
        for (int64_t j = 0; j < p->d; j++) parts += fabsq(x[j * p->k + c]) * sqrtq(magnitude[j]);
        value += sum;
        for (int64_t j = 0; p->set.penalty && j < p->d; j++) penalty += p->set.penalty[j] * fabsq(x[j * p->k + c]);
        size += parts * parts;
        free(magnitude);
    }
    const quad off = ldexpq(1, -100) * sqrtq(size);
    *error = 2 * sqrtq(value) * off + off * off + ldexpq(1, -100) * penalty;
    *size2 = size;
    return value + penalty;
}

/* [A | Y] by columns, reduced to min(n, d) rows: R (m x d) and B (m x k). */
static int64_t reduce(const problem *p, quad **R, quad **B) {
    const int64_t n = p->n, d = p->d, k = p->k, m = n < d ? n : d;
    quad *A = ALLOCATE(quad, n * d), *Y = ALLOCATE(quad, n * k);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++) A[i + j * n] = p->A[i * d + j];
        for (int64_t c = 0; c < k; c++) Y[i + c * n] = p->Y[i * k + c];
    }
    quad_qr(n, d, A, k, Y);
    *R = ALLOCATE(quad, m * d);
    *B = ALLOCATE(quad, m * k);
    for (int64_t j = 0; j < d; j++) memcpy(*R + j * m, A + j * n, (size_t)m * sizeof(quad));
    for (int64_t c = 0; c < k; c++) memcpy(*B + c * m, Y + c * n, (size_t)m * sizeof(quad));
    free(A);
    free(Y);
    return m;
}

/* z for the hint: T z is nearest to x - x0. */
static void start_from(const model *z, const double *hint, int64_t stride, quad *at) {
    quad *x = ALLOCATE(quad, z->d);
    for (int64_t j = 0; j < z->d; j++) x[j] = (hint ? (quad)hint[j * stride] : 0) - z->x0[j];
    quad_least_squares(z->d, z->p, z->T, x, (quad)1e-20, at);
    free(x);
}

static bracket solve_response(const model *z, const double *hint, int64_t stride, quad *at) {
    int64_t balls = 0, members = 0;
    for (int64_t t = 0; t < z->sums; t++) balls += z->sum[t].ball && z->sum[t].R > 0;
    for (int64_t j = 0; j < z->p; j++) members += z->sum_of[j] == 0;
    if (balls == 0) {
        solve_polyhedron(z, at);
    } else if (balls == 1 && z->sums == 1 && members == z->p && z->groups == 1) {
        solve_ball(z, at);
    } else {
        start_from(z, hint, stride, at);
        if (balls == 1 && z->sums == 1 && members == z->p)
            solve_groups(z, at);
        else
            solve_gradient(z, 4000000 / (z->m * z->p + 50), at);
    }
    return model_bracket(z, at);
}

/* Every response by itself. Returns zero where a bracket cannot be trusted. */
static int solve_separately(const constraint *set, int64_t k, int64_t m, const quad *R, const quad *B,
                            const double *hint, quad *x, quad *width) {
    int certain = 1;
    quad *column = ALLOCATE(quad, set->d);
    model z = model_of_set(set);
    for (int64_t c = 0; c < k; c++) {
        quad *at = ALLOCATE(quad, z.p);
        model_load(&z, m, R, B + c * m);
        const bracket b = solve_response(&z, hint ? hint + c : NULL, k, at);
        model_x(&z, at, column);
        for (int64_t j = 0; j < set->d; j++) x[j * k + c] = column[j];
        *width += b.width;
        certain = certain && b.uncertain <= (quad)1e-27;
        free(at);
    }
    model_clear(&z);
    free(column);
    return certain;
}

int reference_solve_rows(const constraint *set, int64_t k, int64_t m, const quad *R, const quad *B, const double *hint,
                         quad *x, quad *width) {
    *width = 0;
    return set->kind == KIND_NUCLEAR ? solve_nuclear(m, set->d, k, R, B, set->R, hint, x, width)
                                     : solve_separately(set, k, m, R, B, hint, x, width);
}

reference reference_solve(const problem *p, const double *hint, quad *out) {
    reference result = {0};
    quad *R, *B, *x = ALLOCATE(quad, p->d * p->k);
    const int64_t m = reduce(p, &R, &B);
    const int certain = reference_solve_rows(&p->set, p->k, m, R, B, hint, x, &result.width);
    result.value = reference_objective(p, x, &result.error, &result.size2);
    result.sharp = certain && result.width <= (quad)1e-13 * result.value + (quad)1e-36 * result.size2;
    result.violation = reference_violation(p, x);
    result.feasible = result.violation <= (quad)1e-27;
    result.sharp = result.sharp && result.feasible;
    if (out) memcpy(out, x, (size_t)(p->d * p->k) * sizeof(quad));
    free(R);
    free(B);
    free(x);
    return result;
}
