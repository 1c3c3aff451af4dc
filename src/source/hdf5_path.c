/* "FILE.h5:/path/inside": where the name of the file ends. In builds without libhdf5 too. */
#include <string.h>
#include <strings.h>

#include "source/hdf5_file.h"

bool gpis_hdf5_path(const char *path, size_t *length, const char **inside) {
    static const char *const endings[] = {".h5", ".hdf5"};
    *length = 0;
    *inside = NULL;
    for (const char *dot = strchr(path, '.'); dot; dot = strchr(dot + 1, '.')) {
        for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
            const size_t size = strlen(endings[k]);
            if (dot == path || strncasecmp(dot, endings[k], size) != 0 || (dot[size] && dot[size] != ':')) continue;
            *length = (size_t)(dot - path) + size;
            if (dot[size] && dot[size + 1]) *inside = dot + size + 1;
            return true;
        }
    }
    return false;
}
