/*
 * A journal: a file of records that only grows, and is valid after a crash at any byte.
 *
 *     file   = "gpis-journal", version (uint32), record ...
 *     record = kind (uint32, not 0), checksum (uint32), length (int64), `length` bytes
 *
 * Numbers are in the machine's own order; the checksum is that of kind, length and bytes. The file is born with its
 * first record in it, under another name, so it is never seen without. Later records are written behind the last whole
 * one, at once, which is enough against the death of the program; against that of the machine they are made durable
 * every so many seconds. A record that is cut short or damaged ends the journal: it and what follows is as if it had
 * never been written, and is written over.
 *
 * Whoever can write the file can make a record with the right checksum: it guards against accidents and is no
 * signature. So a journal is opened only if it belongs to this user and nobody else may write to it, and who reads
 * records still has to check what is in them.
 *
 * Reading comes first, from the first record on; the first append ends it. A journal that cannot be written any more
 * (the disk is full) keeps what it holds and takes no further record; `trouble` says why.
 */
#ifndef GPIS_JOURNAL_H
#define GPIS_JOURNAL_H

#include "base/base.h"

typedef struct gpis_journal {
    gpis_context *context; /* borrowed */
    char *path;            /* owned */
    int fd;
    int64_t at;                      /* the end of what was read or written: all of it is whole */
    int64_t size;                    /* of the file; more than `at` while there is something to read or to cut off */
    double every, durable;           /* seconds between syncs; when the last one was */
    bool damaged;                    /* a record was found whole, but wrong */
    bool failed;                     /* nothing more is written */
    char trouble[GPIS_MESSAGE_SIZE]; /* why; "" if all is well */
} gpis_journal;

/* Parts of a record, in order: where bytes come from, or go to. */
typedef struct gpis_journal_part {
    void *data;
    int64_t bytes;
} gpis_journal_part;

typedef struct gpis_journal_record {
    uint32_t kind;
    int64_t length;
} gpis_journal_record;

/* A new file, which must not be there yet, with its first record. `every`: seconds between syncs, 0: each record. */
gpis_status gpis_journal_create(gpis_context *context, const char *path, double every, uint32_t kind,
                                const gpis_journal_part *parts, int count, gpis_journal **out);
/* An existing one, to be read and gone on with. Nobody else may have it open. */
gpis_status gpis_journal_open(gpis_context *context, const char *path, double every, gpis_journal **out);
void gpis_journal_close(gpis_journal *journal); /* NULL is fine */

/* True, and what it is, when another whole and undamaged record follows. One of more than `longest` bytes counts as
 * damaged and is not looked at: the file is not trusted about how much there is to read. */
bool gpis_journal_next(gpis_journal *journal, int64_t longest, gpis_journal_record *out);
/* Reads that record, whose length is that of all parts together. */
gpis_status gpis_journal_read(gpis_journal *journal, const gpis_journal_part *parts, int count);

void gpis_journal_append(gpis_journal *journal, uint32_t kind, const gpis_journal_part *parts, int count);
/* Makes durable what was appended; so does append when it is time. */
void gpis_journal_sync(gpis_journal *journal);
/* The end of writing: the same, and a file that was removed or replaced in the meantime is trouble too, since its
 * records are lost with it. */
void gpis_journal_finish(gpis_journal *journal);

#endif
