/*
 * Runs a harness on files, for compilers without libFuzzer: driver FILE_OR_FOLDER...
 * With FUZZ_FRESH, the harness writes seeds there first. Fails unless at least one input was accepted as valid.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static long inputs;

static void run_file(const char *path) {
    uint8_t *bytes = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "rb");
    fuzz_require(file != NULL, path);
    for (size_t got = 1; got > 0; size += got) {
        bytes = realloc(bytes, size + 4096);
        fuzz_require(bytes != NULL, "no memory");
        got = fread(bytes + size, 1, 4096, file);
    }
    fclose(file);
    printf("%s (%zu bytes)\n", path, size);
    fflush(stdout);                       /* so that the last line names the input that ended the program */
    bytes = realloc(bytes, size + !size); /* of the exact size, so that a sanitizer notices reading beyond it */
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    inputs++;
}

static void run_folder(DIR *folder, const char *path) {
    for (const struct dirent *entry; (entry = readdir(folder));) {
        char *file = NULL;
        if (entry->d_name[0] == '.') continue;
        fuzz_require(asprintf(&file, "%s/%s", path, entry->d_name) > 0, "no memory");
        run_file(file);
        free(file);
    }
    closedir(folder);
}

int main(int argc, char **argv) {
    LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        if (folder)
            run_folder(folder, argv[i]);
        else
            run_file(argv[i]);
    }
    printf("%ld inputs\n", inputs);
    return fuzz_accepted() > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
