/* The results as CSV: each trace, each trial, and the summary whose passes and epochs do not depend on the machine. */
#include "experiment.h"

int result_path(char path[PATH_MAX], const reproduce_options *o, const char *name, const char *ending) {
    if (snprintf(path, PATH_MAX, "%s/%s%s", o->out, name, ending) < PATH_MAX) return 0;
    return cli_fail(CLI_BAD_INPUT, "the name of the folder is too long");
}

static int open_csv(cli_output *output, const reproduce_options *o, const char *name) {
    char path[PATH_MAX];
    const int code = result_path(path, o, name, ".csv");
    return code == 0 ? cli_output_open(output, path) : code;
}

int write_race_csv(const race *r, const reproduce_options *o) {
    cli_output output = {0};
    const int code = open_csv(&output, o, r->name);
    if (code != 0) return code;
    fputs("problem,method,seed,pass,seconds,epochs,objective,relative_error,processor_seconds\n", output.stream);
    for (int i = 0; i < RUNNERS; i++)
        for (int64_t j = 0; j < r->traces[i].count; j++) {
            const sample *s = &r->traces[i].samples[j];
            fprintf(output.stream, "%s,%s,%llu,%lld,%.6f,%.6g,%.17g,%.6e,%.6f\n", r->name, runners[i].name,
                    (unsigned long long)o->seed, (long long)s->pass, s->seconds, s->epochs, s->objective, s->error,
                    s->processor);
        }
    return cli_output_commit(&output);
}

int write_sweep_csv(const sweep *s, const reproduce_options *o) {
    cli_output output = {0};
    const int code = open_csv(&output, o, "syn4");
    if (code != 0) return code;
    fputs("problem,method,seed,sparsity,trial,mean_step_times_L\n", output.stream);
    for (int i = 0; i < SPARSITIES; i++)
        for (int64_t t = 0; t < s->trials; t++)
            fprintf(output.stream, "syn4,gpis,%llu,%lld,%lld,%.10g\n", (unsigned long long)o->seed,
                    (long long)s->sparsity[i], (long long)t + 1, s->step[i][t]);
    return cli_output_commit(&output);
}

int write_study_csv(const study *s, const reproduce_options *o) {
    const struct {
        const char *figure, *line;
        const double *x, *y;
        int count;
    } lines[] = {
        {"m", "proposition-2", s->m, s->proposition, SKETCH_SIZES},
        {"m", "direct", s->m, s->direct, SKETCH_SIZES},
        {"m", "sqrt-d-over-m", s->m, s->rule_of_thumb, SKETCH_SIZES},
        {"m", "measured-gaussian", s->m, s->gaussian, SKETCH_SIZES},
        {"m", "measured-count", s->m, s->count, SKETCH_SIZES},
        {"inner", "theorem-1", s->inner, s->theorem[0], INNER_LENGTHS},
        {"inner", "theorem-2", s->inner, s->theorem[1], INNER_LENGTHS},
        {"inner", "theorem-3", s->inner, s->theorem[2], INNER_LENGTHS},
        {"inner", "measured-gpis", s->inner, s->gpis, INNER_LENGTHS},
        {"inner", "measured-acc-gpis", s->inner, s->acc_gpis, INNER_LENGTHS},
    };
    cli_output output = {0};
    const int code = open_csv(&output, o, "bounds");
    if (code != 0) return code;
    fputs("against,line,value,factor_of_a_round\n", output.stream);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        for (int j = 0; j < lines[i].count; j++)
            fprintf(output.stream, "%s,%s,%.0f,%.6g\n", lines[i].figure, lines[i].line, lines[i].x[j], lines[i].y[j]);
    return cli_output_commit(&output);
}

int write_summary_csv(const results *all, const reproduce_options *o) {
    cli_output output = {0};
    const int code = open_csv(&output, o, "summary");
    if (code != 0) return code;
    fputs("problem,rows,method,seed,accuracy,passes,epochs,seconds,processor_seconds,repeats\n", output.stream);
    for (int i = 0; i < all->count; i++)
        for (int j = 0; j < RUNNERS; j++)
            for (int a = 0; a < ACCURACIES; a++) {
                const race *r = &all->races[i];
                const sample *s = race_reach(&r->traces[j], accuracies[a]);
                if (!s) continue;
                fprintf(output.stream, "%s,%lld,%s,%llu,%.0e,%lld,%.4f,%.6f,%.6f,%d\n", r->name, (long long)r->n,
                        runners[j].name, (unsigned long long)o->seed, accuracies[a], (long long)s->pass, s->epochs,
                        s->seconds, s->processor, r->traces[j].repeats);
            }
    return cli_output_commit(&output);
}
