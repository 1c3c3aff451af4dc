/* Making a joined source: the ranks exchange the facts about their parts. */
#include "ranks/join.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "ranks/talk.h"
#include "source/encoding.h"

enum { QUANTUM = 1024 }; /* rows: a rank has a multiple of this, as sketches want blocks (GPIS_SKETCH_QUANTUM) */

int64_t gpis_share_begin(int64_t rows, int rank, int ranks) {
    if (rows < 1 || ranks < 1 || rank < 0) return 0;
    if (rank >= ranks) return rows;
    const int64_t quanta = rows / QUANTUM + (rows % QUANTUM > 0);
    /* Rounded up, so that rank 0, which reports, has rows if there are any. */
    const int64_t begin = quanta / ranks * rank + (quanta % ranks * rank + ranks - 1) / ranks;
    return begin <= rows / QUANTUM ? begin * QUANTUM : rows;
}

/* A pass walks a joined source part by part (parts.c); it has no blocks of its own. */
static gpis_status no_block(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out) {
    (void)row0, (void)nrows, (void)scratch, (void)out;
    return gpis_fail(source->context, GPIS_INTERNAL, "rows of several parts were asked for as one block");
}

static void destroy(gpis_source *source) {
    gpis_join *join = source->state;
    gpis_free(source->context, join->parts);
    gpis_free(source->context, join->begin);
    gpis_free(source->context, join->buffer);
    gpis_free(source->context, join);
}

/* Described as its first part is; a rank without rows has no part. */
static void describe(const gpis_source *source, gpis_source_info *info) {
    const gpis_join *join = source->state;
    gpis_source_info part = {.kind = "none", .layout = "no rows"};
    if (join->count > 0) gpis_source_describe(join->parts[0], &part);
    info->kind = part.kind;
    info->layout = part.layout;
    info->bytes = join->bytes;
    info->resident = part.resident;
}

/* Audits the parts of this rank. */
static gpis_status audit(gpis_context *context, gpis_source *source) {
    const gpis_join *join = source->state;
    gpis_status status = GPIS_OK;
    for (int64_t i = 0; i < join->count && status == GPIS_OK; i++) status = gpis_source_audit(context, join->parts[i]);
    return status;
}

static gpis_status fingerprint(gpis_context *context, gpis_source *source, uint32_t *sum) {
    const gpis_join *join = source->state;
    gpis_status status = GPIS_OK;
    for (int64_t i = 0; i < join->count && status == GPIS_OK; i++)
        status = gpis_source_fingerprint(context, join->parts[i], sum);
    return status;
}

static int64_t rows_here(const gpis_source *source) { return gpis_join_rows(source->state); }

static gpis_source *piece(const gpis_source *source) {
    const gpis_join *join = source->state;
    return join->count > 0 ? join->parts[0] : NULL;
}

/* Two classes, since on_demand is a field of the class. */
#define JOIN_CLASS                                                                               \
    .kind = "join", .block = no_block, .destroy = destroy, .describe = describe, .audit = audit, \
    .fingerprint = fingerprint, .rows_here = rows_here, .piece = piece, .walk = &gpis_join_walk
static const gpis_source_class stored_class = {JOIN_CLASS};
static const gpis_source_class made_class = {JOIN_CLASS, .on_demand = true};

const gpis_join *gpis_source_joined(const gpis_source *source) {
    return source->class && source->class->walk == &gpis_join_walk ? source->state : NULL;
}

/* ---- the facts about the parts of a rank ------------------------------------------------------------------------- */

/* The facts of one rank, as doubles, so that reduce_sum can transport them. */
enum {
    ROWS,
    COLUMNS,
    ENTRIES,
    BYTES,
    PARTS,
    STORED,
    TARGETS,
    ROLES,
    LEVELS,
    LANES,
    LARGEST,
    FACTS = LARGEST + GPIS_STORAGES
};

static int storage_of(const gpis_source *part) {
    return (int)part->type + 2 * (int)part->block_kind + 4 * (int)part->order + 8 * part->class->on_demand;
}

static void take_storage(gpis_source *source, int storage) {
    source->type = (gpis_type)(storage & 1);
    source->block_kind = (gpis_block_kind)(storage >> 1 & 1);
    source->order = (gpis_order)(storage >> 2 & 1);
    source->class = storage >> 3 & 1 ? &made_class : &stored_class;
}

gpis_source gpis_join_part_like(const gpis_source *source, const gpis_join *join, int storage) {
    gpis_source part = *source;
    take_storage(&part, storage);
    part.n = join->largest[storage];
    return part;
}

