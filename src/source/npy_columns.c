/*
 * A column-major .npy file whose rows are fetched at each pass: the rows of a window are a piece of each column. The
 * pieces are mapped next to each other into one range of addresses, and so make a column-major block:
 *
 *     file     ....[piece 0]........[piece 1]........[piece 2]....      n entries from piece to piece
 *     block    [piece 0][piece 1][piece 2]                              S bytes from piece to piece
 *
 * A page of the file can only be mapped to a page of memory, so each piece keeps its offset within the page. The pieces
 * are therefore all S bytes apart if S equals the bytes of n entries modulo the size of a page. Nothing is copied, and
 * one call unmaps them all. Where memory allows only short pieces, a copy costs no more than a mapping, and they are
 * read (npy_pieces.c).
 */
#include <sys/mman.h>
#include <unistd.h>

#include "source/npy.h"

enum { MIN_PIECE_BYTES = 1 << 16 }; /* of shorter pieces the mapping costs more than a copy */

/* Bytes from one piece to the next: enough for a piece that begins and ends anywhere within a page. */
static int64_t stride_of(const gpis_source *source, int64_t nrows) {
    const int64_t page = sysconf(_SC_PAGESIZE), least = gpis_source_npy_piece_bytes(source, nrows) + 2 * page;
    return least + ((gpis_source_npy_piece_bytes(source, source->n) - least) % page + page) % page;
}

static size_t area_bytes(const gpis_source *source, int64_t nrows) {
    return (size_t)(source->d * stride_of(source, nrows) + sysconf(_SC_PAGESIZE));
}

/* Where the first piece begins within its page. */
static int64_t lead_of(const gpis_source *source, int64_t row0) {
    return gpis_source_npy_piece_offset(source, row0, 0) % sysconf(_SC_PAGESIZE);
}

/* Maps the pieces into `area`, and waits until they are in memory. */
static gpis_status map_pieces(const gpis_source *source, int64_t row0, int64_t nrows, char *area) {
    const gpis_source_npy_streamed *s = source->state;
    const int64_t page = sysconf(_SC_PAGESIZE), bytes = gpis_source_npy_piece_bytes(source, nrows);
    char *piece = area + lead_of(source, row0);
    for (int64_t j = 0; j < source->d; j++, piece += stride_of(source, nrows)) {
        const int64_t offset = gpis_source_npy_piece_offset(source, row0, j), lead = offset % page;
        const void *map =
            mmap(piece - lead, (size_t)(lead + bytes), PROT_READ, MAP_PRIVATE | MAP_FIXED, s->file.fd, offset - lead);
        if (map == MAP_FAILED) return gpis_source_npy_map_failed(source);
        if (!gpis_source_npy_populate(s->file.fd, offset - lead, map, lead + bytes))
            return gpis_source_npy_rows_lost(source, row0, nrows);
    }
    return GPIS_OK;
}

/* The next window is announced first, so that the disk reads it while this one is used. */
static gpis_status map_block(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out) {
    (void)scratch;
    const int64_t next = row0 + nrows;
    if (row0 == 0) gpis_source_npy_announce_pieces(source, 0, nrows);
    if (next < source->n) gpis_source_npy_announce_pieces(source, next, gpis_min64(nrows, source->n - next));
    char *area = mmap(NULL, area_bytes(source, nrows), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED) return gpis_source_npy_map_failed(source);
    const gpis_status status = map_pieces(source, row0, nrows, area);
    if (status != GPIS_OK) {
        munmap(area, area_bytes(source, nrows));
        return status;
    }
    *out = (gpis_block){.kind = GPIS_BLOCK_DENSE,
                        .type = source->type,
                        .row0 = row0,
                        .nrows = nrows,
                        .d = source->d,
                        .values = area + lead_of(source, row0),
                        .row_stride = 1,
                        .col_stride = stride_of(source, nrows) / gpis_source_npy_width(source)};
    return GPIS_OK;
}

static void unmap_block(gpis_source *source, const gpis_block *block) {
    munmap((char *)block->values - lead_of(source, block->row0), area_bytes(source, block->nrows));
}

/* The memory that is resident; the range of addresses is a little longer. */
static int64_t mapped_bytes(const gpis_source *source, int64_t nrows) {
    return source->d * (gpis_source_npy_piece_bytes(source, nrows) + 2 * sysconf(_SC_PAGESIZE));
}

const gpis_source_class gpis_source_npy_columns = {.kind = "npy",
                                                   .block = map_block,
                                                   .done = unmap_block,
                                                   .scratch_bytes = mapped_bytes,
                                                   .unchanged = gpis_source_npy_unchanged,
                                                   .destroy = gpis_source_npy_destroy,
                                                   .in_place = true};

bool gpis_source_npy_may_map_columns(const gpis_npy_header *h, int64_t limit) {
    if (gpis_npy_is_converted(h->stored)) return false;
    const int64_t width = h->stored.width;
    const int64_t window = limit > 0 ? gpis_min64(GPIS_COLUMNS_BYTES, limit / GPIS_COLUMNS_SHARE) : GPIS_COLUMNS_BYTES;
    return h->offset % width == 0 && gpis_min64(h->rows * width, window / h->cols) >= MIN_PIECE_BYTES;
}
