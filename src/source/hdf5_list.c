/* Listing what an HDF5 file holds, and choosing one object of it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "source/hdf5.h"

/* ---- compressed rows: a group of data, indices and indptr -------------------------------------------------------- */

static bool has_set(hid_t group, const char *name) {
    if (H5Lexists(group, name, H5P_DEFAULT) <= 0) return false;
    const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    const bool set = object >= 0 && H5Iget_type(object) == H5I_DATASET;
    gpis_h5_close(object);
    return set;
}

/* Whether the object is a group of data, indices and indptr: compressed rows. */
static bool is_csr(hid_t object) {
    return H5Iget_type(object) == H5I_GROUP && has_set(object, "data") && has_set(object, "indices") &&
           has_set(object, "indptr");
}

/* Reads two integers from an attribute or a data set. */
static bool read_pair(hid_t from, bool attribute, int64_t pair[2]) {
    const hid_t space = from < 0 ? -1 : attribute ? H5Aget_space(from) : H5Dget_space(from);
    const bool two = space >= 0 && H5Sget_simple_extent_npoints(space) == 2;
    gpis_h5_close(space);
    if (!two) return false;
    return (attribute ? H5Aread(from, H5T_NATIVE_INT64, pair)
                      : H5Dread(from, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, pair)) >= 0;
}

bool gpis_h5_csr_shape(hid_t group, int64_t *n, int64_t *d) {
    static const char *const attributes[] = {"shape", "h5sparse_shape"}; /* the second name is found in older files */
    int64_t pair[2];
    bool found = false;
    for (int k = 0; k < 2 && !found; k++) {
        if (H5Aexists(group, attributes[k]) <= 0) continue;
        const hid_t attribute = H5Aopen(group, attributes[k], H5P_DEFAULT);
        found = read_pair(attribute, true, pair);
        gpis_h5_close(attribute);
    }
    if (!found && has_set(group, "shape")) {
        const hid_t set = H5Dopen2(group, "shape", H5P_DEFAULT);
        found = read_pair(set, false, pair);
        gpis_h5_close(set);
    }
    if (!found) return false;
    *n = pair[0];
    *d = pair[1];
    return true;
}

/* ---- everything in a file ---------------------------------------------------------------------------------------- */

/* H5Lvisit descends by recursion, and it recognises a group that it has seen before only by the count of links that the
 * file itself claims. In a damaged file it might never end, so these limits end it. */
enum { MAX_DEPTH = 64, MAX_PATH_BYTES = 1024, MAX_LINKS = 1 << 16 };

typedef struct visitor {
    gpis_content_fn report;
    void *user;
    int64_t links;       /* seen so far */
    const char *trouble; /* the limit that has ended the visit; NULL: none */
    char group[256]; /* "NAME/" of the last group of compressed rows, whose members are not reported by themselves */
} visitor;

static void enter_shape(const gpis_h5_shape *shape, gpis_content *content) {
    content->dimensions = shape->rank;
    for (int k = 0; k < GPIS_CONTENT_DIMENSIONS && k < GPIS_H5_RANK; k++) {
        content->shape[k] = shape->size[k];
        content->chunk[k] = shape->chunk[k];
    }
}

static void report_set(visitor *v, const char *path, hid_t set) {
    gpis_h5_shape shape;
    gpis_h5_describe(set, &shape);
    gpis_content content = {.path = path, .kind = "data set", .type = shape.type, .filters = shape.filters};
    content.numbers = shape.number;
    enter_shape(&shape, &content);
    v->report(v->user, &content);
}

static void report_csr(visitor *v, const char *path, hid_t group) {
    const hid_t data = H5Dopen2(group, "data", H5P_DEFAULT);
    gpis_h5_shape shape;
    gpis_h5_describe(data, &shape);
    gpis_h5_close(data);
    gpis_content content = {.path = path, .kind = "csr", .type = shape.type, .filters = shape.filters};
    content.numbers = shape.number;
    content.chunk[0] = shape.chunk[0];
    content.nonzeros = shape.rank == 1 ? shape.size[0] : 0;
    if (gpis_h5_csr_shape(group, &content.shape[0], &content.shape[1])) content.dimensions = 2;
    v->report(v->user, &content);
    snprintf(v->group, sizeof v->group, "%s/", path + 1);
}

/* Whether the visit goes on. It comes to a link before it comes to what is below it. */
static bool may_go_on(visitor *v, const char *name) {
    int64_t depth = 1;
    for (const char *at = name; *at; at++) depth += *at == '/';
    if (depth > MAX_DEPTH)
        v->trouble = "groups are nested more than 64 deep";
    else if (strlen(name) > MAX_PATH_BYTES - 2)
        v->trouble = "a path is longer than 1022 characters";
    else if (++v->links > MAX_LINKS)
        v->trouble = "there are more than 65536 things in it";
    return !v->trouble;
}

