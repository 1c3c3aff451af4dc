/*
 * Writes the problem of files.sh to an HDF5 file, with libhdf5 alone: h5 FILE
 *     /A 4 x 2 float32 in gzipped chunks of 3 rows, /y, /Y 4 x 2, /deep/X the same A in compressed rows, /cube, /text
 */
#include <hdf5.h>

static hid_t file;

static int put(const char *name, hid_t type, int rank, const hsize_t *size, const hsize_t *chunk, hid_t from,
               const void *numbers) {
    const hid_t links = H5Pcreate(H5P_LINK_CREATE), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    if (chunk) H5Pset_chunk(creation, rank, chunk);
    if (chunk) H5Pset_deflate(creation, 6);
    const hid_t space = H5Screate_simple(rank, size, NULL);
    const hid_t set = H5Dcreate2(file, name, type, space, links, creation, H5P_DEFAULT);
    return H5Dwrite(set, from, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) < 0;
}

int main(int argc, char **argv) {
    static const double A[] = {1, 0, 0, 1, 1, 1, 1, 0}, y[] = {1.5, 2, 3, 1}, ones[] = {1, 1, 1, 1, 1};
    static const int indptr[] = {0, 1, 2, 4, 5}, indices[] = {0, 1, 0, 1, 0}, shape[] = {4, 2};
    const hsize_t matrix[] = {4, 2}, chunk[] = {3, 2}, four = 4, five = 5, two = 2, cube[] = {2, 2, 2};
    if (argc != 2) return 2;
    file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 2);
    int bad = file < 0;
    bad += put("A", H5T_IEEE_F32BE, 2, matrix, chunk, H5T_NATIVE_DOUBLE, A);
    bad += put("y", H5T_IEEE_F64LE, 1, &four, NULL, H5T_NATIVE_DOUBLE, y);
    bad += put("Y", H5T_IEEE_F64LE, 2, matrix, NULL, H5T_NATIVE_DOUBLE, A);
    bad += put("cube", H5T_IEEE_F64LE, 3, cube, NULL, H5T_NATIVE_DOUBLE, A);
    bad += put("text", text, 2, matrix, NULL, text, "a\0b\0c\0d\0e\0f\0g\0h");
    bad += put("deep/X/data", H5T_IEEE_F64LE, 1, &five, NULL, H5T_NATIVE_DOUBLE, ones);
    bad += put("deep/X/indices", H5T_STD_I64LE, 1, &five, NULL, H5T_NATIVE_INT, indices);
    bad += put("deep/X/indptr", H5T_STD_I32LE, 1, &five, NULL, H5T_NATIVE_INT, indptr);
    const hid_t group = H5Gopen2(file, "deep/X", H5P_DEFAULT), space = H5Screate_simple(1, &two, NULL);
    const hid_t attribute = H5Acreate2(group, "shape", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    bad += H5Awrite(attribute, H5T_NATIVE_INT, shape) < 0;
    return H5close() < 0 || bad;
}
