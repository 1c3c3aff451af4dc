/* The table of sums, and the functions that follow from it. */
#include "pass/sums.h"

#include <stddef.h>
#include <string.h>

#include "linalg/accurate.h"
#include "linalg/dd.h"
#include "linalg/hot.h"

/* The number of rows or of columns of a sum, taken as a matrix. */
typedef enum side { ONE, TWO, THREE, COLUMNS_OF_A, RESPONSES, PROBES, MANY, COLUMNS_OF_GRAM, COLUMNS_OF_A_AND_Y } side;

typedef enum layout {
    PLAIN,       /* the numbers as the caller gets them */
    VECTORS,     /* rows x cols for the caller; a strip may hold the transpose */
    SYMMETRIC,   /* both triangles for the caller; a strip and a message hold the upper one */
    SYMMETRIC_DD /* the same in double-double, all high parts, then all low parts; a strip holds the lower triangle */
} layout;

static const struct {
    size_t place; /* offset in gpis_pass of the pointer to the result */
    side rows, cols;
    layout layout;
    bool nonnegative; /* a sum of squares or a number of rows: no entry can be negative */
} table[GPIS_PASS_SUMS] = {
    [GPIS_PASS_OBJECTIVE] = {offsetof(gpis_pass, objective), ONE, ONE, PLAIN, true},
    [GPIS_PASS_AP2] = {offsetof(gpis_pass, AP2), ONE, ONE, PLAIN, true},
    [GPIS_PASS_GRADIENT] = {offsetof(gpis_pass, G), COLUMNS_OF_A, RESPONSES, VECTORS, false},
    [GPIS_PASS_PRODUCTS] = {offsetof(gpis_pass, AAV), COLUMNS_OF_A, PROBES, VECTORS, false},
    [GPIS_PASS_NORMS] = {offsetof(gpis_pass, norms2), COLUMNS_OF_A, ONE, PLAIN, true},
    [GPIS_PASS_MISSES] = {offsetof(gpis_pass, misses), ONE, PROBES, PLAIN, true},
    [GPIS_PASS_GRAM] = {offsetof(gpis_pass, gram), COLUMNS_OF_GRAM, COLUMNS_OF_GRAM, SYMMETRIC, false},
    [GPIS_PASS_NONZEROS] = {offsetof(gpis_pass, nonzeros), COLUMNS_OF_A, ONE, PLAIN, true},
    [GPIS_PASS_Y_SIZES] = {offsetof(gpis_pass, y_sizes), ONE, TWO, PLAIN, true},
    [GPIS_PASS_MOMENTS] = {offsetof(gpis_pass, moments), THREE, COLUMNS_OF_A, PLAIN, false},
    [GPIS_PASS_MANY_GRADIENTS] = {offsetof(gpis_pass, GS), COLUMNS_OF_A, MANY, PLAIN, false},
    [GPIS_PASS_SQUARES] = {offsetof(gpis_pass, squares), TWO, MANY, PLAIN, true},
    [GPIS_PASS_SUMMARY] = {offsetof(gpis_pass, summary), COLUMNS_OF_A_AND_Y, COLUMNS_OF_A_AND_Y, SYMMETRIC_DD, false},
};

static int64_t length(const gpis_load *load, side which) {
    switch (which) {
    case ONE: return 1;
    case TWO: return 2;
    case THREE: return 3;
    case COLUMNS_OF_A: return load->d;
    case RESPONSES: return load->k;
    case PROBES: return load->probes;
    case MANY: return load->many;
    case COLUMNS_OF_GRAM: return load->gram;
    case COLUMNS_OF_A_AND_Y: return load->d + load->k;
    }
    return 0;
}

static int64_t triangle(int64_t d) { return d * (d + 1) / 2; }

double *gpis_pass_sum_place(const gpis_pass *pass, gpis_pass_sum sum) {
    double *place;
    memcpy(&place, (const char *)pass + table[sum].place, sizeof place);
    return place;
}

void gpis_pass_sum_set_place(gpis_pass *pass, gpis_pass_sum sum, double *place) {
    memcpy((char *)pass + table[sum].place, &place, sizeof place);
}

gpis_load gpis_load_of(const gpis_pass *pass, int64_t columns) {
    const int64_t d = columns + pass->terms.constant;
    gpis_load load = {.d = d,
                      .k = pass->k,
                      .probes = pass->V ? pass->probes : 0,
                      .many = pass->XS ? pass->many : 0,
                      .gram = !pass->gram     ? 0
                              : pass->columns ? pass->count
                                              : d,
                      .some_columns = pass->gram && pass->columns,
                      .extended = pass->extended,
                      .sketch = pass->sketch != NULL,
                      .quick = pass->summary && pass->quick,
                      .folds = pass->summary || pass->moments || pass->XS ? pass->folds.count : 0};
    for (int s = 0; s < GPIS_PASS_SUMS; s++)
        if (gpis_pass_sum_place(pass, (gpis_pass_sum)s)) load.wanted |= 1u << s;
    return gpis_load_with_terms(load, &pass->terms);
}

