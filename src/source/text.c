/* Lines by zlib's gzread, which also reads files that are not compressed. One buffer, which grows to the longest line.
 */
#include "source/text.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"

enum { FIRST_CAPACITY = 1 << 16, MAX_READ = 1 << 24, MAX_LINE = 1 << 28 }; /* bytes */
static const double REPORT_SECONDS = 0.1;                                  /* between two reports of progress */

gpis_status gpis_text_open(gpis_context *context, const char *path, const gpis_open_options *options, gpis_text *text) {
    *text = (gpis_text){.context = context, .path = path, .after = 1, .options = options};
    text->opened = text->reported = gpis_clock();
    int64_t size;
    int fd;
    const gpis_status status = gpis_file_open(context, path, &fd, &size);
    if (status != GPIS_OK) return status;
    text->file = gzdopen(fd, "rb");
    if (!text->file) {
        close(fd);
        return gpis_fail(context, GPIS_NO_MEMORY, "%s: no memory to read it", path);
    }
    text->size = gpis_max64(size, 0);
    text->capacity = FIRST_CAPACITY;
    text->buffer = gpis_alloc(context, text->capacity, 1);
    return text->buffer ? GPIS_OK : GPIS_NO_MEMORY;
}

void gpis_text_close(gpis_text *text) {
    if (text->file) gzclose_r(text->file);
    gpis_free(text->context, text->buffer);
    text->file = NULL;
    text->buffer = NULL;
}

static gpis_status read_failed(const gpis_text *text) {
    int code;
    const char *why = gzerror(text->file, &code);
    if (code == Z_ERRNO)
        return gpis_fail(text->context, GPIS_IO, "%s: cannot be read: %s", text->path, strerror(errno));
    if (code == Z_BUF_ERROR) why = "the compressed data end too early";
    return gpis_fail(text->context, GPIS_BAD_DATA, "%s: is a broken gzip file: %s", text->path, why);
}

/* Reports progress if it is time to; GPIS_STOPPED if the caller wants to stop. */
static gpis_status report(gpis_text *text) {
    if (!text->options || !text->options->progress) return GPIS_OK;
    const double now = gpis_clock();
    if (now - text->reported < REPORT_SECONDS) return GPIS_OK;
    text->reported = now;
    const int64_t done = text->size > 0 ? (int64_t)gzoffset(text->file) : (int64_t)gztell(text->file);
    const gpis_open_progress progress = {
        .path = text->path, .done = done, .bytes = text->size, .seconds = now - text->opened};
    if (text->options->progress(text->options->progress_user, &progress) == 0) return GPIS_OK;
    return gpis_fail(text->context, GPIS_STOPPED, "%s: reading was interrupted", text->path);
}

/* Fails with the number of the line that holds the zero byte, which is among the bytes from `more` on. */
static gpis_status refuse_zero_byte(const gpis_text *text, const char *more) {
    int64_t line = text->after;
    for (const char *at = text->buffer + text->begin; at < more || *at; at++) line += *at == '\n';
    return gpis_fail(text->context, GPIS_BAD_DATA,
                     "%s: line %lld holds a zero byte: not plain text; save it as UTF-8 text", text->path,
                     (long long)line);
}

/* Makes the buffer larger than `bytes`. */
static gpis_status enlarge(gpis_text *text, int64_t bytes) {
    if (bytes > MAX_LINE)
        return gpis_fail(text->context, GPIS_BAD_DATA,
                         "%s: line %lld is longer than 256 MB; is this a text file, with a row a line?", text->path,
                         (long long)text->after);
    void *memory = text->buffer;
    const gpis_status status = gpis_grow(text->context, &memory, &text->capacity, text->end, bytes + 1, sizeof(char));
    text->buffer = memory;
    return status;
}

/* Reads more bytes behind those not yet returned. Two bytes of the buffer are always kept free, for a newline and for
 * what ends the search for one. */
