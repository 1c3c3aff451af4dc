/*
 * Writes problems to an HDF5 file, with libhdf5 alone.
 *
 *   h5 FILE        that of files.sh: /A 4 x 2 float32 in gzipped chunks of 3 rows, /y, /Y 4 x 2, /deep/X the same A in
 *                  compressed rows, /cube, /text
 *   h5 FILE NAME   a 4 x 2 matrix and a vector of 4 whose names are NAME and NAME with a y behind it
 *   h5 FILE N D    that of digits.h: /A float64 in shuffled and gzipped chunks of 100 rows, /X its compressed rows, /y
 */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>

#include "digits.h"

static hid_t file;
static int shuffled; /* bytes of a kind together: quicker to decode */

static int put(const char *name, hid_t type, int rank, const hsize_t *size, const hsize_t *chunk, hid_t from,
               const void *numbers) {
    const hid_t links = H5Pcreate(H5P_LINK_CREATE), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    if (chunk) H5Pset_chunk(creation, rank, chunk);
    if (chunk && shuffled) H5Pset_shuffle(creation);
    if (chunk) H5Pset_deflate(creation, 1);
    const hid_t space = H5Screate_simple(rank, size, NULL);
    const hid_t set = H5Dcreate2(file, name, type, space, links, creation, H5P_DEFAULT);
    return H5Dwrite(set, from, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) < 0;
}

static int put_shape(const char *name, const int64_t *shape) {
    const hsize_t two = 2;
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT), space = H5Screate_simple(1, &two, NULL);
    const hid_t attribute = H5Acreate2(group, "shape", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    return H5Awrite(attribute, H5T_NATIVE_INT64, shape) < 0;
}

/* ---- small: all kinds of things ------------------------------------------------------------------------------------
 */

static int put_small(void) {
    static const double A[] = {1, 0, 0, 1, 1, 1, 1, 0}, y[] = {1.5, 2, 3, 1}, ones[] = {1, 1, 1, 1, 1};
    static const int indptr[] = {0, 1, 2, 4, 5}, indices[] = {0, 1, 0, 1, 0};
    static const int64_t shape[] = {4, 2};
    const hsize_t matrix[] = {4, 2}, chunk[] = {3, 2}, four = 4, five = 5, cube[] = {2, 2, 2};
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 2);
    int bad = 0;
    bad += put("A", H5T_IEEE_F32BE, 2, matrix, chunk, H5T_NATIVE_DOUBLE, A);
    bad += put("y", H5T_IEEE_F64LE, 1, &four, NULL, H5T_NATIVE_DOUBLE, y);
    bad += put("Y", H5T_IEEE_F64LE, 2, matrix, NULL, H5T_NATIVE_DOUBLE, A);
    bad += put("cube", H5T_IEEE_F64LE, 3, cube, NULL, H5T_NATIVE_DOUBLE, A);
    bad += put("text", text, 2, matrix, NULL, text, "a\0b\0c\0d\0e\0f\0g\0h");
    bad += put("deep/X/data", H5T_IEEE_F64LE, 1, &five, NULL, H5T_NATIVE_DOUBLE, ones);
    bad += put("deep/X/indices", H5T_STD_I64LE, 1, &five, NULL, H5T_NATIVE_INT, indices);
    bad += put("deep/X/indptr", H5T_STD_I32LE, 1, &five, NULL, H5T_NATIVE_INT, indptr);
    return bad + put_shape("deep/X", shape);
}

/* ---- named: a problem under a name of the caller's choice -----------------------------------------------------------
 */

static int put_named(const char *name) {
    static const double A[] = {1, 0, 0, 1, 1, 1, 1, 0}, y[] = {1.5, 2, 3, 1};
    const hsize_t matrix[] = {4, 2}, four = 4;
    char other[256];
    snprintf(other, sizeof other, "%sy", name);
    return put(name, H5T_IEEE_F64LE, 2, matrix, NULL, H5T_NATIVE_DOUBLE, A) +
           put(other, H5T_IEEE_F64LE, 1, &four, NULL, H5T_NATIVE_DOUBLE, y);
}

/* ---- large: rows in memory as digits, so that this program takes little itself -------------------------------------
 */

static int put_large(int64_t n, int64_t d) {
    const hsize_t matrix[] = {(hsize_t)n, (hsize_t)d}, chunk[] = {100, (hsize_t)d}, rows = (hsize_t)n;
    const hsize_t starts = rows + 1, piece = 10000;
    signed char *A = malloc((size_t)(n * d)), *data = malloc((size_t)(n * d));
    int *y = malloc((size_t)n * sizeof *y), *indices = malloc((size_t)(n * d) * sizeof *indices);
    int64_t *indptr = malloc((size_t)starts * sizeof *indptr), entries = 0;
    if (!A || !data || !y || !indices || !indptr) return 1;
    shuffled = 1;
    for (int64_t i = 0; i < n; i++) {
        indptr[i] = entries;
        y[i] = label(i, d);
        for (int64_t j = 0; j < d; j++) {
            A[i * d + j] = (signed char)digit(i, j);
            if (A[i * d + j] == 0) continue;
            data[entries] = A[i * d + j];
            indices[entries++] = (int)j;
        }
    }
    indptr[n] = entries;
    const hsize_t length = (hsize_t)entries;
    int bad = put("A", H5T_IEEE_F64LE, 2, matrix, chunk, H5T_NATIVE_SCHAR, A);
    bad += put("y", H5T_IEEE_F64LE, 1, &rows, NULL, H5T_NATIVE_INT, y);
    bad += put("X/data", H5T_IEEE_F64LE, 1, &length, &piece, H5T_NATIVE_SCHAR, data);
    bad += put("X/indices", H5T_STD_I32LE, 1, &length, &piece, H5T_NATIVE_INT, indices);
    bad += put("X/indptr", H5T_STD_I64LE, 1, &starts, &piece, H5T_NATIVE_INT64, indptr);
    bad += put_shape("X", (int64_t[]){n, d});
    free(A);
    free(data);
    free(y);
    free(indices);
    free(indptr);
    return bad;
}

int main(int argc, char **argv) {
    if (argc < 2 || argc > 4) return 2;
    file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0) return 3;
    const int bad = argc == 2   ? put_small()
                    : argc == 3 ? put_named(argv[2])
                                : put_large(atoll(argv[2]), atoll(argv[3]));
    return H5close() < 0 || bad;
}
