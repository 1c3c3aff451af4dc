"""The extension gpis._gpis: cffi in API mode over gpis.h and watch.c."""

from pathlib import Path

import cffi

from header import declarations

HERE = Path(__file__).resolve().parent
HEADER = HERE.parents[1] / "include" / "gpis.h"

FUNCTIONS = """
void gpis_py_exit(void);
int gpis_py_after_pass(void *user, const gpis_progress *progress);
int gpis_py_within_pass(void *user, const gpis_pass_progress *progress);
int gpis_py_while_opening(void *user, const gpis_open_progress *progress);
void gpis_py_watch_clear(gpis_py_watch *watch);
extern "Python" {
    int gpis_py_look(void *handle, const gpis_progress *after, const gpis_pass_progress *within);
    int gpis_py_rows(void *user, int64_t row0, int64_t nrows, double *rows);
    int gpis_py_project(void *user, const double *v, double *x);
    int gpis_py_recession(void *user, const double *v, double *x);
    int gpis_py_support(void *user, const double *g, double *value);
}
"""


def builder() -> cffi.FFI:
    ffi = cffi.FFI()
    ffi.cdef(declarations(HEADER))
    ffi.cdef((HERE / "watch.h").read_text() + (HERE / "arrow.h").read_text() + FUNCTIONS)
    source = '#include "arrow.h"\n' + (HERE / "watch.c").read_text()
    ffi.set_source("gpis._gpis", '#include <stddef.h>\n#include <stdint.h>\n' + source,
                   include_dirs=[str(HERE), str(HEADER.parent)], libraries=["gpis"])
    return ffi


ffibuilder = builder()
