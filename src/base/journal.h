/*
 * A journal: a file of records that only grows, and is valid after a crash at any byte.
 *
 *     file   = "gpis-journal", version (uint32), record ...
 *     record = kind (uint32, not 0), checksum (uint32), length (int64), `length` bytes
 *
 * Numbers are in the byte order of the machine; the checksum is that of kind, length and bytes. The file is created
 * under another name and gets its own when its first record is in it, so it is never seen without one. Later records
 * are written at once behind the last complete one, which protects them from a crash of the program; to protect them
 * from a crash of the machine they are synced to the disk at intervals. A record that is incomplete or damaged ends the
 * journal: it and all that follows it are ignored, and overwritten.
 *
 * Anybody who can write the file can write a record with the right checksum: checksums protect from accidents, and are
 * no signatures. So a journal is opened only if it belongs to this user and nobody else may write to it, and readers of
 * records still have to check their contents.
 *
 * A journal is first read, from its first record on; the first append ends the reading. A journal that can no longer be
 * written (the disk is full) keeps its records and accepts no others; `trouble` says why.
 */
#ifndef GPIS_JOURNAL_H
#define GPIS_JOURNAL_H

#include "base/base.h"

typedef struct gpis_journal {
    gpis_context *context; /* borrowed */
    char *path;            /* owned */
    int fd;
    int64_t at;            /* the end of what was read or written: complete records only */
    int64_t size;          /* of the file; more than `at` while there is something left to read or to remove */
    double every, durable; /* seconds between syncs; the time of the last one */
    bool damaged;          /* a record was complete, but its checksum was wrong */
    bool failed;           /* no more records are written */
    char trouble[GPIS_MESSAGE_SIZE]; /* why not; "" if there is no trouble */
} gpis_journal;

/* Parts of a record, in order: the memory that bytes come from, or go to. */
typedef struct gpis_journal_part {
    void *data;
    int64_t bytes;
} gpis_journal_part;

typedef struct gpis_journal_record {
    uint32_t kind;
    int64_t length;
} gpis_journal_record;

/* Creates a file, which must not exist yet, with its first record. `every`: seconds between syncs; 0: after each
 * record. */
gpis_status gpis_journal_create(gpis_context *context, const char *path, double every, uint32_t kind,
                                const gpis_journal_part *parts, int count, gpis_journal **out);
/* Opens an existing journal to read and continue it. Fails if another process has it open. */
gpis_status gpis_journal_open(gpis_context *context, const char *path, double every, gpis_journal **out);
void gpis_journal_close(gpis_journal *journal); /* may be NULL */

/* True, with the kind and length of the record, if another complete and undamaged record follows. One of more than
 * `longest` bytes counts as damaged and is not read: the file is not trusted about how much there is to read. */
bool gpis_journal_next(gpis_journal *journal, int64_t longest, gpis_journal_record *out);
/* Reads that record; its length must be that of all parts together. */
gpis_status gpis_journal_read(gpis_journal *journal, const gpis_journal_part *parts, int count);

void gpis_journal_append(gpis_journal *journal, uint32_t kind, const gpis_journal_part *parts, int count);
/* Syncs what was appended to the disk; gpis_journal_append does so too when it is time. */
void gpis_journal_sync(gpis_journal *journal);
/* Ends the writing with a sync. A file that was removed or replaced in the meantime is reported as trouble, since its
 * records are lost. */
void gpis_journal_finish(gpis_journal *journal);

#endif
