/* The list of all kinds of sketches: it makes the table of sketch.c and the names that users type. */
#ifndef GPIS_SKETCH_KINDS_H
#define GPIS_SKETCH_KINDS_H

#include "sketch/sketch.h"

#define GPIS_SKETCH_LIST(ENTRY)       \
    ENTRY(count, "count")             \
    ENTRY(sparse_sign, "sparse-sign") \
    ENTRY(gaussian, "gaussian")       \
    ENTRY(srht, "srht")               \
    ENTRY(count_gauss, "count-gauss") \
    ENTRY(sample, "sample")

#define GPIS_SKETCH_DECLARE(symbol, name) extern const gpis_sketch_class gpis_sketch_##symbol;
GPIS_SKETCH_LIST(GPIS_SKETCH_DECLARE)
#undef GPIS_SKETCH_DECLARE

#endif
