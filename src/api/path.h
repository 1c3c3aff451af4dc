/*
 * Calls of gpis_path_make and gpis_cv_make. One sweep makes a summary of the rows, which cross-validation has by folds.
 * From it there is a path for each part of the rows: for all rows and, for each fold, for those outside of it.
 */
#ifndef GPIS_API_PATH_H
#define GPIS_API_PATH_H

#include <stdatomic.h>

#include "api/complete.h"
#include "api/settings.h"
#include "path/walk.h"
#include "set/radius.h"
#include "summary/summary.h"

typedef struct gpis_path_call {
    gpis_context *context;
    const gpis_problem *given; /* borrowed: the caller's */
    gpis_path_options options;
    gpis_call call;           /* the settings */
    gpis_radius_spec spec;    /* the set without its radius; empty for penalties */
    gpis_summary *summary;    /* owned: of the caller's rows; NULL: the caller gave one, or it would be too large */
    gpis_summary *first;      /* owned: where the folds were drawn again, the summary that `base` is of; else NULL */
    const gpis_summary *data; /* the summary in use, that or the caller's; NULL: none, the rows stay (wide.h) */
    gpis_problem base;        /* the caller's problem, with `data` in the place of the rows */
    bool folded;              /* it is a cross-validation */
    int64_t count;
    double *values; /* owned: the grid */
    int64_t sweeps;
    double bytes_read, begun;
    double rows_weight;            /* the sum of the weights of all rows */
    gpis_stop stop;                /* what the solves of points ask: the caller's function, about ten times a second */
    double asked_at;               /* the clock when that was asked last */
    atomic_bool stopped;           /* the answer was yes */
    atomic_llong done, folds_done; /* points that are solved, of the path and of the folds; folds with all of theirs */
} gpis_path_call;

/* The rows of a part: the problem of their summary, complete, and the fit. */
typedef struct gpis_path_part {
    const gpis_path_call *call; /* borrowed */
    gpis_problem problem;       /* base with the summary of these rows, and the ridge that goes with them */
    gpis_quadratic *training;   /* owned: that summary; NULL: that of all rows */
    double share;               /* of the weights that these rows have */
    gpis_completion complete;
    gpis_fit *fit;          /* owned */
    gpis_path_sets sets;    /* how the sets of the values are made for these rows */
    double largest_penalty; /* without a fit: that has any effect, as a sweep has found it */
    gpis_set *parsed, *met; /* owned: the set of a value from its text, and that met with the caller's */
} gpis_path_part;

/* Checks what is given and makes the summary; `folds`: by folds. gpis_path_call_end is called in any case. */
gpis_status gpis_path_call_begin(gpis_path_call *c, const gpis_problem *given, const gpis_path_options *options,
                                 const gpis_settings *settings, bool folds);
void gpis_path_call_end(gpis_path_call *c);
/* How many folds are asked for; a summary of the caller's has its own. */
int64_t gpis_path_folds(const gpis_path_call *c);
/* The options for a summary of the rows. */
gpis_summary_options gpis_path_summary_options(const gpis_path_call *c, bool folds, uint64_t seed);
/* Counts one sweep over the rows, and its bytes. */
void gpis_path_count_sweep(gpis_path_call *c);
/* Refuses a fold without rows to predict, or without rows to learn from: `own` is the weight of the rows of the fold,
 * `all` that of all rows. */
gpis_status gpis_path_check_fold(gpis_context *context, int64_t fold, double own, double all);
/* Checks that the caller's folds fit the rows (summary.c). */
gpis_status gpis_summary_check_folds(const gpis_problem *problem, const gpis_summary_options *options);
/* Draws the folds again, with another seed. */
gpis_status gpis_path_call_redraw(gpis_path_call *c, uint64_t seed);

/* fold -1: all rows; else those of all other folds. gpis_path_part_end is called in any case. */
gpis_status gpis_path_part_begin(gpis_path_part *part, const gpis_path_call *call, int64_t fold);
/* A part without a summary: the rows of the caller's problem, of whose weights it has a share. `scale`, of standardised
 * columns, is taken over. */
void gpis_path_part_of_rows(gpis_path_part *part, const gpis_path_call *call, double share, double *scale);
void gpis_path_part_end(gpis_path_part *part);
/* The set of a value as the caller sees it, without a constant, scales and penalty; in part->parsed and part->met. */
gpis_status gpis_path_part_set(gpis_path_part *part, const char *text, gpis_set **out);
/* The set of a radius as a fit sees it, in a form that grows with R; part->sets.destroy destroys it. */
gpis_status gpis_path_part_growing(gpis_path_part *part, double R, gpis_fit_set *out);
void gpis_path_part_drop_set(gpis_path_part *part);

/* The grid, from the options and the fit of all rows. */
gpis_status gpis_path_grid(gpis_path_call *c, gpis_path_part *all);
/* *R is the radius of some answer without the set, at which the objective is least: makes it the least such radius,
 * from the fit of the part. */
gpis_status gpis_path_least_radius(gpis_path_part *part, double *R);
/* gpis_solve as a part of a path, which ends where the caller ends a solve: GPIS_STOPPED, and no result. */
gpis_status gpis_path_solve_problem(const gpis_problem *problem, const gpis_settings *settings, gpis_result **result);
/* Solves a point by gpis_solve from x: on the rows of the part or, with `rows`, on those of the caller's problem. With
 * `result`, which is NULL before, that is handed over. */
gpis_status gpis_path_solve(gpis_path_part *part, double value, bool rows, double *x, gpis_fit_value *out,
                            gpis_result **result);
/* Walks the path of a part, and solves those points again that are not proven. Points that are not there after a
 * failure have an infinite objective. */
gpis_status gpis_path_part_run(gpis_path_part *part, double *X, gpis_fit_value *points, int64_t *exact);
/* Tells the caller how far the call has come, where it wants to know and was not told just now. One thread only. */
void gpis_path_call_tell(gpis_path_call *c);

/* A path from its points, without those that are not there; X, d + 1 or d rows each, is copied. */
gpis_status gpis_path_made(const gpis_path_call *c, const gpis_path_part *all, const double *X,
                           const gpis_fit_value *points, int64_t exact, gpis_path **out);

#endif
