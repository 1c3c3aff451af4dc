/* What the fuzzing harnesses share, and the functions that libFuzzer calls. */
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[PATH_MAX]; /* of this process; removed at exit */
static long accepted;

void fuzz_require(bool holds, const char *text) {
    if (holds) return;
    dprintf(2, "fuzz: %s\n", text);
    abort();
}

void fuzz_accept(void) { accepted++; }
long fuzz_accepted(void) { return accepted; }

void fuzz_silence(void) {
    FILE *nowhere = fopen("/dev/null", "w");
    fuzz_require(nowhere != NULL, "/dev/null cannot be opened");
    stderr = nowhere;
}

/* ---- the folder ---------------------------------------------------------------------------------------------------
 */

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place) {
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

static void finish(void) {
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    dprintf(2, "fuzz: inputs were taken as valid %ld times\n", accepted); /* tests/fuzz/run looks for it */
}

static void make_folder(void) {
    const char *where = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/gpis-fuzz.XXXXXX", where ? where : "/tmp");
    fuzz_require(mkdtemp(folder) != NULL, "no temporary folder can be made");
    atexit(finish);
}

/* libFuzzer resolves its own relative paths between inputs, so the current folder is changed only while one runs. */
static int enter_folder(void) {
    const int before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    fuzz_require(before >= 0 && chdir(folder) == 0, "the temporary folder cannot be entered");
    return before;
}

static void leave_folder(int before) {
    fuzz_require(fchdir(before) == 0, "the temporary folder cannot be left");
    close(before);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* FUZZ_FRESH names a folder where the harness puts seeds of its own making before the corpus is read. */
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    char whole[PATH_MAX];
    const char *fresh = getenv("FUZZ_FRESH");
    fuzz_require(!fresh || realpath(fresh, whole), "FUZZ_FRESH names no folder");
    make_folder();
    const int before = enter_folder();
    fuzz_start(fresh ? whole : NULL);
    leave_folder(before);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const int before = enter_folder();
    fuzz_input(data, size);
    leave_folder(before);
    return 0;
}

/* ---- files --------------------------------------------------------------------------------------------------------
 */

void fuzz_write(const char *name, const void *data, size_t size) {
    FILE *file = fopen(name, "wb");
    const bool written = file && fwrite(data, 1, size, file) == size;
    fuzz_require(file && fclose(file) == 0 && written, "a file cannot be written");
}

void fuzz_write_npy(const char *name, const double *data, int64_t rows, int64_t cols, int dimensions) {
    gpis_context *context = fuzz_context();
    fuzz_require(gpis_array_write(context, name, data, rows, cols, dimensions) == GPIS_OK, "a .npy cannot be written");
    fuzz_context_end(context);
}

void fuzz_keep_seed(const char *fresh, const char *file, const char *seed) {
    char to[PATH_MAX + 64], bytes[1 << 16];
    FILE *from = fopen(file, "rb");
    fuzz_require(from != NULL, "a fresh seed was not made");
    const size_t size = fread(bytes, 1, sizeof bytes, from);
    fclose(from);
    snprintf(to, sizeof to, "%s/%s", fresh, seed);
    fuzz_write(to, bytes, size);
}

/* ---- contexts -----------------------------------------------------------------------------------------------------
 */

static struct {
    size_t used;
    long pieces;
} memory;

/* A cache line before each allocation holds its size. */
enum { LINE = 64 };

static void *allocate(void *user, size_t alignment, size_t bytes) {
    (void)user;
    void *piece = NULL;
    fuzz_require(alignment <= LINE, "memory is wanted at an alignment that the harness does not know");
    if (bytes > FUZZ_MEMORY - memory.used || posix_memalign(&piece, LINE, bytes + LINE) != 0) return NULL;
    *(size_t *)piece = bytes;
    memory.used += bytes;
    memory.pieces++;
    return (char *)piece + LINE;
}

static void release(void *user, void *memory_) {
    (void)user;
    char *piece = (char *)memory_ - LINE;
    memory.used -= *(size_t *)(void *)piece;
    memory.pieces--;
    free(piece);
}

gpis_context *fuzz_context(void) {
    const gpis_allocator allocator = {allocate, release, NULL};
    gpis_context *context = NULL;
    fuzz_require(gpis_context_create_with(&allocator, &context) == GPIS_OK, "no context can be made");
    fuzz_require(gpis_context_set_threads(context, 1) == GPIS_OK, "one thread was refused");
    return context;
}

void fuzz_context_end(gpis_context *context) {
    gpis_context_destroy(context);
    fuzz_require(memory.pieces == 0 && memory.used == 0, "memory of the context was not given back");
}

void fuzz_check_refusal(const gpis_context *context, gpis_status status, const void *result) {
    const char *text = gpis_last_error(context);
    fuzz_require(status != GPIS_OK && status != GPIS_INTERNAL, "a refusal with a status that is none");
    fuzz_require(result == NULL, "a refusal that left a result behind");
    fuzz_require(*text != '\0', "a refusal without a message");
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        fuzz_require(c >= 0x20 && c != 0x7f, "a message with control characters in it");
    }
}

