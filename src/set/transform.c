/*
 * SPEC@dct, SPEC@FILE.npy: K = {x : U x in base} for an orthogonal U, the orthonormal DCT-II or a d x d matrix.
 *   P(v) = U' P_base(U v),   support(g) = support_base(U g),   recession(v) = U' recession_base(U v).
 */
#include <cblas.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/npy.h"
#include "linalg/dct.h"
#include "set/kinds.h"

/* The base is s->inside. */
typedef struct transform_state {
    gpis_dct *dct; /* owned; NULL when U is a matrix */
    gpis_array U;  /* owned */
} transform_state;

static void destroy(gpis_set *s) {
    transform_state *t = s->state;
    if (!t) return;
    gpis_dct_destroy(t->dct);
    gpis_array_clear(s->context, &t->U);
}

/* z = U x for each vector x, or x = U'z; U is orthogonal, so T' = U too. */
static void turn(const gpis_set *s, gpis_way way, int64_t count, const double *in, double *out) {
    const transform_state *t = s->state;
    const bool forward = way != GPIS_TO_OUTSIDE;
    const int d = (int)s->d;
    for (int64_t c = 0; t->dct && c < count; c++)
        (forward ? gpis_dct_forward : gpis_dct_inverse)(t->dct, in + c * d, out + c * d);
    if (t->dct) return;
    if (count == 1)
        cblas_dgemv(CblasRowMajor, forward ? CblasNoTrans : CblasTrans, d, d, 1, t->U.data, d, in, 1, 0, out, 1);
    else
        cblas_dgemm(CblasRowMajor, CblasNoTrans, forward ? CblasTrans : CblasNoTrans, (int)count, d, d, 1, in, d,
                    t->U.data, d, 0, out, d);
}

static gpis_status conjugate(gpis_set *s, gpis_status (*map)(gpis_set *, const double *, double *), const double *v,
                             double *x) {
    turn(s, GPIS_TO_INSIDE, 1, v, s->work);
    const gpis_status status = map(s->inside, s->work, s->work);
    if (status == GPIS_OK) turn(s, GPIS_TO_OUTSIDE, 1, s->work, x);
    return status;
}

static gpis_status project(gpis_set *s, const double *v, double *x) {
    return conjugate(s, s->inside->class->project, v, x);
}

static gpis_status recession(gpis_set *s, const double *v, double *x) {
    return conjugate(s, s->inside->class->recession, v, x);
}

static gpis_status support(gpis_set *s, const double *g, double *value) {
    turn(s, GPIS_TO_INSIDE, 1, g, s->work);
    return s->inside->class->support(s->inside, s->work, value);
}

static const gpis_set_class transform_class = {
    .name = "@",
    .usage = "SPEC@dct or SPEC@FILE.npy",
    .project = project,
    .support = support,
    .recession = recession,
    .destroy = destroy,
    .turn = turn,
};

/* G = U U' (lower triangle) must be I to 1e-12: a U rounded to float32 would not keep the shape of the set. */
static gpis_status check_orthogonal(gpis_set *s, const double *G, const char *path) {
    const int64_t d = s->d;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++) {
            const double off = fabs(G[i * d + j] - (i == j));
            if (off > 1e-12)
                return gpis_fail(s->context, GPIS_BAD_SET,
                                 "%s: rows %lld and %lld are not orthonormal (U U' is off by %.3g there)", path,
                                 (long long)j + 1, (long long)i + 1, off);
        }
    return GPIS_OK;
}

/* Replaces U by 3/2 U - 1/2 (U U') U: one step of Newton and Schulz squares what U lacks of orthogonality, so that the
 * rest is rounding, as the promises of set.h have it. */
static gpis_status orthonormalise(gpis_set *s, const char *path) {
    transform_state *t = s->state;
    const int d = (int)s->d;
    double *G = gpis_alloc(s->context, s->d * s->d, sizeof(double));
    double *better = gpis_alloc(s->context, s->d * s->d, sizeof(double));
    gpis_status status = G && better ? GPIS_OK : GPIS_NO_MEMORY;
    if (status == GPIS_OK) {
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, d, d, 1, t->U.data, d, 0, G, d);
        status = check_orthogonal(s, G, path);
    }
    if (status == GPIS_OK) {
        memcpy(better, t->U.data, (size_t)(s->d * s->d) * sizeof *better);
        cblas_dsymm(CblasRowMajor, CblasLeft, CblasLower, d, d, -0.5, G, d, t->U.data, d, 1.5, better, d);
        memcpy(t->U.data, better, (size_t)(s->d * s->d) * sizeof *better);
    }
    gpis_free(s->context, G);
    gpis_free(s->context, better);
    return status;
}

static gpis_status read_matrix(gpis_set *s, const char *path) {
    transform_state *t = s->state;
    gpis_status status = gpis_npy_read(s->context, path, &t->U);
    if (status == GPIS_OK) status = gpis_array_finite(s->context, path, &t->U);
    if (status != GPIS_OK) return status;
    if (t->U.rows != s->d || t->U.cols != s->d || s->d > INT_MAX)
        return gpis_fail(s->context, GPIS_BAD_SHAPE, "%s: U must be %lld x %lld, not %lld x %lld", path,
                         (long long)s->d, (long long)s->d, (long long)t->U.rows, (long long)t->U.cols);
    return orthonormalise(s, path);
}

static gpis_status parse(gpis_set *s, gpis_spec *spec) {
    transform_state *t = s->state;
    const bool dct = spec->end - spec->at == 3 && memcmp(spec->at, "dct", 3) == 0;
    if (dct) {
        const gpis_status status = gpis_dct_create(s->context, s->d, &t->dct);
        return status == GPIS_OK ? gpis_set_describe(s, "%s@dct", s->inside->spec) : status;
    }
    if (!gpis_spec_is_file(spec)) return gpis_spec_fail(spec, spec->at, "expected dct or the name of a .npy file");
    char *path = NULL;
    gpis_status status = gpis_spec_file(spec, &path);
    if (status == GPIS_OK) status = gpis_spec_end(spec);
    if (status == GPIS_OK) status = read_matrix(s, path);
    if (status == GPIS_OK) status = gpis_set_describe(s, "%s@%s", s->inside->spec, path);
    gpis_free(s->context, path);
    return status;
}

gpis_status gpis_set_transform(gpis_set *base, gpis_spec *spec, int64_t k, gpis_set **out) {
    gpis_context *context = base->context;
    gpis_set *s = NULL;
    spec->usage = transform_class.usage;
    gpis_status status = GPIS_OK;
    if (base->class->matrix)
        status =
            gpis_spec_fail(spec, spec->at - 1, "%s works on X as a matrix and takes no transform", base->class->name);
    if (status == GPIS_OK) status = gpis_set_new(context, &transform_class, base->d, k, &s);
    if (status == GPIS_OK) status = gpis_set_take_state(s, sizeof(transform_state));
    if (status != GPIS_OK) {
        gpis_set_destroy(base);
        gpis_set_destroy(s);
        return status;
    }
    s->inside = base;
    s->radius = base->radius;
    s->unbounded = base->unbounded;
    status = gpis_set_take_work(s, s->d);
    if (status == GPIS_OK) status = parse(s, spec);
    if (status != GPIS_OK) {
        gpis_set_destroy(s);
        return status;
    }
    *out = s;
    return GPIS_OK;
}
