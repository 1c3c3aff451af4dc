/*
 * The body of the dense kernels, compiled once for each instruction set (simd.h).
 *
 * Everything is made of two operations on eight contiguous lines a_0 .. a_7. For row-major data the lines are rows: dot
 * products with x, then a linear combination into g. For column-major data they are columns: a combination into r, then
 * dot products with r. Memory is read once: the eight lines are still in the first-level cache when they are needed
 * again. For short lines their ends and the sums over lanes would take half of the time: so an end is one more vector,
 * padded with zeros, and lanes are summed for four vectors at once.
 *
 * There is no include guard, since the file is included several times.
 */
#define VEC KERNEL(vec)

/* LANES elements of a line; `single` is a constant wherever this is inlined. */
GPIS_INLINE VEC KERNEL(load)(const void *line, int64_t j, bool single) {
    if (single) return KERNEL(load_floats)((const float *)line + j);
    VEC v;
    memcpy(&v, (const double *)line + j, sizeof v);
    return v;
}

/* The last n < LANES elements of a line, then zeros. */
GPIS_INLINE VEC KERNEL(load_end)(const void *line, int64_t j, int64_t n, bool single) {
    return single ? KERNEL(first_floats)((const float *)line + j, n)
                  : KERNEL(first_doubles)((const double *)line + j, n);
}

/* dot[t] = <a_t, x> for `lines` lines (at most LINES) of `length` elements. */
GPIS_INLINE void KERNEL(dots)(const void *a, int64_t stride, int lines, int64_t length, const double *x, double *dot,
                              bool single) {
    const int64_t whole = length - length % LANES, end = length % LANES;
    VEC sum[LINES] = {{0}};
    for (int64_t j = 0; j < whole; j += LANES) {
        const VEC xj = KERNEL(load)(x, j, false);
        for (int t = 0; t < lines; t++) sum[t] += KERNEL(load)(line_at(a, t, stride, single), j, single) * xj;
    }
    if (end) {
        const VEC xj = KERNEL(load_end)(x, whole, end, false);
        for (int t = 0; t < lines; t++)
            sum[t] += KERNEL(load_end)(line_at(a, t, stride, single), whole, end, single) * xj;
    }
    int t = 0;
    for (; t + 4 <= lines; t += 4) KERNEL(sum_four)(sum + t, dot + t);
    for (; t < lines; t++) dot[t] = KERNEL(sum_lanes)(sum[t]);
}

/* out += sum over t of c[t] a_t. The factors are copied to vectors first, since the compiler cannot know that out does
 * not overlap c. With `ahead` the next lines are prefetched. */
GPIS_INLINE void KERNEL(combine)(const void *a, int64_t stride, int lines, int64_t length, const double *c, double *out,
                                 bool single, bool ahead) {
    VEC factor[LINES];
    for (int t = 0; t < lines; t++) factor[t] = (VEC){0} + c[t];
    const int64_t whole = length - length % LANES, end = length % LANES;
    for (int64_t j = 0; j < whole; j += LANES) {
        VEC even = KERNEL(load)(out, j, false), odd = {0};
        for (int t = 0; ahead && t < lines; t++)
            __builtin_prefetch(element_at(line_at(a, t + lines, stride, single), j, single), 0, 2);
        for (int t = 0; t < lines; t += 2) even += factor[t] * KERNEL(load)(line_at(a, t, stride, single), j, single);
        for (int t = 1; t < lines; t += 2) odd += factor[t] * KERNEL(load)(line_at(a, t, stride, single), j, single);
        even += odd;
        memcpy(out + j, &even, sizeof even);
    }
    if (!end) return;
    VEC sum = KERNEL(load_end)(out, whole, end, false);
    for (int t = 0; t < lines; t++)
        sum += factor[t] * KERNEL(load_end)(line_at(a, t, stride, single), whole, end, single);
    KERNEL(store_first)(out + whole, end, sum);
}

/* The same as `residual` for up to LINES rows of a block with terms: r = A x becomes w r with r = A x + x_d - y, its
 * factor in the gradient, with the coefficient x_d of the column of ones. (w r) r cannot overflow before w r^2 does. */
