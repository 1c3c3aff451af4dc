"""Constraint sets as objects. They print as the specs that the library and the program read, and combine like them.

>>> import gpis
>>> gpis.l1(3.5)["age":"bmi"] & gpis.nonneg
l1:3.5[age:bmi] & nonneg
"""

from __future__ import annotations

import functools
import re
from typing import Any, Callable, NamedTuple, Sequence, Union

import numpy as np

from ._core import InputError, Native, UsageError, ffi, lib
from ._data import c_names, numbers, pointer

Columns = Union[str, int, slice, Sequence[Union[str, int, slice]]]


# ---- columns ---------------------------------------------------------------------------------------------------------


def _quoted(name: str) -> str:
    """A name as specs write it, in quotes where it could be taken for something else; a star makes a pattern."""
    plain = name == name.strip() and name and not re.search(r"[,\[\]\"'`#&(){}@:]", name) and not re.fullmatch(r"[\d-]+", name)
    return name if plain else '"' + name.replace('"', '""') + '"'


def _number(index: Any) -> int:
    if int(index) < 0:
        raise UsageError(f"column {index}: columns are counted from 0 here, and not from the end")
    return int(index) + 1


def _item(item: str | int | slice) -> str:
    if isinstance(item, str):
        return _quoted(item)
    if not isinstance(item, slice):
        return str(_number(item))
    first, last = item.start, item.stop
    if item.step is not None or last is None:
        raise UsageError("a range of columns has an end and no step: [2:5], or ['age':'bmi'] with 'bmi'")
    if isinstance(last, str):
        if not isinstance(first, str):
            raise UsageError("a range of columns begins and ends with a name, or with a number")
        return _quoted(first) + ":" + _quoted(last)
    begin, end = _number(first or 0), _number(last) - 1
    if end < begin:
        raise UsageError(f"the range of columns [{first}:{last}] is empty")
    return f"{begin}-{end}" if end > begin else str(begin)


class Place(NamedTuple):
    """What a set is made for: the problem, the names of its columns, and its size."""

    native: Native
    problem: Any
    names: Sequence[str]
    d: int
    k: int


def _resolve(items: Sequence[str | int | slice], place: Place) -> list[int]:
    """The numbers of columns, from 0, for sets of arrays, which no spec can describe."""
    out: list[int] = []
    names = list(place.names)

    def find(item: str | int) -> int:
        if isinstance(item, str) and item not in names:
            raise InputError(f"there is no column {item!r}")
        index = names.index(item) if isinstance(item, str) else int(item)
        if not 0 <= index < place.d:
            raise InputError(f"there is no column {index}; columns are 0 to {place.d - 1}")
        return index

    for item in items:
        if isinstance(item, slice):
            last = find(item.stop) + 1 if isinstance(item.stop, str) else int(item.stop)
            found = list(range(find(item.start or 0), min(last, place.d)))
        elif isinstance(item, str) and "*" in item and item not in names:
            pattern = re.compile(".*".join(map(re.escape, item.split("*"))), re.DOTALL)
            found = [j for j, name in enumerate(names) if pattern.fullmatch(name)]
            if not found:
                raise InputError(f"no column matches {item!r}")
        else:
            found = [find(item)]
        out += [j for j in found if j not in out]
    return out


# ---- sets --------------------------------------------------------------------------------------------------------------


class Term(NamedTuple):
    """One set, for all columns or for some. `make` is None where the text says everything, else a partial function of this
    module, so that sets can be pickled."""

    text: str
    make: Callable[[Place, int], Any] | None = None
    columns: tuple[Any, ...] | None = None

    def __str__(self) -> str:
        return self.text if self.columns is None else f"{self.text}[{','.join(map(_item, self.columns))}]"

    def build(self, place: Place) -> Any:
        native = place.native
        if self.make is None:
            text = str(self).encode("utf-8", "surrogateescape")
            return native.make("gpis_set", lib.gpis_set_destroy, lib.gpis_set_parse, native.context, text, place.problem)
        if self.columns is None:
            return _named(self.make(place, place.d), place)
        return _block(self.make, _resolve(self.columns, place), place)


def _named(made: Any, place: Place) -> Any:
    texts, kept = c_names(place.names)
    place.native.check(lib.gpis_set_name_columns(made, texts, place.d))
    return made


def _block(make: Callable[[Place, int], Any], columns: list[int], place: Place) -> Any:
    """The set for these columns, and every x for the others."""
    native = place.native
    names = [place.names[j] for j in columns]
    inside = _named(make(place._replace(names=names, d=len(columns)), len(columns)), place._replace(names=names, d=len(columns)))
    rest = [j for j in range(place.d) if j not in set(columns)]
    sets, lists = [inside], [ffi.new("int64_t[]", columns)]
    if rest:
        sets.append(native.make("gpis_set", lib.gpis_set_destroy, lib.gpis_set_none, native.context, len(rest)))
        lists.append(ffi.new("int64_t[]", rest))
    return native.make("gpis_set", lib.gpis_set_destroy, lib.gpis_set_blocks, native.context, place.d, len(sets),
                       ffi.new("const int64_t *[]", lists), ffi.new("gpis_set *[]", sets))


