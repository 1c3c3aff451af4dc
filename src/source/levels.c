/* A hash table with open addressing: slots are tried one after the other from the one that the hash names. */
#include "source/levels.h"

#include <string.h>

static uint64_t hash_of(gpis_span text) { /* FNV-1a, eight bytes at a time, with a last mix */
    uint64_t hash = UINT64_C(14695981039346656037), word = 0;
    const char *at = text.begin;
    for (; text.end - at >= 8; at += 8) {
        memcpy(&word, at, sizeof word);
        hash = (hash ^ word) * UINT64_C(1099511628211);
        hash ^= hash >> 29;
    }
    word = (uint64_t)(text.end - at);
    for (; at < text.end; at++) word = word << 8 | (unsigned char)*at;
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

gpis_span gpis_levels_span(const gpis_levels *l, int64_t k) {
    const int64_t end = k + 1 < l->count ? l->begin[k + 1] : l->used;
    return (gpis_span){l->text + l->begin[k], l->text + end - 1};
}

static bool is_level(const gpis_levels *l, int64_t k, gpis_span text) {
    const gpis_span level = gpis_levels_span(l, k);
    const size_t length = (size_t)(text.end - text.begin);
    return (size_t)(level.end - level.begin) == length && memcmp(level.begin, text.begin, length) == 0;
}

int64_t gpis_levels_find(const gpis_levels *l, gpis_span text) {
    if (l->count == 0) return -1;
    const uint64_t mask = (uint64_t)l->slot_count - 1;
    for (uint64_t at = hash_of(text) & mask; l->slots[at]; at = (at + 1) & mask)
        if (is_level(l, l->slots[at] - 1, text)) return l->slots[at] - 1;
    return -1;
}

static void enter(gpis_levels *l, int64_t k) {
    const uint64_t mask = (uint64_t)l->slot_count - 1;
    uint64_t at = hash_of(gpis_levels_span(l, k)) & mask;
    while (l->slots[at]) at = (at + 1) & mask;
    l->slots[at] = k + 1;
}

static void enter_all(gpis_levels *l) {
    memset(l->slots, 0, (size_t)l->slot_count * sizeof *l->slots);
    for (int64_t k = 0; k < l->count; k++) enter(l, k);
}

/* Makes space for one more level of this length; at most half of the slots are taken. */
static gpis_status make_space(gpis_levels *l, int64_t length) {
    void *text = l->text, *begin = l->begin;
    gpis_status status = gpis_grow(l->context, &text, &l->text_capacity, l->used, l->used + length + 1, 1);
    l->text = text;
    if (status == GPIS_OK)
        status = gpis_grow(l->context, &begin, &l->begin_capacity, l->count, l->count + 1, sizeof *l->begin);
    l->begin = begin;
    if (status != GPIS_OK || 2 * (l->count + 1) <= l->slot_count) return status;
    int64_t *slots = gpis_alloc(l->context, gpis_max64(64, 2 * l->slot_count), sizeof *slots);
    if (!slots) return GPIS_NO_MEMORY;
    gpis_free(l->context, l->slots);
    l->slots = slots;
    l->slot_count = gpis_max64(64, 2 * l->slot_count);
    enter_all(l);
    return GPIS_OK;
}

gpis_status gpis_levels_add(gpis_levels *l, gpis_span text) {
    const int64_t length = text.end - text.begin;
    const gpis_status status = make_space(l, length);
    if (status != GPIS_OK) return status;
    memcpy(l->text + l->used, text.begin, (size_t)length);
    l->text[l->used + length] = '\0';
    l->begin[l->count++] = l->used;
    l->used += length + 1;
    enter(l, l->count - 1);
    return GPIS_OK;
}

void gpis_levels_cut(gpis_levels *l, int64_t count) {
    if (count >= l->count) return;
    l->used = l->begin[count];
    l->count = count;
    enter_all(l);
}

void gpis_levels_clear(gpis_levels *l) {
    gpis_free(l->context, l->text);
    gpis_free(l->context, l->begin);
    gpis_free(l->context, l->slots);
    *l = (gpis_levels){.context = l->context};
}