static void collect_facts(gpis_source *const *parts, int64_t count, double *facts) {
    for (int64_t i = 0; i < count; i++) {
        gpis_source_info info;
        gpis_source_describe(parts[i], &info);
        facts[ROWS] += (double)info.rows;
        facts[COLUMNS] = (double)info.cols;
        facts[ENTRIES] += (double)info.nonzeros;
        facts[BYTES] += (double)info.bytes;
        double *largest = &facts[LARGEST + storage_of(parts[i])];
        *largest = fmax(*largest, (double)info.rows);
        facts[STORED] = storage_of(parts[i]);
        facts[TARGETS] = (double)parts[i]->target_k;
        facts[ROLES] = (double)gpis_source_roles(parts[i]);
        facts[LEVELS] = gpis_encoding_checksum(gpis_source_encoding(parts[i]));
    }
    facts[PARTS] = (double)count;
    facts[LANES] = gpis_dense_lanes();
}

static gpis_status check_parts(gpis_context *context, gpis_source *const *parts, int64_t count) {
    if (count < 0) return (gpis_status)-count;
    if (count > 0 && !parts) return gpis_fail(context, GPIS_BAD_ARGUMENT, "there are no parts to join");
    for (int64_t i = 0; i < count; i++) {
        const gpis_source *part = parts[i];
        if (!part) return gpis_fail(context, GPIS_BAD_ARGUMENT, "part %" PRId64 " is NULL", i + 1);
        if (gpis_source_joined(part))
            return gpis_fail(context, GPIS_BAD_ARGUMENT, "part %" PRId64 " is itself made of parts", i + 1);
        if (part->d != parts[0]->d)
            return gpis_fail(context, GPIS_BAD_SHAPE, "%s has %" PRId64 " columns but %s has %" PRId64,
                             gpis_source_name(part), part->d, gpis_source_name(parts[0]), parts[0]->d);
        if (part->target_k != parts[0]->target_k)
            return gpis_fail(context, GPIS_BAD_SHAPE,
                             "%s carries %" PRId64 " columns of y but %s carries %" PRId64
                             "; all parts must carry the same number",
                             gpis_source_name(part), part->target_k, gpis_source_name(parts[0]), parts[0]->target_k);
        if (gpis_source_roles(part) != gpis_source_roles(parts[0]))
            return gpis_fail(context, GPIS_BAD_SHAPE,
                             "of %s and %s only one has the column of the weights or of the offset; all parts must",
                             gpis_source_name(part), gpis_source_name(parts[0]));
        if (gpis_encoding_checksum(gpis_source_encoding(part)) !=
            gpis_encoding_checksum(gpis_source_encoding(parts[0])))
            return gpis_fail(
                context, GPIS_BAD_SHAPE,
                "%s and %s have different levels, or means for what is missing; open both with one encoding, "
                "made by gpis_encoding_merge",
                gpis_source_name(part), gpis_source_name(parts[0]));
    }
    return GPIS_OK;
}

/* Checks the facts of all ranks: there are rows, and all have the same columns. Every rank comes to the same result. */
static gpis_status check_facts(gpis_context *context, const double *facts, int ranks) {
    const double *first = NULL;
    double rows = 0.0, entries = 0.0, bytes = 0.0;
    for (int r = 0; r < ranks; r++) {
        const double *line = facts + (int64_t)r * FACTS;
        if (line[PARTS] == 0.0) continue;
        if (!first) first = line;
        rows += line[ROWS];
        entries += line[ENTRIES];
        bytes += line[BYTES];
        if (line[COLUMNS] != first[COLUMNS])
            return gpis_fail(context, GPIS_BAD_SHAPE, "the rows of rank %d have %.0f columns, those of rank %d %.0f", r,
                             line[COLUMNS], (int)((first - facts) / FACTS), first[COLUMNS]);
        if (line[LEVELS] != first[LEVELS])
            return gpis_fail(context, GPIS_BAD_SHAPE,
                             "the tables of ranks %d and %d have different levels, or means for what is missing; open "
                             "all parts with one encoding, made by gpis_encoding_merge",
                             r, (int)((first - facts) / FACTS));
        if (line[TARGETS] != first[TARGETS])
            return gpis_fail(context, GPIS_BAD_SHAPE,
                             "the rows of rank %d carry %.0f columns of y, those of rank %d %.0f; all parts must carry "
                             "the same number",
                             r, line[TARGETS], (int)((first - facts) / FACTS), first[TARGETS]);
        if (line[ROLES] != first[ROLES])
            return gpis_fail(
                context, GPIS_BAD_SHAPE,
                "of the tables of ranks %d and %d only one has the column of the weights or of the offset; "
                "all parts must",
                r, (int)((first - facts) / FACTS));
    }
    if (!first) return gpis_fail(context, GPIS_BAD_SHAPE, "no rank has any rows");
    if (rows > 9e15) return gpis_fail(context, GPIS_TOO_LARGE, "%.3g rows are too many", rows);
    if (entries > 9e18 || bytes > 9e18)
        return gpis_fail(context, GPIS_TOO_LARGE, "%.3g entries in all parts together are too many", entries);
    return GPIS_OK;
}

/* ---- the source -------------------------------------------------------------------------------------------------- */

