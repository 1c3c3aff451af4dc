/* The problem in double-double: its memory and its data. */
#include "inner/fine.h"

#include <math.h>
#include <string.h>

#include "linalg/dd_factor.h"

/* ---- memory ---- */

/* d x d numbers each, of which the last are needed only where z is not x. */
static bool take_squares(gpis_fine *f) {
    double **squares[] = {&f->G, &f->G_low, &f->H, &f->H_low, &f->M,  &f->M_low,
                          &f->P, &f->P_low, &f->B, &f->B_low, &f->BP, &f->BP_low};
    const int count = f->flat->turn_count > 0 ? 12 : 6;
    bool all = true;
    for (int i = 0; i < count; i++) all = (*squares[i] = gpis_alloc(f->context, f->d * f->d, sizeof(double))) && all;
    return all;
}

static bool take_equation_memory(gpis_fine *f) {
    gpis_context *context = f->context;
    const int64_t rows = f->equalities, most = rows + f->limits + f->balls;
    double **given[] = {&f->E, &f->EP, &f->EP_low}, **wide[] = {&f->V, &f->V_low}, **squares[] = {&f->S, &f->S_low};
    gpis_dd **vectors[] = {&f->nu, &f->dnu, &f->wide, &f->give, &f->pull};
    int64_t **places[] = {&f->stiff_row, &f->stiff_at};
    bool all = true;
    for (int i = 0; i < 3; i++) all = (*given[i] = gpis_alloc_zero(context, rows * f->d, sizeof(double))) && all;
    for (int i = 0; i < 2; i++) all = (*wide[i] = gpis_alloc(context, most * f->d, sizeof(double))) && all;
    for (int i = 0; i < 2; i++) all = (*squares[i] = gpis_alloc(context, most * most, sizeof(double))) && all;
    for (int i = 0; i < 5; i++) all = (*vectors[i] = gpis_alloc_zero(context, most, sizeof(gpis_dd))) && all;
    for (int i = 0; i < 2; i++) all = (*places[i] = gpis_alloc(context, f->limits, sizeof(int64_t))) && all;
    f->e = gpis_alloc(context, rows, sizeof *f->e);
    f->rho = gpis_alloc(context, rows, sizeof *f->rho);
    return all && f->e && f->rho;
}

static bool take_size_memory(gpis_fine *f) {
    gpis_context *context = f->context;
    const int64_t q = f->balls, own = f->lift ? f->own : 0;
    gpis_dd **of_balls[] = {&f->dball, &f->pull_ball}, **squares[] = {&f->gamma, &f->gamma_scratch};
    gpis_dd **of_entries[] = {&f->t, &f->dt, &f->rt, &f->want};
    double **normals[] = {&f->normal, &f->normal_low};
    gpis_fine_pair **pairs[] = {&f->plus, &f->minus};
    bool all = true;
    for (int i = 0; i < 2; i++) all = (*of_balls[i] = gpis_alloc_zero(context, q, sizeof(gpis_dd))) && all;
    for (int i = 0; i < 2; i++) all = (*squares[i] = gpis_alloc(context, q * q, sizeof(gpis_dd))) && all;
    for (int i = 0; i < 4; i++) all = (*of_entries[i] = gpis_alloc_zero(context, own, sizeof(gpis_dd))) && all;
    for (int i = 0; i < 2; i++) all = (*normals[i] = gpis_alloc(context, q * f->d, sizeof(double))) && all;
    for (int i = 0; i < 2; i++) all = (*pairs[i] = gpis_alloc_zero(context, own, sizeof(gpis_fine_pair))) && all;
    f->ball = gpis_alloc_zero(context, q, sizeof *f->ball);
    f->rho_ball = gpis_alloc(context, q, sizeof *f->rho_ball);
    return all && f->ball && f->rho_ball;
}

static gpis_status take_memory(gpis_fine *f) {
    gpis_context *context = f->context;
    gpis_dd **vectors[] = {&f->b, &f->x,      &f->z,      &f->p,     &f->r,  &f->step, &f->y, &f->dy,
                           &f->w, &f->lambda, &f->second, &f->right, &f->in, &f->out,  &f->u, &f->v};
    double **numbers[] = {&f->unit_x, &f->shift, &f->off, &f->off_in};
    gpis_fine_pair **pairs[3] = {&f->lower, &f->upper, &f->sums};
    bool all = take_squares(f);
    all = take_equation_memory(f) && all;
    all = take_size_memory(f) && all;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        all = (*vectors[i] = gpis_alloc_zero(context, f->d, sizeof(gpis_dd))) && all;
    for (int i = 0; i < 4; i++) all = (*numbers[i] = gpis_alloc(context, f->d, sizeof(double))) && all;
    for (int i = 0; i < 3; i++)
        all = (*pairs[i] = gpis_alloc_zero(context, f->d + f->limits, sizeof **pairs[i])) && all;
    all = (f->near = gpis_alloc(context, f->d + f->limits, sizeof *f->near)) && all;
    f->cones = gpis_alloc_zero(context, f->d, sizeof *f->cones);
    return all && f->cones ? GPIS_OK : GPIS_NO_MEMORY;
}

