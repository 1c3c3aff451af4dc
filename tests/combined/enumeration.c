/* All faces of a small problem, one after the other: the second way that checks the barrier method. */
#include <math.h>
#include <string.h>

#include "reference.h"

/* Unknowns: x, b, and a multiplier for each constraint that is held with equality. */
enum { MAX_UNKNOWNS = 3 * MAX_COLUMNS + 1 + MAX_LINEAR + MAX_SUMS };

typedef struct face {
    const combined *p;
    int sign[MAX_COLUMNS]; /* of x_j; 0: x_j = 0 */
    int count;             /* constraints that are held */
    quad E[MAX_UNKNOWNS][MAX_COLUMNS], e[MAX_UNKNOWNS];
    quad least;
} face;

static void hold(face *f, const double *row, int j, quad value) {
    quad *at = f->E[f->count];
    for (int i = 0; i < f->p->d; i++) at[i] = row ? (quad)row[i] : (quad)(i == j);
    f->e[f->count++] = value;
}

/* Solves the equations of the face; false if they are singular. */
static bool solve(const face *f, quad *x, quad *b) {
    static quad M[MAX_UNKNOWNS][MAX_UNKNOWNS + 1];
    const combined *p = f->p;
    const int d = p->d, size = d + 1 + f->count;
    memset(M, 0, sizeof M);
    for (int i = 0; i < p->n; i++) {
        quad row[MAX_COLUMNS + 1];
        for (int j = 0; j < d; j++) row[j] = p->A[i * d + j];
        row[d] = p->constant;
        for (int j = 0; j <= d; j++) {
            for (int m = 0; m <= d; m++) M[j][m] += 2 * p->weight[i] * row[j] * row[m];
            M[j][size] += 2 * p->weight[i] * row[j] * ((quad)p->y[i] - p->offset[i]);
        }
    }
    if (!p->constant) M[d][d] = 1;
    for (int j = 0; j < d; j++) {
        M[j][j] += 2 * p->ridge[j];
        M[j][size] -= p->lambda[j] * f->sign[j];
    }
    for (int c = 0; c < f->count; c++) {
        for (int j = 0; j < d; j++) M[j][d + 1 + c] = M[d + 1 + c][j] = f->E[c][j];
        M[d + 1 + c][size] = f->e[c];
    }
    for (int c = 0; c < size; c++) {
        int best = c;
        for (int i = c + 1; i < size; i++)
            if (M[i][c] * M[i][c] > M[best][c] * M[best][c]) best = i;
        if (M[best][c] * M[best][c] < (quad)1e-40) return false;
        for (int j = 0; j <= size; j++) {
            const quad kept = M[c][j];
            M[c][j] = M[best][j], M[best][j] = kept;
        }
        for (int i = 0; i < size; i++) {
            if (i == c || M[i][c] == 0) continue;
            const quad factor = M[i][c] / M[c][c];
            for (int j = c; j <= size; j++) M[i][j] -= factor * M[c][j];
        }
    }
    for (int j = 0; j < d; j++) x[j] = M[j][size] / M[j][j];
    *b = M[d][size] / M[d][d];
    return true;
}

static bool is_feasible(const combined *p, const quad *x) {
    const quad slack = (quad)1e-25;
    for (int j = 0; j < p->d; j++)
        if (x[j] < p->lower[j] - slack || x[j] > p->upper[j] + slack) return false;
    for (int i = 0; i < p->rows; i++) {
        quad sum = 0;
        for (int j = 0; j < p->d; j++) sum += (quad)p->C[i * p->d + j] * x[j];
        if (sum < p->row_lower[i] - slack || sum > p->row_upper[i] + slack) return false;
    }
    for (int s = 0; s < p->sums; s++) {
        quad sum = 0;
        for (int j = 0; j < p->d; j++) sum += p->v[s][j] * (x[j] < 0 ? -x[j] : x[j]);
        if (sum > p->R[s] + slack) return false;
    }
    return true;
}

static void try_face(face *f) {
    quad x[MAX_COLUMNS], b;
    if (!solve(f, x, &b) || !is_feasible(f->p, x)) return;
    const quad F = combined_value(f->p, x, b);
    if (f->least < 0 || F < f->least) f->least = F;
}

/* Each row and each sum is held at one of its ends, or not. */
static void try_rows(face *f, int i) {
    const combined *p = f->p;
    if (i == p->rows + p->sums) {
        try_face(f);
        return;
    }
    const int before = f->count;
    if (i >= p->rows || p->row_lower[i] < p->row_upper[i]) try_rows(f, i + 1);
    if (i < p->rows) {
        const double *row = p->C + i * p->d, ends[2] = {p->row_lower[i], p->row_upper[i]};
        for (int end = 0; end < 2; end++) {
            if (!isfinite(ends[end]) || (end == 1 && ends[0] == ends[1])) continue;
            hold(f, row, 0, ends[end]);
            try_rows(f, i + 1);
            f->count = before;
        }
    } else {
        double row[MAX_COLUMNS];
        for (int j = 0; j < p->d; j++) row[j] = f->sign[j] * p->v[i - p->rows][j];
        hold(f, row, 0, p->R[i - p->rows]);
        try_rows(f, i + 1);
        f->count = before;
    }
}

/* Each entry is held at one of its bounds, or at zero, or has a sign. */
static void try_entries(face *f, int j) {
    const combined *p = f->p;
    if (j == p->d) {
        try_rows(f, 0);
        return;
    }
    const int before = f->count;
    for (int sign = -1; sign <= 1; sign++) {
        f->sign[j] = sign;
        if (sign == 0) hold(f, NULL, j, 0);
        try_entries(f, j + 1);
        f->count = before;
    }
    const double ends[2] = {p->lower[j], p->upper[j]};
    for (int end = 0; end < 2; end++) {
        if (!isfinite(ends[end]) || ends[end] == 0.0) continue;
        f->sign[j] = ends[end] < 0.0 ? -1 : 1;
        hold(f, NULL, j, ends[end]);
        try_entries(f, j + 1);
        f->count = before;
    }
}

quad combined_enumerate(const combined *p) {
    face f = {.p = p, .least = -1};
    try_entries(&f, 0);
    return f.least;
}
