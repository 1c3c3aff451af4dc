/*
 * The body of the dense kernels, compiled once for each instruction set by dense.c, which defines
 *     KERNEL(name)    the name with the instruction set's suffix
 *     LANES           doubles in a vector
 *     SUM_LANES(v)    the sum of a vector's lanes
 *     LOAD_FLOATS(p)  a vector of doubles from LANES floats at p (GCC 12 makes poor code of __builtin_convertvector)
 *
 * Two primitives over eight contiguous lines a_0 .. a_7 carry everything. Row-major data takes rows as lines: dots with
 * x, then a combination into g. Column-major data takes columns as lines: a combination into r, then dots with r.
 * Memory is read once: the eight lines are still in the first-level cache when they are needed again.
 *
 * No include guard: it is meant to be included several times.
 */
typedef double KERNEL(vec) __attribute__((vector_size(8 * LANES)));
#define VEC KERNEL(vec)

/* LANES elements of a line; `single` is a constant wherever this is inlined. */
GPIS_INLINE VEC KERNEL(load)(const void *line, int64_t j, bool single) {
    if (single) return LOAD_FLOATS((const float *)line + j);
    VEC v;
    memcpy(&v, (const double *)line + j, sizeof v);
    return v;
}

/* dot[t] = <a_t, x> for `lines` lines (at most LINES) of `length` elements. */
GPIS_INLINE void KERNEL(dots)(const void *a, int64_t stride, int lines, int64_t length, const double *x, double *dot,
                              bool single) {
    VEC sum[LINES] = {{0}};
    int64_t j = 0;
    for (; j + LANES <= length; j += LANES) {
        const VEC xj = KERNEL(load)(x, j, false);
        for (int t = 0; t < lines; t++) sum[t] += KERNEL(load)(line_at(a, t, stride, single), j, single) * xj;
    }
    for (int t = 0; t < lines; t++) {
        double tail = 0.0;
        for (int64_t i = j; i < length; i++) tail += element(line_at(a, t, stride, single), i, single) * x[i];
        dot[t] = SUM_LANES(sum[t]) + tail;
    }
}

/* out += sum over t of c[t] a_t. The factors are copied to vectors first: the compiler cannot know that out does not
 * overlap c. With `ahead` the next lines are asked for meanwhile. */
GPIS_INLINE void KERNEL(combine)(const void *a, int64_t stride, int lines, int64_t length, const double *c, double *out,
                                 bool single, bool ahead) {
    VEC factor[LINES];
    for (int t = 0; t < lines; t++) factor[t] = (VEC){0} + c[t];
    int64_t j = 0;
    for (; j + LANES <= length; j += LANES) {
        VEC even = KERNEL(load)(out, j, false), odd = {0};
        for (int t = 0; ahead && t < lines; t++)
            __builtin_prefetch(element_at(line_at(a, t + lines, stride, single), j, single), 0, 2);
        for (int t = 0; t < lines; t += 2) even += factor[t] * KERNEL(load)(line_at(a, t, stride, single), j, single);
        for (int t = 1; t < lines; t += 2) odd += factor[t] * KERNEL(load)(line_at(a, t, stride, single), j, single);
        even += odd;
        memcpy(out + j, &even, sizeof even);
    }
    for (; j < length; j++) {
        double sum = out[j];
        for (int t = 0; t < lines; t++) sum += c[t] * element(line_at(a, t, stride, single), j, single);
        out[j] = sum;
    }
}

/* r = A x - y and g += A'r for the rows [i, i + lines). */
GPIS_INLINE double KERNEL(row_lines)(const gpis_block *b, int64_t i, int lines, const double *x, const double *y,
                                     int64_t y_stride, double *r, double *g, bool single, bool ahead) {
    const void *a = line_at(b->values, i, b->row_stride, single);
    KERNEL(dots)(a, b->row_stride, lines, b->d, x, r + i, single);
    const double norm2 = residual(lines, y ? y + i * y_stride : NULL, y_stride, r + i);
    if (g) KERNEL(combine)(a, b->row_stride, lines, b->d, r + i, g, single, ahead);
    return norm2;
}

GPIS_INLINE double KERNEL(by_rows)(const gpis_block *b, const double *x, const double *y, int64_t y_stride, double *r,
                                   double *g, bool single, bool ahead) {
    double norm2 = 0.0;
    int64_t i = 0;
    for (; i + LINES <= b->nrows; i += LINES)
        norm2 += KERNEL(row_lines)(b, i, LINES, x, y, y_stride, r, g, single, ahead);
    for (; i < b->nrows; i++) norm2 += KERNEL(row_lines)(b, i, 1, x, y, y_stride, r, g, single, false);
    return norm2;
}

GPIS_INLINE double KERNEL(by_columns)(const gpis_block *b, const double *x, const double *y, int64_t y_stride,
                                      double *r, double *g, bool single) {
    const int64_t stride = b->col_stride, whole = b->d - b->d % LINES;
    memset(r, 0, (size_t)b->nrows * sizeof *r);
    for (int64_t j = 0; j < whole; j += LINES)
        KERNEL(combine)(line_at(b->values, j, stride, single), stride, LINES, b->nrows, x + j, r, single, false);
    for (int64_t j = whole; j < b->d; j++)
        KERNEL(combine)(line_at(b->values, j, stride, single), stride, 1, b->nrows, x + j, r, single, false);
    const double norm2 = residual(b->nrows, y, y_stride, r);
    if (!g) return norm2;
    double dot[LINES];
    for (int64_t j = 0; j < whole; j += LINES) {
        KERNEL(dots)(line_at(b->values, j, stride, single), stride, LINES, b->nrows, r, dot, single);
        for (int t = 0; t < LINES; t++) g[j + t] += dot[t];
    }
    for (int64_t j = whole; j < b->d; j++) {
        KERNEL(dots)(line_at(b->values, j, stride, single), stride, 1, b->nrows, r, dot, single);
        g[j] += dot[0];
    }
    return norm2;
}

/* The storages, each with its constants. Asking memory for the next rows pays where rows are short or narrow (measured:
 * float32 takes 0.58 instead of 0.85 of the float64 time at d = 500, and 100 columns of doubles 1.25 reads instead of
 * 1.35); long rows of doubles run at the speed of memory by themselves, and a little slower with it. */
static double KERNEL(gradient)(const gpis_block *b, const double *x, const double *y, int64_t y_stride, double *r,
                               double *g) {
    enum { SHORT_ROW = 256 };
    if (b->type == GPIS_FLOAT32)
        return gpis_block_is_row_major(b) ? KERNEL(by_rows)(b, x, y, y_stride, r, g, true, true)
                                          : KERNEL(by_columns)(b, x, y, y_stride, r, g, true);
    if (!gpis_block_is_row_major(b)) return KERNEL(by_columns)(b, x, y, y_stride, r, g, false);
    return b->d <= SHORT_ROW ? KERNEL(by_rows)(b, x, y, y_stride, r, g, false, true)
                             : KERNEL(by_rows)(b, x, y, y_stride, r, g, false, false);
}

#undef VEC
#undef KERNEL
#undef LANES
#undef SUM_LANES
#undef LOAD_FLOATS
