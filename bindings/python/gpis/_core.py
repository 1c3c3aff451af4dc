"""The library itself: loading it, its errors as exceptions, its options as keywords, and the lifetime of what it makes."""

from __future__ import annotations

import atexit
import contextlib
import difflib
import os
import re
import sys
import threading
import warnings
import weakref
from typing import Any, Callable, ContextManager, Iterator, NamedTuple

from ._gpis import ffi, lib

__all__ = ["ffi", "lib"]


# ---- errors --------------------------------------------------------------------------------------------------------


class Error(Exception):
    """What the library refuses or fails to do, in its own words. Every error of this package is one of these."""

    __module__ = "gpis"


class InputError(Error, ValueError):
    """The data, the constraints or a value of an option cannot be used."""

    __module__ = "gpis"


class UsageError(Error, TypeError):
    """A keyword does not exist, or an argument has a type that means nothing here."""

    __module__ = "gpis"


class FileError(Error, OSError):
    """A file cannot be read or written."""

    __module__ = "gpis"


class OutOfMemoryError(Error, MemoryError):
    """There is not enough memory, or a limit that was set does not allow more (memory=)."""

    __module__ = "gpis"


class InternalError(Error, RuntimeError):
    """An error of the library itself."""

    __module__ = "gpis"


class CopyWarning(UserWarning):
    """Data had to be copied, because the library cannot use them as they lie in memory."""

    __module__ = "gpis"


class ConstraintWarning(UserWarning):
    """What the library says about constraints, such as one that always holds."""

    __module__ = "gpis"


def warn(text: str, kind: type[Warning]) -> None:
    """A warning that names the line of the caller's which led to it, and none of this package."""
    frame, depth = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "gpis":
        frame, depth = frame.f_back, depth + 1
    warnings.warn(text, kind, stacklevel=depth)


_KINDS = {
    lib.GPIS_NO_MEMORY: OutOfMemoryError,
    lib.GPIS_IO: FileError,
    lib.GPIS_INTERNAL: InternalError,
}


def text_of(pointer: Any) -> str:
    """A text of the library. Names from files need not be UTF-8."""
    return "" if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


def name_options(text: str) -> str:
    """A message as Python says it: "option memory" is memory=.

    >>> name_options("raise the limit (option memory), or take option max-passes away")
    'raise the limit (memory=), or take max_passes= away'
    """

    def keyword(match: re.Match[str]) -> str:
        found = lib.gpis_option_find(match.group(1).encode()) != ffi.NULL
        return match.group(1).replace("-", "_") + "=" if found else match.group(0)

    return re.sub(r"(?<![^ (])option ([a-z-]*[a-z])", keyword, text)


def error_of(status: int, message: str) -> Error:
    kind = _KINDS.get(status, InputError)
    return kind(name_options(message or text_of(lib.gpis_status_text(status))))


# ---- forks and the end of the interpreter ----------------------------------------------------------------------------

# The threads of libgomp do not survive a fork, and a child that uses them waits for them forever. So what is solved in a
# child is solved by one thread; and so are numpy's products there, which OpenBLAS computes by the same threads.
_forked = False
_worked = False  # a solve may have started these threads


def _after_fork() -> None:
    global _forked
    _forked = True
    if _worked:
        lib.gpis_py_one_thread()


os.register_at_fork(after_in_child=_after_fork)
atexit.register(lib.gpis_py_exit)


def is_forked() -> bool:
    return _forked


# ---- what the library makes ------------------------------------------------------------------------------------------


class Native:
    """A context and what was made with it, destroyed in the opposite order when nothing refers to it any more."""

    context: Any
    use: Use

    def __init__(self, parent: Native | None = None) -> None:
        self.parent = parent  # which has the context, and lives longer
        self.kept: list[Any] = []  # Python objects that C borrows
        self._made: list[tuple[Callable[[Any], None], Any]] = []
        # Not at exit: a thread that cannot be ended may still solve, and the process gives the memory back anyway.
        weakref.finalize(self, _destroy, self._made, parent).atexit = False
        if parent is not None:
            self.context, self.use = parent.context, parent.use
            return
        self.use = Use()
        out = ffi.new("gpis_context **")
        status = lib.gpis_context_create(out)
        if status != lib.GPIS_OK:
            raise error_of(status, "")
        self.context = self.own(lib.gpis_context_destroy, out[0])
        if _forked:
            lib.gpis_context_set_threads(self.context, 1)

    @property
    def failure(self) -> BaseException | None:
        """What a function of the user's raised."""
        return self.use.failure

    @failure.setter
    def failure(self, error: BaseException | None) -> None:
        self.use.failure = error

    def own(self, destroy: Callable[[Any], None], pointer: Any) -> Any:
        self._made.append((destroy, pointer))
        return pointer

    def keep(self, thing: Any) -> Any:
        self.kept.append(thing)
        return thing

    def check(self, status: int) -> None:
        """Raises what the status stands for; what a function of the user's raised comes out as it was."""
        if status == lib.GPIS_OK:
            return
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure
        raise error_of(status, text_of(lib.gpis_last_error(self.context)))

    def make(self, type_name: str, destroy: Callable[[Any], None] | None, function: Callable[..., int],
             *arguments: Any) -> Any:
        """Calls a function whose last argument is the place for what it makes."""
        out = ffi.new(type_name + " **")
        self.check(function(*arguments, out))
        return self.own(destroy, out[0]) if destroy else out[0]

    def __enter__(self) -> Native:
        global _worked
        self.use.begin()
        _worked = True
        if _forked:
            lib.gpis_context_set_threads(self.context, 1)
        return self

    def __exit__(self, *what: Any) -> None:
        self.use.end()


