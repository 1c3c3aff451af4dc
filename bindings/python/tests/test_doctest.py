"""The examples in the docstrings."""

import doctest
import importlib
import pkgutil

import pytest

import gpis

NAMES = ["gpis"] + [f"gpis.{m.name}" for m in pkgutil.iter_modules(gpis.__path__) if m.name != "_gpis"]


@pytest.mark.parametrize("name", NAMES)
def test_examples(name):
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_there_are_examples():
    """Every public function that makes or solves something shows how."""
    for name in ("solve", "plan", "check", "project", "Problem", "Rows", "Result", "l1", "box", "group", "custom", "lasso"):
        assert ">>>" in getattr(gpis, name).__doc__, name
