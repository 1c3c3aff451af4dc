/* What the files of the HDF5 sources share. */
#ifndef GPIS_SOURCE_HDF5_SOURCES_H
#define GPIS_SOURCE_HDF5_SOURCES_H

#include "source/hdf5.h"
#include "source/hdf5_file.h"
#include "source/stored.h"

/* Owns the group from then on, also after a failure. */
gpis_status gpis_h5_open_csr(gpis_context *context, const char *path, hid_t group, int64_t budget, gpis_source **out);

#endif
