/* The caller's settings, complete and checked. */
#ifndef GPIS_API_SETTINGS_H
#define GPIS_API_SETTINGS_H

#include "problem/problem.h"

/* The settings of one call. No pointer into it survives the call. */
typedef struct gpis_call {
    gpis_settings settings; /* every field has a value; `machine` points below */
    gpis_machine machine;
    int threads;   /* of the context, before the call */
    int64_t limit; /* of the memory of the context, before the call */
    bool began;    /* the context has those of the settings now */
} gpis_call;

/* Takes the caller's settings (NULL: the defaults), checks them against the problem, and gives the context the threads
 * and the memory that they ask for. gpis_call_end is called in any case. */
gpis_status gpis_call_begin(gpis_call *call, const gpis_problem *problem, const gpis_settings *given);
void gpis_call_end(gpis_call *call, gpis_context *context);

/* A set without a support function allows no certificate, so no work is spent on one. */
void gpis_settings_fit_set(gpis_settings *settings, const gpis_set *set);
/* The checks that only a solve needs: that something ends it. An audit ends by itself. */
gpis_status gpis_settings_check_end(gpis_context *context, const gpis_settings *settings);
/* True where something besides a certificate ends the run. */
bool gpis_settings_are_limited(const gpis_settings *settings);

#endif
