/* What a set with a penalty holds, for the files that give its conjugate (penalty.c, set.c, multiplier.c). */
#ifndef GPIS_SET_PENALISED_H
#define GPIS_SET_PENALISED_H

#include "set/multiplier.h"
#include "set/penalty.h"

/* What is known of the signs and sizes of the entries of a member. */
typedef enum gpis_signs {
    GPIS_SIGNS_UNKNOWN,
    GPIS_SIGNS_APART,    /* there are bounds of single entries and nothing else */
    GPIS_SIGNS_FREE,     /* with s every t with |t_j| <= |s_j| is a member */
    GPIS_SIGNS_POSITIVE, /* x >= 0 */
    GPIS_SIGNS_OF_PARTS  /* a product: each block has its own */
} gpis_signs;

typedef struct gpis_penalised {
    gpis_signs signs;
    gpis_set **part; /* owned: the blocks of a product, with their penalties */
    int64_t parts;
    double *work; /* owned: 2 d */
} gpis_penalised;

/* gpis_set_prox for one column of X or, with `matrix`, for X as a whole. */
gpis_status gpis_set_prox_part(gpis_set *set, double step, const double *v, double *x);
/* gpis_set_support_near_part and gpis_set_support_low_part for a set with a penalty, one column. */
gpis_status gpis_penalised_conjugate(gpis_set *set, double *l, double *value, double *slack);
gpis_status gpis_penalised_conjugate_low(gpis_set *set, gpis_multiplier *m);
/* gpis_set_support_near_part as if the set had no penalty. */
gpis_status gpis_set_support_near_plain(gpis_set *set, double *v, double *value, double *slack);

#endif
