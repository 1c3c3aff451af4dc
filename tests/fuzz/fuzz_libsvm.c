/* LIBSVM text, plain or gzipped. */
#include "fuzz.h"

#include "cache_files.h"

void fuzz_start(const char *fresh) { (void)fresh; }

void fuzz_input(const uint8_t *data, size_t size) {
    fuzz_write("input.svm", data, size);
    fuzz_open_source("input.svm", NULL);
    const gpis_open_options options = gpis_open_options_default();
    fuzz_remove_cache("input.svm", &options);
}
