/*
 * A in several files, on one rank or on many. "@LIST" in the place of A names a text file with a line for each part:
 * the file of its rows and, where y is not elsewhere, that of its y. Blank lines and what follows # do not count; names
 * are relative to the folder of the list. A plain file is a list of one.
 *
 * Rows are shared out evenly whatever the parts are. Each part is opened by one rank first, which sends its shape to
 * the others; then each rank opens the parts that contain its own rows.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

enum { LONGEST_LINE = 2 * PATH_MAX + 1024 }; /* of a list: two file names, blanks and a comment */

typedef struct part {
    char *a, *y; /* owned; y NULL: none */
    int64_t rows, cols;
    gpis_source *source; /* owned: opened here, or NULL */
} part;

struct cli_parts {
    part *parts; /* owned */
    int count;
    gpis_source **slices; /* owned, and what they point to */
    int sliced;
    gpis_encoding *encoding; /* owned: of all parts together, where levels or means have to be agreed on; or NULL */
};

/* ---- the list ---------------------------------------------------------------------------------------------------- */

/* `name` as seen from the folder of the list. */
static char *beside(const char *list, const char *name) {
    const char *slash = strrchr(list, '/');
    char *path = NULL;
    if (name[0] == '/' || !slash) return strdup(name);
    return asprintf(&path, "%.*s%s", (int)(slash - list + 1), list, name) < 0 ? NULL : path;
}

static int add_part(cli_parts *p, char *a, char *y) {
    part *grown = a ? realloc(p->parts, (size_t)(p->count + 1) * sizeof *grown) : NULL;
    if (grown) p->parts = grown;
    if (!grown) {
        free(a);
        free(y);
        return cli_fail(CLI_TROUBLE, "out of memory");
    }
    p->parts[p->count++] = (part){.a = a, .y = y};
    return 0;
}

static int read_line(cli_parts *p, const char *list, int number, char *line) {
    static const char blanks[] = " \t\r\n";
    line[strcspn(line, "#")] = '\0';
    char *rest = line, *a = strtok_r(line, blanks, &rest), *y = strtok_r(NULL, blanks, &rest);
    if (!a) return 0;
    if (strtok_r(NULL, blanks, &rest))
        return cli_fail(CLI_BAD_INPUT, "%s: line %d: a part is one file, or two with its y", list, number);
    if (p->count > 0 && !p->parts[0].y != !y)
        return cli_fail(CLI_BAD_INPUT, "%s: line %d: y is there for some parts only", list, number);
    return add_part(p, beside(list, a), y ? beside(list, y) : NULL);
}