static gpis_status fill(gpis_text *text) {
    memmove(text->buffer, text->buffer + text->begin, (size_t)(text->end - text->begin));
    text->end -= text->begin;
    text->begin = 0;
    if (text->end + 2 >= text->capacity) {
        const gpis_status status = enlarge(text, text->capacity);
        if (status != GPIS_OK) return status;
    }
    /* A pipe may be slow: reports of progress come between its small pieces. */
    const int64_t space = gpis_min64(text->capacity - text->end - 2, text->size > 0 ? MAX_READ : FIRST_CAPACITY);
    char *more = text->buffer + text->end;
    const int got = gzread(text->file, more, (unsigned)space);
    if (got < 0) return read_failed(text);
    /* Checked here and not at the end of each line: a file of zeros has no line end. */
    if (got > 0 && memchr(more, '\0', (size_t)got)) return refuse_zero_byte(text, more);
    text->end += got;
    if (got < space) {
        int code;
        gzerror(text->file, &code);
        if (code != Z_OK && code != Z_STREAM_END) return read_failed(text);
        text->ended = true;
    }
    return report(text);
}

gpis_status gpis_text_ahead(gpis_text *text, int64_t wanted) {
    gpis_status status = wanted + 2 > text->capacity ? enlarge(text, wanted + 2) : GPIS_OK;
    while (status == GPIS_OK && !text->ended && text->end - text->begin < wanted) {
        status = fill(text);
        if (status == GPIS_OK && text->ended && text->end > text->begin && text->buffer[text->end - 1] != '\n')
            text->buffer[text->end++] = '\n';
    }
    if (status == GPIS_OK) text->buffer[text->end] = '\n';
    return status;
}

double gpis_text_part(const gpis_text *text) {
    return text->size > 0 ? (double)gzoffset(text->file) / (double)text->size : 0.0;
}

static bool odd_quotes(const char *at, const char *end) {
    bool odd = false;
    while ((at = memchr(at, '"', (size_t)(end - at)))) {
        odd = !odd;
        at++;
    }
    return odd;
}

/* Returns [begin, begin + length) as a line. */
static gpis_status return_line(gpis_text *text, int64_t length, int64_t newlines, gpis_span *line) {
    char *begin = text->buffer + text->begin, *end = begin + length;
    text->line = text->after;
    text->after += newlines;
    if (end > begin && end[-1] == '\r') end--;
    *end = '\0';
    if (text->line == 1 && length >= 3 && memcmp(begin, "\xEF\xBB\xBF", 3) == 0) begin += 3; /* byte order mark */
    *line = (gpis_span){begin, end};
    return GPIS_OK;
}

gpis_status gpis_text_next(gpis_text *text, bool quoted, gpis_span *line, bool *more) {
    int64_t seen = 0, newlines = 0; /* bytes of this line examined so far, and the newlines in them */
    bool inside = false;            /* between quotes */
    *more = true;
    for (;;) {
        const char *at = text->buffer + text->begin + seen, *end = text->buffer + text->end;
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        if (quoted && odd_quotes(at, stop)) inside = !inside;
        seen += stop - at;
        if (newline) {
            newlines++;
            if (!inside) {
                const gpis_status status = return_line(text, seen, newlines, line);
                text->begin += seen + 1;
                return status;
            }
            seen++;
        } else if (!text->ended) {
            const gpis_status status = fill(text);
            if (status != GPIS_OK) return status;
        } else if (inside) {
            return gpis_fail(text->context, GPIS_BAD_DATA, "%s: line %lld opens a quote that is never closed",
                             text->path, (long long)text->after);
        } else {
            *more = seen > 0;
            const gpis_status status = *more ? return_line(text, seen, newlines + 1, line) : GPIS_OK;
            text->begin = text->end;
            return status;
        }
    }
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

bool gpis_text_word(gpis_span *rest, gpis_span *word) {
    while (rest->begin < rest->end && is_blank(*rest->begin)) rest->begin++;
    word->begin = rest->begin;
    while (rest->begin < rest->end && !is_blank(*rest->begin)) rest->begin++;
    word->end = rest->begin;
    return word->end > word->begin;
}

bool gpis_text_is(gpis_span word, const char *text) {
    const size_t length = strlen(text);
    return (size_t)(word.end - word.begin) == length && strncasecmp(word.begin, text, length) == 0;
}

gpis_excerpt gpis_text_excerpt(gpis_span word) {
    enum { MAX_SHOWN = 40 };
    gpis_excerpt out = {{0}};
    const int64_t length = word.end - word.begin;
    int64_t shown = gpis_min64(length, MAX_SHOWN);
    while (shown > 0 && shown < length && (word.begin[shown] & 0xC0) == 0x80) shown--; /* no character is cut in two */
    for (int64_t i = 0; i < shown; i++) out.text[i] = word.begin[i] ? word.begin[i] : '?';
    gpis_make_printable(out.text);
    if (shown < length) memcpy(out.text + shown, "...", 3);
    return out;
}
