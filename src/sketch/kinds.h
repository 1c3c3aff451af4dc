/* The declarations of all kinds of sketches, from the list of base/names.h. */
#ifndef GPIS_SKETCH_KINDS_H
#define GPIS_SKETCH_KINDS_H

#include "base/names.h"
#include "sketch/sketch.h"

#define GPIS_SKETCH_DECLARE(symbol, name) extern const gpis_sketch_class gpis_sketch_##symbol;
GPIS_SKETCH_LIST(GPIS_SKETCH_DECLARE)
#undef GPIS_SKETCH_DECLARE

#endif