void gpis_fine_destroy(gpis_fine *f) {
    if (!f) return;
    for (int64_t i = 0; f->turns && i < f->flat->turn_count; i++) {
        gpis_free(f->context, f->turns[i].U);
        gpis_free(f->context, f->turns[i].U_low);
    }
    gpis_flat_destroy(f->flat);
    gpis_lift_destroy(f->lift);
    void *const all[] = {f->turns,     f->G,
                         f->G_low,     f->H,
                         f->H_low,     f->P,
                         f->P_low,     f->B,
                         f->B_low,     f->BP,
                         f->BP_low,    f->M,
                         f->M_low,     f->near,
                         f->unit_x,    f->shift,
                         f->E,         f->e,
                         f->rho,       f->EP,
                         f->EP_low,    f->V,
                         f->V_low,     f->S,
                         f->S_low,     f->nu,
                         f->dnu,       f->wide,
                         f->lower,     f->upper,
                         f->sums,      f->cones,
                         f->b,         f->x,
                         f->r,         f->step,
                         f->z,         f->p,
                         f->y,         f->dy,
                         f->w,         f->lambda,
                         f->second,    f->right,
                         f->in,        f->out,
                         f->u,         f->v,
                         f->off,       f->off_in,
                         f->give,      f->pull,
                         f->stiff_row, f->stiff_at,
                         f->ball,      f->dball,
                         f->pull_ball, f->rho_ball,
                         f->normal,    f->normal_low,
                         f->gamma,     f->gamma_scratch,
                         f->plus,      f->minus,
                         f->t,         f->dt,
                         f->rt,        f->want};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpis_free(f->context, all[i]);
    gpis_free(f->context, f);
}

/* Twelve squares, two of a transform, five arrays of equations and two of their products, and vectors; the equations of
 * a polyhedron are held as a list, too. */
double gpis_fine_memory(const gpis_set *set) {
    enum { VECTORS = 145 };
    int64_t entries = set->d, sums = 0, rows = 0;
    if (gpis_lift_applies(set))
        gpis_lift_count(set, &entries, &rows);
    else
        gpis_flat_count(set, &sums, &rows);
    const double d = (double)entries, m = (double)(rows + sums);
    return 8.0 * (14.0 * d * d + VECTORS * d + 10.0 * m * d + 2.0 * m * m + 48.0 * m) + 16384.0;
}

/* ---- the data ---- */

/* A power of two of the size of `a`; 1 for 0. */
static double power_of_two(double a) { return a > 0.0 ? ldexp(1.0, ilogb(a)) : 1.0; }

static void find_units(gpis_fine *f) {
    double longest = 0.0;
    for (int64_t j = 0; j < f->own; j++)
        longest = fmax(longest, sqrt(fmax(0.0, gpis_quadratic_entry(f->summary, j, j).high)));
    f->response = power_of_two(gpis_quadratic_response_norm(f->summary));
    f->unit = power_of_two(longest) / f->response;
}

gpis_dd gpis_fine_entry(const gpis_fine *f, int64_t i, int64_t j) {
    const double a = (i < f->own ? f->unit : 1.0) * f->response, b = (j < f->own ? f->unit : 1.0) * f->response;
    const gpis_dd entry = gpis_quadratic_entry(f->summary, i, j);
    return (gpis_dd){entry.high / a / b, entry.low / a / b};
}

static double distance_of(double curvature) { return curvature > 0.0 ? 1.0 / sqrt(curvature) : 1.0; }

/* What changes f by about ||y||^2 = 1: 1 / (norm of the column), in x and, with the columns of A P^-1, in z. */
static void find_distances(gpis_fine *f) {
    const int64_t d = f->d;
    memcpy(f->M, f->G, (size_t)(d * d) * sizeof *f->M);
    for (int64_t j = 0; j < d; j++) f->unit_x[j] = distance_of(f->G[j * (d + 1)]);
    for (int64_t i = 0; i < d; i++) gpis_flat_change(f->flat, GPIS_TRANSPOSED, f->M + i * d);
    for (int64_t j = 0; j < d; j++) {
        for (int64_t i = 0; i < d; i++) f->off[i] = f->M[i * d + j];
        gpis_flat_change(f->flat, GPIS_TRANSPOSED, f->off);
        f->near[j] = distance_of(f->off[j]);
    }
    if (!f->lift) return;
    gpis_lift_extend(f->lift, f->unit_x);
    memcpy(f->near, f->unit_x, (size_t)d * sizeof *f->near);
    for (int64_t t = 0; t < f->limits; t++) f->near[d + t] = gpis_fine_row_size(f, t);
}

/* Column j of P is P times the unit vector j. */
static void find_transform(gpis_fine *f) {
    const int64_t d = f->d;
    for (int64_t j = 0; f->P && j < d; j++) {
        for (int64_t i = 0; i < d; i++) f->u[i] = gpis_dd_of(i == j ? 1.0 : 0.0);
        gpis_fine_turn_in(f, f->u);
        for (int64_t i = 0; i < d; i++) {
            f->P[i * d + j] = f->u[i].high;
            f->P_low[i * d + j] = f->u[i].low;
        }
    }
}

