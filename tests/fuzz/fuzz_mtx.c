/* Matrix Market files, plain or gzipped. */
#include "fuzz.h"

void fuzz_start(const char *fresh) { (void)fresh; }

void fuzz_input(const uint8_t *data, size_t size) {
    fuzz_write("input.mtx", data, size);
    fuzz_open_source("input.mtx", NULL);
}
