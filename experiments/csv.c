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
    fputs("problem,method,seed,pass,seconds,epochs,objective,relative_error\n", output.stream);
    for (int i = 0; i < RUNNERS; i++)
        for (int64_t j = 0; j < r->traces[i].count; j++) {
            const sample *s = &r->traces[i].samples[j];
            fprintf(output.stream, "%s,%s,%llu,%lld,%.6f,%.6g,%.17g,%.6e\n", r->name, runners[i].name,
                    (unsigned long long)o->seed, (long long)s->pass, s->seconds, s->epochs, s->objective, s->error);
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

int write_summary_csv(const race *races, int count, const reproduce_options *o) {
    cli_output output = {0};
    const int code = open_csv(&output, o, "summary");
    if (code != 0) return code;
    fputs("problem,rows,method,seed,accuracy,passes,epochs,seconds\n", output.stream);
    for (int r = 0; r < count; r++)
        for (int i = 0; i < RUNNERS; i++)
            for (int a = 0; a < ACCURACIES; a++) {
                const sample *s = race_reach(&races[r].traces[i], accuracies[a]);
                if (!s) continue;
                fprintf(output.stream, "%s,%lld,%s,%llu,%.0e,%lld,%.4f,%.4f\n", races[r].name, (long long)races[r].n,
                        runners[i].name, (unsigned long long)o->seed, accuracies[a], (long long)s->pass, s->epochs,
                        s->seconds);
            }
    return cli_output_commit(&output);
}
