/* What an HDF5 file holds, a line or an object for each thing. */
#include <inttypes.h>

#include "cli.h"

typedef struct listing {
    json_t *array; /* NULL: print */
    bool begun;
    int matrices;
} listing;

static bool is_csr(const gpis_content *c) { return c->nonzeros > 0 || c->kind[0] == 'c'; }

static json_t *numbers(const int64_t *sizes, int count) {
    json_t *array = json_array();
    for (int k = 0; k < count && k < GPIS_CONTENT_DIMENSIONS; k++) json_array_append_new(array, json_integer(sizes[k]));
    return array;
}

static void print_sizes(const int64_t *sizes, int count) {
    for (int k = 0; k < count && k < GPIS_CONTENT_DIMENSIONS; k++) printf("%s%" PRId64, k ? " x " : "", sizes[k]);
}

static void print_content(const listing *t, const gpis_content *c) {
    printf("%s %s  ", t->begun ? "            " : "  holds     ", cli_printable(c->path).text);
    print_sizes(c->shape, c->dimensions);
    printf("%s%s", c->dimensions > 0 ? ", " : "empty, ", cli_printable(c->type).text);
    if (is_csr(c)) printf(", compressed rows, %" PRId64 " entries", c->nonzeros);
    if (c->chunk[0] > 0) {
        printf(", chunks of ");
        print_sizes(c->chunk, is_csr(c) ? 1 : c->dimensions);
    }
    if (c->filters[0]) printf(", %s", cli_printable(c->filters).text);
    putchar('\n');
}

static void tell(void *user, const gpis_content *c) {
    listing *t = user;
    if (c->numbers && (is_csr(c) || c->dimensions == 2)) t->matrices++;
    if (t->array) {
        const int chunked = c->chunk[0] == 0 ? 0 : is_csr(c) ? 1 : c->dimensions;
        json_array_append_new(t->array, json_pack("{s:o, s:s, s:o, s:o, s:o, s:o}", "path", cli_json_text(c->path),
                                                  "kind", c->kind, "type", cli_json_text(c->type), "shape",
                                                  numbers(c->shape, c->dimensions), "chunk", numbers(c->chunk, chunked),
                                                  "filters", cli_json_text(c->filters)));
    } else {
        print_content(t, c);
    }
    t->begun = true;
}

bool cli_contents(gpis_context *context, const char *path, json_t **array, int *code, int *matrices) {
    listing t = {.array = array ? json_array() : NULL};
    const gpis_status status = gpis_file_contents(context, path, tell, &t);
    if (array) *array = t.array;
    *code = cli_exit_code(status);
    *matrices = t.matrices;
    return status != GPIS_NOT_APPLICABLE;
}
