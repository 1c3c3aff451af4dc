/*
 * probe: examines what gpis has written, without gpis. For the scripts in this folder.
 *
 *   probe json FILE            FILE is one JSON object
 *   probe jsonl FILE           each line of FILE is a JSON object; prints how many lines
 *   probe get FILE KEY         the value of KEY in the object of FILE
 *   probe keys FILE            the keys, in order, on one line
 *   probe shape X.npy          the shape in the header, as "(5, 3)"
 *   probe spectrum A.npy       largest over smallest eigenvalue of A'A
 *   probe norms X.npy          l1 norm, nuclear norm, number of nonzeros, rank
 *   probe objective A y x      ||y - A x||^2
 *   probe distance X Y         ||X - Y|| / ||Y||
 *   probe nameless FOLDER      whether files without a name can be made there
 *   probe rss FILE COMMAND...  runs COMMAND, exits as it does; its peak resident memory, in KB, goes to FILE
 */
#include <fcntl.h>
#include <jansson.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char *what, const char *file) {
    fprintf(stderr, "probe: %s: %s\n", file, what);
    exit(1);
}

/* ---- .npy, float64 in C order only: what gpis writes ----------------------------------------------------------------
 */

typedef struct array {
    char shape[128];
    long rows, cols;
    double *data;
} array;

static array read_npy(const char *file) {
    array a = {.rows = 0};
    unsigned char start[10];
    char header[65536];
    FILE *stream = fopen(file, "rb");
    if (!stream || fread(start, 1, 10, stream) != 10 || memcmp(start, "\x93NUMPY\x01\x00", 8) != 0)
        die("no .npy", file);
    const size_t length = start[8] + 256u * start[9];
    if (fread(header, 1, length, stream) != length) die("short header", file);
    header[length] = '\0';
    if ((10 + length) % 64 != 0 || header[length - 1] != '\n') die("header is not padded as the format says", file);
    if (!strstr(header, "'<f8'") || !strstr(header, "False")) die("not float64 in C order", file);
    const char *open = strstr(header, "'shape': ("), *close = open ? strchr(open, ')') : NULL;
    if (!close) die("no shape", file);
    snprintf(a.shape, sizeof a.shape, "%.*s", (int)(close - open - 8), open + 9);
    const int got = sscanf(a.shape, "(%ld, %ld", &a.rows, &a.cols);
    if (got == 1) a.cols = 1;
    const size_t count = (size_t)(a.rows * a.cols);
    a.data = calloc(count + 1, sizeof *a.data);
    if (got < 1 || !a.data || fread(a.data, sizeof *a.data, count, stream) != count || fgetc(stream) != EOF)
        die("size and shape do not agree", file);
    fclose(stream);
    return a;
}

/* Singular values, largest first; the caller frees them. */
static double *singular_values(const array *a) {
    const long least = a->rows < a->cols ? a->rows : a->cols;
    double *sigma = calloc((size_t)least, sizeof *sigma), *copy = calloc((size_t)(a->rows * a->cols), sizeof *copy);
    memcpy(copy, a->data, (size_t)(a->rows * a->cols) * sizeof *copy);
    if (LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'N', (int)a->cols, (int)a->rows, copy, (int)a->cols, sigma, NULL, 1, NULL, 1))
        die("no singular values", "LAPACK");
    free(copy);
    return sigma;
}

static void print_spectrum(const char *file) {
    array a = read_npy(file);
    double *sigma = singular_values(&a);
    printf("%.12g\n", pow(sigma[0] / sigma[a.cols - 1], 2));
    free(sigma);
    free(a.data);
}

static void print_norms(const char *file) {
    array a = read_npy(file);
    double *sigma = singular_values(&a), l1 = 0, nuclear = 0;
    long nonzeros = 0, rank = 0;
    for (long i = 0; i < a.rows * a.cols; i++) {
        l1 += fabs(a.data[i]);
        nonzeros += a.data[i] != 0;
    }
    for (long i = 0; i < (a.rows < a.cols ? a.rows : a.cols); i++) {
        nuclear += sigma[i];
        rank += sigma[i] > 1e-10 * sigma[0];
    }
    printf("%.17g %.17g %ld %ld\n", l1, nuclear, nonzeros, rank);
    free(sigma);
    free(a.data);
}

