"""Watching a solve: its trace, its progress, and the signals that arrive meanwhile."""

from __future__ import annotations

import sys
from typing import Any, Callable

from ._core import UsageError, ffi, lib


class Watch:
    """What Python sees of a solve: its trace, its progress, the signals that arrive meanwhile."""

    def __init__(self, progress: Callable[[dict[str, Any]], Any] | bool | None = None) -> None:
        self.state = ffi.new("gpis_py_watch *")
        if progress and progress is not True and not callable(progress):
            raise UsageError(f"progress= is True, or a function of a dict, not {progress!r}")
        self.progress = Line() if progress is True else progress or None
        self.failure: BaseException | None = None
        self.handle = ffi.new_handle(self)
        self.state.handle = self.handle
        self.state.each_pass = self.progress is not None
        self.reset()

    def reset(self) -> None:
        self.interrupted, self.failure = False, None
        self.state.next_look, self.state.count = 0.1, 0

    def attach(self, settings: Any) -> None:
        settings.progress = _AFTER_PASS
        settings.pass_progress = _WITHIN_PASS
        settings.progress_user = self.state

    def attach_pass(self, options: Any) -> None:
        """For calls of a single pass."""
        options.pass_progress, options.progress_user = _WITHIN_PASS, self.state

    def look(self, after: Any, within: Any) -> int:
        """Called with the GIL. Non-zero ends the solve."""
        if self.progress is None:
            return 0
        seen = {name: getattr(row, name) for row in (after, within) if row != ffi.NULL for name in _fields(row)}
        return 1 if seen and self.progress(seen) else 0

    def fail(self, error: BaseException) -> None:
        if isinstance(error, KeyboardInterrupt):
            self.interrupted = True
        else:
            self.failure = error

    def trace(self) -> bytes:
        """The lines of the trace, as they lie in memory."""
        size = self.state.count * ffi.sizeof("gpis_progress")
        return bytes(ffi.buffer(self.state.trace, size)) if size else b""

    def end(self) -> None:
        """Ends the line of the progress, and raises what a function of the user's raised."""
        if isinstance(self.progress, Line):
            self.progress.end()
        if self.failure is not None:
            raise self.failure

    def __del__(self) -> None:
        lib.gpis_py_watch_clear(self.state)


# The fields of gpis_progress, all of them of 8 bytes.
TRACE = ("pass", "seconds", "epochs", "objective", "gap", "contraction", "m", "inner_iterations", "step",
         "processor_seconds")
_WITHIN = ("pass", "done", "rows", "pass_seconds", "seconds")


def _fields(row: Any) -> tuple[str, ...]:
    return TRACE if ffi.typeof(row) is _AFTER_TYPE else _WITHIN


_AFTER_PASS, _WITHIN_PASS, WHILE_OPENING = (ffi.addressof(lib, "gpis_py_" + name)
                                            for name in ("after_pass", "within_pass", "while_opening"))
_AFTER_TYPE = ffi.typeof("gpis_progress *")


class Line:
    """A line of progress, which is written over: in a terminal and in a notebook."""

    def __init__(self) -> None:
        self.width = 0

    def __call__(self, seen: dict[str, Any]) -> None:
        if "done" in seen:
            if seen["done"] == seen["rows"]:  # what follows a pass leaves the line as it was
                return
            part = 100.0 * seen["done"] / max(1, seen["rows"])
            text = f"pass {seen['pass']}: {part:3.0f} % of the rows, {seen['seconds']:.1f} s"
        else:
            text = f"pass {seen['pass']}: objective {seen['objective']:.8g}, gap {seen['gap']:.2g}, {seen['seconds']:.1f} s"
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.width = len(text)

    def end(self) -> None:
        if self.width:
            sys.stderr.write("\n")
            sys.stderr.flush()


def _look_failed(kind: Any, error: BaseException, traceback: Any) -> int:
    ffi.from_handle(traceback.tb_frame.f_locals["handle"]).fail(error)
    return 1


@ffi.def_extern(onerror=_look_failed, error=1)
def gpis_py_look(handle: Any, after: Any, within: Any) -> int:
    return ffi.from_handle(handle).look(after, within)
