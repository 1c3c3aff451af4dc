"""The kinds of sets: a constructor for each, as the library has them."""

from __future__ import annotations

import functools
from typing import Any, Callable, NamedTuple, Sequence

import numpy as np

from ._core import InputError, Native, UsageError, ffi, lib, real, whole
from ._data import c_names, name_list, numbers, pointer, whole_numbers
from ._sets import Place, Set, Term, check_size, end_text, label, number_text


class _Entries(NamedTuple):
    """A number for each column, as an argument of a constructor of the library."""

    array: np.ndarray[Any, Any]
    what: str

    def pointer(self, d: int) -> Any:
        check_size(self.array, (d,), self.what)
        if self.array.dtype == np.int64:
            return ffi.cast("int64_t *", self.array.ctypes.data)
        return pointer(self.array)


def _make(function: str, arguments: tuple[Any, ...], place: Place, d: int) -> Any:
    """A set by a constructor of the library."""
    values = [a.pointer(d) if isinstance(a, _Entries) else ffi.NULL if a is None else a for a in arguments]
    return place.native.make("gpis_set", lib.gpis_set_destroy, getattr(lib, function), place.native.context, *values, d)


none = Set(Term("none"))
nonneg = Set(Term("nonneg"))
monotone = Set(Term("monotone"))


def l1(R: float, weights: Any = None) -> Set:
    """The sizes |x_j|, each times its weight, add up to at most R; weight 0 exempts a column.

    >>> l1(2), l1(1, [1, 1, 0])
    (l1:2, l1:1,#3)
    """
    if weights is None:
        return Set(Term(f"l1:{number_text(R)}"))
    w = numbers(weights, "the weights of l1", (1,))
    made = functools.partial(_make, "gpis_set_l1_weighted", (real("l1", R), _Entries(w, "the weights of l1")))
    return Set(Term(f"l1:{number_text(R)},{label(w)}", made))


def l2(R: float) -> Set:
    """||x||_2 <= R."""
    return Set(Term(f"l2:{number_text(R)}"))


def linf(R: float) -> Set:
    """|x_j| <= R for each column."""
    return Set(Term(f"linf:{number_text(R)}"))


def simplex(R: float = 1) -> Set:
    """x >= 0, with a sum of R."""
    return Set(Term(f"simplex:{number_text(R)}"))


def capped_simplex(R: float = 1) -> Set:
    """x >= 0, with a sum of at most R."""
    return Set(Term(f"capped-simplex:{number_text(R)}"))


def tv(R: float) -> Set:
    """The jumps |x_(j+1) - x_j| add up to at most R."""
    return Set(Term(f"tv:{number_text(R)}"))


def nuclear(R: float) -> Set:
    """The singular values of X, one column for each response, add up to at most R."""
    return Set(Term(f"nuclear:{number_text(R)}"))


def sum(lower: float, upper: float | None = None) -> Set:
    """The entries add up to `lower`, or to a number from lower to upper.

    >>> sum(1), sum(-float("inf"), 2)
    (sum:1, sum:,2)
    """
    return Set(Term(f"sum:{number_text(lower)}" if upper is None else f"sum:{end_text(lower, 'lower')},{end_text(upper, 'upper')}"))


def box(lower: Any = None, upper: Any = None) -> Set:
    """lower <= x <= upper, numbers or one for each column; None or infinite is no bound.

    >>> box(0, 1), box(upper=0.1)
    (box:0,1, box:,0.1)
    """
    if np.ndim(lower) == 0 and np.ndim(upper) == 0:
        return Set(Term(f"box:{end_text(lower, 'lower')},{end_text(upper, 'upper')}"))
    ends = [end if np.ndim(end) == 0 else numbers(end, "a bound", (1,)) for end in (lower, upper)]
    text = ",".join(end_text(end, side) if np.ndim(end) == 0 else label(end) for end, side in zip(ends, ("lower", "upper")))
    return Set(Term("box:" + text, functools.partial(_make_box, *ends)))


def _make_box(lower: Any, upper: Any, place: Place, d: int) -> Any:
    ends = [end if end is None else _Entries(np.full(d, float(end)) if np.ndim(end) == 0 else end, f"the {side} bound")
            for side, end in (("lower", lower), ("upper", upper))]
    return _make("gpis_set_box", tuple(ends), place, d)


def group(R: float, groups: Any) -> Set:
    """The 2-norms of groups of entries add up to at most R; a size of consecutive entries, or a group number for each.

    >>> group(2, 3), group(1, [0, 0, 1])
    (group:2:3, group:1:#3)
    """
    if np.ndim(groups) == 0:
        return Set(Term(f"group:{number_text(R)}:{whole('the size of a group', groups)}"))
    number = whole_numbers(groups, "the list of groups", "it has the number of its group for each column")
    made = functools.partial(_make, "gpis_set_group_by", (real("group", R), _Entries(number, "the list of groups")))
    return Set(Term(f"group:{number_text(R)}:{label(number)}", made))


def affine(C: Any, b: Any) -> Set:
    """C x = b."""
    rows, right = numbers(C, "C", (2,)), numbers(b, "b", (1,))
    check_size(right, (rows.shape[0],), "b")
    return Set(Term(f"affine:{label(rows)}", functools.partial(_make_affine, rows, right)))


def _make_affine(C: np.ndarray[Any, Any], b: np.ndarray[Any, Any], place: Place, d: int) -> Any:
    check_size(C, (C.shape[0], d), "C")
    return _make("gpis_set_affine", (pointer(C), pointer(b), C.shape[0]), place, d)