GPIS_INLINE void KERNEL(residual_with_terms)(const gpis_block *b, int64_t first, int64_t rows, const double *x,
                                             const double *y, int64_t y_stride, double *r, row_sums *sums) {
    const double shift = b->constant && x ? x[b->d] : 0.0, *w = b->weights ? b->weights + first : NULL;
    int64_t t = 0;
    if (y) y += first * y_stride;
    for (; t + LANES <= rows && (!y || y_stride == 1); t += LANES) {
        VEC ri = KERNEL(load)(r, t, false) + shift;
        if (y) ri -= KERNEL(load)(y, t, false);
        const VEC factor = w ? KERNEL(load)(w, t, false) * ri : ri;
        const VEC square = KERNEL(load)(sums->squares, t, false) + factor * ri;
        const VEC one = KERNEL(load)(sums->ones, t, false) + factor;
        memcpy(r + t, &factor, sizeof factor);
        memcpy(sums->squares + t, &square, sizeof square);
        memcpy(sums->ones + t, &one, sizeof one);
    }
    for (; t < rows; t++) {
        const double ri = r[t] + shift - (y ? y[t * y_stride] : 0.0);
        r[t] = w ? w[t] * ri : ri;
        sums->squares[t] += r[t] * ri;
        sums->ones[t] += r[t];
    }
}

/* r = A x - y and g += A'r for the rows [i, i + lines). Returns ||r||^2, or with terms adds it to the sums. */
GPIS_INLINE double KERNEL(row_lines)(const gpis_block *b, int64_t i, int lines, const double *x, const double *y,
                                     int64_t y_stride, double *r, double *g, row_sums *sums, bool single, bool ahead) {
    const void *a = line_at(b->values, i, b->row_stride, single);
    double norm2 = 0.0;
    if (x)
        KERNEL(dots)(a, b->row_stride, lines, b->d, x, r + i, single);
    else
        memset(r + i, 0, (size_t)lines * sizeof *r);
    if (has_terms(b))
        KERNEL(residual_with_terms)(b, i, lines, x, y, y_stride, r + i, sums);
    else
        norm2 = residual(i, lines, y, y_stride, r + i);
    if (g) KERNEL(combine)(a, b->row_stride, lines, b->d, r + i, g, single, ahead);
    return norm2;
}

GPIS_INLINE double KERNEL(by_rows)(const gpis_block *b, const double *x, const double *y, int64_t y_stride, double *r,
                                   double *g, bool single, bool ahead) {
    row_sums sums = {{0}, {0}};
    double norm2 = 0.0;
    int64_t i = 0;
    for (; i + LINES <= b->nrows; i += LINES)
        norm2 += KERNEL(row_lines)(b, i, LINES, x, y, y_stride, r, g, &sums, single, ahead);
    for (; i < b->nrows; i++) norm2 += KERNEL(row_lines)(b, i, 1, x, y, y_stride, r, g, &sums, single, false);
    return has_terms(b) ? close_sums(b, &sums, g) : norm2;
}

/* r = A x becomes the factors of all rows in the gradient, which is complete for the column of ones. */
GPIS_INLINE double KERNEL(residual_of_columns)(const gpis_block *b, const double *x, const double *y, int64_t y_stride,
                                               double *r, double *g) {
    if (!has_terms(b)) return residual(0, b->nrows, y, y_stride, r);
    row_sums sums = {{0}, {0}};
    for (int64_t i = 0; i < b->nrows; i += LINES)
        KERNEL(residual_with_terms)(b, i, gpis_min64(LINES, b->nrows - i), x, y, y_stride, r + i, &sums);
    return close_sums(b, &sums, g);
}

