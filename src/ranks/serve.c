/* The ranks that serve: a loop over the requests of rank 0, and its end. */
#include "ranks/ranks.h"
#include "ranks/request.h"

gpis_status gpis_ranks_dismiss(gpis_context *context, gpis_source *A, gpis_status status) {
    const gpis_join *join = gpis_source_joined(A);
    if (!join || join->ranks.ranks == 1) return status;
    gpis_status talk = gpis_request_send(join, GPIS_TASK_DISMISS, status);
    if (talk == GPIS_OK && status != GPIS_OK)
        talk = gpis_join_share(join, 0, context->message, sizeof context->message);
    return talk == GPIS_OK ? status : talk;
}

/* Rank 0 is done, with this status; a failure comes with its message. */
static gpis_status be_dismissed(gpis_context *context, const gpis_join *join, gpis_status status) {
    if (status == GPIS_OK) return GPIS_OK;
    char text[GPIS_MESSAGE_SIZE] = "";
    const gpis_status talk = gpis_join_share(join, 0, text, sizeof text);
    return talk == GPIS_OK ? gpis_fail(context, status, "%s", text) : talk;
}

/* The status of a task is not looked at: all ranks have agreed on it, and rank 0 decides what comes next. */
gpis_status gpis_ranks_serve(gpis_context *context, gpis_source *A, const double *Y, const gpis_terms *terms) {
    const gpis_join *join = gpis_source_joined(A);
    for (;;) {
        double request[GPIS_REQUEST_SIZE] = {0};
        const gpis_status status = gpis_request_exchange(join, request);
        if (status != GPIS_OK) return status;
        const int64_t number = (int64_t)request[GPIS_REQUEST_NUMBER];
        switch ((gpis_task)request[GPIS_REQUEST_TASK]) {
        case GPIS_TASK_PASS: gpis_parts_serve_pass(context, A, Y, terms, request); break;
        case GPIS_TASK_AUDIT: gpis_parts_serve_audit(context, A, Y, request); break;
        case GPIS_TASK_GRAM: gpis_over_serve(context, A, number, (int64_t)request[GPIS_REQUEST_COLUMNS]); break;
        case GPIS_TASK_IDENTIFY: gpis_identify_serve(context, A, Y, number, terms); break;
        case GPIS_TASK_DISMISS: return be_dismissed(context, join, (gpis_status)number);
        }
    }
}
