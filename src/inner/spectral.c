/* The problem over a ball of the nuclear norm: memory, evaluation, and the way along the path. */
#include "inner/spectral.h"

#include <math.h>
#include <string.h>

#include "linalg/dd_factor.h"
#include "linalg/dd_spectral.h"

bool gpis_spectral_applies(const gpis_set *set) {
    return set->shape == GPIS_SHAPE_NUCLEAR && !set->penalty && set->R > 0.0;
}

/* ---- memory ---- */

static gpis_status take_memory(gpis_spectral *s) {
    const int64_t d = s->d, k = s->k, q = k * (k + 1) / 2;
    const struct {
        void **place;
        int64_t count;
        size_t size;
    } all[] = {{(void **)&s->factor, k * d * d, sizeof(double)},
               {(void **)&s->low, k * d * d, sizeof(double)},
               {(void **)&s->B, k * d, sizeof(gpis_dd)},
               {(void **)&s->x, k * d, sizeof(gpis_dd)},
               {(void **)&s->m, k * d, sizeof(gpis_dd)},
               {(void **)&s->Gm, (k + 1) * d, sizeof(gpis_dd)},
               {(void **)&s->nu, k, sizeof(gpis_dd)},
               {(void **)&s->tried, k, sizeof(gpis_dd)},
               {(void **)&s->Q, k * k, sizeof(gpis_dd)},
               {(void **)&s->Q_tried, k * k, sizeof(gpis_dd)},
               {(void **)&s->S, k * k, sizeof(gpis_dd)},
               {(void **)&s->square, k * k, sizeof(gpis_dd)},
               {(void **)&s->turned, k * k, sizeof(gpis_dd)},
               {(void **)&s->T, k * k * k, sizeof(double)},
               {(void **)&s->K, k * k, sizeof(double)},
               {(void **)&s->step, k * k, sizeof(double)},
               {(void **)&s->matrix, q * q, sizeof(double)},
               {(void **)&s->side, q, sizeof(double)},
               {(void **)&s->pivots, q, sizeof(int32_t)},
               {(void **)&s->v, d, sizeof(double)},
               {(void **)&s->v_low, d, sizeof(double)}};
    bool enough = true;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        enough = (*all[i].place = gpis_alloc(s->context, all[i].count, all[i].size)) && enough;
    return enough ? GPIS_OK : GPIS_NO_MEMORY;
}

gpis_status gpis_spectral_create(gpis_context *context, const gpis_set *set, const gpis_fine *fine,
                                 gpis_spectral **out) {
    gpis_spectral *s = *out = gpis_alloc_zero(context, 1, sizeof *s);
    if (!s) return GPIS_NO_MEMORY;
    s->context = context;
    s->fine = fine;
    s->d = set->d;
    s->k = set->k;
    s->R = set->R * fine->unit;
    const gpis_status status = take_memory(s);
    if (status == GPIS_OK) return GPIS_OK;
    gpis_spectral_destroy(s);
    *out = NULL;
    return status;
}

void gpis_spectral_destroy(gpis_spectral *s) {
    if (!s) return;
    void *const all[] = {s->factor, s->low,  s->B,       s->x,    s->m,      s->Gm,     s->nu,
                         s->tried,  s->Q,    s->Q_tried, s->S,    s->square, s->turned, s->T,
                         s->K,      s->step, s->matrix,  s->side, s->pivots, s->v,      s->v_low};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpis_free(s->context, all[i]);
    gpis_free(s->context, s);
}

double gpis_spectral_memory(int64_t d, int64_t k) {
    const double n = (double)d, r = (double)k, q = 0.5 * r * (r + 1.0);
    return 8.0 * (2.0 * r * n * n + (8.0 * r + 4.0) * n + 12.0 * r * r + r * r * r + q * q + 2.0 * q) + 4096.0;
}

/* ---- a point ---- */

/* A response, or what N's eigenvector c makes of all of them. */
static gpis_dd response_of(const gpis_spectral *s, const gpis_dd *Q, int64_t c, int64_t j) {
    gpis_dd sum = {0.0, 0.0};
    for (int64_t a = 0; a < s->k; a++) sum = gpis_dd_add(sum, gpis_dd_multiply(s->B[a * s->d + j], Q[a * s->k + c]));
    return sum;
}

