"""Constraint sets as objects. They print as the specs that the library and the program read, and combine like them.

>>> import gpis
>>> gpis.l1(3.5)["age":"bmi"] & gpis.nonneg
l1:3.5[age:bmi] & nonneg
"""

from __future__ import annotations

import functools
import operator
import re
from typing import Any, Callable, NamedTuple, Sequence, Union

import numpy as np

from ._core import InputError, Native, UsageError, ffi, lib, real
from ._data import c_names, numbers, pointer

Columns = Union[str, int, slice, Sequence[Union[str, int, slice]]]


# ---- columns ---------------------------------------------------------------------------------------------------------


def _quoted(name: str) -> str:
    """A name as specs write it, in quotes where it could be taken for something else; a star makes a pattern."""
    plain = name == name.strip() and name and not re.search(r"[,\[\]\"'`#&(){}@:]", name) and not re.fullmatch(r"[\d-]+", name)
    return name if plain else '"' + name.replace('"', '""') + '"'


def _number(index: Any) -> int:
    if isinstance(index, (bool, np.bool_)):
        raise UsageError("a mask is no list of columns: take their numbers, numpy.flatnonzero(mask)")
    try:
        number = operator.index(index)
    except TypeError:
        raise UsageError(f"columns are names, numbers from 0 and ranges, not {index!r}") from None
    if number < 0:
        raise UsageError(f"column {index}: columns are counted from 0 here, and not from the end")
    return number + 1


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


def _check_numbers(items: Sequence[str | int | slice], d: int) -> None:
    """Raises for a number that no column has, counted as the caller counts."""
    for item in items:
        last = item.stop - 1 if isinstance(item, slice) and not isinstance(item.stop, str) else item
        if not isinstance(last, (str, slice)) and last >= d:
            raise InputError(f"there is no column {last}; columns are 0 to {d - 1}")


def _resolve(items: Sequence[str | int | slice], place: Place) -> list[int]:
    """The numbers of columns, from 0, for sets of arrays, which no spec can describe."""
    out: list[int] = []
    names = list(place.names)
    _check_numbers(items, place.d)

    def find(item: str | int) -> int:
        if isinstance(item, str) and item not in names:
            raise InputError(f"there is no column {item!r}")
        return names.index(item) if isinstance(item, str) else int(item)

    for item in items:
        if isinstance(item, slice):
            last = find(item.stop) + 1 if isinstance(item.stop, str) else int(item.stop)
            found = list(range(find(item.start or 0), last))
        elif isinstance(item, str) and "*" in item and item not in names:
            pattern = re.compile(".*".join(map(re.escape, item.split("*"))), re.DOTALL)
            found = [j for j, name in enumerate(names) if pattern.fullmatch(name)]
            if not found:
                raise InputError(f"no column matches {item!r}")
        else:
            found = [find(item)]
        out += [j for j in found if j not in out]
    return out


def number_text(value: Any) -> str:
    value = real("a set", value)
    return str(int(value)) if abs(value) < 1e15 and value == int(value) else repr(value)


def end_text(value: Any, side: str) -> str:
    """A bound as specs write it: nothing where there is none.

    >>> end_text(0.5, "lower"), end_text(-float("inf"), "lower"), end_text(None, "upper")
    ('0.5', '', '')
    """
    if value is None or real("a bound", value) == (-np.inf if side == "lower" else np.inf):
        return ""
    if not np.isfinite(value):
        raise InputError(f"the {side} bound is {float(value)}; no number meets it")
    return number_text(value)


def label(array: np.ndarray[Any, Any]) -> str:
    return "#" + "x".join(map(str, array.shape))


def check_size(array: np.ndarray[Any, Any], shape: tuple[int, ...], what: str) -> None:
    if array.shape != shape:
        raise InputError(f"{what} has the shape {array.shape} and needs {shape}")


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
            _check_numbers(self.columns or (), place.d)
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
        if not items:
            raise UsageError(f"{self} for no columns at all is no constraint")
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
        return Set(Term(f"{self._alone().text}@{label(matrix)}", functools.partial(_make_transform, self._alone(), matrix)))

    def _alone(self) -> Term:
        if len(self.terms) != 1 or self.terms[0].columns is not None:
            raise UsageError(f"{self}: one set for all columns can be transformed; then take columns and combine")
        return self.terms[0]


def _make_dct(term: Term, place: Place, d: int) -> Any:
    return place.native.make("gpis_set", lib.gpis_set_destroy, lib.gpis_set_dct, place.native.context, _plain(term, place, d))


def _make_transform(term: Term, U: np.ndarray[Any, Any], place: Place, d: int) -> Any:
    check_size(U, (d, d), "U")
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
        from ._kinds import custom

        return custom(thing)
    raise UsageError(f"a set is a text such as 'l1:3', one of gpis.l1, gpis.box, ..., or a projection, not {type(thing).__name__}")
