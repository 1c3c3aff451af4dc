/* HDF5 files: the list of what is inside, then each of the first few things on it, opened as A and read. */
#include "fuzz.h"

#include <hdf5.h>
#include <stdio.h>

enum { MAX_PATHS = 6, LENGTH = 128 };

typedef struct listing {
    char paths[MAX_PATHS][LENGTH];
    int count;
} listing;

static void take(void *user, const gpis_content *content) {
    listing *l = user;
    fuzz_require(content->path && content->kind && content->type && content->filters, "a content without words");
    if (l->count == MAX_PATHS) return;
    const int length = snprintf(l->paths[l->count], LENGTH, "input.h5:%s", content->path);
    if (length < LENGTH) l->count++;
}

void fuzz_start(const char *fresh) { (void)fresh; }

void fuzz_input(const uint8_t *data, size_t size) {
    listing l = {.count = 0};
    fuzz_write("input.h5", data, size);
    gpis_context *context = fuzz_context();
    const gpis_status status = gpis_file_contents(context, "input.h5", take, &l);
    if (status != GPIS_OK) fuzz_check_refusal(context, status, NULL);
    fuzz_context_end(context);
    fuzz_open_source("input.h5", NULL);
    for (int i = 0; i < l.count; i++) fuzz_open_source(l.paths[i], NULL);
    fuzz_require(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) == 0, "something of an HDF5 file was left open");
}
