/* The constraint of a problem as a set of gpis: see sets.h. */
#include "sets.h"

gpis_set *sets_last(const set_stack *s) { return s->sets[s->count - 1]; }

void sets_clear(set_stack *s) {
    while (s->count > 0) gpis_set_destroy(s->sets[--s->count]);
}

static gpis_status make_blocks(gpis_context *context, const constraint *c, set_stack *s) {
    gpis_set *sets[STACK_SIZE];
    for (int64_t b = 0; b < c->count; b++) {
        const gpis_status status = sets_make(context, c->parts + b, 1, s);
        if (status) return status;
        sets[b] = sets_last(s);
    }
    return gpis_set_blocks(context, c->d, c->count, (const int64_t *const *)c->columns, sets, &s->sets[s->count++]);
}

static gpis_status make_base(gpis_context *context, const constraint *c, int64_t k, set_stack *s) {
    const int64_t d = c->d;
    if (c->kind == KIND_BLOCKS) return make_blocks(context, c, s);
    gpis_set **out = &s->sets[s->count++];
    switch (c->kind) {
    case KIND_NONNEG: return gpis_set_nonneg(context, d, out);
    case KIND_BOX: return gpis_set_box(context, c->lower, c->upper, d, out);
    case KIND_LINF: return gpis_set_linf(context, c->R, d, out);
    case KIND_L1: return gpis_set_l1(context, c->R, d, out);
    case KIND_L2: return gpis_set_l2(context, c->R, d, out);
    case KIND_SIMPLEX: return gpis_set_simplex(context, c->R, d, out);
    case KIND_CAPPED_SIMPLEX: return gpis_set_capped_simplex(context, c->R, d, out);
    case KIND_GROUP: return gpis_set_group(context, c->R, c->size, d, out);
    case KIND_MONOTONE: return gpis_set_monotone(context, d, out);
    case KIND_TV: return gpis_set_tv(context, c->R, d, out);
    case KIND_AFFINE: return gpis_set_affine(context, c->C, c->b, c->rows, d, out);
    case KIND_NUCLEAR: return gpis_set_nuclear(context, c->R, d, k, out);
    default: return gpis_set_none(context, d, out);
    }
}

gpis_status sets_make(gpis_context *context, const constraint *c, int64_t k, set_stack *s) {
    gpis_status status = make_base(context, c, k, s);
    if (status || c->turn == TURN_NONE) return status;
    gpis_set *base = sets_last(s), **out = &s->sets[s->count++];
    return c->turn == TURN_DCT ? gpis_set_dct(context, base, out) : gpis_set_transform(context, base, c->U, out);
}
