/*
 * The measured constants of the cost model; constants.h says what each of them is.
 *
 * Measured one by one on 2026-11-15 and 2026-11-16, before there was a tool that measures all of them at once, on:
 * Intel(R) Xeon(R) Processor, 2 threads. They are rounded. bench/constants.py has been run since, but only on a
 * machine that was busy with other things, so its values were not taken over. The two constants of the summary were
 * measured on 2026-11-17, by the processor time of the kernels, on: AMD EPYC, 2 threads.
 *
 * To measure them anew: `make bench RESULTS=bench`, on a machine that does nothing else. Other values mean other
 * plans, and so answers with other bits.
 */
#include "cost/constants.h"

const gpis_cost_constants gpis_cost_measured = {
    .storage =
        {
            [GPIS_STORED_ROWS] = {.gradient = 1.0, .probing = 1.4, .sketch = 1.4},
            [GPIS_STORED_COLUMNS] = {.gradient = 1.5, .probing = 2.8, .sketch = 3.0},
            [GPIS_STORED_FLOATS] = {.gradient = 0.6, .probing = 1.1, .sketch = 0.9},
            [GPIS_STORED_SPARSE] = {.gradient = 3.0, .probing = 12.0, .sketch = 18.0},
            [GPIS_STORED_NOWHERE] = {.gradient = 2.0, .probing = 2.4, .sketch = 2.4},
        },
    .window = 1.2,
    .pass_start = 2e-05,
    .line_search = 1.3,
    .next_vector = 0.6,
    .pair = 1.5,
    .pair_out_of_cache = 8.0,
    .single_gram = 0.6,
    .summary = 6.0,
    .summary_pair = 6.0,
    .draw = 4e-07,
    .scattered = 3.0,
    .sample_square = 24.0,
    .factor_speed = 0.6,
    .apply_speed = 0.15,
};
