/*
 * The measured constants of the cost model; constants.h says what each of them is.
 *
 * Between two sets of measurements: Intel(R) Xeon(R) Processor, 2 threads, on 2026-11-15 and 2026-11-16; AMD EPYC, 1
 * thread, by bench/constants.c on 2026-11-17. Most are their rounded geometric means, some were chosen by the regret
 * that bench/regret.py measures. The two sets differ by up to a factor of two either way, and for H times a vector,
 * which the larger cache of the second holds, by more. The two constants of the summary were measured on the AMD EPYC
 * alone, by the processor time of the kernels.
 *
 * To measure them anew: `make bench RESULTS=bench`, on a machine that does nothing else. Other values mean other
 * plans, and so answers with other bits.
 */
#include "cost/constants.h"

const gpis_cost_constants gpis_cost_measured = {
    .storage =
        {
            [GPIS_STORED_ROWS] = {.gradient = 1.0, .probing = 1.6, .sketch = 1.5},
            [GPIS_STORED_COLUMNS] = {.gradient = 1.3, .probing = 2.7, .sketch = 3.7},
            [GPIS_STORED_FLOATS] = {.gradient = 0.6, .probing = 1.0, .sketch = 1.3},
            [GPIS_STORED_SPARSE] = {.gradient = 2.9, .probing = 13.0, .sketch = 25.0},
            [GPIS_STORED_NOWHERE] = {.gradient = 1.7, .probing = 2.1, .sketch = 3.6},
        },
    .cached = 0.75,
    .window = 2.0,
    .pass_start = 2e-05,
    .line_search = 1.3,
    .next_vector = 0.4,
    .pair = 1.6,
    .pair_out_of_cache = 4.0,
    .narrow_gram = 0.85,
    .single_gram = 0.55,
    .summary = 6.0,
    .summary_pair = 6.0,
    .fresh = 5.0,
    .draw = 5e-07,
    .scattered = 3.3,
    .sample_square = 25.0,
    .factor_speed = 1.2,
    .apply_speed = 0.3,
};
