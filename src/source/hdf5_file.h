/* HDF5 files, for the rest of gpis: without libhdf5's own types. */
#ifndef GPIS_SOURCE_HDF5_FILE_H
#define GPIS_SOURCE_HDF5_FILE_H

#include "base/base.h"

/* Whether `path` names something in an HDF5 file, FILE.h5 or FILE.h5:/path (.hdf5 too, whatever the case): the name of
 * the file is its first *length characters, *inside is what follows the colon, or NULL. */
bool gpis_hdf5_path(const char *path, size_t *length, const char **inside);

gpis_status gpis_open_hdf5(gpis_context *context, const char *path, const gpis_open_options *options,
                           gpis_source **out);
/* Reads numbers in one or two dimensions as row-major doubles, without a check for NaN. */
gpis_status gpis_hdf5_read(gpis_context *context, const char *path, gpis_array *out);

#endif
