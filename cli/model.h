/* Model files: all that it takes to predict, in JSON. */
#ifndef GPIS_CLI_MODEL_H
#define GPIS_CLI_MODEL_H

#include "cli.h"

typedef struct cli_model {
    int64_t d, k;
    double *x;               /* owned: d x k, row-major */
    double *intercept;       /* owned: k numbers, zeros where the model has none */
    bool has_intercept;      /* the fit had one */
    bool has_offset;         /* y had an offset, which predictions need too */
    gpis_encoding *encoding; /* owned: what is done to the columns of a table; NULL: A was no table */
    char **names;            /* owned, and each text: of the d columns; NULL: they had none */
} cli_model;

/* Reads a model, of which nothing is believed before it has been checked; returns 0 or an exit code. */
int cli_model_read(gpis_context *context, const char *path, cli_model *model);
void cli_model_clear(cli_model *model);

#endif
