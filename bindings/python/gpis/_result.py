"""Results and plans: plain Python objects, copied from the library, so that they can be pickled and sent anywhere."""

from __future__ import annotations

import html
import os
from typing import Any, NamedTuple, Sequence

import numpy as np

from . import _data
from ._core import InputError, Native, ffi, hdf5_lock, lib, text_of
from ._report import About, Page, deliver
from ._watch import TRACE

SHOWN = 10  # coefficients and constraints in a summary


class Active(NamedTuple):
    """A constraint that x meets with equality, and its shadow price."""

    constraint: str
    column: int  #: the entry of x that it bounds, from 0; -1: it concerns several
    response: int  #: the column of X, from 0
    multiplier: float  #: how much the least objective falls for a unit more of room; of an equation, of the right side


def _copy(pointer: Any, count: int) -> np.ndarray[Any, Any]:
    out = np.empty(count)
    ffi.memmove(ffi.from_buffer(out), pointer, count * 8)
    return out


def _fields_of(kinds: set[str], without: set[str]) -> tuple[str, ...]:
    """The fields of gpis_result of these types: what the library adds is there without a line of ours."""
    return tuple(name for name, field in ffi.typeof("gpis_result").fields if field.type.cname in kinds and name not in without)


_NUMBERS = _fields_of({"double", "int64_t", "long", "int"}, {"d", "k", "active_count", "outcome", "gap_kind", "unique"})
_TEXTS = _fields_of({"char *"}, set())


def number_of(text: Any, wanted: str) -> int:
    """The number of an enumeration that the library calls by this text."""
    return next(i for i in range(16) if text_of(text(i)) == wanted)