class Set:
    """A constraint set. `a & b` holds both, `a[columns]` is for those columns alone.

    Columns are names, patterns with a star, numbers from 0, and ranges; a range of names has both ends, one of numbers
    ends before its last, as everywhere in Python.

    >>> import gpis
    >>> gpis.simplex(1)["w*"] & gpis.box(upper=0.1)["w*"] & gpis.nonneg[0:3]
    simplex:1[w*] & box:,0.1[w*] & nonneg[1-3]
    """

    def __init__(self, *terms: Term) -> None:
        self.terms = terms

    def __and__(self, other: Any) -> Set:
        return Set(*self.terms, *as_set(other).terms)

    def __rand__(self, other: Any) -> Set:
        return as_set(other) & self

    def __getitem__(self, columns: Columns) -> Set:
        items = tuple(columns) if isinstance(columns, (list, tuple, np.ndarray)) else (columns,)
        if any(term.columns is not None for term in self.terms):
            raise UsageError(f"{self} is for some columns already")
        for item in items:
            _item(item)
        return Set(*(term._replace(columns=items) for term in self.terms))

    @property
    def spec(self) -> str:
        """The text that the library and the program read, but for arrays and functions, which it only names."""
        return " & ".join(map(str, self.terms)) or "none"

    def __repr__(self) -> str:
        return self.spec

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Set) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(self.spec)

    def dct(self) -> Set:
        """The x whose cosine transform (orthonormal DCT-II) is in this set."""
        term = self._alone()
        if term.make is None:
            return Set(Term(term.text + "@dct"))
        return Set(Term(term.text + "@dct", functools.partial(_make_dct, term)))

    def transform(self, U: Any) -> Set:
        """The x for which U x is in this set, for an orthogonal matrix U."""
        matrix = numbers(U, "U", (2,))
        return Set(Term(f"{self._alone().text}@{_label(matrix)}", functools.partial(_make_transform, self._alone(), matrix)))

    def _alone(self) -> Term:
        if len(self.terms) != 1 or self.terms[0].columns is not None:
            raise UsageError(f"{self}: one set for all columns can be transformed; then take columns and combine")
        return self.terms[0]


def _make_dct(term: Term, place: Place, d: int) -> Any:
    return place.native.make("gpis_set", lib.gpis_set_destroy, lib.gpis_set_dct, place.native.context, _plain(term, place, d))


def _make_transform(term: Term, U: np.ndarray, place: Place, d: int) -> Any:
    _check_size(U, (d, d), "U")
    return place.native.make("gpis_set", lib.gpis_set_destroy, lib.gpis_set_transform, place.native.context,
                             _plain(term, place, d), pointer(U))


def _plain(term: Term, place: Place, d: int) -> Any:
    """A set made of text for the columns at hand: those of a block are a problem of their own."""
    if term.make is not None:
        return term.make(place, d)
    return Term(term.text).build(place._replace(problem=_stand_in(place.native, d)))


def _stand_in(native: Native, d: int) -> Any:
    """A problem with d columns, for sets that are made without one."""
    zeros = native.keep(np.zeros(d))
    source = native.make("gpis_source", lib.gpis_source_destroy, lib.gpis_source_dense, native.context,
                         ffi.cast("void *", zeros.ctypes.data), lib.GPIS_FLOAT64, lib.GPIS_ROW_MAJOR, 1, d, d)
    return native.make("gpis_problem", lib.gpis_problem_destroy, lib.gpis_problem_create, native.context, source)


def as_set(thing: Any) -> Set:
    """A spec, a set or a projection as a set."""
    if isinstance(thing, Set):
        return thing
    if thing is None:
        return Set()
    if isinstance(thing, str):
        return Set(Term(f"({thing})" if "&" in thing else thing))
    if isinstance(thing, (list, tuple)):
        return Set(*(term for one in thing for term in as_set(one).terms))
    if callable(thing):
        return custom(thing)
    raise UsageError(f"a set is a text such as 'l1:3', one of gpis.l1, gpis.box, ..., or a projection, not {type(thing).__name__}")


# ---- the kinds ------------------------------------------------------------------------------------------------------------


def _text(value: float) -> str:
    value = float(value)
    if np.isinf(value):
        return ""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _label(array: np.ndarray) -> str:
    return "#" + "x".join(map(str, array.shape))


def _check_size(array: np.ndarray, shape: tuple[int, ...], what: str) -> None:
    if array.shape != shape:
        raise InputError(f"{what} has the shape {array.shape} and needs {shape}")


