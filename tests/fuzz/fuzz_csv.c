/* Tables in text: .csv and .txt (where blanks may separate), plain or gzipped, which the reader recognises by the first
 * bytes; with categorical columns, missing fields, lists of columns, and an encoding made from the same table. */
#include "fuzz.h"

#include <stdio.h>

#include "cache_files.h"

void fuzz_start(const char *fresh) { (void)fresh; }

/* Opens the table once more, with the encoding that it was given the first time: the rows must come out again. */
static void open_again(const char *path, const gpis_open_options *options) {
    gpis_context *context = fuzz_context();
    gpis_source *first = NULL, *second = NULL;
    gpis_open_options again = gpis_open_options_default();
    again.target = options->target;
    again.delimiter = options->delimiter;
    again.header = options->header;
    if (gpis_source_open_with(context, path, options, &first) == GPIS_OK) {
        gpis_source_info a, b;
        again.encoding = gpis_source_encoding(first);
        fuzz_require(gpis_source_open_with(context, path, &again, &second) == GPIS_OK, "an encoding was refused");
        gpis_source_describe(first, &a);
        gpis_source_describe(second, &b);
        fuzz_require(a.rows == b.rows && a.cols == b.cols, "an encoding gave another shape");
    }
    gpis_source_destroy(second);
    gpis_source_destroy(first);
    fuzz_context_end(context);
}

void fuzz_input(const uint8_t *data, size_t size) {
    static const struct {
        const char *name, *target, *categorical, *columns, *exclude, *delimiter;
        gpis_missing missing;
    } ways[] = {
        {"input.csv", NULL, NULL, NULL, NULL, NULL, GPIS_MISSING_ERROR},
        {"input.csv", "2", NULL, NULL, NULL, NULL, GPIS_MISSING_DROP},
        {"input.txt", "a", NULL, NULL, NULL, NULL, GPIS_MISSING_ERROR},
        {"input.csv", NULL, "1", NULL, NULL, NULL, GPIS_MISSING_MEAN},
        {"input.csv", NULL, "*", NULL, NULL, NULL, GPIS_MISSING_DROP},
        {"input.txt", NULL, NULL, "2-1", NULL, "semicolon", GPIS_MISSING_MEAN},
        {"input.csv", NULL, NULL, NULL, "a*", NULL, GPIS_MISSING_MEAN},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        gpis_open_options options = gpis_open_options_default();
        options.target = ways[i].target;
        options.categorical = ways[i].categorical;
        options.columns = ways[i].columns;
        options.exclude = ways[i].exclude;
        options.delimiter = ways[i].delimiter;
        options.missing = ways[i].missing;
        fuzz_write(ways[i].name, data, size);
        fuzz_open_source_with(ways[i].name, &options);
        fuzz_remove_cache(ways[i].name, &options);
        open_again(ways[i].name, &options);
    }
}
