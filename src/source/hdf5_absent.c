/* For builds without libhdf5: HDF5 files are recognised by their names, and refused with a message. */
#include "source/hdf5_file.h"
#include "source/source.h"

static gpis_status absent(gpis_context *context, const char *path) {
    return gpis_fail(context, GPIS_NOT_APPLICABLE,
                     "%s: this gpis was built without HDF5; build it with libhdf5-dev and -DGPIS_HDF5=ON, or save the "
                     "data as .npy",
                     path);
}

gpis_status gpis_open_hdf5(gpis_context *context, const char *path, const gpis_open_options *options,
                           gpis_source **out) {
    (void)options;
    *out = NULL;
    return absent(context, path);
}

gpis_status gpis_hdf5_read(gpis_context *context, const char *path, gpis_array *out) {
    *out = (gpis_array){0};
    return absent(context, path);
}

gpis_status gpis_file_contents(gpis_context *context, const char *path, gpis_content_fn report, void *user) {
    size_t length;
    const char *inside;
    (void)user;
    if (!context || !path || !report)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "a path and a function to call are needed");
    if (gpis_hdf5_path(path, &length, &inside) && !inside) return absent(context, path);
    return gpis_fail(context, GPIS_NOT_APPLICABLE, "%s: is not a file that can hold several things", path);
}