static bool factor_with(gpis_spectral *s, gpis_dd nu, double *R, double *low) {
    const gpis_fine *f = s->fine;
    const int64_t d = s->d;
    memcpy(R, f->G, (size_t)(d * d) * sizeof *R);
    memcpy(low, f->G_low, (size_t)(d * d) * sizeof *low);
    for (int64_t j = 0; j < d; j++) {
        const gpis_dd more = gpis_dd_add(nu, gpis_dd_of(s->shift * f->shift[j]));
        const gpis_dd sum = gpis_dd_add((gpis_dd){R[j * (d + 1)], low[j * (d + 1)]}, more);
        R[j * (d + 1)] = sum.high, low[j * (d + 1)] = sum.low;
    }
    return gpis_dd_factor(s->context->threads, NULL, d, R, low);
}

/* x_c = (G + nu_c)^-1 b_c and m_c = nu_c x_c. */
static bool solve_for(gpis_spectral *s, int64_t c, gpis_dd nu, const gpis_dd *Q) {
    const int64_t d = s->d;
    double *R = s->factor + c * d * d, *low = s->low + c * d * d;
    if (!factor_with(s, nu, R, low)) return false;
    for (int64_t j = 0; j < d; j++) {
        const gpis_dd b = response_of(s, Q, c, j);
        s->v[j] = b.high, s->v_low[j] = b.low;
    }
    gpis_dd_whiten(d, R, low, s->v, s->v_low);
    gpis_dd_unwhiten(d, R, low, s->v, s->v_low);
    for (int64_t j = 0; j < d; j++) {
        s->x[c * d + j] = (gpis_dd){s->v[j], s->v_low[j]};
        s->m[c * d + j] = gpis_dd_multiply(nu, s->x[c * d + j]);
    }
    return true;
}

/* lambda^2 = (R / tr(N^-1))^2, S, and K with its mean of diagonal entries, which is mu. */
static void find_slack(gpis_spectral *s, const gpis_dd *nu) {
    const int64_t d = s->d, k = s->k;
    gpis_dd trace = {0.0, 0.0};
    for (int64_t c = 0; c < k; c++) trace = gpis_dd_add(trace, gpis_dd_divide(gpis_dd_of(1.0), nu[c]));
    const gpis_dd lambda = gpis_dd_divide(gpis_dd_of(s->R), trace), square = gpis_dd_multiply(lambda, lambda);
    s->lambda2 = square.high;
    s->mu = 0.0;
    for (int64_t a = 0; a < k; a++)
        for (int64_t b = 0; b < k; b++) {
            gpis_dd sum = a == b ? square : gpis_dd_of(0.0);
            for (int64_t j = 0; j < d; j++)
                sum = gpis_dd_subtract(sum, gpis_dd_multiply(s->m[a * d + j], s->m[b * d + j]));
            s->S[a * k + b] = sum;
            s->K[a * k + b] = gpis_dd_value(sum) / sqrt(nu[a].high) / sqrt(nu[b].high);
            if (a == b) s->mu += s->K[a * k + b] / (double)k;
        }
}

/* Whether K - share mu I is positive definite; `square` is scratch. */
static bool is_central(const gpis_spectral *s) {
    static const double SHARE = 0.02;
    const int64_t k = s->k;
    double *high = (double *)s->square, *low = high + k * k;
    for (int64_t i = 0; i < k * k; i++) high[i] = s->K[i] - (i % (k + 1) == 0 ? SHARE * s->mu : 0.0), low[i] = 0.0;
    return s->mu > 0.0 && isfinite(s->mu) && gpis_dd_factor(1, NULL, k, high, low);
}

/* Evaluates the point that is tried. */
static bool evaluate(gpis_spectral *s) {
    for (int64_t c = 0; c < s->k; c++)
        if (!(s->tried[c].high > 0.0) || !solve_for(s, c, s->tried[c], s->Q_tried)) return false;
    find_slack(s, s->tried);
    return is_central(s);
}