gpis_load gpis_load_with_terms(gpis_load load, const gpis_terms *terms) {
    load.weights = terms->weights != NULL;
    load.constant = terms->constant;
    load.ridge = terms->ridge != NULL;
    return load;
}

gpis_load gpis_load_worst(int64_t d, int64_t k, int64_t probes, int64_t gram, bool sketch) {
    gpis_load load = {.d = d, .k = k, .probes = probes, .gram = gram, .extended = true, .sketch = sketch};
    load.some_columns = gram > 0 && gram < d;
    load.wanted = 1u << GPIS_PASS_OBJECTIVE | 1u << GPIS_PASS_GRADIENT | 1u << GPIS_PASS_NORMS;
    if (probes > 0) load.wanted |= 1u << GPIS_PASS_PRODUCTS;
    if (gram > 0) load.wanted |= 1u << GPIS_PASS_GRAM;
    return load;
}

gpis_load gpis_load_with_summary(gpis_load load, bool quick) {
    load.wanted |= 1u << GPIS_PASS_SUMMARY;
    load.quick = quick;
    return load;
}

bool gpis_pass_sum_is_nonnegative(gpis_pass_sum sum) { return table[sum].nonnegative; }

bool gpis_pass_sum_is_wanted(const gpis_load *load, gpis_pass_sum sum) { return load->wanted >> sum & 1; }

/* The number of summaries, and of moments. */
static int64_t folds_of(const gpis_load *load) { return gpis_max64(1, load->folds); }

int64_t gpis_pass_sum_count(const gpis_load *load, gpis_pass_sum sum) {
    static const int64_t MAX_COUNT = INT64_MAX / 64; /* so that the counts of all sums can be added without overflow */
    int64_t count;
    if (!gpis_pass_sum_is_wanted(load, sum)) return 0;
    const int64_t folds = sum == GPIS_PASS_SUMMARY || sum == GPIS_PASS_MOMENTS ? folds_of(load) : 1;
    const int64_t parts = table[sum].layout == SYMMETRIC_DD ? 2 * folds : folds;
    const bool fits = gpis_checked_mul(length(load, table[sum].rows), length(load, table[sum].cols), &count) &&
                      gpis_checked_mul(count, parts, &count);
    return fits ? gpis_min64(count, MAX_COUNT) : MAX_COUNT;
}

/* ---- strips ------------------------------------------------------------------------------------------------------ */

static int64_t size_of_low(const gpis_load *load) {
    return load->extended ? gpis_pass_sum_count(load, GPIS_PASS_GRADIENT) : 0;
}

int64_t gpis_strip_size(const gpis_load *load) {
    int64_t size = size_of_low(load);
    for (int s = 0; s < GPIS_PASS_SUMS; s++) size += gpis_pass_sum_count(load, (gpis_pass_sum)s);
    return size;
}

gpis_strip gpis_strip_at(const gpis_load *load, double *memory) {
    gpis_strip strip = {0};
    for (int s = 0; s < GPIS_PASS_SUMS; s++) {
        if (!gpis_pass_sum_is_wanted(load, (gpis_pass_sum)s)) continue;
        strip.at[s] = memory;
        memory += gpis_pass_sum_count(load, (gpis_pass_sum)s);
    }
    if (size_of_low(load) > 0) strip.low = memory;
    return strip;
}

static void add_numbers(double *total, const double *part, int64_t count) {
    for (int64_t i = 0; i < count; i++) total[i] += part[i];
}

/* In extended precision the errors of these additions are kept as well. */
static void add_gradient(gpis_strip *total, const gpis_strip *part, int64_t count) {
    double *G = total->at[GPIS_PASS_GRADIENT];
    const double *more = part->at[GPIS_PASS_GRADIENT];
    for (int64_t i = 0; total->low && i < count; i++) total->low[i] += gpis_two_sum(&G[i], more[i]) + part->low[i];
    if (!total->low) add_numbers(G, more, count);
}

static void collect_row(const gpis_strip *strips, int64_t count, int64_t d, int64_t i, double *gram) {
    double *row = strips[0].at[GPIS_PASS_GRAM] + i * d;
    for (int64_t t = 1; t < count; t++)
        for (int64_t j = i; j < d; j++) row[j] += strips[t].at[GPIS_PASS_GRAM][i * d + j];
    for (int64_t j = i; j < d; j++) gram[i * d + j] = gram[j * d + i] = row[j];
}