class Result:
    """What a solve or a check has found.

    Attributes
    ----------
    x : the coefficients, of shape (d,) or, where y has columns, (d, k)
    intercept : a number or k of them; None: the problem has none
    objective, gap : the objective at x, and a bound on how far it is above the best possible one
    gap_kind : "proven", "probable" (wrong with probability gap_delta) or "none"
    relative_gap : gap / (objective - gap)
    status : "solved", "max_passes", "time_limit", "stalled" or "interrupted"
    active, multipliers : the constraints that hold x, and their shadow prices
    r2, rmse, degrees_of_freedom, sigma2 : how well it fits
    violation : the largest amount by which x breaks a constraint, in the units of that constraint
    passes, seconds, method, plan, warning : how it went
    trace : a line for each pass
    names : of the columns
    ranges, intercept_ranges, ranges_level : how far coefficients can go, if asked for (ranges=, confidence=), and the level
        that the objective stays below

    >>> import numpy as np, gpis
    >>> r = gpis.solve(np.eye(3), [1.0, -2.0, 3.0], "nonneg")
    >>> r.x, r.status, r.multipliers
    (array([1., 0., 3.]), 'solved', {'x2 >= 0': 4.0})
    """

    x: np.ndarray[Any, Any]
    intercept: Any
    objective: float
    gap: float
    gap_kind: str
    gap_delta: float
    relative_gap: float
    status: str
    violation: float
    passes: int
    seconds: float
    method: str
    plan: str
    warning: str
    nearness: float
    horizon: float
    backward_error: float
    penalty: float
    r2: float
    rmse: float
    degrees_of_freedom: float
    sigma2: float
    unique: bool | None
    set: str
    _about: About
    _tol: float
    ranges: np.ndarray[Any, Any] | None = None
    intercept_ranges: np.ndarray[Any, Any] | None = None
    ranges_level: float | None = None

    def __init__(self, native: Native, r: Any, flat: bool, names: Sequence[str] | None, encoding: Any, trace: bytes,
                 spec: str) -> None:
        self.d, self.k = r.d, r.k
        x = _copy(r.x, r.d * r.k)
        self.x = x if flat else x.reshape(r.d, r.k)
        b = None if r.intercept == ffi.NULL else _copy(r.intercept, r.k)
        self.intercept = b if b is None or not flat else float(b[0])
        packed = bytearray(lib.gpis_py_pack(r, ffi.NULL))
        lib.gpis_py_pack(r, ffi.from_buffer(packed))
        self._packed = packed
        self.set = spec
        self._names, self._encoding, self._trace = names, encoding, trace

    def __getattr__(self, name: str) -> Any:
        """Most results are asked for x alone: the rest is unpacked when something else is wanted."""
        if "_packed" not in self.__dict__:
            raise AttributeError(f"a result has no {name}")
        self._unpack()
        return getattr(self, name)

    def _unpack(self) -> None:
        fields = self.__dict__
        packed = fields.pop("_packed", None)
        if packed is None:
            return
        r = ffi.from_buffer("gpis_result *", packed)
        for name in _NUMBERS:
            fields[name] = getattr(r, name)
        size = ffi.sizeof("gpis_result")
        behind = size + r.active_count * ffi.sizeof("gpis_py_active")
        texts = [text.decode("utf-8", "replace") for text in bytes(packed[behind:]).split(b"\0")]
        fields.update(zip(_TEXTS, texts))
        lines = ffi.from_buffer("gpis_py_active[]", memoryview(packed)[size:behind]) if r.active_count else []
        self.active = [Active(text, line.column, line.response, line.multiplier) for text, line in zip(texts[len(_TEXTS):], lines)]
        self.relative_gap = lib.gpis_relative_gap(r)
        self.status = text_of(lib.gpis_outcome_text(r.outcome))
        self.gap_kind = text_of(lib.gpis_gap_kind_text(r.gap_kind))
        self.unique = None if r.unique < 0 else bool(r.unique)

    def _end(self, status: str, warning: str) -> None:
        """It ended otherwise than the library says."""
        self._unpack()
        self.status, self.warning = status, "; ".join(filter(None, (self.warning, warning)))

    def __getstate__(self) -> dict[str, Any]:
        """Without memory of the library, whose layout another version need not share."""
        self._unpack()
        return self.__dict__

    # -- what it says --

    @property
    def names(self) -> list[str]:
        """The names of the columns: their own, or x1, x2, ..."""
        return [f"x{j + 1}" for j in range(self.d)] if self._names is None else list(self._names)

    @property
    def multipliers(self) -> dict[Any, float]:
        """The price of each active constraint; with several responses the keys are (constraint, response)."""
        if self.k == 1:
            return {a.constraint: a.multiplier for a in self.active}
        return {(a.constraint, a.response): a.multiplier for a in self.active}

    @property
    def trace(self) -> np.ndarray[Any, Any]:
        """A line for each pass: pass, seconds, epochs, objective, gap, ..."""
        kinds = [(name, np.int64 if name in ("pass", "m", "inner_iterations") else np.float64) for name in TRACE]
        return np.frombuffer(self._trace, dtype=kinds)

    @property
    def solved(self) -> bool:
        return self.status == "solved"

    # -- what can be done with it --

    def predict(self, B: Any) -> np.ndarray[Any, Any]:
        """Predictions for the rows of B, which has the columns of A: an array, a sparse matrix, a table, Rows, a path."""
        return products(B, self._encoding, self.x) + (0.0 if self.intercept is None else self.intercept)

    def to_frame(self) -> Any:
        """A pandas frame: name, (response,) coefficient, the active constraint that holds it and its multiplier."""
        import pandas

        held: dict[tuple[int, int], Active] = {}
        for a in self.active:
            key = (a.column, a.response)
            if a.column >= 0 and (key not in held or abs(a.multiplier) > abs(held[key].multiplier)):
                held[key] = a
        x = self.x.reshape(self.d, self.k)
        lines = [(name, c, x[j, c], held[j, c].constraint if (j, c) in held else "",
                  held[j, c].multiplier if (j, c) in held else 0.0)
                 for j, name in enumerate(self.names) for c in range(self.k)]
        frame = pandas.DataFrame(lines, columns=["name", "response", "coefficient", "active", "multiplier"])
        if self.ranges is not None:
            frame = frame.assign(lower=self.ranges["lower"].reshape(-1), upper=self.ranges["upper"].reshape(-1))
        return frame.drop(columns="response") if self.k == 1 else frame

    def plot(self, kind: str = "coefficients", ax: Any = None) -> Any:
        """Draws the largest coefficients, or with kind="trace" objective and gap by pass; returns the axes of matplotlib."""
        from matplotlib import pyplot

        ax = pyplot.subplots()[1] if ax is None else ax
        if kind == "trace":
            trace = self.trace
            best = self.objective - self.gap if np.isfinite(self.gap) else self.objective
            ax.semilogy(trace["pass"], np.maximum(trace["objective"] - best, 0) + self.gap, label="objective - lower bound")
            finite = np.isfinite(trace["gap"])
            ax.semilogy(trace["pass"][finite], trace["gap"][finite], "o", label="gap")
            ax.set_xlabel("pass")
            ax.legend()
        elif kind == "coefficients":
            order = np.argsort(-np.abs(self.x.reshape(self.d, self.k)).max(axis=1), kind="stable")[:30][::-1]
            size = 0.8 / self.k
            for c in range(self.k):
                ax.barh(np.arange(len(order)) + c * size, self.x.reshape(self.d, self.k)[order, c], height=size)
            names = self.names
            # A dollar would begin a formula.
            ax.set_yticks(np.arange(len(order)), [names[j].replace("$", r"\$") for j in order])
            ax.axvline(0, color="black", linewidth=0.5)
            ax.set_xlabel("coefficient")
        else:
            raise InputError(f"kind is 'coefficients' or 'trace', not {kind!r}")
        return ax

    def report(self, path: Any = None, problem: Any = None) -> str | None:
        """Writes a page about the answer for people: one HTML file, which needs no network. Without a path, returns its text.

        A result does not keep the data. With the `problem` that it is from, or from gpis.solve(..., report=path), the page
        also has residuals, the bounds of the coefficients, and the plans that were considered.

        >>> import numpy as np, gpis
        >>> gpis.solve(np.eye(3), [1.0, -2.0, 3.0], "nonneg").report()[:15]
        '<!DOCTYPE html>'
        """
        self._unpack()
        page = Page(self._about, self._names, self.d, self.k, self._encoding, self._tol)
        page.c.result = self._as_struct(page)
        page.c.trace, page.c.trace_count = page.keep(ffi.from_buffer("gpis_progress[]", self._trace)), len(self.trace)
        if self.ranges is not None:
            ends = [page.keep(ffi.from_buffer("gpis_range_ends[]", np.ascontiguousarray(e))) for e in (self.ranges, self.intercept_ranges)
                    if e is not None]
            page.c.ranges = page.struct("gpis_ranges", {"d": self.d, "k": self.k, "level": self.ranges_level, "ends": ends[0],
                                                        "intercept": ends[1] if len(ends) > 1 else ffi.NULL})
        if problem is not None:
            problem._show(page)
        return deliver(page.html(), path)

    def _as_struct(self, page: Page) -> Any:
        """The result as the library has it."""
        fields = {name: getattr(self, name) for name in _NUMBERS + _TEXTS}
        active = [page.struct("gpis_active", {"text": a.constraint, **{n: getattr(a, n) for n in ("column", "response", "multiplier")}})
                  for a in self.active]
        constant = ffi.NULL if self.intercept is None else np.atleast_1d(self.intercept)
        return page.struct("gpis_result", {
            **fields, "d": self.d, "k": self.k, "x": self.x, "intercept": constant, "active": page.pointers("gpis_active", active),
            "active_count": len(active), "outcome": number_of(lib.gpis_outcome_text, self.status),
            "gap_kind": number_of(lib.gpis_gap_kind_text, self.gap_kind), "unique": -1 if self.unique is None else int(self.unique)})

    # -- how it looks --

    def _certificate(self) -> str:
        if self.gap_kind == "none":
            return "none: how far the objective is above the best possible one is not known"
        doubt = f", wrong with probability {self.gap_delta:.0e}" if self.gap_kind == "probable" else ""
        if not np.isfinite(self.relative_gap):
            return f"{self.gap_kind}: within {self.gap:.2g} of the best possible objective{doubt}"
        return f"{self.gap_kind}: within {self.relative_gap:.2g} of the best possible objective, relative{doubt}"

    def _facts(self) -> list[tuple[str, str]]:
        facts = [("status", self.status), ("objective", f"{self.objective:.10g}"), ("certificate", self._certificate()),
                 ("fit", f"R^2 {self.r2:.6g}, RMSE {self.rmse:.6g}, {self.degrees_of_freedom:.6g} degrees of freedom"),
                 ("set", self.set), ("nonzeros", f"{np.count_nonzero(self.x)} of {self.x.size}"),
                 ("passes", f"{self.passes} by {self.method}, {self.seconds:.2f} s"), ("plan", self.plan)]
        if self.intercept is not None and self.k == 1:
            facts.insert(2, ("intercept", f"{self.intercept:.6g}"))
        if self.violation > 0:
            facts.append(("violation", f"{self.violation:.2g}"))
        return facts + ([("warning", self.warning)] if self.warning else [])

    def _largest(self) -> list[tuple[str, float]]:
        if self.k > 1:
            return []
        order = [j for j in np.argsort(-np.abs(self.x), kind="stable")[:SHOWN] if self.x[j] != 0]
        names = self.names
        return [(names[j], self.x[j]) for j in order]

    def _dearest(self) -> list[Active]:
        return sorted(self.active, key=lambda a: -abs(a.multiplier))[:SHOWN]

    def __repr__(self) -> str:
        lines = [f"{name:<13} {printable(text)}" for name, text in self._facts()]
        if self.active:
            lines.append("active constraints, and how much the objective falls for a unit more of room")
            lines += [f"  {printable(a.constraint):<20} {a.multiplier: .4g}" for a in self._dearest()]
        largest = self._largest()
        if largest:
            lines.append("largest coefficients")
            lines += [f"  {printable(name):<20} {value: .6g}" for name, value in largest]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        def table(rows: Sequence[tuple[str, str]]) -> str:
            cells = "".join(f"<tr><th style='text-align:left'>{html.escape(a)}</th><td style='text-align:left'>{html.escape(b)}"
                            "</td></tr>" for a, b in rows)
            return f"<table>{cells}</table>"

        parts = [table(self._facts())]
        if self.active:
            parts += ["<p>active constraints and their prices</p>",
                      table([(a.constraint, f"{a.multiplier:.4g}") for a in self._dearest()])]
        if self._largest():
            parts += ["<p>largest coefficients</p>", table([(name, f"{value:.6g}") for name, value in self._largest()])]
        return "<div>" + "".join(parts) + "</div>"


