/* Where libhdf5 was not at hand when gpis was built: HDF5 files are known by their names, and refused in words. */
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

gpis_status gpis_file_contents(gpis_context *context, const char *path, gpis_content_fn tell, void *user) {
    size_t length;
    const char *inside;
    (void)user;
    if (!context || !path || !tell)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "a path and a function to tell are needed");
    if (gpis_hdf5_path(path, &length, &inside) && !inside) return absent(context, path);
    return gpis_fail(context, GPIS_NOT_APPLICABLE, "%s: is no file of several things", path);
}
