/* What the files of the kinds share: their table entries, and the steps that every constructor takes. */
#ifndef GPIS_KINDS_H
#define GPIS_KINDS_H

#include "set/set.h"

/* The kinds that have a spec, each defined in the file of its name. The list makes the table of parse.c, too. */
#define GPIS_SET_LIST(ENTRY) \
    ENTRY(none)              \
    ENTRY(nonneg)            \
    ENTRY(box)               \
    ENTRY(l1)                \
    ENTRY(l2)                \
    ENTRY(linf)              \
    ENTRY(simplex)           \
    ENTRY(capped_simplex)    \
    ENTRY(group)             \
    ENTRY(nuclear)           \
    ENTRY(tv)                \
    ENTRY(monotone)          \
    ENTRY(affine)

#define GPIS_SET_DECLARE(symbol) extern const gpis_set_class gpis_kind_##symbol;
GPIS_SET_LIST(GPIS_SET_DECLARE)
#undef GPIS_SET_DECLARE

/*
 * A constructor of gpis.h reads:
 *
 *     gpis_set *s = NULL;
 *     gpis_status status = gpis_set_begin(context, &gpis_kind_..., d, 1, false, out, &s);
 *     if (status == GPIS_OK) status = ...; for each thing that can fail
 *     return gpis_set_finish(s, status, out);
 */

/* Checks the arguments that all constructors have, sets *out to NULL and makes *s, a set of that class with a support
 * function; `matrix`: one that works on X of d x k as a whole. The kind sets the other fields. */
gpis_status gpis_set_begin(gpis_context *context, const gpis_set_class *class, int64_t d, int64_t k, bool matrix,
                           gpis_set **out, gpis_set **s);
/* Sets *out to s or, after a failure, destroys s; returns `status`. */
gpis_status gpis_set_finish(gpis_set *s, gpis_status status, gpis_set **out);
/* Writes s->spec. The format may use only strings and integers, which print the same in every locale. */
gpis_status gpis_set_describe(gpis_set *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Checks R; sets s->R, s->radius = R and the spec "NAME:R". */
gpis_status gpis_set_take_radius(gpis_set *s, double R);
gpis_status gpis_set_take_state(gpis_set *s, size_t size);    /* zeroed, so that destroy finds valid pointers or NULL */
gpis_status gpis_set_take_work(gpis_set *s, int64_t doubles); /* called at most once */

/* ---- names.c ---- */

void gpis_set_forget_names(gpis_set *set);
/* Takes copies of the names of a set's entries: entry i there is entry columns[i] here (NULL: i). Entries that have a
 * name keep it. */
gpis_status gpis_set_inherit_names(gpis_set *set, const gpis_set *from, const int64_t *columns);
/* The name of entry j: its own, or "x4" for j = 3, written to `text`. */
const char *gpis_set_entry_name(const char *const *names, int64_t j, char text[GPIS_NUMBER_TEXT]);

/* The `select` function of a kind whose set of fewer entries is of the same kind: calls its plain or of_radius
 * constructor for `count` entries. */
gpis_status gpis_set_select_alike(const gpis_set *whole, const int64_t *columns, int64_t count, gpis_set **out);

/* The `bounds` function of a kind whose entries are >= 0. */
void gpis_set_bounds_nonneg(const gpis_set *s, int64_t i, double *lo, double *hi);

/* The `turn` function of kinds that compare neighbours: z_1 = x_1, which is loose, and the jumps z_i = x_i - x_(i-1).
 */
void gpis_set_turn_jumps(const gpis_set *s, gpis_way way, int64_t count, const double *in, double *out);

/* SPEC@dct and SPEC@FILE.npy: `transform` is the text after the '@'. The new set owns the base, also after a failure.
 */
gpis_status gpis_set_parse_transform(gpis_set *base, gpis_spec *transform, gpis_set **out);

/* support_low of monotone and of tv (chain.c). */
gpis_status gpis_chain_monotone(gpis_set *s, gpis_multiplier *m);
gpis_status gpis_chain_tv(gpis_set *s, gpis_multiplier *m);

#endif