# ---- predictions -----------------------------------------------------------------------------------------------------


def products(B: Any, encoding: Any, x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """B x for B of any kind. `encoding`: how the columns of the table that the model is from became those of A: an Encoding
    of a table in memory, or the library's text for a file."""
    if _data.is_path(B):
        return _file_products(B, encoding.text() if isinstance(encoding, _data.Encoding) else encoding, x)
    wanted = encoding if _data.is_table(B) else None
    if isinstance(wanted, bytes):
        wanted = _data.Encoding.read(Native(), wanted)
    m = _data.matrix(B, wanted)
    m.check()
    if m.shape[1] != x.shape[0]:
        raise InputError(f"B has {m.shape[1]} columns, and the model {x.shape[0]}")
    if m.kind == "dense":
        return times(m.parts["arrays"][0], x)
    if m.kind == "csr":
        from scipy import sparse

        values, indices, indptr = m.parts["arrays"]
        return sparse.csr_matrix((values, indices, indptr), shape=m.shape) @ x
    step = max(1, (1 << 20) // m.shape[1])
    rows = m.parts["rows"]
    return np.concatenate([rows.read(i, min(i + step, m.shape[0])) @ x for i in range(0, m.shape[0], step)])


def times(rows: np.ndarray[Any, Any], x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """rows @ x. numpy makes float64 of all float32 rows first; here it does so piece by piece."""
    if rows.dtype == x.dtype:
        return rows @ x
    out = np.empty(rows.shape[:1] + x.shape[1:])
    step = max(1, (1 << 18) // max(1, rows.shape[1]))
    for i in range(0, len(rows), step):
        np.matmul(rows[i:i + step], x, out=out[i:i + step])
    return out


def _file_products(path: Any, encoding: bytes | None, x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    native = Native()
    options = ffi.new("gpis_open_options *")
    native.check(lib.gpis_open_options_init(options, ffi.sizeof("gpis_open_options")))
    if encoding is not None:
        options.encoding = native.make("gpis_encoding", lib.gpis_encoding_destroy, lib.gpis_encoding_parse, native.context, encoding)
    with hdf5_lock(True):
        source = native.make("gpis_source", lib.gpis_source_destroy, lib.gpis_source_open_with, native.context, os.fsencode(path),
                             options)
        info = ffi.new("gpis_source_info *")
        lib.gpis_source_describe(source, info)
        if info.cols != x.shape[0]:
            raise InputError(f"{path} has {info.cols} columns, and the model {x.shape[0]}")
        step = max(1, (1 << 20) // info.cols)
        rows, out = np.empty((step, info.cols)), []
        for first in range(0, info.rows, step):
            count = min(step, info.rows - first)
            native.check(lib.gpis_source_rows(native.context, source, first, count, _data.pointer(rows)))
            out.append(rows[:count] @ x)
    return np.concatenate(out)


# ---- texts -----------------------------------------------------------------------------------------------------------


def printable(text: str) -> str:
    """A text from outside as it can be shown in a terminal."""
    if text.isprintable():
        return text
    copy = ffi.new("char[]", text.encode("utf-8", "replace"))
    return text_of(lib.gpis_make_printable(copy))


class Candidate(NamedTuple):
    """One way to solve a problem, with what it is predicted to cost."""

    method: str
    sketch: str
    m: int
    passes: int
    sketches: int
    flops: float
    memory: float  #: bytes at its height, besides A, y and the set
    seconds: float
    applicable: bool
    chosen: bool
    reason: str


class Plan:
    """What a solve would do and cost: `text`, the `chosen` candidate, and all `candidates`."""

    def __init__(self, p: Any) -> None:
        self.text = text_of(p.text)
        self.candidates = [_candidate(p.candidates[i]) for i in range(p.count)]
        self.chosen = next((c for c in self.candidates if c.chosen), None)

    def to_frame(self) -> Any:
        import pandas

        return pandas.DataFrame(self.candidates)

    def __repr__(self) -> str:
        if self.chosen is None:
            return self.text
        return f"{self.text}\nmemory {self.chosen.memory / 2**20:.1f} MB, passes {self.chosen.passes}, {self.chosen.seconds:.2g} s"


def _candidate(c: Any) -> Candidate:
    return Candidate(text_of(c.method), text_of(c.sketch), c.m, c.passes, c.sketches, c.flops, c.memory, c.seconds,
                     bool(c.applicable), bool(c.chosen), text_of(c.reason))
