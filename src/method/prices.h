/* The shadow prices of the constraints at the best point of a run. */
#ifndef GPIS_METHOD_PRICES_H
#define GPIS_METHOD_PRICES_H

#include "method/run.h"
#include "set/price.h"

/* Calls `take` for each constraint that the best point meets and that has a price. Makes no pass; without a gradient at
 * the best point there are none. */
gpis_status gpis_run_prices(gpis_run *run, gpis_price_fn take, void *user);

#endif
