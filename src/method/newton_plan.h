/* What newton tells the planner: what it could do (newton_plan.c), what that takes (newton_cost.c, newton_memory.c). */
#ifndef GPIS_NEWTON_PLAN_H
#define GPIS_NEWTON_PLAN_H

#include "method/method.h"

void gpis_newton_propose(const gpis_inquiry *inquiry, gpis_proposals *all);
gpis_effort gpis_newton_cost(const gpis_workload *work, const gpis_speed *speed, int64_t m);
double gpis_newton_memory(const gpis_run *run, const gpis_workload *work, int64_t m);
void gpis_newton_explain(const gpis_verdict *verdict, char *text, size_t size);

#endif