/* The upper triangles of the strips, added up in order, to both triangles of `gram`. */
static void collect_symmetric(const gpis_strip *strips, int64_t count, int64_t d, int threads, double *gram) {
    threads = gpis_threads_for(threads, 0.5 * (double)(d * d) * (double)count);
    if (threads == 1) {
        for (int64_t i = 0; i < d; i++) collect_row(strips, count, d, i, gram);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
    for (int64_t i = 0; i < d; i++) collect_row(strips, count, d, i, gram);
}

/* The lower triangles of strips in double-double, to both triangles: size x size high parts, then as many low parts. */
static void collect_symmetric_dd(const gpis_strip *strips, int64_t count, gpis_pass_sum sum, int64_t size, int threads,
                                 double *place) {
    const int64_t low = size * size;
#pragma omp parallel for num_threads(gpis_threads_for(threads, 5.0 * (double)low * (double)count)) schedule(dynamic, 16)
    for (int64_t i = 0; i < size; i++)
        for (int64_t j = 0; j <= i; j++) {
            const int64_t at = i * size + j, mirrored = j * size + i;
            gpis_dd total = {strips[0].at[sum][at], strips[0].at[sum][low + at]};
            for (int64_t t = 1; t < count; t++)
                total = gpis_dd_add(total, (gpis_dd){strips[t].at[sum][at], strips[t].at[sum][low + at]});
            place[at] = place[mirrored] = total.high;
            place[low + at] = place[low + mirrored] = total.low;
        }
}

/* total += part for numbers in two doubles that need not be normalised: what the additions of high parts leave out goes
 * to the low parts. */
GPIS_HOT static void add_two(double *restrict high, double *restrict low, const double *restrict more,
                             const double *restrict more_low, int64_t count) {
    for (int64_t j = 0; j < count; j++) {
        const double s = high[j] + more[j], z = s - high[j];
        low[j] += ((high[j] - (s - z)) + (more[j] - z)) + more_low[j];
        high[j] = s;
    }
}

/* Row `row` of all folds one after the other. */
static void collect_row_two(const gpis_strip *strips, int64_t count, gpis_pass_sum sum, int64_t size, int64_t row,
                            double *place) {
    const int64_t low = size * size, i = row % size, at = row / size * 2 * low + i * size;
    double *highs = strips[0].at[sum] + at, *lows = highs + low, *to = place + row / size * 2 * low;
    for (int64_t t = 1; t < count; t++)
        add_two(highs, lows, strips[t].at[sum] + at, strips[t].at[sum] + low + at, i + 1);
    for (int64_t j = 0; j <= i; j++) {
        const gpis_dd total = gpis_dd_two_sum(highs[j], lows[j]);
        to[i * size + j] = to[j * size + i] = total.high;
        to[low + i * size + j] = to[low + j * size + i] = total.low;
    }
}

/* The same for strips of the quick summary (linalg/gram_two.h), fold by fold. */
static void collect_symmetric_two(const gpis_strip *strips, int64_t count, gpis_pass_sum sum, int64_t size,
                                  int64_t folds, int threads, double *place) {
    threads = gpis_threads_for(threads, (double)(folds * size * size) * (double)count);
    if (threads == 1) {
        for (int64_t row = 0; row < folds * size; row++) collect_row_two(strips, count, sum, size, row, place);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
    for (int64_t row = 0; row < folds * size; row++) collect_row_two(strips, count, sum, size, row, place);
}

static void copy_transposed(const double *from, int64_t rows, int64_t cols, double *to) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t c = 0; c < cols; c++) to[i * cols + c] = from[c * rows + i];
}

