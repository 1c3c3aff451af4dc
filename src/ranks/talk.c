/* Exchanges between ranks. All are sums; to send numbers, all ranks but one add zeros, which is exact. */
#include "ranks/talk.h"

#include <stdio.h>
#include <string.h>

#include "ranks/join.h"

enum { PIECE = 512 }; /* doubles exchanged at a time, on the stack */

gpis_status gpis_talk_sum(gpis_context *context, const gpis_ranks *ranks, double *values, int64_t count) {
    if (ranks->ranks == 1 || count == 0) return GPIS_OK;
    const int code = ranks->reduce_sum(ranks->user, values, count);
    if (code == 0) return GPIS_OK;
    return gpis_fail(context, GPIS_IO, "rank %d cannot reach the others: reduce_sum returned %d", ranks->rank, code);
}

/* Each byte is sent as a double of its own: sums of small integers are exact, those of arbitrary bit patterns are not.
 */
static gpis_status share(gpis_context *context, const gpis_ranks *ranks, int from, void *bytes, int64_t count) {
    unsigned char *byte = bytes;
    gpis_status status = GPIS_OK;
    for (int64_t i = 0; i < count && status == GPIS_OK; i += PIECE) {
        const int64_t some = gpis_min64(PIECE, count - i);
        double numbers[PIECE] = {0};
        for (int64_t p = 0; p < some && ranks->rank == from; p++) numbers[p] = byte[i + p];
        status = gpis_talk_sum(context, ranks, numbers, some);
        for (int64_t p = 0; p < some && status == GPIS_OK; p++) byte[i + p] = (unsigned char)numbers[p];
    }
    return status;
}

/* Finds the first rank that has failed, and its status, by exchanges about PIECE ranks at a time. */
static gpis_status find_failure(gpis_context *context, const gpis_ranks *ranks, gpis_status status, int *failed,
                                gpis_status *what) {
    *failed = ranks->ranks;
    for (int first = 0; first < ranks->ranks; first += PIECE) {
        const int some = (int)gpis_min64(PIECE, ranks->ranks - first), place = ranks->rank - first;
        double numbers[PIECE] = {0};
        if (place >= 0 && place < some) numbers[place] = (double)status;
        const gpis_status talk = gpis_talk_sum(context, ranks, numbers, some);
        if (talk != GPIS_OK) return talk;
        for (int p = 0; p < some && *failed == ranks->ranks; p++)
            if (numbers[p] != 0.0) {
                *failed = first + p;
                *what = (gpis_status)numbers[p];
            }
    }
    return GPIS_OK;
}

gpis_status gpis_talk_agree(gpis_context *context, const gpis_ranks *ranks, gpis_status status) {
    int failed;
    gpis_status what = GPIS_OK;
    char text[GPIS_MESSAGE_SIZE] = "";
    if (ranks->ranks == 1) return status;
    gpis_status talk = find_failure(context, ranks, status, &failed, &what);
    if (talk != GPIS_OK || failed == ranks->ranks) return talk;
    if (failed == ranks->rank) snprintf(text, sizeof text, "rank %d: %.480s", failed, context->message);
    talk = share(context, ranks, failed, text, sizeof text);
    return talk == GPIS_OK ? gpis_fail(context, what, "%s", text) : talk;
}

gpis_status gpis_join_agree(const gpis_join *join, gpis_status status) {
    return gpis_talk_agree(join->context, &join->ranks, status);
}

gpis_status gpis_join_share(const gpis_join *join, int from, void *bytes, int64_t count) {
    return share(join->context, &join->ranks, from, bytes, count);
}

/* In pieces of the size of the buffer, which is the same on all ranks. */
gpis_status gpis_join_sum(const gpis_join *j, double *values, int64_t count) {
    gpis_status status = GPIS_OK;
    for (int64_t i = 0; i < count && status == GPIS_OK; i += GPIS_JOIN_BUFFER) {
        const int64_t some = gpis_min64(GPIS_JOIN_BUFFER, count - i);
        if (!values) memset(j->buffer, 0, (size_t)some * sizeof *j->buffer);
        status = gpis_talk_sum(j->context, &j->ranks, values ? values + i : j->buffer, some);
    }
    return status;
}

static gpis_status exchange_failed(const gpis_join *j, const char *verb, int rank, int code) {
    return gpis_fail(j->context, GPIS_IO, "rank %d cannot %s rank %d: the function for it returned %d", j->ranks.rank,
                     verb, rank, code);
}

gpis_status gpis_join_move(const gpis_join *j, int from, int to, double *values, int64_t count) {
    const gpis_ranks *ranks = &j->ranks;
    if (from == to || count == 0) return GPIS_OK;
    if (ranks->send) {
        int code = 0;
        if (ranks->rank == from) {
            code = ranks->send(ranks->user, to, values, count);
            if (code != 0) return exchange_failed(j, "send to", to, code);
        } else if (ranks->rank == to) {
            code = ranks->receive(ranks->user, from, values, count);
            if (code != 0) return exchange_failed(j, "receive from", from, code);
        }
        return GPIS_OK;
    }
    gpis_status status = GPIS_OK;
    for (int64_t i = 0; i < count && status == GPIS_OK; i += GPIS_JOIN_BUFFER) {
        const int64_t some = gpis_min64(GPIS_JOIN_BUFFER, count - i);
        if (ranks->rank == from)
            memcpy(j->buffer, values + i, (size_t)some * sizeof *values);
        else
            memset(j->buffer, 0, (size_t)some * sizeof *values);
        status = gpis_talk_sum(j->context, ranks, j->buffer, some);
        if (ranks->rank == to && status == GPIS_OK) memcpy(values + i, j->buffer, (size_t)some * sizeof *values);
    }
    return status;
}