static void take_facts(gpis_source *source, gpis_join *join, const double *facts) {
    int64_t most_parts = 0, ranks_with_parts = 0;
    join->alike = true;
    for (int r = join->ranks.ranks - 1; r >= 0; r--) {
        const double *line = facts + (int64_t)r * FACTS;
        source->nonzeros += (int64_t)line[ENTRIES];
        join->bytes += (int64_t)line[BYTES];
        for (int s = 0; s < GPIS_STORAGES; s++)
            join->largest[s] = gpis_max64(join->largest[s], (int64_t)line[LARGEST + s]);
        if (line[PARTS] == 0.0) continue;
        most_parts = gpis_max64(most_parts, (int64_t)line[PARTS]);
        ranks_with_parts++;
        if ((int)line[LANES] != gpis_dense_lanes()) join->alike = false;
        source->d = (int64_t)line[COLUMNS];
        take_storage(source, (int)line[STORED]); /* at the end of the loop, that of the first rank with rows */
    }
    join->additions = most_parts + ranks_with_parts;
    for (int r = 0; r < join->ranks.ranks; r++)
        join->begin[r + 1] = join->begin[r] + (int64_t)facts[(int64_t)r * FACTS + ROWS];
    source->n = join->begin[join->ranks.ranks];
    if (join->count > 0) source->of = join->parts[0];
}

/* Copies y, weights and offset of the parts, one after the other. */
static gpis_status join_labels(gpis_source *source, const gpis_join *join) {
    gpis_status status = GPIS_OK;
    for (int64_t i = 0, row = 0; i < join->count && status == GPIS_OK; row += join->parts[i++]->n)
        status = gpis_source_copy_labels(source, gpis_join_rows(join), row, join->parts[i], 0, join->parts[i]->n);
    return status;
}

/* Allocates everything, before this rank reports to the others that it is ready. */
static gpis_status allocate(gpis_context *context, gpis_source *const *parts, int64_t count, const gpis_ranks *ranks,
                            gpis_source **out, double **facts) {
    gpis_join *join = gpis_alloc_zero(context, 1, sizeof *join);
    gpis_source *source = join ? gpis_source_new(context, &stored_class, NULL) : NULL;
    if (!source) {
        gpis_free(context, join);
        return GPIS_NO_MEMORY;
    }
    *out = source;
    source->state = join;
    join->context = context;
    join->ranks = *ranks;
    join->count = count;
    join->parts = gpis_alloc(context, count, sizeof *join->parts);
    join->begin = gpis_alloc_zero(context, ranks->ranks + 1, sizeof *join->begin);
    join->buffer = gpis_alloc(context, GPIS_JOIN_BUFFER, sizeof *join->buffer);
    *facts = gpis_alloc_zero(context, (int64_t)ranks->ranks * FACTS, sizeof **facts);
    if (!join->parts || !join->begin || !join->buffer || !*facts) return GPIS_NO_MEMORY;
    if (count > 0) memcpy(join->parts, parts, (size_t)count * sizeof *parts);
    return GPIS_OK;
}

static gpis_status build(gpis_context *context, gpis_source *const *parts, int64_t count, const gpis_ranks *ranks,
                         gpis_source **out) {
    double *facts = NULL;
    gpis_source *source = NULL;
    gpis_status status = check_parts(context, parts, count);
    if (status == GPIS_OK) status = allocate(context, parts, count, ranks, &source, &facts);
    status = gpis_talk_agree(context, ranks, status);
    if (status == GPIS_OK) {
        collect_facts(parts, count, facts + (int64_t)ranks->rank * FACTS);
        status = gpis_talk_sum(context, ranks, facts, (int64_t)ranks->ranks * FACTS);
    }
    if (status == GPIS_OK) status = check_facts(context, facts, ranks->ranks);
    if (status == GPIS_OK) {
        take_facts(source, source->state, facts);
        status = gpis_talk_agree(context, ranks, join_labels(source, source->state));
    }
    gpis_free(context, facts);
    if (status == GPIS_OK)
        *out = source;
    else
        gpis_source_destroy(source);
    return status;
}

static int alone(void *user, double *values, int64_t count) {
    (void)user, (void)values, (void)count;
    return 0;
}

gpis_status gpis_source_join(gpis_context *context, gpis_source *const *parts, int64_t count, const gpis_ranks *ranks,
                             gpis_source **out) {
    const gpis_ranks one = {.ranks = 1, .reduce_sum = alone};
    if (!context || !out) return gpis_fail(context, GPIS_BAD_ARGUMENT, "the pointer for the new source is NULL");
    *out = NULL;
    if (!ranks) ranks = &one;
    if (!ranks->reduce_sum) return gpis_fail(context, GPIS_BAD_ARGUMENT, "ranks need a function reduce_sum");
    if (ranks->ranks < 1 || ranks->rank < 0 || ranks->rank >= ranks->ranks)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "there is no rank %d of %d; ranks are counted from 0", ranks->rank,
                         ranks->ranks);
    if (!ranks->send != !ranks->receive)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "ranks need both send and receive, or neither");
    return build(context, parts, count, ranks, out);
}
