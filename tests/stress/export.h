/* export.h: a problem as files, for the program gpis. */
#ifndef GPIS_STRESS_EXPORT_H
#define GPIS_STRESS_EXPORT_H

#include "problem.h"

/* Writes A.npy, y.npy and the arrays of the set into a folder that is there, and prints the command that solves the
 * problem in the same way, storage aside. Returns non-zero if a file cannot be written. */
int export_problem(const problem *p, const char *folder);

#endif
