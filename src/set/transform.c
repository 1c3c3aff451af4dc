/*
 * SPEC@dct, SPEC@FILE.npy, or from memory: K = {x : U x in base} for an orthogonal U, the orthonormal DCT-II or a d x d
 * matrix.
 *   P(v) = U' P_base(U v),   support(g) = support_base(U g),   recession(v) = U' recession_base(U v).
 *
 * Of a matrix that is orthogonal to 1e-12 only, U^-1 takes the place of U', so that members are members of K as it was
 * given; the projection is then as good as that. So are certificates: for any invertible U and any mu,
 * support_K(U'mu) = support_base(mu). So support_near takes mu = U^-T v, as good as it comes, and w = U'mu.
 */
#include <cblas.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/npy.h"
#include "linalg/accurate.h"
#include "linalg/blas.h"
#include "linalg/dct.h"
#include "set/combine.h"
#include "set/kinds.h"

/* The base is s->inside. */
typedef struct transform_state {
    gpis_dct *dct; /* owned; NULL when U is a matrix */
    double *given; /* owned: U, as the caller has given it */
    double *back;  /* owned: U^-T to working accuracy */
} transform_state;

static void destroy(gpis_set *s) {
    transform_state *t = s->state;
    gpis_dct_destroy(t->dct);
    gpis_free(s->context, t->given);
    gpis_free(s->context, t->back);
}

/* z = U x for each vector x, or x = U^-1 z = T z; T' = U^-T, and T^-T = U'. */
static void turn(const gpis_set *s, gpis_way way, int64_t count, const double *in, double *out) {
    const transform_state *t = s->state;
    const bool forward = way == GPIS_TO_INSIDE || way == GPIS_TRANSPOSED;
    const double *U = way == GPIS_TO_INSIDE || way == GPIS_TRANSPOSED_BACK ? t->given : t->back;
    const int d = (int)s->d;
    for (int64_t c = 0; t->dct && c < count; c++)
        (forward ? gpis_dct_forward : gpis_dct_inverse)(t->dct, in + c * d, out + c * d);
    if (t->dct) return;
    if (count == 1)
        cblas_dgemv(CblasRowMajor, forward ? CblasNoTrans : CblasTrans, d, d, 1, U, d, in, 1, 0, out, 1);
    else
        cblas_dgemm(CblasRowMajor, CblasNoTrans, forward ? CblasTrans : CblasNoTrans, (int)count, d, d, 1, in, d, U, d,
                    0, out, d);
}

static double matrix_low(const gpis_set *s, double *U, double *U_low) {
    const transform_state *t = s->state;
    if (t->dct) return gpis_dct_matrix(s->d, U, U_low);
    memcpy(U, t->given, (size_t)(s->d * s->d) * sizeof *U);
    memset(U_low, 0, (size_t)(s->d * s->d) * sizeof *U_low);
    return 0.0;
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
    turn(s, GPIS_TRANSPOSED, 1, g, s->work);
    return s->inside->class->support(s->inside, s->work, value);
}

static const double NOT_ORTHOGONAL = 1e-12; /* what an entry of U U' may be off from that of I */

/* ||U'mu - w|| for the real numbers U'mu, where w is what is computed in its place; U is the matrix as given. */
static double turn_back(const gpis_set *s, const double *mu, double *w) {
    const transform_state *t = s->state;
    if (t->given) return gpis_combine_rows(t->given, s->d, s->d, mu, w);
    gpis_dct_inverse(t->dct, mu, w);
    return gpis_set_rounding(s->d) * gpis_norm2(mu, s->d);
}

static gpis_status support_near(gpis_set *s, double *v, double *value, double *slack) {
    const transform_state *t = s->state;
    double *mu = s->work, *w = s->work + s->d, lost;
    turn(s, GPIS_TRANSPOSED, 1, v, mu);
    const gpis_status status = gpis_set_support_near_part(s->inside, mu, value, &lost);
    if (status != GPIS_OK) return status;
    /* ||U|| and ||U^-1|| are at most this */
    const double stretch = t->given ? 1.0 + (double)s->d * NOT_ORTHOGONAL : 1.0;
    const double error = turn_back(s, mu, w);
    *slack = 0.0;
    if (s->unbounded) {
        memcpy(v, w, (size_t)s->d * sizeof *v);
        *slack = lost * stretch + error;
    } else {
        /* the support function of K at v is that at U'mu and, at most, the distance between the two times the radius */
        for (int64_t i = 0; i < s->d; i++) w[i] = v[i] - w[i];
        const double moved = gpis_norm2(w, s->d) * (1.0 + gpis_set_rounding(s->d));
        *value += (moved + error) * s->radius * stretch;
    }
    return GPIS_OK;
}