class Use:
    """A context is used by one thread at a time, and not from within a call that uses it."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.busy = False
        self.callers: set[int] = set()  # threads of the library that call a function of the user's
        self.failure: BaseException | None = None  # what such a function raised

    def begin(self) -> None:
        if threading.get_ident() in self.callers:  # it would wait for itself
            raise UsageError(_REENTERED)
        self.lock.acquire()
        if self.busy:
            self.lock.release()
            raise UsageError(_REENTERED)
        self.busy = True

    def end(self) -> None:
        self.busy = False
        self.lock.release()

    @contextlib.contextmanager
    def calling(self) -> Iterator[None]:
        """While a thread of the library calls a function of the user's."""
        thread = threading.get_ident()
        self.callers.add(thread)
        try:
            yield
        finally:
            self.callers.discard(thread)


_REENTERED = "this problem is being solved: a function that it calls cannot use it"


def _destroy(made: list[tuple[Callable[[Any], None], Any]], parent: Any) -> None:
    while made:
        destroy, pointer = made.pop()
        destroy(pointer)


_NO_LOCK = contextlib.nullcontext()


def hdf5_lock(used: bool) -> ContextManager[Any]:
    """HDF5 may not be used by two threads at once, and h5py has a lock for that."""
    h5py = sys.modules.get("h5py") if used else None
    return _NO_LOCK if h5py is None else h5py._objects.phil


# ---- options ---------------------------------------------------------------------------------------------------------


class Option(NamedTuple):
    """A row of the library's table of options."""

    name: str  #: as a keyword: "max_passes"
    type: str  #: "number", "integer", "flag", ...
    default: str  #: as text; "" where no value is the default
    choices: str
    group: str
    help: str
    repeated: bool
    where: int  #: for which calls it counts


_TYPES = {
    lib.GPIS_OPTION_TEXT: "text",
    lib.GPIS_OPTION_FILE: "file",
    lib.GPIS_OPTION_NUMBER: "number",
    lib.GPIS_OPTION_INTEGER: "integer",
    lib.GPIS_OPTION_INTEGERS: "integers",
    lib.GPIS_OPTION_BYTES: "bytes",
    lib.GPIS_OPTION_FLAG: "flag",
    lib.GPIS_OPTION_CHOICE: "choice",
}


def _rows() -> Iterator[Any]:
    index = 0
    while (row := lib.gpis_option_at(index)) != ffi.NULL:
        yield row
        index += 1


def options() -> dict[str, Option]:
    """The options of the library, which are keywords of solve, plan, check and the others.

    >>> import gpis
    >>> gpis.options()["tol"].default
    '1e-8'
    """
    return {
        (name := text_of(row.name).replace("-", "_")): Option(
            name, _TYPES.get(row.type, "text"), text_of(row.fallback), text_of(row.choices), text_of(row.group),
            text_of(row.help), bool(row.repeated), row.where)
        for row in _rows()
    }


OPTIONS = options()


def whole(name: str, value: Any) -> int:
    """A keyword that is a whole number.

    >>> whole("points", 5.0)
    5
    """
    try:
        if isinstance(value, str) or int(value) != value:
            raise ValueError
        return int(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} wants a whole number, not {value!r}") from None


def real(name: str, value: Any) -> float:
    """A keyword that is a number."""
    try:
        if isinstance(value, str):
            raise ValueError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} wants a number, not {value!r}") from None


def refuse_unknown(names: Any, known: Any) -> None:
    """Raises for the first name that is not known, with the nearest one that is."""
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, sorted(known), 1)
            raise UsageError(f"there is no option {name}=" + (f" (did you mean {near[0]}=?)" if near else ""))


def option_text(option: Option, value: Any) -> str:
    """A value as the library reads it.

    >>> option_text(OPTIONS["inner"], [20, 40]), option_text(OPTIONS["resume"], True), option_text(OPTIONS["tol"], 1e-10)
    ('20,40', 'yes', '1e-10')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, (bool,)) or type(value).__name__ == "bool_":
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ",".join(option_text(option, v) for v in value)
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if option.type not in ("number", "flag") and float(value) == int(value):
        return str(int(value))
    return repr(float(value))


def set_options(settings: Any, setter: Callable[..., int], values: dict[str, Any], kept: list[Any]) -> None:
    """Sets the fields of these options; the texts stay with `kept`, from where the library borrows them."""
    for name, value in values.items():
        if value is None:
            continue
        try:
            text = option_text(OPTIONS[name], value)
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"{name}={value!r}: this is no value of an option") from None
        encoded = ffi.new("char[]", os.fsencode(text))
        kept.append(encoded)
        if setter(settings, name.encode(), encoded) != lib.GPIS_OK:
            raise InputError(_explain(name, encoded))


def _explain(name: str, encoded: Any) -> str:
    reason = ffi.new("char[1024]")
    lib.gpis_option_explain(lib.gpis_option_find(name.encode()), encoded, reason, 1024)
    text = name_options(text_of(reason))
    return text.replace(name.replace("_", "-"), name, 1) or f"{name}= cannot be {text_of(encoded)!r}"


def thread_limit(settings: Any) -> None:
    if _forked:
        settings.threads = 1
