/* Tables in text: .csv and .txt (where blanks may separate), plain or gzipped, which the reader recognises by the first
 * bytes. */
#include "fuzz.h"

#include <stdio.h>

#include "cache_files.h"

void fuzz_start(const char *fresh) { (void)fresh; }

void fuzz_input(const uint8_t *data, size_t size) {
    static const struct {
        const char *name, *target;
    } ways[] = {{"input.csv", NULL}, {"input.csv", "2"}, {"input.txt", "a"}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        fuzz_write(ways[i].name, data, size);
        fuzz_open_source(ways[i].name, ways[i].target);
        fuzz_remove_cache(ways[i].name, ways[i].target);
    }
}