static const gpis_set_class transform_class = {
    .name = "transform",
    .usage = "SPEC@dct or SPEC@FILE.npy",
    .project = project,
    .support = support,
    .recession = recession,
    .support_near = support_near,
    .destroy = destroy,
    .turn = turn,
    .matrix_low = matrix_low,
};

/* G = U U' (lower triangle) must be I to within 1e-12: a U rounded to float32 would distort the set. */
static gpis_status check_orthogonal(gpis_set *s, const double *G, const char *path) {
    const int64_t d = s->d;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++) {
            const double off = fabs(G[i * d + j] - (i == j));
            if (off > NOT_ORTHOGONAL)
                return gpis_fail(s->context, GPIS_BAD_SET,
                                 "%s: rows %lld and %lld are not orthonormal (U U' is off by %.3g there)", path,
                                 (long long)j + 1, (long long)i + 1, off);
        }
    return GPIS_OK;
}

/* Makes U^-T = (U U')^-1 U: it is 2 U - (U U') U up to the square of U U' - I, which is below rounding. */
static gpis_status invert(gpis_set *s, const char *path) {
    transform_state *t = s->state;
    const int d = (int)s->d;
    double *G = gpis_alloc(s->context, s->d * s->d, sizeof(double));
    double *better = gpis_alloc(s->context, s->d * s->d, sizeof(double));
    gpis_status status = G && better ? GPIS_OK : GPIS_NO_MEMORY;
    if (status == GPIS_OK) {
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, d, d, 1, t->back, d, 0, G, d);
        status = check_orthogonal(s, G, path);
    }
    if (status == GPIS_OK) {
        memcpy(better, t->back, (size_t)(s->d * s->d) * sizeof *better);
        cblas_dsymm(CblasRowMajor, CblasLeft, CblasLower, d, d, -1, G, d, t->back, d, 2, better, d);
        memcpy(t->back, better, (size_t)(s->d * s->d) * sizeof *better);
    }
    gpis_free(s->context, G);
    gpis_free(s->context, better);
    return status;
}

/* A copy of U, and U^-T. `name` is what messages call it. */
static gpis_status take_matrix(gpis_set *s, const double *U, const char *name) {
    const gpis_array array = {(double *)U, s->d, s->d, 2}; /* only read */
    transform_state *t = s->state;
    const gpis_status status = gpis_array_finite(s->context, name, &array);
    if (status != GPIS_OK) return status;
    t->back = gpis_alloc(s->context, s->d * s->d, sizeof(double));
    t->given = gpis_alloc(s->context, s->d * s->d, sizeof(double));
    if (!t->back || !t->given) return GPIS_NO_MEMORY;
    memcpy(t->back, U, (size_t)(s->d * s->d) * sizeof *U);
    memcpy(t->given, U, (size_t)(s->d * s->d) * sizeof *U);
    return invert(s, name);
}

/* U as the caller gives it; NULL: the DCT. */
typedef struct given_matrix {
    const double *U;         /* borrowed */
    const char *name, *text; /* for messages, and in the spec */
} given_matrix;

static gpis_status check_base(gpis_context *context, const gpis_set *base) {
    if (!context) return GPIS_BAD_ARGUMENT;
    if (!base) return gpis_fail(context, GPIS_BAD_ARGUMENT, "a transform needs the set it is for");
    if (base->context != context)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "set %.150s: was made with another context", base->spec);
    if (base->matrix)
        return gpis_fail(context, GPIS_BAD_SET, "set %.150s: works on X as a matrix and takes no transform",
                         base->spec);
    return GPIS_OK;
}

