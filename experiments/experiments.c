/* The paper's experiments: problems (their sizes are the recipes of `gpis gen`), rivals, budgets. */
#include "experiment.h"

const runner runners[RUNNERS] = {
    {"gpis", "GPIS", "gpis", 0, true},           {"acc-gpis", "Acc-GPIS", "acc-gpis", 0, true},
    {"apgd", "APGD", "apgd", 0, false},          {"saga-10", "SAGA b=10", "saga", 10, false},
    {"saga-50", "SAGA b=50", "saga", 50, false}, {"saga-100", "SAGA b=100", "saga", 100, false},
};

const double accuracies[ACCURACIES] = {1e-4, 1e-7, 1e-10};

/* Budgets such that all of them end within 25 minutes, the quick ones within 2, even where no method arrives. */
const experiment experiments[] = {
    {"syn1", "Syn1: l1 ball", true, 30, 3,
     "A sparse vector from noisy measurements, condition number 10<sup>7</sup>; projecting on the l1 ball is cheap."},
    {"syn2", "Syn2: l1 ball in a dense dictionary", true, 30, 3,
     "As Syn1, but sparse in an orthogonal dictionary U: each projection multiplies by U and by its transpose."},
    {"syn3", "Syn3: nuclear norm, 100 responses", true, 75, 5,
     "A matrix of rank 5 from noisy measurements; each projection is a singular value decomposition of 100 x 100."},
    {"syn4", "Syn4: line-search steps", false, 0, 0,
     "The mean step that the line search of GPIS takes, against the sparsity of the solution."},
    {"magic04", "Magic04: l1 ball", false, 10, 2,
     "Real data, 10 features and 40 random ones; the l1 ball selects. All columns have mean 0 and variance 1."},
    {"year", "Year: no constraint", false, 30, 4,
     "The year of a song from 90 features. All columns have mean 0 and variance 1. Without a constraint GPIS and "
     "Acc-GPIS solve each sketched problem exactly, by a factorisation, so their lines coincide."},
};
const int experiment_count = sizeof experiments / sizeof experiments[0];