/* ---- sources ------------------------------------------------------------------------------------------------------
 */

void fuzz_look(const double *numbers, int64_t count) {
    static volatile double seen; /* so that the compiler does not leave the reads out */
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++) sum += numbers[i];
    seen = sum;
    (void)seen;
}

/* The first, the middle and the last rows, one at a time and as many at once as there is memory for. */
static void read_rows(gpis_context *context, gpis_source *source, const gpis_source_info *info) {
    static double rows[FUZZ_ENTRIES];
    if (info->cols > FUZZ_ENTRIES) return;
    const int64_t most = FUZZ_ENTRIES / info->cols, many = most < info->rows ? most : info->rows;
    const int64_t begins[] = {0, info->rows / 2, info->rows - 1, 0, info->rows - many};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        const int64_t count = i < 3 ? 1 : many;
        const gpis_status status = gpis_source_rows(context, source, begins[i], count, rows);
        if (status == GPIS_OK)
            fuzz_look(rows, count * info->cols);
        else
            fuzz_check_refusal(context, status, NULL);
    }
}

/* The gradient at a point of ones, with y = 0 where the file holds none. */
static void gradient_pass(gpis_context *context, gpis_source *source, const gpis_source_info *info) {
    static double x[64], g[64], zeros[FUZZ_ENTRIES];
    int64_t k;
    const double *y = gpis_source_target(source, &k);
    double objective;
    for (int64_t j = 0; j < 64; j++) x[j] = 1.0;
    if (info->cols > 64 || info->rows > FUZZ_ENTRIES) return;
    gpis_problem *problem = NULL;
    gpis_status status = gpis_problem_create(context, source, &problem);
    if (status == GPIS_OK) status = gpis_problem_response(problem, y ? y : zeros, info->rows, 1);
    if (status == GPIS_OK) status = gpis_evaluate(problem, x, info->cols, &objective, g);
    gpis_problem_destroy(problem);
    if (status == GPIS_OK)
        fuzz_require(objective >= 0.0, "a sum of squares that is negative or NaN");
    else
        fuzz_check_refusal(context, status, NULL);
}

static void read_slice(gpis_context *context, gpis_source *source, const gpis_source_info *info) {
    gpis_source *slice;
    gpis_source_info of_slice;
    const int64_t row0 = info->rows / 3, count = (info->rows - row0 + 1) / 2;
    fuzz_require(gpis_source_slice(context, source, row0, count, &slice) == GPIS_OK, "a slice was refused");
    gpis_source_describe(slice, &of_slice);
    fuzz_require(of_slice.rows == count && of_slice.cols == info->cols, "a slice of another shape");
    read_rows(context, slice, &of_slice);
    gpis_source_destroy(slice);
}

void fuzz_walk_source(gpis_context *context, gpis_source *source) {
    gpis_source_info info;
    int64_t k = 0;
    gpis_source_describe(source, &info);
    fuzz_require(info.rows >= 1 && info.cols >= 1 && info.nonzeros >= 0, "a source without rows or columns");
    const double *y = gpis_source_target(source, &k);
    fuzz_require((y != NULL) == (k > 0), "y without columns, or columns without y");
    if (y) fuzz_look(y, info.rows * k);
    for (int64_t j = 0; j < info.cols && j < 256; j++) {
        const char *name = gpis_source_column(source, j);
        fuzz_require(!name || strlen(name) < SIZE_MAX, "a column's name that never ends");
    }
    if (info.nonzeros > FUZZ_ENTRIES || info.rows > FUZZ_ENTRIES) return;
    const gpis_status status = gpis_source_audit(context, source);
    if (status != GPIS_OK) fuzz_check_refusal(context, status, NULL);
    gradient_pass(context, source, &info);
}

void fuzz_read_source(gpis_context *context, gpis_source *source) {
    gpis_source_info info;
    gpis_source_describe(source, &info);
    fuzz_walk_source(context, source);
    read_rows(context, source, &info);
    read_slice(context, source, &info);
}

static void open_and_read(const char *path, const gpis_open_options *options) {
    gpis_context *context = fuzz_context();
    gpis_source *source = NULL;
    const gpis_status status = gpis_source_open_with(context, path, options, &source);
    if (status == GPIS_OK) {
        fuzz_accept();
        fuzz_read_source(context, source);
    } else {
        fuzz_check_refusal(context, status, source);
    }
    gpis_source_destroy(source);
    fuzz_context_end(context);
}

void fuzz_open_source_with(const char *path, const gpis_open_options *given) {
    gpis_open_options options = *given;
    open_and_read(path, &options);
    options.memory = 256; /* bytes: less than any file needs, so that rows are read at each pass */
    open_and_read(path, &options);
}

void fuzz_open_source(const char *path, const char *target) {
    gpis_open_options options = gpis_open_options_default();
    options.target = target;
    fuzz_open_source_with(path, &options);
}
