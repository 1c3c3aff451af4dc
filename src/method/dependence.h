/*
 * Dependent columns in a run. Where the model is flat in some direction, bounds are loose or there is none. So the null
 * vectors behind that are guessed from the model (linalg/null_vectors.h), proven by one pass of exact arithmetic over
 * A, and given to this model and to all later ones. Where there is no other bound, vectors that are null except for the
 * rounding of the data serve as well (nearly_null.c), and the bound says for which data it holds. The caller is told
 * about both in words.
 */
#ifndef GPIS_DEPENDENCE_H
#define GPIS_DEPENDENCE_H

#include "method/run.h"

/* A new model, on which there is no inner problem yet: where a bound depends on it, looks for null vectors by a pass of
 * its own; gives those that are known to the model. */
gpis_status gpis_run_settle_dependence(gpis_run *run);
/* The same where a bounded set turns out, at this point, to pay too much for a model with a shift. The inner problem is
 * made anew if the model changes. */
gpis_status gpis_run_reconsider_dependence(gpis_run *run, const gpis_point *point);
/* Where nothing is proven for A because columns depend on each other except for rounding: measures how nearly they do,
 * by passes of its own, and gives the vectors to the model. *found: the bounds of the model, now for data near A, are
 * to be tried again. */
gpis_status gpis_run_look_nearby(gpis_run *run, const gpis_point *point, bool *found);
/* The passes of gpis_run_look_nearby: sets dependence.nearness, improves the vectors behind the exact ones, and sets
 * dependence.near if they are null vectors except for rounding of the data. */
gpis_status gpis_run_measure_nearby(gpis_run *run);

/* At the end of a run whose model is too flat to exclude null vectors of A, and that has not looked for them: looks for
 * them, for a few only where there is a set, and measures those that are not exact. */
gpis_status gpis_run_seek_dependence(gpis_run *run);

/* Adds a warning if the bound is for data near A, or says why it is not good enough, or why it counts as solved
 * although it is not within the tolerance. */
gpis_status gpis_run_explain_bound(gpis_run *run);

#endif
