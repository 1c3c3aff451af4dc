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
    .pass_start = 2e-5,
    .line_search = 1.3,
    .next_vector = 0.6,
    .pair = 1.5,
    .pair_out_of_cache = 8.0,
    .single_gram = 0.6,
    .draw = 4e-7,
    .scattered = 3.0,
    .sample_square = 24.0,
    .factor_speed = 0.6,
    .apply_speed = 0.15,
    .latency = 2e-5,
    .network = 1e9,
};
