/* Multipliers in double-double: by the kind itself where it knows how, else from its support function in double. */
#include "set/multiplier.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/accurate.h"
#include "set/penalised.h"

static int64_t part_size(const gpis_set *s) { return s->matrix ? s->d * s->k : s->d; }

/* In the polar of the recession cone l_j = 0, or a change of l_j by support_near, leaves no room for l_low. Elsewhere
 * the radius of the core is a Lipschitz constant of the support function. */
static void keep_low(const gpis_set *s, const double *before, gpis_multiplier *m) {
    const int64_t size = part_size(s);
    for (int64_t i = 0; s->unbounded && i < size; i++)
        if (!s->exact_recession || m->l[i] == 0.0 || m->l[i] != before[i]) m->l_low[i] = 0.0;
    m->value += gpis_norm2(m->l_low, size) * s->radius * (1.0 + gpis_set_rounding(size));
}

gpis_status gpis_set_support_low_part(gpis_set *s, gpis_multiplier *m) {
    m->weighted = s->class->support_low != NULL && !s->penalised;
    if (s->penalised) return gpis_penalised_conjugate_low(s, m);
    if (m->weighted) return s->class->support_low(s, m);
    memcpy(m->work, m->l, (size_t)part_size(s) * sizeof *m->work);
    const gpis_status status = gpis_set_support_near_part(s, m->l, &m->value, &m->slack);
    if (status == GPIS_OK) keep_low(s, m->work, m);
    return status;
}

gpis_status gpis_set_support_low(gpis_set *s, gpis_multiplier *m) {
    if (s->matrix || s->k == 1) return gpis_set_support_low_part(s, m);
    const int64_t d = s->d, k = s->k;
    double *l = m->work, *l_low = l + d, *at = l_low + d, sizes = 0.0;
    gpis_status status = GPIS_OK;
    m->value = m->slack = 0.0;
    m->weighted = true;
    for (int64_t c = 0; c < k && status == GPIS_OK; c++) {
        gpis_multiplier column = {.l = l, .l_low = l_low, .at = at, .weight = m->weight, .work = at + d};
        for (int64_t j = 0; j < d; j++)
            l[j] = m->l[j * k + c], l_low[j] = m->l_low[j * k + c], at[j] = m->at[j * k + c];
        status = gpis_set_support_low_part(s, &column);
        for (int64_t j = 0; j < d; j++) m->l[j * k + c] = l[j], m->l_low[j * k + c] = l_low[j];
        m->value += column.value;
        m->weighted = m->weighted && column.weighted;
        sizes += fabs(column.value);
        m->slack = hypot(m->slack, column.slack);
    }
    m->value += (double)k * DBL_EPSILON * sizes; /* the rounding of the sum */
    return status;
}
