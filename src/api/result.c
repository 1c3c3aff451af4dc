/* Results: made, shared between ranks, read, destroyed. */
#include "api/result.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "ranks/ranks.h"

const char *gpis_gap_kind_text(gpis_gap_kind kind) {
    switch (kind) {
    case GPIS_GAP_PROVEN: return "proven";
    case GPIS_GAP_PROBABLE: return "probable";
    default: return "none";
    }
}

double gpis_relative_gap(const gpis_result *result) {
    if (!result) return INFINITY;
    const double lower = result->objective - result->gap;
    return lower > 0.0 ? result->gap / lower : INFINITY;
}

/* Lets the caller see the texts and x of this very result. */
static void point_to_own(gpis_made_result *result) {
    result->seen.method = result->method;
    result->seen.plan = result->plan;
    result->seen.warning = result->warning;
    result->seen.checkpoint_trouble = result->checkpoint_trouble;
    result->seen.unique_reason = result->unique_reason;
    result->seen.x = result->x;
    result->seen.intercept = result->constant ? result->x + result->seen.d * result->seen.k : NULL;
    result->seen.active = result->places;
    for (int64_t i = 0; i < result->seen.active_count; i++) {
        result->list[i].text = result->texts + i * GPIS_PRICE_TEXT;
        result->places[i] = result->list + i;
    }
}

/* Room for so many active constraints; those that are there are kept. */
static gpis_status make_room(gpis_made_result *r, int64_t wanted) {
    const int64_t used = r->seen.active_count;
    int64_t room = r->room, texts = r->room * GPIS_PRICE_TEXT, places = r->room;
    gpis_status status = gpis_grow(r->context, (void **)&r->list, &room, used, wanted, sizeof *r->list);
    if (status == GPIS_OK)
        status = gpis_grow(r->context, (void **)&r->places, &places, used, wanted, sizeof *r->places);
    if (status == GPIS_OK)
        status = gpis_grow(r->context, (void **)&r->texts, &texts, used * GPIS_PRICE_TEXT, room * GPIS_PRICE_TEXT, 1);
    r->room = status == GPIS_OK ? room : r->room;
    return status;
}

gpis_status gpis_result_enter_active(gpis_made_result *r, const gpis_price *price) {
    const int64_t i = r->seen.active_count;
    const gpis_status status = make_room(r, i + 1);
    if (status != GPIS_OK) return status;
    r->list[i] = (gpis_active){NULL, price->column, price->response, price->multiplier};
    memcpy(r->texts + i * GPIS_PRICE_TEXT, price->text, GPIS_PRICE_TEXT);
    r->seen.active_count++;
    point_to_own(r);
    return GPIS_OK;
}

/* The active constraints of rank 0, of which this rank knows only how many there are. */
static gpis_status share_active(const gpis_problem *problem, gpis_made_result *r, int64_t count) {
    r->seen.active_count = gpis_min64(count, r->room); /* on rank 0 all of them, elsewhere none */
    gpis_status status = make_room(r, count);
    r->seen.active_count = count;
    if (status == GPIS_OK && count > 0) status = gpis_ranks_share(problem->A, r->list, (size_t)count * sizeof *r->list);
    if (status == GPIS_OK && count > 0)
        status = gpis_ranks_share(problem->A, r->texts, (size_t)count * GPIS_PRICE_TEXT);
    if (status == GPIS_OK) point_to_own(r);
    return status;
}

static int64_t count_entries(const gpis_dependent_columns *columns) {
    return (columns->exact + columns->near) * columns->d;
}

/* Null vectors with room for their entries. */
static gpis_dependent_columns *allocate_columns(gpis_context *context, gpis_dependent_columns columns) {
    gpis_dependent_columns *made =
        gpis_alloc(context, 1, sizeof *made + (size_t)count_entries(&columns) * sizeof(double));
    if (made) *made = columns, made->vectors = (double *)(made + 1);
    return made;
}

gpis_status gpis_result_keep_columns(gpis_made_result *r, gpis_dependent_columns columns) {
    const int64_t entries = count_entries(&columns);
    if (entries == 0) return GPIS_OK;
    r->columns = allocate_columns(r->context, columns);
    if (!r->columns) return GPIS_NO_MEMORY;
    memcpy(r->columns + 1, columns.vectors, (size_t)entries * sizeof(double));
    return GPIS_OK;
}

/* The null vectors of rank 0. */
static gpis_status share_columns(const gpis_problem *problem, gpis_made_result *r) {
    gpis_dependent_columns columns = r->columns ? *r->columns : (gpis_dependent_columns){0};
    const gpis_status status = gpis_ranks_share(problem->A, &columns, sizeof columns);
    if (status != GPIS_OK) return status;
    if (!r->columns) r->columns = allocate_columns(r->context, columns);
    if (!r->columns) return GPIS_NO_MEMORY;
    return gpis_ranks_share_numbers(problem->A, (double *)(r->columns + 1), count_entries(&columns));
}

gpis_status gpis_result_create(const gpis_problem *problem, gpis_made_result **out) {
    gpis_made_result *result = gpis_alloc_zero(problem->context, 1, sizeof *result);
    *out = result;
    if (!result) return GPIS_NO_MEMORY;
    result->context = problem->context;
    result->seen.d = problem->A->d;
    result->constant = problem->terms.constant;
    result->seen.k = problem->k;
    result->seen.unique = -1;
    result->x = gpis_alloc_zero(problem->context, problem->size, sizeof *result->x);
    point_to_own(result);
    return result->x ? GPIS_OK : GPIS_NO_MEMORY;
}

gpis_status gpis_result_share(const gpis_problem *problem, gpis_made_result *result) {
    const gpis_made_result own = *result; /* the pointers of rank 0 mean nothing here */
    gpis_status status = gpis_ranks_share(problem->A, result, sizeof *result);
    const int64_t active = result->seen.active_count;
    const bool has_columns = result->columns != NULL; /* on rank 0 */
    result->x = own.x;
    result->context = own.context;
    result->list = own.list;
    result->places = own.places;
    result->texts = own.texts;
    result->room = own.room;
    result->columns = own.columns;
    result->seen.active_count = own.seen.active_count;
    point_to_own(result);
    if (status == GPIS_OK) status = gpis_ranks_share_numbers(problem->A, result->x, problem->size);
    if (status == GPIS_OK && has_columns) status = share_columns(problem, result);
    return status == GPIS_OK ? share_active(problem, result, active) : status;
}

void gpis_result_destroy(gpis_result *result) {
    gpis_made_result *made = (gpis_made_result *)result;
    if (!made) return;
    gpis_free(made->context, made->x);
    gpis_free(made->context, made->columns);
    gpis_free(made->context, made->list);
    gpis_free(made->context, made->places);
    gpis_free(made->context, made->texts);
    gpis_free(made->context, made);
}