/* Opens the list, which must be a regular file: a device may never end, and a pipe may never begin. */
static FILE *open_list(const char *list, int *code) {
    struct stat info;
    const int fd = open(list, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    *code = 0;
    if (!file)
        *code = cli_fail(CLI_TROUBLE, "%s: %s", list, strerror(errno));
    else if (fstat(fd, &info) == 0 && S_ISDIR(info.st_mode))
        *code = cli_fail(CLI_TROUBLE, "%s: %s", list, strerror(EISDIR));
    else if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        *code = cli_fail(CLI_TROUBLE, "%s: a list of parts is a regular file, which this is not", list);
    if (*code == 0) return file;
    if (file)
        fclose(file);
    else if (fd >= 0)
        close(fd);
    return NULL;
}

static int read_list(cli_parts *p, const char *list) {
    if (!*list) return cli_fail(CLI_BAD_INPUT, "@ wants the name of a list of parts behind it, as in @parts.txt");
    char line[LONGEST_LINE];
    const cli_lines text = {list, "a list of parts is a text file with a file name a line", line, sizeof line};
    int code;
    bool more = true;
    FILE *file = open_list(list, &code);
    for (int number = 1; code == 0 && more; number++) {
        code = cli_next_line(file, &text, number, &more);
        if (code == 0 && more) code = read_line(p, list, number, line);
    }
    if (file) fclose(file);
    if (code == 0 && p->count == 0) code = cli_fail(CLI_BAD_INPUT, "%s lists no parts", list);
    return code;
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

static int open_part(cli_problem *problem, const cli_parts *p, part *q, const cli_common *common) {
    if (q->source) return 0;
    gpis_open_options options = cli_open_options(&problem->loading, common, q->a, false);
    options.encoding = p->encoding;
    const gpis_status status = gpis_source_open_with(problem->context, q->a, &options, &q->source);
    cli_loading_end(&problem->loading);
    if (status != GPIS_OK) return cli_fail_status(problem->context, status);
    gpis_source_info info;
    gpis_source_describe(q->source, &info);
    cli_tell_cache_trouble(&info);
    q->rows = info.rows;
    q->cols = info.cols;
    return 0;
}

/* Levels and means are those of all parts: parts that were opened with others are opened again. */
static int agree_on_levels(cli_problem *problem, cli_parts *p, const cli_common *common) {
    const gpis_encoding **mine = calloc((size_t)p->count, sizeof *mine);
    int code = cli_ranks_agree(mine ? 0 : cli_fail(CLI_TROUBLE, "out of memory"));
    for (int i = 0; i < p->count && code == 0; i++)
        if (p->parts[i].source) mine[i] = gpis_source_encoding(p->parts[i].source);
    if (code == 0) code = cli_merge_encodings(problem->context, mine, p->count, &p->encoding);
    for (int i = 0; i < p->count && code == 0; i++) {
        if (!mine[i] || cli_same_levels(mine[i], p->encoding)) continue;
        gpis_source_destroy(p->parts[i].source);
        p->parts[i].source = NULL;
        code = open_part(problem, p, &p->parts[i], common);
    }
    free(mine);
    return cli_ranks_agree(code);
}

/* Sends each rank the shapes of the parts that it has not opened. */
static int exchange_shapes(cli_parts *p) {
    const gpis_ranks *ranks = cli_ranks();
    double *shapes = calloc((size_t)p->count * 2, sizeof *shapes);
    const int code = cli_ranks_agree(shapes ? 0 : cli_fail(CLI_TROUBLE, "out of memory"));
    for (int i = 0; code == 0 && i < p->count; i++) {
        shapes[2 * i] = (double)p->parts[i].rows;
        shapes[2 * i + 1] = (double)p->parts[i].cols;
    }
    if (code == 0 && ranks) ranks->reduce_sum(ranks->user, shapes, 2 * (int64_t)p->count);
    for (int i = 0; code == 0 && i < p->count; i++) {
        p->parts[i].rows = (int64_t)shapes[2 * i];
        p->parts[i].cols = (int64_t)shapes[2 * i + 1];
    }
    free(shapes);
    return code;
}

static int find_shapes(cli_problem *problem, cli_parts *p, const cli_common *common, int64_t *rows) {
    const gpis_ranks *ranks = cli_ranks();
    int code = 0;
    for (int i = 0; i < p->count && code == 0; i++)
        if (!ranks || i % ranks->ranks == ranks->rank) code = open_part(problem, p, &p->parts[i], common);
    code = cli_ranks_agree(code);
    if (code == 0 && p->count > 1 && (common->open.categorical || common->open.missing != GPIS_MISSING_ERROR))
        code = agree_on_levels(problem, p, common);
    if (code == 0) code = exchange_shapes(p);
    if (code != 0) return code;
    *rows = 0;
    for (int i = 0; i < p->count && code == 0; i++) {
        *rows += p->parts[i].rows;
        if (p->parts[i].cols != p->parts[0].cols)
            code = cli_fail(CLI_BAD_INPUT, "%s has %lld columns but %s has %lld; all parts of A are equally wide",
                            p->parts[i].a, (long long)p->parts[i].cols, p->parts[0].a, (long long)p->parts[0].cols);
    }
    return cli_ranks_agree(code);
}

/* ---- this rank's rows -------------------------------------------------------------------------------------------- */

/* Rows of a file of y, and where they go in the y of this rank, which has `all` rows. */
typedef struct y_rows {
    const char *path, *of;      /* `of`: A, for messages */
    int64_t rows, first, count; /* of the file, which has to have `rows` */
    int64_t to, all;
} y_rows;

/* The first file of y determines the number of columns. */
static int match_columns(cli_problem *problem, const y_rows *r, const gpis_source_info *info) {
    const bool stored =
        strcmp(info->kind, "npy") == 0 || strcmp(info->kind, "hdf5") == 0; /* text: a column is a vector */
    if (info->rows != r->rows)
        return cli_fail(CLI_BAD_INPUT, "%s has %lld rows but %s has %lld; y needs one row for each row of A", r->path,
                        (long long)info->rows, r->of, (long long)r->rows);
    if (problem->k > 0 && info->cols != problem->k)
        return cli_fail(CLI_BAD_INPUT, "%s has %lld columns, the y before it %lld", r->path, (long long)info->cols,
                        (long long)problem->k);
    if (problem->k > 0) return 0;
    problem->k = info->cols;
    problem->dimensions = info->cols > 1 ? 2 : stored ? info->dimensions : 1;
    const gpis_status status =
        gpis_array_create(problem->context, r->all, info->cols, problem->dimensions, &problem->y_file);
    return status == GPIS_OK ? 0 : cli_fail_status(problem->context, status);
}

static int read_y(cli_problem *problem, const cli_common *common, const y_rows *r) {
    gpis_source *y = NULL;
    gpis_source_info info;
    const gpis_open_options options = cli_open_options(&problem->loading, common, r->path, true);
    gpis_status status = gpis_source_open_with(problem->context, r->path, &options, &y);
    cli_loading_end(&problem->loading);
    if (status != GPIS_OK) return cli_fail_status(problem->context, status);
    gpis_source_describe(y, &info);
    int code = match_columns(problem, r, &info);
    if (code == 0) {
        status = gpis_source_rows(problem->context, y, r->first, r->count, problem->y_file.data + r->to * info.cols);
        if (status != GPIS_OK) code = cli_fail_status(problem->context, status);
    }
    gpis_source_destroy(y);
    return code;
}

/* Rows [begin, end) of all: slices of the parts they lie in, and their y. */
static int take_rows(cli_problem *problem, cli_parts *p, const cli_common *common, int64_t begin, int64_t end) {
    int code = 0;
    p->slices = calloc((size_t)p->count, sizeof(gpis_source *));
    if (!p->slices) return cli_fail(CLI_TROUBLE, "out of memory");
    for (int64_t i = 0, row = 0; i < p->count && code == 0; row += p->parts[i++].rows) {
        part *q = &p->parts[i];
        const int64_t first = begin > row ? begin - row : 0, last = end - row < q->rows ? end - row : q->rows;
        if (first >= last) continue;
        code = open_part(problem, p, q, common);
        if (code != 0) break;
        const gpis_status status =
            gpis_source_slice(problem->context, q->source, first, last - first, &p->slices[p->sliced]);
        if (status != GPIS_OK) return cli_fail_status(problem->context, status);
        p->sliced++;
        const y_rows y = {q->y, q->a, q->rows, first, last - first, row + first - begin, end - begin};
        if (q->y) code = read_y(problem, common, &y);
    }
    return code;
}

/* How many columns y has, also for ranks without rows. */
static int match_y(cli_problem *problem, cli_parts *p, const char *a_path, const cli_common *common) {
    if (!problem->y_file.data && p->sliced > 0 && gpis_source_target(p->slices[0], &problem->k))
        problem->dimensions = 1;
    int64_t k = (int64_t)cli_ranks_largest((double)problem->k);
    if (k == 0 && common->without_y) k = 1;
    if (k == 0)
        return cli_fail(CLI_BAD_INPUT, "%s holds no y: give y as a second file, or name its column with --target",
                        a_path);
    if (problem->k == 0) problem->k = k;
    return 0;
}

int cli_parts_open(cli_problem *problem, const char *a_path, const char *y_path, const cli_common *common) {
    const gpis_ranks *ranks = cli_ranks();
    cli_parts *p = problem->parts = calloc(1, sizeof *p);
    int64_t rows = 0;
    int code = p ? 0 : cli_fail(CLI_TROUBLE, "out of memory");
    if (code == 0) code = a_path[0] == '@' ? read_list(p, a_path + 1) : add_part(p, strdup(a_path), NULL);
    if (code == 0 && y_path && p->parts[0].y)
        code = cli_fail(CLI_BAD_INPUT, "y is given twice: by the file %s and by the list %s", y_path, a_path + 1);
    if (code == 0 && common->open.target && p->parts[0].y)
        code = cli_fail(CLI_BAD_INPUT, "y is given twice: by --target and by the list %s", a_path + 1);
    code = cli_ranks_agree(code);
    if (code == 0) code = find_shapes(problem, p, common, &rows);
    if (code != 0) return code;
    const int64_t begin = ranks ? gpis_share_begin(rows, ranks->rank, ranks->ranks) : 0;
    const int64_t end = ranks ? gpis_share_begin(rows, ranks->rank + 1, ranks->ranks) : rows;
    code = take_rows(problem, p, common, begin, end);
    const y_rows y = {y_path, a_path, rows, begin, end - begin, 0, end - begin};
    if (code == 0 && y_path && end > begin) code = read_y(problem, common, &y);
    code = cli_ranks_agree(code);
    if (code == 0) code = cli_ranks_agree(match_y(problem, p, a_path, common));
    if (code != 0) return code;
    const gpis_status status = gpis_source_join(problem->context, p->slices, p->sliced, ranks, &problem->A);
    if (status != GPIS_OK) return cli_ranks_agree(cli_fail_status(problem->context, status));
    const double *inside = gpis_source_target(problem->A, NULL);
    problem->Y = problem->y_file.data ? problem->y_file.data : inside;
    problem->rows_here = end - begin;
    problem->first_row = begin;
    problem->encoding = p->count > 1 ? p->encoding : gpis_source_encoding(problem->A);
    return 0;
}

void cli_parts_close(cli_parts *p) {
    if (!p) return;
    for (int i = 0; i < p->sliced; i++) gpis_source_destroy(p->slices[i]);
    for (int i = 0; i < p->count; i++) {
        gpis_source_destroy(p->parts[i].source);
        free(p->parts[i].a);
        free(p->parts[i].y);
    }
    gpis_encoding_destroy(p->encoding);
    free(p->slices);
    free(p->parts);
    free(p);
}
