/* How good the points of a path are. */
#include <math.h>

#include "path_view.h"

double path_relative_gap(const gpis_path_point *p) {
    return p->objective > p->gap ? p->gap / (p->objective - p->gap) : INFINITY;
}

path_gaps path_worst_gaps(const gpis_path *p) {
    path_gaps worst = {.known = true, .proven = true};
    for (int64_t i = 0; i < p->count; i++) {
        const gpis_path_point *point = p->points[i];
        const double relative = path_relative_gap(point);
        if (isfinite(relative))
            worst.relative = fmax(worst.relative, relative);
        else
            worst.absolute = fmax(worst.absolute, point->gap);
        worst.known = worst.known && isfinite(point->gap);
        worst.proven = worst.proven && point->gap_kind == GPIS_GAP_PROVEN;
        worst.solved += point->outcome == GPIS_SOLVED;
    }
    return worst;
}
