/* The paper's experiments: problems (their sizes are the recipes of `gpis gen`), rivals, budgets. */
#include "experiment.h"

const runner runners[RUNNERS] = {
    {"gpis", "GPIS", "gpis", 0, SKETCHED},
    {"acc-gpis", "Acc-GPIS", "acc-gpis", 0, SKETCHED},
    {"apgd", "APGD", "apgd", 0, RIVAL},
    {"saga-10", "SAGA b=10", "saga", 10, RIVAL},
    {"saga-50", "SAGA b=50", "saga", 50, RIVAL},
    {"saga-100", "SAGA b=100", "saga", 100, RIVAL},
    {"default", "default (not paper's)", "auto", 0, OURS},
};

const double accuracies[ACCURACIES] = {1e-4, 1e-7, 1e-10};

/* Budgets such that all of them end within 25 minutes on an idle machine, the quick ones within 3, even where no method
 * arrives. They are processor time, so that a busy machine takes longer and shows the same. */
const experiment experiments[] = {
    {"syn1",
     "Syn1: l1 ball",
     RACE,
     true,
     30,
     4,
     {"100000 x 100", "10", "10<sup>7</sup>", "I", "800"},
     "A sparse vector from noisy measurements, condition number 10<sup>7</sup>; projecting on the l1 ball is cheap."},
    {"syn2",
     "Syn2: l1 ball in a dense dictionary",
     RACE,
     true,
     30,
     4,
     {"100000 x 100", "10", "10<sup>7</sup>", "U, dense and orthogonal", "800"},
     "As Syn1, but sparse in an orthogonal dictionary U: each projection multiplies by U and by its transpose."},
    {"syn3",
     "Syn3: nuclear norm, 100 responses",
     RACE,
     true,
     120,
     6,
     {"50000 x 100", "5 (rank)", "10<sup>4</sup>", NULL, "400"},
     "A matrix of rank 5 from noisy measurements; each projection is a singular value decomposition of 100 x 100."},
    {"syn4",
     "Syn4: line-search steps",
     SWEEP,
     false,
     0,
     0,
     {"20000 x 100", "varied", NULL, "I", NULL},
     "The mean step that the line search of GPIS takes, against the sparsity of the solution."},
    {"magic04",
     "Magic04: l1 ball",
     RACE,
     false,
     10,
     2,
     {"19000 x (10 + 40)", "10 relevant features", NULL, "I", "475"},
     "Real data, 10 features and 40 random ones; the l1 ball selects. All columns have mean 0 and variance 1."},
    {"year",
     "Year: no constraint",
     RACE,
     false,
     30,
     4,
     {"500000 x 90", "90 relevant features", NULL, NULL, "1000"},
     "The year of a song from 90 features. All columns have mean 0 and variance 1. Without a constraint GPIS and "
     "Acc-GPIS solve each sketched problem exactly, by a factorisation, so their lines coincide."},
    {"bounds",
     "The theorems beside what was measured",
     BOUNDS,
     false,
     0,
     0,
     {NULL, NULL, NULL, NULL, NULL},
     "By how much one round shrinks ||A(x - x*)||: what Theorems 1 to 3 promise for Gaussian sketches, and the worst "
     "round that was seen."},
};
const int experiment_count = sizeof experiments / sizeof experiments[0];