void gpis_strips_collect(const gpis_pass *pass, const gpis_load *load, bool transposed, gpis_strip *strips,
                         int64_t count, int threads) {
    gpis_strip *total = &strips[0];
    for (int s = 0; s < GPIS_PASS_SUMS; s++) {
        const int64_t numbers = gpis_pass_sum_count(load, (gpis_pass_sum)s);
        double *place = gpis_pass_sum_place(pass, (gpis_pass_sum)s);
        if (!place) continue;
        if (table[s].layout == SYMMETRIC) {
            collect_symmetric(strips, count, length(load, table[s].rows), threads, place);
            continue;
        }
        if (table[s].layout == SYMMETRIC_DD) {
            const int64_t size = length(load, table[s].rows);
            if (load->quick)
                collect_symmetric_two(strips, count, (gpis_pass_sum)s, size, folds_of(load), threads, place);
            else
                collect_symmetric_dd(strips, count, (gpis_pass_sum)s, size, threads, place);
            continue;
        }
        for (int64_t t = 1; t < count; t++)
            if (s == GPIS_PASS_GRADIENT)
                add_gradient(total, &strips[t], numbers);
            else
                add_numbers(total->at[s], strips[t].at[s], numbers);
        if (s == GPIS_PASS_GRADIENT && total->low) add_numbers(total->at[s], total->low, numbers);
        if (table[s].layout == VECTORS && transposed)
            copy_transposed(total->at[s], length(load, table[s].rows), length(load, table[s].cols), place);
        else
            memcpy(place, total->at[s], (size_t)numbers * sizeof *place);
    }
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/* The square matrices of which the upper triangle is sent: none for other layouts, two in double-double. */
static int triangles_of(gpis_pass_sum sum) {
    return table[sum].layout == SYMMETRIC ? 1 : table[sum].layout == SYMMETRIC_DD ? 2 : 0;
}

static int64_t numbers_sent(const gpis_load *load, gpis_pass_sum sum) {
    const int64_t count = gpis_pass_sum_count(load, sum), triangles = triangles_of(sum);
    const int64_t folds = triangles == 2 ? folds_of(load) : 1;
    return count > 0 && triangles > 0 ? folds * triangles * triangle(length(load, table[sum].rows)) : count;
}

int64_t gpis_message_size(const gpis_load *load) {
    int64_t size = 0;
    for (int s = 0; s < GPIS_PASS_SUMS; s++) size += numbers_sent(load, (gpis_pass_sum)s);
    return size;
}

int64_t gpis_message_doubles(const gpis_load *load) {
    return gpis_message_size(load) - numbers_sent(load, GPIS_PASS_SUMMARY);
}

void gpis_message_add_dd(double *total, const double *part, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const gpis_dd sum = gpis_dd_add((gpis_dd){total[i], total[count + i]}, (gpis_dd){part[i], part[count + i]});
        total[i] = sum.high;
        total[count + i] = sum.low;
    }
}

/* The same for the upper triangle of size x size numbers, of which the message holds nothing else: `count` high parts,
 * of all folds, and as many low parts. */
static void add_triangle_dd(double *message, int64_t count, const double *sum, int64_t size) {
    for (int64_t i = 0, at = 0; i < size; i++)
        for (int64_t j = i; j < size; j++, at++) {
            const gpis_dd more = {sum[i * size + j], sum[size * size + i * size + j]};
            const gpis_dd total = gpis_dd_add((gpis_dd){message[at], message[count + at]}, more);
            message[at] = total.high;
            message[count + at] = total.low;
        }
}

void gpis_message_add(const gpis_pass *pass, const gpis_load *load, double *message) {
    for (int s = 0; s < GPIS_PASS_SUMS; s++) {
        const double *sum = gpis_pass_sum_place(pass, (gpis_pass_sum)s);
        const int64_t d = length(load, table[s].rows), count = numbers_sent(load, (gpis_pass_sum)s);
        if (count == 0) continue;
        if (table[s].layout == SYMMETRIC_DD)
            for (int64_t f = 0; f < folds_of(load); f++)
                add_triangle_dd(message + f * triangle(d), count / 2, sum + f * 2 * d * d, d);
        else if (table[s].layout == SYMMETRIC)
            for (int64_t i = 0, at = 0; i < d; i++)
                for (int64_t j = i; j < d; j++) message[at++] += sum[i * d + j];
        else
            add_numbers(message, sum, count);
        message += count;
    }
}

static void deliver_triangle(const double *message, int64_t d, double *sum) {
    for (int64_t i = 0, at = 0; i < d; i++)
        for (int64_t j = i; j < d; j++) sum[i * d + j] = sum[j * d + i] = message[at++];
}

void gpis_message_deliver(const gpis_pass *pass, const gpis_load *load, const double *message) {
    for (int s = 0; s < GPIS_PASS_SUMS; s++) {
        double *sum = gpis_pass_sum_place(pass, (gpis_pass_sum)s);
        const int64_t d = length(load, table[s].rows), count = numbers_sent(load, (gpis_pass_sum)s);
        const int triangles = triangles_of((gpis_pass_sum)s);
        if (count == 0) continue;
        const int64_t folds = triangles == 2 ? folds_of(load) : 1;
        for (int64_t t = 0; t < triangles * folds; t++) /* all high parts, then all low parts */
            deliver_triangle(message + t * triangle(d), d, sum + (t % folds * triangles + t / folds) * d * d);
        if (triangles == 0) memcpy(sum, message, (size_t)count * sizeof *sum);
        message += count;
    }
}