GPIS_INLINE double KERNEL(by_columns)(const gpis_block *b, const double *x, const double *y, int64_t y_stride,
                                      double *r, double *g, bool single) {
    const int64_t stride = b->col_stride, whole = b->d - b->d % LINES;
    memset(r, 0, (size_t)b->nrows * sizeof *r);
    for (int64_t j = 0; x && j < whole; j += LINES)
        KERNEL(combine)(line_at(b->values, j, stride, single), stride, LINES, b->nrows, x + j, r, single, false);
    for (int64_t j = whole; x && j < b->d; j++)
        KERNEL(combine)(line_at(b->values, j, stride, single), stride, 1, b->nrows, x + j, r, single, false);
    const double norm2 = KERNEL(residual_of_columns)(b, x, y, y_stride, r, g);
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

/* Four rows and `count` vectors at a time, all in registers: dot[v][t] = <a_t, x_v>, then out_v += sum over t of
 * c[v][t] a_t. Rows are loaded once for all vectors, which have `width` entries each in memory. */
GPIS_INLINE void KERNEL(many_dots)(const void *a, int64_t stride, int count, int64_t length, const double *x,
                                   int64_t width, double dot[MAX_VECTORS][LINES_OF_SEVERAL], bool single) {
    const int64_t whole = length - length % LANES, end = length % LANES;
    VEC sum[MAX_VECTORS][LINES_OF_SEVERAL] = {{{0}}}, line[LINES_OF_SEVERAL];
    for (int64_t j = 0; j < whole; j += LANES) {
        for (int t = 0; t < LINES_OF_SEVERAL; t++) line[t] = KERNEL(load)(line_at(a, t, stride, single), j, single);
        for (int v = 0; v < count; v++) {
            const VEC xj = KERNEL(load)(x + v * width, j, false);
            for (int t = 0; t < LINES_OF_SEVERAL; t++) sum[v][t] += line[t] * xj;
        }
    }
    if (end) {
        for (int t = 0; t < LINES_OF_SEVERAL; t++)
            line[t] = KERNEL(load_end)(line_at(a, t, stride, single), whole, end, single);
        for (int v = 0; v < count; v++) {
            const VEC xj = KERNEL(load_end)(x + v * width, whole, end, false);
            for (int t = 0; t < LINES_OF_SEVERAL; t++) sum[v][t] += line[t] * xj;
        }
    }
    for (int v = 0; v < count; v++) KERNEL(sum_four)(sum[v], dot[v]);
}

GPIS_INLINE void KERNEL(many_combine)(const void *a, int64_t stride, int count, int64_t length,
                                      double c[MAX_VECTORS][LINES_OF_SEVERAL], double *out, int64_t width,
                                      bool single) {
    const int64_t whole = length - length % LANES, end = length % LANES;
    VEC factor[MAX_VECTORS][LINES_OF_SEVERAL], line[LINES_OF_SEVERAL];
    for (int v = 0; v < count; v++)
        for (int t = 0; t < LINES_OF_SEVERAL; t++) factor[v][t] = (VEC){0} + c[v][t];
    for (int64_t j = 0; j < whole; j += LANES) {
        for (int t = 0; t < LINES_OF_SEVERAL; t++) {
            line[t] = KERNEL(load)(line_at(a, t, stride, single), j, single);
            __builtin_prefetch(element_at(line_at(a, t + LINES_OF_SEVERAL, stride, single), j, single), 0, 2);
        }
        for (int v = 0; v < count; v++) {
            VEC sum = KERNEL(load)(out + v * width, j, false);
            for (int t = 0; t < LINES_OF_SEVERAL; t++) sum += factor[v][t] * line[t];
            memcpy(out + v * width + j, &sum, sizeof sum);
        }
    }
    if (!end) return;
    for (int t = 0; t < LINES_OF_SEVERAL; t++)
        line[t] = KERNEL(load_end)(line_at(a, t, stride, single), whole, end, single);
    for (int v = 0; v < count; v++) {
        VEC sum = KERNEL(load_end)(out + v * width, whole, end, false);
        for (int t = 0; t < LINES_OF_SEVERAL; t++) sum += factor[v][t] * line[t];
        KERNEL(store_first)(out + v * width + whole, end, sum);
    }
}

GPIS_INLINE double KERNEL(many_by_rows)(const gpis_block *b, int count, const double *x, const double *y,
                                        int64_t y_stride, double *g, bool single) {
    const int64_t whole = b->nrows - b->nrows % LINES_OF_SEVERAL, width = gpis_block_width(b);
    const bool terms = has_terms(b);
    double norm2 = 0.0, r[MAX_VECTORS][LINES_OF_SEVERAL];
    row_sums sums[MAX_VECTORS];
    memset(sums, 0, sizeof sums);
    for (int64_t i = 0; i < whole; i += LINES_OF_SEVERAL) {
        const void *a = line_at(b->values, i, b->row_stride, single);
        KERNEL(many_dots)(a, b->row_stride, count, b->d, x, width, r, single);
        if (!terms) norm2 += residual(i, LINES_OF_SEVERAL, y, y_stride, r[0]);
        for (int v = 0; terms && v < count; v++) KERNEL(residual_with_terms)
        (b, i, LINES_OF_SEVERAL, x + v * width, v == 0 ? y : NULL, y_stride, r[v], &sums[v]);
        KERNEL(many_combine)(a, b->row_stride, count, b->d, r, g, width, single);
    }
    for (int64_t i = whole; i < b->nrows; i++)
        for (int v = 0; v < count; v++) {
            const void *a = line_at(b->values, i, b->row_stride, single);
            KERNEL(dots)(a, 0, 1, b->d, x + v * width, r[v], single);
            if (terms)
                KERNEL(residual_with_terms)(b, i, 1, x + v * width, v == 0 ? y : NULL, y_stride, r[v], &sums[v]);
            else if (v == 0)
                norm2 += residual(i, 1, y, y_stride, r[v]);
            KERNEL(combine)(a, 0, 1, b->d, r[v], g + v * width, single, false);
        }
    for (int v = count - 1; terms && v >= 0; v--) norm2 = close_sums(b, &sums[v], g + v * width);
    return norm2;
}

/* One function for each number of vectors, so that it is a constant in the kernel. */
static double KERNEL(gradients)(const gpis_block *b, int count, const double *x, const double *y, int64_t y_stride,
                                double *g) {
    const bool single = b->type == GPIS_FLOAT32;
#define CASE(n)                                                             \
    case n:                                                                 \
        return single ? KERNEL(many_by_rows)(b, n, x, y, y_stride, g, true) \
                      : KERNEL(many_by_rows)(b, n, x, y, y_stride, g, false);
    switch (count) {
        CASE(1)
        CASE(2)
        CASE(3)
        CASE(4)
    default: CASE(5)
    }
#undef CASE
}

/* norms2 += squares of `lines` lines of `length` elements, entry by entry. */
GPIS_INLINE void KERNEL(squares)(const void *a, int64_t stride, int lines, int64_t length, double *norms2,
                                 bool single) {
    int64_t j = 0;
    for (; j + LANES <= length; j += LANES) {
        VEC sum = KERNEL(load)(norms2, j, false);
        for (int t = 0; t < lines; t++) {
            const VEC v = KERNEL(load)(line_at(a, t, stride, single), j, single);
            sum += v * v;
        }
        memcpy(norms2 + j, &sum, sizeof sum);
    }
    for (; j < length; j++)
        for (int t = 0; t < lines; t++) {
            const double v = element(line_at(a, t, stride, single), j, single);
            norms2[j] += v * v;
        }
}

GPIS_INLINE void KERNEL(row_norms)(const gpis_block *b, double *norms2, bool single) {
    int64_t i = 0;
    for (; i + LINES <= b->nrows; i += LINES)
        KERNEL(squares)(line_at(b->values, i, b->row_stride, single), b->row_stride, LINES, b->d, norms2, single);
    for (; i < b->nrows; i++) KERNEL(squares)(line_at(b->values, i, b->row_stride, single), 0, 1, b->d, norms2, single);
}

static void KERNEL(norms)(const gpis_block *b, double *norms2) {
    if (b->type == GPIS_FLOAT32)
        KERNEL(row_norms)(b, norms2, true);
    else
        KERNEL(row_norms)(b, norms2, false);
}

/* Calls the kernel for each storage, with its constants. To prefetch the next rows helps if rows are short or of floats
 * (measured: float32 takes 0.58 instead of 0.85 of the float64 time at d = 500, and 100 columns of doubles 1.25 reads
 * instead of 1.35). Long rows of doubles are read at the speed of memory without it, and a little slower with it. */
static double KERNEL(gradient)(const gpis_block *b, const double *x, const double *y, int64_t y_stride, double *r,
                               double *g) {
    enum { MAX_PREFETCHED_ROW = 256 };
    if (b->type == GPIS_FLOAT32)
        return gpis_block_is_row_major(b) ? KERNEL(by_rows)(b, x, y, y_stride, r, g, true, true)
                                          : KERNEL(by_columns)(b, x, y, y_stride, r, g, true);
    if (!gpis_block_is_row_major(b)) return KERNEL(by_columns)(b, x, y, y_stride, r, g, false);
    return b->d <= MAX_PREFETCHED_ROW ? KERNEL(by_rows)(b, x, y, y_stride, r, g, false, true)
                                      : KERNEL(by_rows)(b, x, y, y_stride, r, g, false, false);
}

#undef VEC