/* The diagonal of G, and what a column of zeros, which nothing but the set holds, gets whatever part of it is added. */
static void find_shift(gpis_fine *f) {
    static const double OF_LEAST = 1e-16;
    double least = INFINITY;
    for (int64_t j = 0; j < f->d; j++) {
        f->shift[j] = fmax(0.0, f->G[j * (f->d + 1)]);
        if (f->shift[j] > 0.0) least = fmin(least, f->shift[j]);
    }
    f->of_zeros = isinf(least) ? 1.0 : OF_LEAST * least;
    for (int64_t j = f->own; j < f->d; j++) f->shift[j] = 1.0 / (f->unit_x[j] * f->unit_x[j]);
}

static void take_equations(gpis_fine *f) {
    const gpis_flat *flat = f->flat;
    int64_t r = flat->rows;
    memcpy(f->E, flat->E, (size_t)(r * f->d) * sizeof *f->E);
    for (int64_t i = 0; i < r; i++) f->e[i] = flat->e[i] * f->unit;
    for (int64_t s = 0; s < flat->sums; s++) {
        if (!flat->sum[s].equal) continue;
        for (int64_t j = 0; j < f->d; j++) f->E[r * f->d + j] = flat->sum_of[j] == s ? 1.0 : 0.0;
        f->e[r++] = flat->sum[s].R * f->unit;
    }
}

/* Row r of E P, and its weight: about the curvature of a column. */
static void turn_equation(gpis_fine *f, int64_t r) {
    double size = 0.0;
    for (int64_t j = 0; j < f->d; j++) f->u[j] = gpis_dd_of(f->E[r * f->d + j]);
    gpis_fine_turn_back(f, f->u, NULL);
    for (int64_t j = 0; j < f->d; j++) {
        f->EP[r * f->d + j] = f->u[j].high;
        f->EP_low[r * f->d + j] = f->u[j].low;
        size += f->u[j].high * f->unit_x[j] * (f->u[j].high * f->unit_x[j]);
    }
    f->rho[r] = size > 0.0 ? 1.0 / size : 0.0;
}

/* H = G + sum of rho_r e_r e_r', e_r in x: the same problem, since the equations are met in the end, and curved along
 * what G is not but they are. */
static void add_equations(gpis_fine *f) {
    const int64_t d = f->d;
    memcpy(f->H, f->G, (size_t)(d * d) * sizeof *f->H);
    memcpy(f->H_low, f->G_low, (size_t)(d * d) * sizeof *f->H_low);
    for (int64_t r = 0; r < f->equalities; r++) {
        turn_equation(f, r);
        const double *row = f->EP + r * d, *low = f->EP_low + r * d;
        for (int64_t i = 0; i < d; i++)
            if (row[i] != 0.0)
                gpis_dd_subtract_multiple(d, -f->rho[r] * row[i], -f->rho[r] * low[i], row, low, f->H + i * d,
                                          f->H_low + i * d);
    }
}

static gpis_status make_flat(gpis_fine *f, gpis_set *set) {
    if (!gpis_lift_applies(set)) return gpis_flat_create(f->context, set, true, &f->flat);
    const gpis_status status = gpis_lift_create(f->context, set, &f->lift);
    return status == GPIS_OK ? gpis_lift_flatten(f->lift, &f->flat) : status;
}

static gpis_status fill(gpis_fine *f, gpis_set *set) {
    gpis_status status = make_flat(f, set);
    if (status != GPIS_OK) return status;
    f->d = f->flat->d;
    f->limits = f->lift ? f->lift->limits : 0;
    f->balls = f->lift ? f->lift->p->sums : 0;
    f->equalities = f->flat->rows;
    for (int64_t s = 0; s < f->flat->sums; s++) f->equalities += f->flat->sum[s].equal;
    status = gpis_fine_make_turns(f);
    if (status == GPIS_OK) status = take_memory(f);
    if (status != GPIS_OK) return status;
    find_units(f);
    for (int64_t i = 0; i < f->d; i++)
        for (int64_t j = 0; j < f->d; j++) {
            const gpis_dd entry = i < f->own && j < f->own ? gpis_fine_entry(f, i, j) : gpis_dd_of(0.0);
            f->G[i * f->d + j] = entry.high;
            f->G_low[i * f->d + j] = entry.low;
        }
    find_distances(f);
    find_transform(f);
    find_shift(f);
    take_equations(f);
    add_equations(f);
    return GPIS_OK;
}

gpis_status gpis_fine_create(gpis_context *context, gpis_set *set, const gpis_quadratic *summary, gpis_fine **out) {
    gpis_fine *f = gpis_alloc_zero(context, 1, sizeof *f);
    *out = NULL;
    if (!f) return GPIS_NO_MEMORY;
    f->context = context;
    f->summary = summary;
    f->own = f->d = set->d;
    f->k = summary->k;
    const gpis_status status = fill(f, set);
    if (status == GPIS_OK)
        *out = f;
    else
        gpis_fine_destroy(f);
    return status;
}
