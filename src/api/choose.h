/* How a problem is solved: as the planner says, or as the checkpoint has kept it. */
#ifndef GPIS_API_CHOOSE_H
#define GPIS_API_CHOOSE_H

#include "method/method.h"

/* Chooses the method, checks that it can be used here and that the memory it needs is there, and begins a checkpoint if
 * one is wanted and there is none yet. */
gpis_status gpis_choose(gpis_run *run, gpis_choice *choice, const gpis_method **method);

#endif
