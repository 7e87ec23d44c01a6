"""Programs as JAX prints them, of many kinds: read, verified, run, and equal to what XLA computes."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from engine.frontend import load
from engine.ops.comparators import order_of
from engine.ops.sort import Sort
from engine.source import Source

from . import ours
from .client import Oracle
from .values import Array

pytestmark = pytest.mark.oracle
RELATIVE = 2e-5
# A format of few digits: XLA's fusions round less often than the ops do.
COARSE = {"brain_floats": 2e-2}


def _names() -> list[str]:
    """The keys of the tables of kinds; the module itself needs JAX."""
    tree = ast.parse((Path(__file__).parent / "frameworks" / "kinds.py").read_text("utf-8"))
    tables = [node.value for node in tree.body if isinstance(node, ast.AnnAssign)]
    keys = [key for table in tables if isinstance(table, ast.Dict) for key in table.keys]
    return [str(key.value) for key in keys if isinstance(key, ast.Constant)]


@pytest.mark.parametrize("name", _names())
def test_agrees_with_xla(name: str, oracle: Oracle) -> None:
    text, inputs, expected = oracle.export(name)
    found = ours.run(text, inputs)
    assert len(found) == len(expected)
    for number, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
        assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
        _close(mine, theirs, COARSE.get(name, RELATIVE), f"result {number} of {name}")


def _close(mine: Array, theirs: Array, relative: float, what: str) -> None:
    if mine.dtype.kind in "biu":
        assert np.array_equal(mine, theirs), what
        return
    a, b = mine.astype(np.float64), theirs.astype(np.float64)
    assert np.array_equal(np.isnan(a), np.isnan(b)), what
    with np.errstate(invalid="ignore"):
        difference = np.nanmax(np.where(a == b, 0, np.abs(a - b)), initial=0)
    largest = np.max(np.abs(b), initial=0, where=np.isfinite(b))
    assert difference <= relative * largest, f"{what}: {difference} of {largest}"


def test_the_comparators_that_jax_writes_are_recognised(oracle: Oracle) -> None:
    text, _, _ = oracle.export("sorted_of_any_type")
    program = load(Source(text)).program
    assert program
    sorts = [found.op for found in program.ops if isinstance(found.op, Sort)]
    assert len(sorts) > 20
    assert all(order_of(op.comparator) for op in sorts)
