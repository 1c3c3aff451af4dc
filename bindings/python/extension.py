"""The extension gpis._gpis: cffi in API mode over gpis.h, watch.c and the pages of the program's reports."""

from pathlib import Path

import cffi

from header import declarations

HERE = Path(__file__).resolve().parent
TREE = HERE.parents[1]
HEADER = TREE / "include" / "gpis.h"

FUNCTIONS = """
void gpis_py_exit(void);
void gpis_py_one_thread(void);
int gpis_py_after_pass(void *user, const gpis_progress *progress);
int gpis_py_within_pass(void *user, const gpis_pass_progress *progress);
int gpis_py_while_opening(void *user, const gpis_open_progress *progress);
void gpis_py_watch_clear(gpis_py_watch *watch);
size_t gpis_py_pack(const gpis_result *result, char *to);
char *gpis_py_page(const page *given, const cli_path *answers);
void gpis_py_free(char *text);
extern "Python" {
    int gpis_py_look(void *handle, const gpis_progress *after, const gpis_pass_progress *within);
    int gpis_py_rows(void *user, int64_t row0, int64_t nrows, double *rows);
    int gpis_py_project(void *user, const double *v, double *x);
    int gpis_py_recession(void *user, const double *v, double *x);
    int gpis_py_support(void *user, const double *g, double *value);
}
"""


def result_texts(ffi: cffi.FFI) -> "tuple[str, int]":
    """C that finds the texts of a result by their number: whatever fields gpis.h has. And how many there are."""
    names = [name for name, field in ffi.typeof("gpis_result").fields if field.type.cname == "char *"]
    cases = "".join(f"    case {i}: return result->{name};\n" for i, name in enumerate(names))
    return (f"static const char *gpis_py_result_text(const gpis_result *result, int index) {{\n    switch (index) {{\n{cases}"
            "    default: return NULL;\n    }\n}\n", len(names))


def builder() -> cffi.FFI:
    ffi = cffi.FFI()
    ffi.cdef(declarations(HEADER))
    ffi.cdef("".join((HERE / name).read_text() for name in ("watch.h", "arrow.h", "report.h")) + FUNCTIONS)
    texts, count = result_texts(ffi)
    source = f'#include "arrow.h"\n#define GPIS_PY_TEXTS {count}\n' + (HERE / "watch.c").read_text() + (HERE / "report.c").read_text() + texts
    ffi.set_source("gpis._gpis", '#include <stddef.h>\n#include <stdint.h>\n' + source,
                   include_dirs=[str(HERE), str(HEADER.parent), str(TREE / "cli")], libraries=["gpis", "gomp", "m"])
    return ffi


ffibuilder = builder()