class _Entries(NamedTuple):
    """A number for each column, as an argument of a constructor of the library."""

    array: np.ndarray
    what: str

    def pointer(self, d: int) -> Any:
        _check_size(self.array, (d,), self.what)
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
        return Set(Term(f"l1:{_text(R)}"))
    w = numbers(weights, "the weights of l1", (1,))
    made = functools.partial(_make, "gpis_set_l1_weighted", (float(R), _Entries(w, "the weights of l1")))
    return Set(Term(f"l1:{_text(R)},{_label(w)}", made))


def l2(R: float) -> Set:
    """||x||_2 <= R."""
    return Set(Term(f"l2:{_text(R)}"))


def linf(R: float) -> Set:
    """|x_j| <= R for each column."""
    return Set(Term(f"linf:{_text(R)}"))


def simplex(R: float = 1) -> Set:
    """x >= 0, with a sum of R."""
    return Set(Term(f"simplex:{_text(R)}"))


def capped_simplex(R: float = 1) -> Set:
    """x >= 0, with a sum of at most R."""
    return Set(Term(f"capped-simplex:{_text(R)}"))


def tv(R: float) -> Set:
    """The jumps |x_(j+1) - x_j| add up to at most R."""
    return Set(Term(f"tv:{_text(R)}"))


def nuclear(R: float) -> Set:
    """The singular values of X, one column for each response, add up to at most R."""
    return Set(Term(f"nuclear:{_text(R)}"))


def sum(lower: float, upper: float | None = None) -> Set:
    """The entries add up to `lower`, or to a number from lower to upper.

    >>> sum(1), sum(-float("inf"), 2)
    (sum:1, sum:,2)
    """
    return Set(Term(f"sum:{_text(lower)}" if upper is None else f"sum:{_text(lower)},{_text(upper)}"))


def box(lower: Any = None, upper: Any = None) -> Set:
    """lower <= x <= upper, numbers or one for each column; None or infinite is no bound.

    >>> box(0, 1), box(upper=0.1)
    (box:0,1, box:,0.1)
    """
    if np.ndim(lower) == 0 and np.ndim(upper) == 0:
        low = "" if lower is None else _text(lower)
        return Set(Term(f"box:{low},{'' if upper is None else _text(upper)}"))
    ends = [end if np.ndim(end) == 0 else numbers(end, "a bound", (1,)) for end in (lower, upper)]
    label = ",".join("" if end is None else _text(end) if np.ndim(end) == 0 else _label(end) for end in ends)
    return Set(Term("box:" + label, functools.partial(_make_box, *ends)))


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
        return Set(Term(f"group:{_text(R)}:{int(groups)}"))
    number = np.ascontiguousarray(groups, np.int64)
    made = functools.partial(_make, "gpis_set_group_by", (float(R), _Entries(number, "the list of groups")))
    return Set(Term(f"group:{_text(R)}:{_label(number)}", made))


def affine(C: Any, b: Any) -> Set:
    """C x = b."""
    rows, right = numbers(C, "C", (2,)), numbers(b, "b", (1,))
    _check_size(right, (rows.shape[0],), "b")
    return Set(Term(f"affine:{_label(rows)}", functools.partial(_make_affine, rows, right)))


def _make_affine(C: np.ndarray, b: np.ndarray, place: Place, d: int) -> Any:
    _check_size(C, (C.shape[0], d), "C")
    return _make("gpis_set_affine", (pointer(C), pointer(b), C.shape[0]), place, d)


def linear(C: Any, lower: Any = None, upper: Any = None, names: Sequence[str] | None = None) -> Set:
    """lower <= C x <= upper; None or infinite is no limit. names[i] is what results call row i."""
    rows = numbers(C, "C", (2,))
    limits = [None if end is None else numbers(np.broadcast_to(end, rows.shape[:1]).copy(), "a limit", (1,)) for end in (lower, upper)]
    listed = None if names is None else [str(name) for name in names]
    if listed is not None and len(listed) != rows.shape[0]:
        raise InputError(f"there are {len(listed)} names for the {rows.shape[0]} rows of C")
    return Set(Term(f"linear:{_label(rows)}", functools.partial(_make_linear, rows, *limits, listed)))


def _make_linear(C: np.ndarray, lower: Any, upper: Any, names: list[str] | None, place: Place, d: int) -> Any:
    _check_size(C, (C.shape[0], d), "C")
    texts, kept = c_names(names) if names is not None else (ffi.NULL, None)
    low, high = (ffi.NULL if limit is None else pointer(limit) for limit in (lower, upper))
    return place.native.make("gpis_set", lib.gpis_set_destroy, lib.gpis_set_linear, place.native.context, pointer(C), low, high,
                             C.shape[0], d, texts)


