/* The exchanges of join.h, for use before there is a joined source: they need no memory but the stack. */
#ifndef GPIS_TALK_H
#define GPIS_TALK_H

#include "base/base.h"

gpis_status gpis_talk_sum(gpis_context *context, const gpis_ranks *ranks, double *values, int64_t count);
gpis_status gpis_talk_agree(gpis_context *context, const gpis_ranks *ranks, gpis_status status);

#endif
