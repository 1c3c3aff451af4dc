/* What a data set is: shape, type, chunks, filters. */
#include <stdio.h>
#include <string.h>

#include "source/hdf5.h"

static void describe_type(hid_t type, gpis_h5_shape *out) {
    const H5T_class_t class = H5Tget_class(type);
    const unsigned bits = (unsigned)(8 * H5Tget_size(type));
    out->number = class == H5T_FLOAT || class == H5T_INTEGER;
    out->narrow = class == H5T_FLOAT && bits <= 32;
    if (class == H5T_FLOAT)
        snprintf(out->type, sizeof out->type, "float%u", bits);
    else if (class == H5T_INTEGER)
        snprintf(out->type, sizeof out->type, "%s%u", H5Tget_sign(type) == H5T_SGN_NONE ? "uint" : "int", bits);
    else
        snprintf(out->type, sizeof out->type, "%s",
                 class == H5T_STRING     ? "text"
                 : class == H5T_COMPOUND ? "records"
                 : class == H5T_ENUM     ? "named values"
                                         : "no numbers");
}

static void describe_filters(hid_t creation, gpis_h5_shape *out) {
    static const struct {
        H5Z_filter_t id;
        const char *name;
    } known[] = {
        {H5Z_FILTER_DEFLATE, "gzip"}, {H5Z_FILTER_SHUFFLE, "shuffle"}, {H5Z_FILTER_FLETCHER32, "fletcher32"},
        {H5Z_FILTER_SZIP, "szip"},    {H5Z_FILTER_NBIT, "nbit"},       {H5Z_FILTER_SCALEOFFSET, "scaleoffset"}};
    const int count = H5Pget_nfilters(creation);
    size_t used = 0;
    for (int k = 0; k < count && used < sizeof out->filters; k++) {
        unsigned flags, config;
        size_t values = 0;
        char name[32] = "";
        const H5Z_filter_t id =
            H5Pget_filter2(creation, (unsigned)k, &flags, &values, NULL, sizeof name, name, &config);
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (known[i].id == id) gpis_copy_text(name, sizeof name, known[i].name);
        if (!name[0]) snprintf(name, sizeof name, "filter %d", (int)id);
        used += (size_t)snprintf(out->filters + used, sizeof out->filters - used, "%s%s", k ? ", " : "", name);
    }
    out->filtered = count > 0;
}

static void describe_space(hid_t space, gpis_h5_shape *out) {
    hsize_t size[H5S_MAX_RANK] = {0};
    out->rank = H5Sget_simple_extent_type(space) == H5S_NULL ? -1 : H5Sget_simple_extent_dims(space, size, NULL);
    for (int k = 0; k < out->rank && k < GPIS_H5_RANK; k++)
        out->size[k] = size[k] > INT64_MAX ? INT64_MAX : (int64_t)size[k];
}

void gpis_h5_describe(hid_t set, gpis_h5_shape *out) {
    *out = (gpis_h5_shape){.rank = -1};
    const hid_t space = H5Dget_space(set), type = H5Dget_type(set), creation = H5Dget_create_plist(set);
    describe_space(space, out);
    describe_type(type, out);
    if (H5Pget_layout(creation) == H5D_CHUNKED) {
        hsize_t chunk[H5S_MAX_RANK] = {0};
        H5Pget_chunk(creation, H5S_MAX_RANK, chunk);
        for (int k = 0; k < out->rank && k < GPIS_H5_RANK; k++) out->chunk[k] = (int64_t)chunk[k];
        describe_filters(creation, out);
    }
    gpis_h5_close(space);
    gpis_h5_close(type);
    gpis_h5_close(creation);
}

gpis_status gpis_h5_check_filters(gpis_context *context, const char *name, hid_t set) {
    const hid_t creation = H5Dget_create_plist(set);
    const int count = H5Pget_nfilters(creation);
    gpis_status status = GPIS_OK;
    for (int k = 0; k < count && status == GPIS_OK; k++) {
        unsigned flags, config;
        size_t values = 0;
        char words[32] = "";
        const H5Z_filter_t id =
            H5Pget_filter2(creation, (unsigned)k, &flags, &values, NULL, sizeof words, words, &config);
        if (H5Zfilter_avail(id) <= 0)
            status = gpis_fail(context, GPIS_NOT_APPLICABLE,
                               "%s: is compressed by filter %d (%s), which libhdf5 does not have here; add its plugin "
                               "(HDF5_PLUGIN_PATH), or write the data with gzip",
                               name, (int)id, words[0] ? words : "no name");
    }
    gpis_h5_close(creation);
    return status;
}