static void accept(gpis_spectral *s) {
    memcpy(s->nu, s->tried, (size_t)s->k * sizeof *s->nu);
    memcpy(s->Q, s->Q_tried, (size_t)(s->k * s->k) * sizeof *s->Q);
}

/* ---- the way ---- */

static void try_identity(gpis_spectral *s, double nu) {
    for (int64_t i = 0; i < s->k * s->k; i++) s->Q_tried[i] = gpis_dd_of(i % (s->k + 1) == 0 ? 1.0 : 0.0);
    for (int64_t c = 0; c < s->k; c++) s->tried[c] = gpis_dd_of(nu);
}

/* Begins with the smallest multiple of the identity, but for a factor, for which X is well inside: k ||X||_2 <= R / 2,
 * and S is nearly lambda^2 I. With nu = 2 k ||B|| / R it is, since ||X|| <= ||B|| / nu. */
static bool start(gpis_spectral *s) {
    static const double SMALLER = 1e-3, LEAST = 1e-30;
    double size2 = 0.0;
    for (int64_t i = 0; i < s->k * s->d; i++) size2 += s->B[i].high * s->B[i].high;
    double nu = fmax(LEAST, 2.0 * (double)s->k * sqrt(size2) / s->R);
    for (bool inside = true; inside && nu > LEAST; nu *= inside ? SMALLER : 1.0) {
        double norm2 = 0.0;
        try_identity(s, nu * SMALLER);
        inside = evaluate(s);
        for (int64_t i = 0; i < s->k * s->d; i++) norm2 += s->x[i].high * s->x[i].high;
        inside = inside && (double)s->k * sqrt(norm2) <= 0.5 * s->R;
    }
    try_identity(s, nu);
    if (!evaluate(s)) return false;
    accept(s);
    return true;
}

/* The factor of N for an eigenvalue of the step F of P: as P shrinks, P (1 + F) is the next one, and as it grows, N (1
 * - F): where X vanishes, P shrinks in proportion to mu, and where the ball does not bind, N does. */
static gpis_dd factor_for(gpis_dd F, double length) {
    const gpis_dd step = gpis_dd_scale(F, length), one = gpis_dd_of(1.0);
    return step.high > 0.0 ? gpis_dd_subtract(one, step) : gpis_dd_divide(one, gpis_dd_add(one, step));
}

/* N^1/2 (Z diag(factors) Z') N^1/2 in `square`, where the columns of `turned` are Z, and the eigenvalues in `tried`. */
static void scale_up(gpis_spectral *s) {
    const int64_t k = s->k;
    for (int64_t a = 0; a < k; a++)
        for (int64_t b = 0; b < k; b++) {
            gpis_dd sum = {0.0, 0.0};
            for (int64_t c = 0; c < k; c++) {
                const gpis_dd left = gpis_dd_multiply(s->turned[a * k + c], s->tried[c]);
                sum = gpis_dd_add(sum, gpis_dd_multiply(left, s->turned[b * k + c]));
            }
            const gpis_dd root = gpis_dd_multiply(gpis_dd_sqrt(s->nu[a]), gpis_dd_sqrt(s->nu[b]));
            s->square[a * k + b] = gpis_dd_multiply(root, sum);
        }
}

/* Tries a part of the step. */
static bool go(gpis_spectral *s, double length) {
    const int64_t k = s->k;
    for (int64_t i = 0; i < k * k; i++) {
        s->square[i] = gpis_dd_of(s->step[i]);
        s->turned[i] = gpis_dd_of(i % (k + 1) == 0 ? 1.0 : 0.0);
    }
    gpis_dd_eigen(k, s->square, s->turned);
    for (int64_t c = 0; c < k; c++) {
        s->tried[c] = factor_for(s->square[c * (k + 1)], length);
        if (!(s->tried[c].high > 0.0)) return false;
    }
    scale_up(s);
    memcpy(s->Q_tried, s->Q, (size_t)(k * k) * sizeof *s->Q);
    gpis_dd_eigen(k, s->square, s->Q_tried);
    for (int64_t c = 0; c < k; c++) s->tried[c] = s->square[c * (k + 1)];
    return evaluate(s);
}

