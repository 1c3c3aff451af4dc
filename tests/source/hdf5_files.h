/* HDF5 files for tests, written by libhdf5 itself, and a filter that counts how often chunks are decoded. */
#ifndef GPIS_TESTS_HDF5_FILES_H
#define GPIS_TESTS_HDF5_FILES_H

#define H5_USE_18_API 1
#include <hdf5.h>

#include "reading.h"

enum { COUNTING_FILTER = 305 }; /* of the range for tests */
static long decoded;

static inline size_t count_chunk(unsigned flags, size_t count, const unsigned *values, size_t bytes, size_t *capacity,
                                 void **buffer) {
    (void)count;
    (void)values;
    (void)capacity;
    (void)buffer;
    if (flags & H5Z_FLAG_REVERSE) decoded++;
    return bytes;
}

static inline void register_filter(void) {
    const H5Z_class2_t filter = {H5Z_CLASS_T_VERS, COUNTING_FILTER, 1, 1, "counting", NULL, NULL, count_chunk};
    assert_true(H5Zregister(&filter) >= 0);
}

/* How a data set is stored. */
typedef struct storage {
    hid_t type;       /* in the file; 0: float64 of this machine */
    hsize_t chunk[2]; /* 0: contiguous */
    bool gzip, counted;
} storage;

static inline hid_t new_file(const char *path) {
    unlink(path);
    const hid_t file = H5Fcreate(path, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

/* Numbers of memory type `from` as data set `name`. */
static inline void put(hid_t where, const char *name, int rank, const hsize_t *size, storage s, hid_t from,
                       const void *numbers) {
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(rank, size, NULL);
    if (s.chunk[0]) assert_true(H5Pset_chunk(creation, rank, s.chunk) >= 0);
    if (s.gzip) assert_true(H5Pset_shuffle(creation) >= 0 && H5Pset_deflate(creation, 4) >= 0);
    if (s.counted) assert_true(H5Pset_filter(creation, COUNTING_FILTER, 0, 0, NULL) >= 0);
    const hid_t set =
        H5Dcreate2(where, name, s.type ? s.type : H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    assert_true(set >= 0);
    if (numbers) assert_true(H5Dwrite(set, from, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(creation);
}

static inline void put_doubles(hid_t where, const char *name, hsize_t n, hsize_t d, storage s, const double *numbers) {
    const hsize_t size[2] = {n, d};
    put(where, name, d ? 2 : 1, size, s, H5T_NATIVE_DOUBLE, numbers);
}

static inline void put_attribute(hid_t where, const char *name, int64_t n, int64_t d) {
    const hsize_t two = 2;
    const int64_t pair[2] = {n, d};
    const hid_t space = H5Screate_simple(1, &two, NULL);
    const hid_t attribute = H5Acreate2(where, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, H5T_NATIVE_INT64, pair) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
}

static inline void put_text_attribute(hid_t where, const char *name, const char *text, bool variable) {
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, variable ? H5T_VARIABLE : strlen(text));
    const hid_t attribute = H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, type, variable ? (const void *)&text : (const void *)text) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
}

/* Compressed rows: how each of the three parts is stored. */
typedef struct csr_storage {
    storage data, indices, indptr;
} csr_storage;

static inline hid_t put_csr(hid_t file, const char *name, int64_t n, int64_t d, const int64_t *indptr,
                            const int32_t *indices, const double *values, csr_storage s) {
    const hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t rows = (hsize_t)n + 1, entries = (hsize_t)indptr[n];
    if (!s.indices.type) s.indices.type = H5T_STD_I32LE;
    if (!s.indptr.type) s.indptr.type = H5T_STD_I32LE;
    put(group, "indptr", 1, &rows, s.indptr, H5T_NATIVE_INT64, indptr);
    put(group, "indices", 1, &entries, s.indices, H5T_NATIVE_INT32, indices);
    put(group, "data", 1, &entries, s.data, H5T_NATIVE_DOUBLE, values);
    put_attribute(group, "shape", n, d);
    return group;
}

#endif
