/* A path as a table, as JSON and in words. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "path.h"

static const char *value_name(const gpis_path *p) { return p->penalised ? "lambda" : "radius"; }

/* ---- CSV ---- */

/* A name, with the number of the response behind it where there are several. */
static bool write_name(FILE *stream, const char *name, int64_t response, int64_t k) {
    char *numbered = NULL;
    if (k > 1 && asprintf(&numbered, "%s.%lld", name, (long long)response + 1) < 0) return false;
    fputc(',', stream);
    cli_write_field(stream, k > 1 ? numbered : name);
    free(numbered);
    return true;
}

static bool write_header(FILE *stream, const cli_path *p) {
    const gpis_path *path = p->path;
    char made[32];
    fputs(value_name(path), stream);
    if (p->cv) fputs(",mean_squared_error,standard_error,choice", stream);
    fputs(",objective,gap,gap_kind,outcome,nonzeros,norm1", stream);
    for (int64_t f = 0; p->cv && f < p->cv->folds; f++) fprintf(stream, ",fold_%lld", (long long)f + 1);
    bool good = true;
    for (int64_t c = 0; path->points[0]->intercept && good && c < path->k; c++)
        good = write_name(stream, "(intercept)", c, path->k);
    for (int64_t i = 0; good && i < path->d * path->k; i++)
        good = write_name(stream, cli_column_name(p->A, i / path->k, made), i % path->k, path->k);
    fputc('\n', stream);
    return good;
}

static const char *choice_of(const gpis_cv *cv, int64_t i) {
    if (i == cv->best && i == cv->one_se) return "best one_se";
    return i == cv->best ? "best" : i == cv->one_se ? "one_se" : "";
}

static void write_next(FILE *stream, double value) {
    fputc(',', stream);
    cli_write_number(stream, value);
}

bool cli_path_csv(FILE *stream, const cli_path *p) {
    const gpis_path *path = p->path;
    if (!write_header(stream, p)) return false;
    for (int64_t i = 0; i < path->count; i++) {
        const gpis_path_point *point = path->points[i];
        cli_write_number(stream, point->value);
        if (p->cv) {
            write_next(stream, p->cv->mean[i]);
            write_next(stream, p->cv->standard_error[i]);
            fprintf(stream, ",%s", choice_of(p->cv, i));
        }
        write_next(stream, point->objective);
        write_next(stream, point->gap);
        fprintf(stream, ",%s,%s,%lld", gpis_gap_kind_text(point->gap_kind), gpis_outcome_text(point->outcome),
                (long long)point->nonzeros);
        write_next(stream, point->norm1);
        for (int64_t f = 0; p->cv && f < p->cv->folds; f++) write_next(stream, p->cv->errors[i * p->cv->folds + f]);
        for (int64_t c = 0; point->intercept && c < path->k; c++) write_next(stream, point->intercept[c]);
        for (int64_t j = 0; j < path->d * path->k; j++) write_next(stream, point->x[j]);
        fputc('\n', stream);
    }
    return true;
}

/* ---- JSON ---- */

static json_t *point_json(const cli_path *p, int64_t i) {
    const gpis_path *path = p->path;
    const gpis_path_point *point = path->points[i];
    json_t *one = json_pack("{s:o, s:o, s:o, s:s, s:o, s:s, s:I, s:o}", value_name(path), cli_json_number(point->value),
                            "objective", cli_json_number(point->objective), "gap", cli_json_number(point->gap),
                            "gap_kind", gpis_gap_kind_text(point->gap_kind), "relative_gap",
                            cli_json_number(path_relative_gap(point)), "outcome", gpis_outcome_text(point->outcome),
                            "nonzeros", (json_int_t)point->nonzeros, "norm1", cli_json_number(point->norm1));
    if (path->penalised) json_object_set_new(one, "alpha", cli_json_number(point->value / (2.0 * path->rows_weight)));
    if (point->intercept) json_object_set_new(one, "intercept", cli_json_numbers(point->intercept, path->k));
    if (p->cv) {
        json_object_set_new(one, "mean_squared_error", cli_json_number(p->cv->mean[i]));
        json_object_set_new(one, "standard_error", cli_json_number(p->cv->standard_error[i]));
        json_object_set_new(one, "fold_errors", cli_json_numbers(p->cv->errors + i * p->cv->folds, p->cv->folds));
    }
    json_object_set_new(one, "x", cli_json_numbers(point->x, path->d * path->k));
    return one;
}

static json_t *choice_json(const cli_path *p, int64_t i) {
    const gpis_path_point *point = p->path->points[i];
    return json_pack("{s:I, s:o, s:o, s:o, s:I}", "point", (json_int_t)i, value_name(p->path),
                     cli_json_number(point->value), "mean_squared_error", cli_json_number(p->cv->mean[i]),
                     "standard_error", cli_json_number(p->cv->standard_error[i]), "nonzeros",
                     (json_int_t)point->nonzeros);
}

