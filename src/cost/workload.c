/* A problem as numbers. */
#include <math.h>

#include "certificate/face.h"
#include "cost/cost.h"
#include "inner/inner.h"
#include "inner/solver.h"
#include "linalg/quadratic.h"
#include "pass/pass.h"
#include "set/polyhedron.h"

static gpis_storage storage_of(const gpis_source *A) {
    if (A->class->on_demand) return GPIS_STORED_NOWHERE;
    if (A->block_kind == GPIS_BLOCK_CSR) return GPIS_STORED_SPARSE;
    if (A->order == GPIS_COLUMN_MAJOR) return GPIS_STORED_COLUMNS;
    return A->type == GPIS_FLOAT32 ? GPIS_STORED_FLOATS : GPIS_STORED_ROWS;
}

/* The set that a transform of a set is a transform of. */
static const gpis_set *innermost(const gpis_set *set) {
    while (set->inside) set = set->inside;
    return set;
}

static gpis_inner_cost inner_of(const gpis_set *set) {
    if (gpis_inner_factor.applies(set) || gpis_inner_sphere.applies(set) || gpis_inner_plane.applies(set))
        return GPIS_INNER_BY_FACTOR;
    if (gpis_inner_polyhedron.applies(set)) return GPIS_INNER_BY_FACES;
    return gpis_inner_walk.applies(set) ? GPIS_INNER_BY_WALK : GPIS_INNER_BY_GRADIENT;
}

/* Only where a certificate is wanted do rounds end on a face. */
static bool may_end_on_face(const gpis_set *set, const gpis_settings *settings) {
    return gpis_face_applies(set) && settings->certificate != GPIS_CERTIFICATE_NONE;
}

/* First the summary and its pass; then the summary, the model, the memory to make the model, and the inner problem. */
bool gpis_workload_summarises(const gpis_problem *p) {
    enum { MAX_COLUMNS = 4096 };
    if (p->summary) return true;
    if (p->set->shape == GPIS_SHAPE_WHOLE || p->d + p->k > MAX_COLUMNS) return false;
    if (gpis_account_is_unlimited(p->context)) return true;
    const gpis_load plain = gpis_load_with_terms((gpis_load){.d = p->d, .k = p->k}, &p->terms);
    const gpis_load load = gpis_load_with_summary(plain, true);
    const double square = 8.0 * (double)p->d * (double)p->d, pass = gpis_pass_memory(p->context, p->A, &load);
    const double most = fmax(pass, 3.0 * square + gpis_inner_memory(p->set));
    return gpis_quadratic_memory(p->d, p->k) + most <= (double)gpis_account_left(p->context);
}

gpis_workload gpis_workload_of(const gpis_problem *problem, const gpis_settings *settings,
                               const gpis_sketch_class *kind, const gpis_machine *machine) {
    const gpis_source *A = problem->A;
    const gpis_set *set = innermost(problem->set);
    const bool windows = !problem->summary && !A->resident && !A->class->on_demand;
    const double bytes = gpis_source_row_bytes(A) * (double)problem->n;
    const double size = (double)(problem->d + problem->k),
                 entries = problem->summary ? size * size : (double)A->nonzeros;
    return (gpis_workload){.n = (double)problem->n,
                           .d = (double)problem->d,
                           .k = (double)problem->k,
                           .entries = fmax(1.0, entries),
                           .ranks = 1.0,
                           .storage = storage_of(A),
                           .inner = inner_of(set),
                           .rows_of_set =
                               set->polyhedron ? (double)(set->polyhedron->rows + set->polyhedron->sums) : 0.0,
                           .tol = settings->tol,
                           .delta = settings->delta,
                           .probing = settings->certificate == GPIS_CERTIFICATE_ANY,
                           .proof = settings->certificate == GPIS_CERTIFICATE_PROVEN,
                           .whole = problem->set->shape == GPIS_SHAPE_WHOLE,
                           .walls = may_end_on_face(problem->set, settings),
                           .sketch = kind,
                           .rowless = problem->summary != NULL,
                           .at_hand = A->resident,
                           .windows = windows,
                           .summary = gpis_workload_summarises(problem),
                           /* A file that is smaller stays in the page cache. */
                           .disk = windows && bytes > machine->memory ? bytes : 0.0};
}
