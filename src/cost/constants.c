/*
 * The measured constants of the cost model; constants.h says what each of them is.
 *
 * Rounded geometric means of two sets: one of 2026-11-15 to 2026-11-17, itself between Intel(R) Xeon(R) Processor, 2
 * threads, and AMD EPYC, 1 thread; the other by bench/constants.c on 2026-11-18, Intel(R) Xeon(R) Processor with
 * AVX-512, 1 thread, processor time, while other programs used the machine. The two differ by up to a factor of two
 * either way. The cost of entries in cache, of narrow Gram matrices and of new memory was measured on the latter alone,
 * and is moved towards what the solves of bench/regret.csv on AMD EPYC took. The draw of a row is two thirds of what
 * was measured, since the permutation behind it takes two thirds of the steps that it took then.
 *
 * To measure them anew: `make bench RESULTS=bench`, on a machine that does nothing else. Other values mean other
 * plans, and so answers with other bits.
 */
#include "cost/constants.h"

const gpis_cost_constants gpis_cost_measured = {
    .storage =
        {
            [GPIS_STORED_ROWS] = {.gradient = 1.0, .probing = 1.5, .sketch = 1.4},
            [GPIS_STORED_COLUMNS] = {.gradient = 1.3, .probing = 3.1, .sketch = 3.6},
            [GPIS_STORED_FLOATS] = {.gradient = 0.58, .probing = 0.95, .sketch = 1.1},
            [GPIS_STORED_SPARSE] = {.gradient = 2.4, .probing = 14.0, .sketch = 27.0},
            [GPIS_STORED_NOWHERE] = {.gradient = 1.6, .probing = 2.1, .sketch = 3.7},
        },
    .cached = 0.8,
    .window = 1.7,
    .pass_start = 8e-06,
    .line_search = 1.25,
    .next_vector = 0.35,
    .pair = 2.1,
    .pair_out_of_cache = 4.1,
    .narrow_gram = 0.82,
    .single_gram = 0.57,
    .summary = 6.5,
    .summary_pair = 4.3,
    .fresh = 3.0,
    .draw = 3.1e-07,
    .scattered = 3.0,
    .sample_square = 25.0,
    .factor_speed = 1.25,
    .apply_speed = 0.25,
};