json_t *cli_path_json(const cli_path *p) {
    const gpis_path *path = p->path;
    json_t *points = json_array(), *names = json_array();
    char made[32];
    for (int64_t i = 0; i < path->count; i++) json_array_append_new(points, point_json(p, i));
    for (int64_t j = 0; j < path->d; j++) json_array_append_new(names, cli_json_text(cli_column_name(p->A, j, made)));
    json_t *all =
        json_pack("{s:o, s:I, s:I, s:I, s:I, s:f, s:f, s:I, s:o, s:o, s:o, s:s}", "set",
                  path->penalised ? json_null() : cli_json_text(path->set), "rows", (json_int_t)p->rows, "cols",
                  (json_int_t)path->d, "responses", (json_int_t)path->k, "sweeps", (json_int_t)path->sweeps,
                  "bytes_read", path->bytes_read, "seconds", path->seconds, "exact", (json_int_t)path->exact, "warning",
                  cli_json_text_or_null(path->warning), "names", names, "points", points, "version", gpis_version());
    if (all && p->cv) {
        json_object_set_new(all, "folds", json_integer(p->cv->folds));
        json_object_set_new(all, "best", choice_json(p, p->cv->best));
        json_object_set_new(all, "one_se", choice_json(p, p->cv->one_se));
        json_object_set_new(all, "stalled", json_integer(p->cv->stalled));
    }
    return all;
}

/* ---- words ---- */

static void print_choice(const cli_path *p, const char *what, int64_t i) {
    const gpis_path_point *point = p->path->points[i];
    printf("%-14s%s %.6g, %lld of %lld coefficients, mean squared error %.6g +- %.2g\n", what, value_name(p->path),
           point->value, (long long)point->nonzeros, (long long)(p->path->d * p->path->k), p->cv->mean[i],
           p->cv->standard_error[i]);
}

static void print_rows(const cli_path *p) {
    enum { MOST = 12 };
    const gpis_path *path = p->path;
    const int64_t step = path->count > MOST ? (path->count - 1 + MOST - 2) / (MOST - 1) : 1;
    printf("\n%14s %10s %14s %10s%s\n", value_name(path), "nonzeros", "objective", "gap",
           p->cv ? "   error of folds" : "");
    for (int64_t i = 0; i < path->count;
         i += i + step < path->count || i == path->count - 1 ? step : path->count - 1 - i) {
        const gpis_path_point *point = path->points[i];
        printf("%14.6g %10lld %14.8g", point->value, (long long)point->nonzeros, point->objective);
        if (isfinite(path_relative_gap(point)))
            printf(" %10.1e", path_relative_gap(point));
        else
            printf(" %10s", "-");
        if (p->cv) printf("   %.6g +- %.2g", p->cv->mean[i], p->cv->standard_error[i]);
        puts(point->outcome == GPIS_SOLVED ? "" : "   not proven to the tolerance");
    }
}

void cli_path_print(const cli_path *p) {
    const gpis_path *path = p->path;
    const path_gaps worst = path_worst_gaps(path);
    printf("path          %lld points, %s from %.6g to %.6g", (long long)path->count, value_name(path),
           path->points[0]->value, path->points[path->count - 1]->value);
    if (path->penalised)
        printf(" (scikit-learn's alpha from %.6g to %.6g)\n", path->points[0]->value / (2 * path->rows_weight),
               path->points[path->count - 1]->value / (2 * path->rows_weight));
    else
        printf(", set %s\n", cli_printable(path->set).text);
    printf("certificate   %lld of %lld points proven; relative gaps up to %.1e", (long long)worst.solved,
           (long long)path->count, worst.relative);
    if (!worst.known)
        printf(", and some without a bound");
    else if (worst.absolute > 0)
        printf(", where the objective is nearly 0 absolute ones up to %.1e", worst.absolute);
    putchar('\n');
    if (p->cv) {
        printf("validation    %lld folds", (long long)p->cv->folds);
        if (p->cv->stalled > 0)
            printf("; %lld of their %lld answers are not certified to the tolerance", (long long)p->cv->stalled,
                   (long long)(p->cv->folds * path->count));
        putchar('\n');
        print_choice(p, "best", p->cv->best);
        print_choice(p, "one-se choice", p->cv->one_se);
    }
    print_rows(p);
    printf("\nwork          %lld sweep%s over A, %.2f s\n", (long long)path->sweeps, path->sweeps == 1 ? "" : "s",
           path->seconds);
}
