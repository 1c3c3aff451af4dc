"""Penalties: what is added to the objective."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ._core import FileError, InputError, UsageError, real
from ._data import numbers
from ._sets import label, number_text


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
        parts = [] if self.l1 is None else [f"l1:{number_text(self.l1)}" + ("" if self.weights is None else "," + label(self.weights))]
        return " + ".join(parts + ([] if self.l2 is None else [f"l2:{number_text(self.l2)}"]))


def lasso(lambda_: float, weights: Any = None) -> Penalty:
    """lambda sum_j weights_j |x_j|. scikit-learn's Lasso has alpha = lambda / (2 n).

    >>> lasso(3) + ridge(0.5)
    l1:3 + l2:0.5
    """
    return Penalty(l1=real("lambda_", lambda_), weights=weights)


def ridge(lambda_: float) -> Penalty:
    """lambda ||x||^2, as scikit-learn's Ridge has it."""
    return Penalty(l2=real("lambda_", lambda_))


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
    parts = re.split(r"\+(?=\s*l[12]:)", text)
    if len(parts) > 1:
        return as_penalty([part.strip() for part in parts])
    found = re.fullmatch(r"(l1|l2):([^,]*)(?:,(.+))?", text)
    try:
        if not found or (found.group(1) == "l2" and found.group(3)):
            raise ValueError
        value = float(found.group(2))
    except ValueError:
        raise InputError(f"penalty {text}: it is l1:LAMBDA, l1:LAMBDA,W.npy or l2:LAMBDA") from None
    if found.group(1) == "l2":
        return ridge(value)
    return lasso(value, _read_weights(found.group(3)) if found.group(3) else None)


def _read_weights(path: str) -> np.ndarray[Any, Any]:
    try:
        return np.load(path).ravel()
    except OSError as error:
        raise FileError(f"{path}: cannot be opened: {error.strerror or error}") from None
    except ValueError as error:
        raise InputError(f"{path}: is no .npy file of numbers: {error}") from None
