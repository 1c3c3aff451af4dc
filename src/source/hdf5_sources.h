/* What the HDF5 sources share among themselves. */
#ifndef GPIS_SOURCE_HDF5_SOURCES_H
#define GPIS_SOURCE_HDF5_SOURCES_H

#include "source/hdf5.h"
#include "source/hdf5_file.h"
#include "source/stored.h"

/* Numbers, at least one of them, and not more than can be counted. */
gpis_status gpis_h5_check_numbers(gpis_context *context, const char *name, const gpis_h5_shape *shape);

/* Takes the group over, whatever happens. */
gpis_status gpis_h5_open_csr(gpis_context *context, const char *path, hid_t group, int64_t budget, gpis_source **out);

#endif