static herr_t visit(hid_t file, const char *name, const H5L_info_t *info, void *user) {
    visitor *v = user;
    char path[MAX_PATH_BYTES];
    (void)info;
    if (!may_go_on(v, name)) return 1; /* ends the visit */
    if (v->group[0] && strncmp(name, v->group, strlen(v->group)) == 0) return 0;
    snprintf(path, sizeof path, "/%s", name);
    const hid_t object = H5Oopen(file, name, H5P_DEFAULT);
    if (object < 0) return 0; /* a dangling link */
    if (H5Iget_type(object) == H5I_DATASET)
        report_set(v, path, object);
    else if (is_csr(object))
        report_csr(v, path, object);
    gpis_h5_close(object);
    return 0;
}

gpis_status gpis_h5_list(gpis_context *context, const char *path, hid_t file, gpis_content_fn report, void *user) {
    visitor v = {.report = report, .user = user};
    if (is_csr(file)) report_csr(&v, "/", file);
    const herr_t ended = H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, &v);
    if (v.trouble)
        return gpis_fail(context, GPIS_BAD_DATA,
                         "%s: what it holds cannot be listed: %s; name what is wanted, FILE.h5:/NAME", path, v.trouble);
    if (ended < 0)
        return gpis_fail(context, GPIS_BAD_DATA, "%s: is a damaged HDF5 file: %s", path, gpis_h5_reason().text);
    return GPIS_OK;
}

/* ---- one object -------------------------------------------------------------------------------------------------- */

/* The candidates found, and a list of everything for the message. */
typedef struct search {
    bool array;
    int found;
    char path[1024]; /* of the first candidate */
    char words[320];
    size_t used;
} search;

static void add_words(search *s, const char *text) {
    const size_t length = strlen(text), left = sizeof s->words - s->used - sizeof "..., ";
    if (s->used + sizeof "..., " > sizeof s->words || length > left) {
        if (s->used < sizeof s->words - sizeof "..., ") memcpy(s->words + s->used, "...", sizeof "...");
        s->used = sizeof s->words; /* no more */
        return;
    }
    memcpy(s->words + s->used, text, length + 1);
    s->used += length;
}

static void consider(void *user, const gpis_content *c) {
    search *s = user;
    char text[200];
    int used = snprintf(text, sizeof text, "%s%.80s (", s->words[0] ? ", " : "", c->path);
    for (int k = 0; k < c->dimensions && k < GPIS_CONTENT_DIMENSIONS && used < 140; k++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%" PRId64, k ? " x " : "", c->shape[k]);
    snprintf(text + used, sizeof text - (size_t)used, "%s%s%s)", c->dimensions > 0 ? " " : "",
             c->kind[0] == 'c' ? "compressed rows of " : "", c->type);
    add_words(s, text);
    const bool csr = c->kind[0] == 'c';
    const bool fits =
        c->numbers && (s->array ? !csr && (c->dimensions == 1 || c->dimensions == 2) : csr || c->dimensions == 2);
    if (fits && s->found++ == 0) gpis_copy_text(s->path, sizeof s->path, c->path);
}

gpis_status gpis_h5_find(gpis_context *context, const char *path, hid_t file, const char *inside, bool array,
                         hid_t *object) {
    search s = {.array = array};
    *object = inside ? H5Oopen(file, inside, H5P_DEFAULT) : -1;
    if (*object >= 0 && (H5Iget_type(*object) == H5I_DATASET || (!array && is_csr(*object)))) return GPIS_OK;
    const bool group = *object >= 0;
    gpis_h5_close(*object);
    *object = -1;
    const gpis_status status = gpis_h5_list(context, path, file, consider, &s);
    if (status != GPIS_OK && !inside) return status;
    if (!inside && s.found == 1 && (*object = H5Oopen(file, s.path, H5P_DEFAULT)) >= 0) return GPIS_OK;
    if (status == GPIS_OK && !s.words[0])
        return gpis_fail(context, GPIS_BAD_DATA, "%s: the HDF5 file holds no data sets", path);
    return gpis_fail(context, GPIS_BAD_ARGUMENT, "%s: %s; it has: %s", path,
                     !inside ? "which of its data sets? Name one after a colon, FILE.h5:/NAME"
                     : group ? "is a group that is not a matrix (a matrix has data, indices and indptr)"
                             : "there is nothing of that name in the file",
                     s.words[0] ? s.words : "(the list cannot be read)");
}
