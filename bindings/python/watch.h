/* What the extension has besides libgpis: the state of a solve that Python watches. */
typedef struct gpis_py_watch {
    void *handle;         /* of the Python object that looks at the solve */
    int each_pass;        /* non-zero: Python looks after each pass, and not only from time to time */
    double next_look;     /* seconds of the solve after which Python looks again */
    gpis_progress *trace; /* owned: a line for each pass */
    int64_t count, space;
} gpis_py_watch;

/* An active constraint without its text. */
typedef struct gpis_py_active {
    int64_t column, response;
    double multiplier;
} gpis_py_active;