static gpis_status make(gpis_context *context, gpis_set *base, const given_matrix *given, gpis_set **out) {
    gpis_set *s = NULL;
    if (out) *out = NULL;
    gpis_status status = check_base(context, base);
    if (status == GPIS_OK) status = gpis_set_begin(context, &transform_class, base->d, 1, false, out, &s);
    const bool compound = status == GPIS_OK && gpis_spec_is_compound(base->spec);
    if (status == GPIS_OK)
        status = gpis_set_describe(s, "%s%s%s@%s", compound ? "(" : "", base->spec, compound ? ")" : "", given->text);
    if (status == GPIS_OK) status = gpis_set_take_state(s, sizeof(transform_state));
    if (status == GPIS_OK) status = gpis_set_take_work(s, 2 * s->d);
    if (status == GPIS_OK && given->U) status = take_matrix(s, given->U, given->name);
    if (status == GPIS_OK && !given->U) status = gpis_dct_create(context, s->d, &((transform_state *)s->state)->dct);
    if (status == GPIS_OK) {
        s->k = base->k;
        s->inside = base;
        s->radius = base->radius;
        s->unbounded = base->unbounded;
        s->iterative = base->iterative;
        s->has_support = base->has_support;
    }
    return gpis_set_finish(s, status, out);
}

gpis_status gpis_set_transform(gpis_context *context, gpis_set *base, const double *U, gpis_set **out) {
    char text[GPIS_NUMBER_TEXT];
    if (out) *out = NULL;
    int outside;
    gpis_status status = check_base(context, base);
    if (status != GPIS_OK) return status;
    if (!U)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "set %.150s: the matrix U of its transform is NULL", base->spec);
    if (base->d > INT_MAX)
        return gpis_fail(context, GPIS_TOO_LARGE, "U of %lld x %lld is too large", (long long)base->d,
                         (long long)base->d);
    gpis_content_text(U, base->d * base->d, text);
    status = gpis_blas_enter(context, 1, &outside);
    if (status == GPIS_OK) status = make(context, base, &(given_matrix){U, "U", text}, out);
    gpis_blas_leave(outside);
    return status;
}

gpis_status gpis_set_dct(gpis_context *context, gpis_set *base, gpis_set **out) {
    return make(context, base, &(given_matrix){.text = "dct"}, out);
}

/* ---- from a spec ------------------------------------------------------------------------------------------------- */

static gpis_status parse_file(gpis_set *base, gpis_spec *spec, gpis_set **out) {
    gpis_spec_name file = {0};
    gpis_array U = {0};
    gpis_status status = gpis_spec_file(spec, &file);
    if (status == GPIS_OK) status = gpis_spec_end(spec);
    if (status == GPIS_OK) status = gpis_npy_read(spec->context, file.path, &U);
    if (status == GPIS_OK && (U.rows != base->d || U.cols != base->d || base->d > INT_MAX))
        status = gpis_fail(spec->context, GPIS_BAD_SHAPE, "%s: U must be %lld x %lld, not %lld x %lld", file.path,
                           (long long)base->d, (long long)base->d, (long long)U.rows, (long long)U.cols);
    if (status == GPIS_OK) status = make(spec->context, base, &(given_matrix){U.data, file.path, file.text}, out);
    gpis_spec_name_clear(spec->context, &file);
    gpis_array_clear(spec->context, &U);
    return status;
}

gpis_status gpis_set_parse_transform(gpis_set *base, gpis_spec *spec, gpis_set **out) {
    const bool dct = spec->end - spec->at == 3 && memcmp(spec->at, "dct", 3) == 0;
    gpis_status status;
    spec->usage = transform_class.usage;
    if (base->matrix)
        status =
            gpis_spec_fail(spec, spec->at - 1, "%s works on X as a matrix and takes no transform", base->class->name);
    else if (dct)
        status = gpis_set_dct(spec->context, base, out);
    else if (gpis_spec_is_file(spec))
        status = parse_file(base, spec, out);
    else
        status = gpis_spec_fail(spec, spec->at, "expected dct or the name of a .npy file");
    if (status == GPIS_OK)
        (*out)->owns_inside = true;
    else
        gpis_set_destroy(base);
    return status;
}
