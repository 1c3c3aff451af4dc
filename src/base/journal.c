/* The journal: reading complete records, appending, and never damaging what was written before. */
#include "base/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/file.h"

enum { VERSION = 3, MAX_PARTS = 16 };

typedef struct file_head {
    char magic[12];
    uint32_t version;
} file_head;
static const file_head HEAD = {{'g', 'p', 'i', 's', '-', 'j', 'o', 'u', 'r', 'n', 'a', 'l'}, VERSION};

typedef struct record_head {
    uint32_t kind, checksum;
    int64_t length;
} record_head;

static uint32_t checksum_start(const record_head *head) {
    const uint32_t sum = gpis_checksum(0, &head->kind, sizeof head->kind);
    return gpis_checksum(sum, &head->length, sizeof head->length);
}

static record_head head_of(uint32_t kind, const gpis_journal_part *parts, int count) {
    record_head head = {.kind = kind};
    for (int i = 0; i < count; i++) head.length += parts[i].bytes;
    head.checksum = checksum_start(&head);
    for (int i = 0; i < count; i++) head.checksum = gpis_checksum(head.checksum, parts[i].data, parts[i].bytes);
    return head;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static gpis_status check_head(gpis_journal *j) {
    file_head head;
    if (j->size < (int64_t)sizeof head)
        return gpis_fail(j->context, GPIS_BAD_DATA, "%s: is not a checkpoint: it has only %lld bytes", j->path,
                         (long long)j->size);
    const gpis_status status = gpis_file_read(j->context, j->path, j->fd, 0, &head, sizeof head);
    if (status != GPIS_OK) return status;
    if (memcmp(head.magic, HEAD.magic, sizeof head.magic) != 0)
        return gpis_fail(j->context, GPIS_BAD_DATA, "%s: is not a checkpoint of gpis", j->path);
    if (head.version != VERSION)
        return gpis_fail(j->context, GPIS_BAD_DATA,
                         "%s: is a checkpoint of version %lu, and this gpis knows version %d; resume it with the gpis "
                         "that made it",
                         j->path, (unsigned long)head.version, VERSION);
    j->at = sizeof head;
    return GPIS_OK;
}

static gpis_status open_file(gpis_journal *j) {
    struct stat info;
    j->fd = open(j->path, O_RDWR | O_CLOEXEC | O_NONBLOCK); /* so that opening a pipe does not block */
    if (j->fd < 0) return gpis_fail(j->context, GPIS_IO, "%s: cannot be opened: %s", j->path, strerror(errno));
    if (fstat(j->fd, &info) != 0 || !S_ISREG(info.st_mode))
        return gpis_fail(j->context, GPIS_IO, "%s: a checkpoint is a regular file, which this is not", j->path);
    if (!gpis_file_is_trusted(&info, geteuid()))
        return gpis_fail(j->context, GPIS_IO,
                         "%s: belongs to another user, or others may write to it; if you trust what is in it, make a "
                         "copy of your own (cp) and resume from that",
                         j->path);
    if (flock(j->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return gpis_fail(j->context, GPIS_IO, "%s: another solve is writing this checkpoint; wait for it, or end it",
                         j->path);
    j->size = info.st_size;
    return check_head(j);
}

gpis_status gpis_journal_open(gpis_context *context, const char *path, double every, gpis_journal **out) {
    *out = NULL;
    gpis_journal *j = gpis_alloc_zero(context, 1, sizeof *j);
    if (!j) return GPIS_NO_MEMORY;
    *j = (gpis_journal){.context = context, .fd = -1, .every = every, .durable = gpis_clock()};
    j->path = gpis_duplicate_text(context, path);
    const gpis_status status = j->path ? open_file(j) : GPIS_NO_MEMORY;
    if (status == GPIS_OK)
        *out = j;
    else
        gpis_journal_close(j);
    return status;
}

gpis_status gpis_journal_create(gpis_context *context, const char *path, double every, uint32_t kind,
                                const gpis_journal_part *parts, int count, gpis_journal **out) {
    gpis_file_part pieces[MAX_PARTS + 2];
    const record_head head = head_of(kind, parts, count);
    *out = NULL;
    pieces[0] = (gpis_file_part){&HEAD, sizeof HEAD};
    pieces[1] = (gpis_file_part){&head, sizeof head};
    for (int i = 0; i < count; i++) pieces[i + 2] = (gpis_file_part){parts[i].data, parts[i].bytes};
    gpis_status status = gpis_file_replace_own(context, path, pieces, count + 2);
    if (status == GPIS_OK) status = gpis_journal_open(context, path, every, out);
    if (status == GPIS_OK) (*out)->at = (*out)->size;
    return status;
}

void gpis_journal_close(gpis_journal *j) {
    if (!j) return;
    if (j->fd >= 0) close(j->fd);
    gpis_free(j->context, j->path);
    gpis_free(j->context, j);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Sets no message: what cannot be read counts as damaged. */
static bool read_at(const gpis_journal *j, int64_t offset, void *to, int64_t bytes) {
    for (int64_t done = 0; done < bytes;) {
        const ssize_t got = pread(j->fd, (char *)to + done, (size_t)(bytes - done), offset + done);
        if (got == 0 || (got < 0 && errno != EINTR)) return false;
        if (got > 0) done += got;
    }
    return true;
}

bool gpis_journal_next(gpis_journal *j, int64_t longest, gpis_journal_record *out) {
    char piece[1 << 16];
    record_head head;
    const int64_t begin = j->at + (int64_t)sizeof head;
    if (begin > j->size || !read_at(j, j->at, &head, sizeof head)) return false;
    if (head.kind == 0 || head.length < 0 || head.length > j->size - begin) return false;
    j->damaged = head.length > longest;
    if (j->damaged) return false;
    uint32_t sum = checksum_start(&head);
    for (int64_t done = 0; done < head.length;) {
        const int64_t count = gpis_min64(head.length - done, sizeof piece);
        if (!read_at(j, begin + done, piece, count)) return false;
        sum = gpis_checksum(sum, piece, count);
        done += count;
    }
    *out = (gpis_journal_record){head.kind, head.length};
    j->damaged = !gpis_checksum_matches(head.checksum, sum);
    return !j->damaged;
}

gpis_status gpis_journal_read(gpis_journal *j, const gpis_journal_part *parts, int count) {
    int64_t at = j->at + (int64_t)sizeof(record_head);
    for (int i = 0; i < count; at += parts[i++].bytes) {
        const gpis_status status = gpis_file_read(j->context, j->path, j->fd, at, parts[i].data, parts[i].bytes);
        if (status != GPIS_OK) return status;
    }
    j->at = at;
    return GPIS_OK;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Writing has failed, with errno: removes what was written of this record, so that the one before is the last. */
static void give_up(gpis_journal *j) {
    snprintf(j->trouble, sizeof j->trouble, "%s: cannot be written: %s; the passes it holds already are good", j->path,
             strerror(errno));
    j->failed = true;
    if (ftruncate(j->fd, j->at) == 0) j->size = j->at; /* else the checksum shows that the record is incomplete */
}

static bool write_at(const gpis_journal *j, int64_t offset, const void *from, int64_t bytes) {
    for (int64_t done = 0; done < bytes;) {
        const ssize_t put = pwrite(j->fd, (const char *)from + done, (size_t)(bytes - done), offset + done);
        if (put < 0 && errno != EINTR) return false;
        if (put > 0) done += put;
    }
    return true;
}

void gpis_journal_append(gpis_journal *j, uint32_t kind, const gpis_journal_part *parts, int count) {
    if (j->failed) return;
    const record_head head = head_of(kind, parts, count);
    bool written = j->size == j->at || ftruncate(j->fd, j->at) == 0;
    int64_t end = j->at + (int64_t)sizeof head;
    written = written && write_at(j, j->at, &head, sizeof head);
    for (int i = 0; i < count && written; end += parts[i++].bytes)
        written = write_at(j, end, parts[i].data, parts[i].bytes);
    if (!written) {
        give_up(j);
        return;
    }
    j->at = j->size = end;
    if (gpis_clock() - j->durable >= j->every) gpis_journal_sync(j);
}

void gpis_journal_sync(gpis_journal *j) {
    if (!j->failed && fdatasync(j->fd) != 0) give_up(j);
    j->durable = gpis_clock();
}

void gpis_journal_finish(gpis_journal *j) {
    struct stat ours, there;
    gpis_journal_sync(j);
    if (j->failed || fstat(j->fd, &ours) != 0) return;
    if (stat(j->path, &there) == 0 && there.st_dev == ours.st_dev && there.st_ino == ours.st_ino) return;
    snprintf(j->trouble, sizeof j->trouble, "%s: was removed, moved or replaced while the solve ran", j->path);
    j->failed = true;
}