def subject_to(*texts: str) -> Set:
    """Linear constraints in words.

    >>> subject_to("tv + radio <= 0.5", "tv >= 0")
    {tv + radio <= 0.5; tv >= 0}
    """
    return Set(Term("{" + "; ".join(texts) + "}"))


# ---- a set of the caller's own ------------------------------------------------------------------------------------------------


class _Custom:
    """The functions of a set, called by the library with arrays of its own."""

    def __init__(self, native: Native, shape: tuple[int, ...], **functions: Any) -> None:
        import weakref

        self.native, self.shape, self.functions = weakref.ref(native), shape, functions
        self.size = int(np.prod(shape))

    def array(self, at: Any) -> np.ndarray:
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


def custom(project: Callable[[np.ndarray], Any], support: Callable[[np.ndarray], float] | None = None,
           radius: float = 0.0, recession: Callable[[np.ndarray], Any] | None = None, name: str | None = None,
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
    label = name or getattr(project, "__name__", "set").strip("<>")
    made = functools.partial(_make_custom, project, support, float(radius), recession, label, matrix)
    return Set(Term(f"custom:{label}", made))


def _make_custom(project: Any, support: Any, radius: float, recession: Any, label: str, matrix: bool, place: Place, d: int) -> Any:
    native = place.native
    shape = (d, place.k) if matrix else (d,)
    functions = _Custom(native, shape, project=project, support=support, recession=recession)
    text = native.keep(ffi.new("char[]", label.encode("utf-8", "replace")))
    given = ffi.new("gpis_custom_set *")
    given.name, given.project, given.radius, given.matrix = text, lib.gpis_py_project, radius, matrix
    if support is not None:
        given.support = lib.gpis_py_support
    if recession is not None:
        given.recession = lib.gpis_py_recession
    given.user = native.keep(ffi.new_handle(native.keep(functions)))
    return native.make("gpis_set", lib.gpis_set_destroy, lib.gpis_set_custom, native.context, given, d, place.k)


# ---- penalties ------------------------------------------------------------------------------------------------------------------


class Penalty:
    """What is added to the objective. They add up: lasso(2) + ridge(1) is an elastic net."""

    def __init__(self, l1: float | None = None, l2: float | None = None, weights: Any = None) -> None:
        self.l1, self.l2 = l1, l2
        self.weights = None if weights is None else numbers(weights, "the weights of the penalty", (1,))

    def __add__(self, other: Any) -> Penalty:
        other = as_penalty(other)
        for which in ("l1", "l2"):
            if getattr(self, which) is not None and getattr(other, which) is not None:
                raise InputError(f"the penalty {which} is given twice; give it once")
        return Penalty(self.l1 if other.l1 is None else other.l1, self.l2 if other.l2 is None else other.l2,
                       self.weights if self.weights is not None else other.weights)

    def __repr__(self) -> str:
        parts = [] if self.l1 is None else [f"l1:{_text(self.l1)}" + ("" if self.weights is None else "," + _label(self.weights))]
        return " + ".join(parts + ([] if self.l2 is None else [f"l2:{_text(self.l2)}"]))


def lasso(lambda_: float, weights: Any = None) -> Penalty:
    """lambda sum_j weights_j |x_j|. scikit-learn's Lasso has alpha = lambda / (2 n).

    >>> lasso(3) + ridge(0.5)
    l1:3 + l2:0.5
    """
    return Penalty(l1=float(lambda_), weights=weights)


def ridge(lambda_: float) -> Penalty:
    """lambda ||x||^2, as scikit-learn's Ridge has it."""
    return Penalty(l2=float(lambda_))


def as_penalty(thing: Any) -> Penalty:
    if thing is None:
        return Penalty()
    if isinstance(thing, Penalty):
        return thing
    if isinstance(thing, (list, tuple)):
        total = Penalty()
        for one in thing:
            total = total + one
        return total
    if isinstance(thing, str):
        return _read_penalty(thing)
    raise UsageError(f"a penalty is a text such as 'l1:3', gpis.lasso(3) or gpis.ridge(3), not {type(thing).__name__}")


def _read_penalty(text: str) -> Penalty:
    if "+" in text and not re.search(r"e\+", text):
        return as_penalty([part.strip() for part in text.split("+")])
    found = re.fullmatch(r"(l1|l2):([^,]*)(?:,(.+))?", text)
    try:
        if not found or (found.group(1) == "l2" and found.group(3)):
            raise ValueError
        value = float(found.group(2))
    except ValueError:
        raise InputError(f"penalty {text}: it is l1:LAMBDA, l1:LAMBDA,W.npy or l2:LAMBDA") from None
    if found.group(1) == "l2":
        return ridge(value)
    return lasso(value, np.load(found.group(3)).ravel() if found.group(3) else None)
