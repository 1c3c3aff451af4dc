/* .npy files: as A, and as an array (y, x, C, bounds) that is read whole. */
#include "fuzz.h"

void fuzz_start(const char *fresh) { (void)fresh; }

void fuzz_input(const uint8_t *data, size_t size) {
    fuzz_write("input.npy", data, size);
    fuzz_open_source("input.npy", NULL);
    gpis_context *context = fuzz_context();
    gpis_array array;
    const gpis_status status = gpis_array_read(context, "input.npy", &array);
    if (status == GPIS_OK)
        fuzz_look(array.data, array.rows * array.cols);
    else
        fuzz_check_refusal(context, status, array.data);
    gpis_array_clear(context, &array);
    fuzz_context_end(context);
}
