/* Files of bounds: name, lower, upper. */
#include "fuzz.h"

#include <math.h>

enum { ROWS = 3, D = 3 };

static const char PATH[] = "bounds.csv";

void fuzz_start(const char *fresh) {
    static const char table[] = "age,\"net, sales\",\"a\"\"b\",y\n1,2,3,4\n4,3,2,1\n1,1,2,2\n";
    (void)fresh;
    fuzz_write("table.csv", table, sizeof table - 1);
}

void fuzz_input(const uint8_t *data, size_t size) {
    gpis_context *context = fuzz_context();
    gpis_source *A = NULL;
    gpis_problem *problem = NULL;
    gpis_set *set = NULL;
    fuzz_write(PATH, data, size);
    fuzz_require(gpis_source_open(context, "table.csv", "y", &A) == GPIS_OK &&
                     gpis_problem_create(context, A, &problem) == GPIS_OK,
                 "the problem was refused");
    const gpis_status status = gpis_set_read_bounds(context, PATH, problem, &set);
    if (status == GPIS_OK) {
        const double v[D] = {1e3, -1e3, 0};
        double x[D];
        fuzz_accept();
        fuzz_require(gpis_set_project(set, v, x) == GPIS_OK, "no projection");
        for (int j = 0; j < D; j++) fuzz_require(isfinite(x[j]), "a projection that is not finite");
    } else {
        fuzz_check_refusal(context, status, set);
    }
    gpis_set_destroy(set);
    gpis_problem_destroy(problem);
    gpis_source_destroy(A);
    fuzz_context_end(context);
}