def linear(C: Any, lower: Any = None, upper: Any = None, names: Sequence[str] | None = None) -> Set:
    """lower <= C x <= upper; None or infinite is no limit. names[i] is what results call row i."""
    rows = numbers(C, "C", (2,))
    limits = [None if end is None else np.full(len(rows), real("a limit", end)) if np.ndim(end) == 0 else numbers(end, "a limit", (1,))
              for end in (lower, upper)]
    for limit in limits:
        if limit is not None:
            check_size(limit, (len(rows),), "a limit")
    listed = None if names is None else name_list(names)
    if listed is not None and len(listed) != rows.shape[0]:
        raise InputError(f"there are {len(listed)} names for the {rows.shape[0]} rows of C")
    return Set(Term(f"linear:{label(rows)}", functools.partial(_make_linear, rows, *limits, listed)))


def _make_linear(C: np.ndarray[Any, Any], lower: Any, upper: Any, names: list[str] | None, place: Place, d: int) -> Any:
    check_size(C, (C.shape[0], d), "C")
    texts, kept = c_names(names) if names is not None else (ffi.NULL, None)
    low, high = (ffi.NULL if limit is None else pointer(limit) for limit in (lower, upper))
    return place.native.make("gpis_set", lib.gpis_set_destroy, lib.gpis_set_linear, place.native.context, pointer(C), low, high,
                             C.shape[0], d, texts)


def subject_to(*texts: str) -> Set:
    """Linear constraints in words.

    >>> subject_to("tv + radio <= 0.5", "tv >= 0")
    {tv + radio <= 0.5; tv >= 0}
    """
    for text in texts:
        if not isinstance(text, str):
            raise UsageError(f"a linear constraint is a text such as 'tv + radio <= 0.5', not {text!r}")
    return Set(Term("{" + "; ".join(texts) + "}"))


# ---- a set of the caller's own ------------------------------------------------------------------------------------------------


class _Custom:
    """The functions of a set, called by the library with arrays of its own."""

    def __init__(self, native: Native, shape: tuple[int, ...], **functions: Any) -> None:
        import weakref

        self.native, self.shape, self.functions = weakref.ref(native), shape, functions
        self.size = int(np.prod(shape))

    def array(self, at: Any) -> np.ndarray[Any, Any]:
        return np.frombuffer(ffi.buffer(at, self.size * 8), dtype=np.float64).reshape(self.shape)

    def map(self, which: str, v: Any, x: Any) -> int:
        given = np.array(self.array(v))
        made = np.asarray(self.functions[which](given), dtype=np.float64)
        if made.shape != self.shape:
            raise InputError(f"the {which} function of a set returned an array of shape {made.shape} for one of {self.shape}")
        self.array(x)[...] = made
        return 0

    def support(self, g: Any, value: Any) -> int:
        value[0] = float(self.functions["support"](np.array(self.array(g))))
        return 0

    def fail(self, error: BaseException) -> None:
        native = self.native()
        if native is not None and native.failure is None:
            native.failure = error


def _custom_failed(kind: Any, error: BaseException, traceback: Any) -> int:
    ffi.from_handle(traceback.tb_frame.f_locals["user"]).fail(error)
    return 1


@ffi.def_extern(onerror=_custom_failed, error=1)
def gpis_py_project(user: Any, v: Any, x: Any) -> int:
    return ffi.from_handle(user).map("project", v, x)


@ffi.def_extern(onerror=_custom_failed, error=1)
def gpis_py_recession(user: Any, v: Any, x: Any) -> int:
    return ffi.from_handle(user).map("recession", v, x)


@ffi.def_extern(onerror=_custom_failed, error=1)
def gpis_py_support(user: Any, g: Any, value: Any) -> int:
    return ffi.from_handle(user).support(g, value)


def custom(project: Callable[[np.ndarray[Any, Any]], Any], support: Callable[[np.ndarray[Any, Any]], float] | None = None,
           radius: float = 0.0, recession: Callable[[np.ndarray[Any, Any]], Any] | None = None, name: str | None = None,
           matrix: bool = False) -> Set:
    """A closed convex set of your own, by its projection.

    `project(v)` returns the member nearest to v. That is enough to solve; a certificate also needs `support(g)`, the
    largest <g, s> over the bounded part of the set, with `radius`, the largest norm there, and `recession`, the
    projection on the directions in which the set is unbounded, if there are any. With `matrix` the functions take X as
    a whole, a column for each response.

    >>> import numpy as np, gpis
    >>> ball = custom(lambda v: v / max(1, np.linalg.norm(v)), lambda g: np.linalg.norm(g), radius=1, name="ball")
    >>> gpis.project([3.0, 4.0], ball)
    array([0.6, 0.8])
    """
    if not callable(project):
        raise UsageError(f"a set of your own is a projection, a function of a point, not a {type(project).__name__}")
    title = name or getattr(project, "__name__", "set").strip("<>")
    made = functools.partial(_make_custom, project, support, real("radius", radius), recession, title, matrix)
    return Set(Term(f"custom:{title}", made))


def _make_custom(project: Any, support: Any, radius: float, recession: Any, title: str, matrix: bool, place: Place, d: int) -> Any:
    native = place.native
    shape = (d, place.k) if matrix else (d,)
    functions = _Custom(native, shape, project=project, support=support, recession=recession)
    text = native.keep(ffi.new("char[]", title.encode("utf-8", "replace")))
    given = ffi.new("gpis_custom_set *")
    given.name, given.project, given.radius, given.matrix = text, lib.gpis_py_project, radius, matrix
    if support is not None:
        given.support = lib.gpis_py_support
    if recession is not None:
        given.recession = lib.gpis_py_recession
    given.user = native.keep(ffi.new_handle(native.keep(functions)))
    return native.make("gpis_set", lib.gpis_set_destroy, lib.gpis_set_custom, native.context, given, d, place.k)