static void print_objective(const char *a_file, const char *y_file, const char *x_file) {
    array a = read_npy(a_file), y = read_npy(y_file), x = read_npy(x_file);
    long double sum = 0;
    if (y.rows != a.rows || x.rows != a.cols || x.cols != y.cols) die("shapes do not match", a_file);
    for (long i = 0; i < a.rows; i++)
        for (long q = 0; q < y.cols; q++) {
            long double r = -y.data[i * y.cols + q];
            for (long j = 0; j < a.cols; j++) r += (long double)a.data[i * a.cols + j] * x.data[j * x.cols + q];
            sum += r * r;
        }
    printf("%.17Lg\n", sum);
    free(a.data);
    free(y.data);
    free(x.data);
}

static void print_distance(const char *x_file, const char *y_file) {
    array x = read_npy(x_file), y = read_npy(y_file);
    double difference = 0, size = 0;
    if (strcmp(x.shape, y.shape) != 0) die("shapes differ", x_file);
    for (long i = 0; i < x.rows * x.cols; i++) {
        difference += pow(x.data[i] - y.data[i], 2);
        size += pow(y.data[i], 2);
    }
    printf("%.3g\n", sqrt(difference / size));
    free(x.data);
    free(y.data);
}

/* ---- JSON -----------------------------------------------------------------------------------------------------------
 */

static json_t *load(const char *file) {
    json_error_t error;
    json_t *object = json_load_file(file, JSON_REJECT_DUPLICATES, &error);
    if (!object) die(error.text, file);
    if (!json_is_object(object)) die("not an object", file);
    return object;
}

static void count_lines(const char *file) {
    char *line = NULL;
    size_t capacity = 0;
    long lines = 0;
    FILE *stream = fopen(file, "r");
    if (!stream) die("cannot be read", file);
    while (getline(&line, &capacity, stream) > 0) {
        json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
        if (!json_is_object(object) || !strchr(line, '\n')) die("a line is not a JSON object", file);
        json_decref(object);
        lines++;
    }
    printf("%ld\n", lines);
    free(line);
    fclose(stream);
}

static void print_value(const char *file, const char *key) {
    json_t *object = load(file), *value = json_object_get(object, key);
    if (!value) die("no such key", key);
    if (json_is_string(value))
        printf("%s\n", json_string_value(value));
    else if (json_is_integer(value))
        printf("%lld\n", (long long)json_integer_value(value));
    else if (json_is_real(value))
        printf("%.17g\n", json_real_value(value));
    else
        printf("%s\n", json_is_null(value)    ? "null"
                       : json_is_true(value)  ? "true"
                       : json_is_false(value) ? "false"
                                              : "other");
    json_decref(object);
}

static void print_keys(const char *file) {
    json_t *object = load(file), *value;
    const char *key, *space = "";
    json_object_foreach(object, key, value) {
        printf("%s%s", space, key);
        space = " ";
    }
    putchar('\n');
    json_decref(object);
}

/* Runs a command and returns its exit code; its peak resident memory, in KB, is written to `file`. */
static int run_measured(const char *file, char **command) {
    struct rusage usage;
    int state = 0;
    const pid_t child = fork();
    if (child == 0) {
        execvp(command[0], command);
        _exit(127);
    }
    if (child < 0 || wait4(child, &state, 0, &usage) != child) die("cannot run", command[0]);
    FILE *out = fopen(file, "w");
    if (!out) die("cannot write", file);
    fprintf(out, "%ld\n", usage.ru_maxrss);
    fclose(out);
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

int main(int argc, char **argv) {
    const char *what = argc > 2 ? argv[1] : "";
    if (strcmp(what, "rss") == 0 && argc > 3) return run_measured(argv[2], argv + 3);
    if (strcmp(what, "nameless") == 0) return open(argv[2], O_WRONLY | O_TMPFILE, 0666) < 0;
    if (strcmp(what, "json") == 0)
        json_decref(load(argv[2]));
    else if (strcmp(what, "jsonl") == 0)
        count_lines(argv[2]);
    else if (strcmp(what, "get") == 0 && argc == 4)
        print_value(argv[2], argv[3]);
    else if (strcmp(what, "keys") == 0)
        print_keys(argv[2]);
    else if (strcmp(what, "shape") == 0) {
        array a = read_npy(argv[2]);
        puts(a.shape);
        free(a.data);
    } else if (strcmp(what, "spectrum") == 0)
        print_spectrum(argv[2]);
    else if (strcmp(what, "norms") == 0)
        print_norms(argv[2]);
    else if (strcmp(what, "objective") == 0 && argc == 5)
        print_objective(argv[2], argv[3], argv[4]);
    else if (strcmp(what, "distance") == 0 && argc == 4)
        print_distance(argv[2], argv[3]);
    else
        die("unknown request", what);
    return 0;
}
