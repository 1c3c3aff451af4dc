/* Inverse iteration: z := T^-1 z / ||T^-1 z||, T = R'R, tends to the eigenvector of the smallest eigenvalue. */
#include "linalg/flattest.h"

#include <cblas.h>
#include <math.h>

double gpis_model_flattest(const gpis_model *m, double *z) {
    enum { ITERATIONS = 6 }; /* each gains a factor of the ratio of the two smallest eigenvalues */
    const int d = (int)m->d;
    double norm = 1.0;
    gpis_random_normal(0, 0, 0, d, z);
    cblas_dscal(d, 1.0 / cblas_dnrm2(d, z, 1), z, 1);
    for (int i = 0; i < ITERATIONS; i++) {
        cblas_dtrsv(CblasRowMajor, CblasUpper, CblasTrans, CblasNonUnit, d, m->R, d, z, 1);
        cblas_dtrsv(CblasRowMajor, CblasUpper, CblasNoTrans, CblasNonUnit, d, m->R, d, z, 1);
        norm = cblas_dnrm2(d, z, 1);
        if (!(norm > 0.0) || !isfinite(norm)) return 0.0;
        cblas_dscal(d, 1.0 / norm, z, 1);
    }
    return sqrt(1.0 / norm);
}
