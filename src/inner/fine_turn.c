/* Changes of coordinates in double-double. */
#include <math.h>
#include <string.h>

#include "inner/fine.h"

gpis_status gpis_fine_make_turns(gpis_fine *f) {
    f->turns = gpis_alloc_zero(f->context, f->flat->turn_count, sizeof *f->turns);
    if (!f->turns) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < f->flat->turn_count; i++) {
        const gpis_set *set = f->flat->turns[i].set;
        gpis_fine_turn *turn = f->turns + i;
        if (!set->class->matrix_low) continue;
        turn->U = gpis_alloc(f->context, set->d * set->d, sizeof *turn->U);
        turn->U_low = gpis_alloc(f->context, set->d * set->d, sizeof *turn->U_low);
        if (!turn->U || !turn->U_low) return GPIS_NO_MEMORY;
        turn->error = set->class->matrix_low(set, turn->U, turn->U_low);
    }
    return GPIS_OK;
}

/* out := U in, or with `transposed` U'in. */
static void multiply(const gpis_fine_turn *t, int64_t d, bool transposed, const gpis_dd *in, gpis_dd *out) {
    for (int64_t i = 0; i < d; i++) out[i] = gpis_dd_of(0.0);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++) {
            const gpis_dd entry = {t->U[i * d + j], t->U_low[i * d + j]};
            if (transposed)
                out[j] = gpis_dd_add(out[j], gpis_dd_multiply(entry, in[i]));
            else
                out[i] = gpis_dd_add(out[i], gpis_dd_multiply(entry, in[j]));
        }
}

/* The differences of neighbours or, transposed, v_j - v_(j+1). */
static void turn_jumps(int64_t d, bool transposed, const gpis_dd *in, gpis_dd *out) {
    for (int64_t j = 0; j < d; j++) {
        const int64_t other = transposed ? j + 1 : j - 1;
        out[j] = other >= 0 && other < d ? gpis_dd_subtract(in[j], in[other]) : in[j];
    }
}

static void turn_one(const gpis_fine *f, int64_t which, bool transposed) {
    const gpis_fine_turn *t = f->turns + which;
    const int64_t d = f->flat->turns[which].set->d;
    if (t->U)
        multiply(t, d, transposed, f->in, f->out);
    else
        turn_jumps(d, transposed, f->in, f->out);
}

void gpis_fine_turn_in(const gpis_fine *f, gpis_dd *v) {
    for (int64_t i = 0; i < f->flat->turn_count; i++) {
        const gpis_flat_turn *t = f->flat->turns + i;
        for (int64_t j = 0; j < t->set->d; j++) f->in[j] = v[t->columns[j]];
        turn_one(f, i, false);
        for (int64_t j = 0; j < t->set->d; j++) v[t->columns[j]] = f->out[j];
    }
}

/*
 * A sum of d products in double-double is off by at most (d + 2) U times the sum of their sizes, and an entry of U by
 * `error` units more. A jump is one subtraction.
 */
static void carry_error(const gpis_fine *f, int64_t which, double *off) {
    const gpis_fine_turn *t = f->turns + which;
    const gpis_flat_turn *turn = f->flat->turns + which;
    const int64_t d = turn->set->d;
    for (int64_t i = 0; i < d; i++) {
        f->off_in[i] = off[turn->columns[i]];
        off[turn->columns[i]] = 0.0;
    }
    for (int64_t i = 0; t->U && i < d; i++) {
        const double size = fabs(f->in[i].high) * (1.0 + 0x1p-50) * GPIS_DD_UNIT;
        for (int64_t j = 0; j < d; j++) {
            const double entry = fabs(t->U[i * d + j]) * (1.0 + 0x1p-50);
            off[turn->columns[j]] += entry * (f->off_in[i] + ((double)d + 2.0) * size) +
                                     t->error * (GPIS_DD_UNIT * f->off_in[i] + 1.01 * size);
        }
    }
    for (int64_t i = 0; !t->U && i < d; i++) {
        const double next = i + 1 < d ? f->off_in[i + 1] : 0.0;
        off[turn->columns[i]] = f->off_in[i] + next + 1.01 * GPIS_DD_UNIT * fabs(f->out[i].high);
    }
}

void gpis_fine_turn_back(const gpis_fine *f, gpis_dd *v, double *off) {
    for (int64_t i = f->flat->turn_count - 1; i >= 0; i--) {
        const gpis_flat_turn *t = f->flat->turns + i;
        for (int64_t j = 0; j < t->set->d; j++) f->in[j] = v[t->columns[j]];
        turn_one(f, i, true);
        if (off) carry_error(f, i, off);
        for (int64_t j = 0; j < t->set->d; j++) v[t->columns[j]] = f->out[j];
    }
    for (int64_t j = 0; off && j < f->d; j++) off[j] *= 1.0 + 8.0 * (double)f->d * 0x1p-53;
}
