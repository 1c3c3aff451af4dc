/* The lock around libhdf5, its error messages, and opening files. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "source/hdf5.h"

/* The only global state of gpis: what it guards, the state inside libhdf5, is global too. */
static pthread_mutex_t inside_libhdf5 = PTHREAD_MUTEX_INITIALIZER;

gpis_h5_guard gpis_h5_enter(void) {
    gpis_h5_guard guard = {0};
    pthread_mutex_lock(&inside_libhdf5);
    H5Eget_auto2(H5E_DEFAULT, &guard.print, &guard.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return guard;
}

void gpis_h5_leave(gpis_h5_guard guard) {
    H5Eset_auto2(H5E_DEFAULT, guard.print, guard.data);
    pthread_mutex_unlock(&inside_libhdf5);
}

static herr_t take_first(unsigned n, const H5E_error2_t *error, void *user) {
    gpis_h5_words *words = user;
    if (n == 0 && error->desc) {
        gpis_copy_text(words->text, sizeof words->text, error->desc);
        /* After a failed system call libhdf5 adds addresses and counts, which help nobody. */
        char *cut = strstr(words->text, ", buf = ");
        if (cut) *cut = '\0';
    }
    return 0;
}

gpis_h5_words gpis_h5_reason(void) {
    gpis_h5_words words = {"libhdf5 does not say why"};
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &words);
    return words;
}

void gpis_h5_close(hid_t id) {
    if (id >= 0) H5Idec_ref(id);
}

int gpis_h5_descriptor(hid_t set) {
    const hid_t file = H5Iget_file_id(set);
    void *handle = NULL;
    const int fd = file >= 0 && H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 && handle ? *(int *)handle : -1;
    gpis_h5_close(file);
    return fd;
}

/* libhdf5's cache of metadata stays small, since it is not in the account of memory; it would grow to 32 MB. Its cache
 * of chunks is off: hdf5_rows.c keeps the one chunk that is needed again. */
static hid_t modest_access(void) {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5AC_cache_config_t config = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    if (access >= 0) H5Pset_fapl_sec2(access); /* whatever HDF5_DRIVER says: gpis_h5_descriptor depends on it */
    if (access >= 0) H5Pset_cache(access, 0, 1, 0, 1.0);
    if (access >= 0 && H5Pget_mdc_config(access, &config) >= 0) {
        config.max_size = 4 << 20;
        config.set_initial_size = 1;
        config.initial_size = config.min_size = 1 << 20;
        H5Pset_mdc_config(access, &config);
    }
    return access;
}

gpis_status gpis_h5_open(gpis_context *context, const char *path, size_t length, hid_t *file) {
    char name[PATH_MAX];
    *file = -1;
    if (length >= sizeof name) return gpis_fail(context, GPIS_IO, "%s: %s", path, strerror(ENAMETOOLONG));
    memcpy(name, path, length);
    name[length] = '\0';
    int fd;
    int64_t size;
    const gpis_status status =
        gpis_file_open(context, name, &fd, &size); /* for its messages about the usual failures */
    if (status != GPIS_OK) return status;
    close(fd);
    const htri_t known = H5Fis_hdf5(name);
    if (known == 0)
        return gpis_fail(context, GPIS_BAD_DATA, "%s: is not an HDF5 file, or its beginning is damaged", name);
    if (known > 0) {
        const hid_t access = modest_access();
        *file = H5Fopen(name, H5F_ACC_RDONLY, access);
        if (*file < 0) {
            const gpis_h5_words reason = gpis_h5_reason();
            gpis_h5_close(access);
            return gpis_fail(context, GPIS_BAD_DATA, "%s: is a damaged HDF5 file, or one in use by a writer: %s", name,
                             reason.text);
        }
        gpis_h5_close(access);
        return GPIS_OK;
    }
    return gpis_fail(context, GPIS_IO, "%s: cannot be read: %s", name, gpis_h5_reason().text);
}