/* A step towards `share` of the present mu, shortened until the next point is near the path. Returns its length; 0:
 * there is no such step, and the point is the one before. */
static double advance(gpis_spectral *s, double share) {
    static const double LENGTHS[] = {1.0, 0.9, 0.7, 0.4, 0.2, 0.1, 0.03};
    const double mu = s->mu;
    const bool known = gpis_spectral_direction(s, share * mu);
    for (size_t i = 0; i < sizeof LENGTHS / sizeof *LENGTHS && known; i++) {
        if (!go(s, LENGTHS[i])) continue;
        accept(s);
        s->steps++;
        return LENGTHS[i];
    }
    memcpy(s->tried, s->nu, (size_t)s->k * sizeof *s->nu);
    memcpy(s->Q_tried, s->Q, (size_t)(s->k * s->k) * sizeof *s->Q);
    evaluate(s);
    return 0.0;
}

/* X = (the rows x_c) times Q', in the units of the caller. */
static void hand_out(const gpis_spectral *s, const gpis_fine_point *v) {
    const int64_t d = s->d, k = s->k;
    for (int64_t j = 0; j < d; j++)
        for (int64_t a = 0; a < k; a++) {
            gpis_dd sum = {0.0, 0.0};
            for (int64_t c = 0; c < k; c++) sum = gpis_dd_add(sum, gpis_dd_multiply(s->x[c * d + j], s->Q[a * k + c]));
            v->x[j * k + a] = sum.high / s->fine->unit;
            v->x_low[j * k + a] = sum.low / s->fine->unit;
        }
}

/* After a full step the next one aims far, after a short one it goes back towards the path first. */
static double next_share(double length) {
    static const double FAR = 0.01;
    return fmax(FAR, (1.0 - length) * (1.0 - length));
}

void gpis_spectral_solve(gpis_spectral *s, gpis_fine_aim aim, const gpis_fine_point *v) {
    enum { MAX_STEPS = 100 };
    static const double FLOOR = 1e-28; /* of lambda R: there S is lost in rounding */
    const double enough = 0.5 * aim.goal / s->fine->response / s->fine->response, k = (double)s->k;
    s->shift = aim.shift;
    for (int64_t c = 0; c < s->k; c++)
        for (int64_t j = 0; j < s->d; j++) s->B[c * s->d + j] = gpis_fine_entry(s->fine, j, s->d + c);
    bool goes_on = start(s);
    if (!goes_on) {
        memset(s->x, 0, (size_t)(s->k * s->d) * sizeof *s->x); /* no point of the path can be had: X = 0 */
        try_identity(s, 1.0);
        accept(s);
    }
    double share = next_share(1.0);
    for (int i = 0; i < MAX_STEPS && goes_on; i++) {
        if (k * s->mu <= fmax(enough, FLOOR * sqrt(s->lambda2) * s->R) || gpis_is_stopped(aim.stop)) break;
        const double length = advance(s, share);
        goes_on = length > 0.0 || share < 1.0;
        share = next_share(length);
    }
    hand_out(s, v);
}

gpis_status gpis_spectral_multiplier(gpis_context *context, const gpis_set *set, const gpis_point *v,
                                     gpis_known_multiplier *l) {
    const int64_t size = set->d * set->k;
    gpis_dd *work = gpis_alloc(context, 4 * set->k * set->k, sizeof *work);
    if (!work) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < size; i++) l->l[i] = -2.0 * v->g[i], l->l_low[i] = -2.0 * v->g_low[i], l->off[i] = 0.0;
    const gpis_dd norm = gpis_dd_spectral_norm(set->d, set->k, l->l, l->l_low, work);
    const gpis_dd most = gpis_dd_scale(norm, set->R);
    l->support = gpis_dd_add(most, gpis_dd_of(4.0 * GPIS_DD_UNIT * most.high));
    gpis_free(context, work);
    return GPIS_OK;
}
