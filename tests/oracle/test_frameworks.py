"""Programs as JAX prints them, of many kinds: read, verified, run, and equal to what XLA computes.

`test_hlo_exports` has those that have an HLO text too.
"""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from hloscope.engine.ops.core.values import leaves
from hloscope.engine.ops.packed import Packed
from hloscope.engine.ops.sorting.comparators import order_of
from hloscope.engine.ops.sorting.sort import Sort
from tests.programs import load_program

from . import ours
from .client import Oracle
from .values import Array

pytestmark = pytest.mark.oracle
TABLES = {
    "KINDS": "kinds.py",
    "TRAINING": "training.py",
    "COMPUTING": "computing.py",
    "DYNAMIC": "kinds.py",
    "SYMBOLIC": "symbolic.py",
    "OPEN_SIZES": "open_sizes.py",
    "SCANS": "scans.py",
}
RELATIVE = 2e-5
# A format of few digits: XLA's fusions round less often than the ops do.
COARSE = {"brain_floats": 2e-2, "mixed_precision": 2e-2}


def names(*tables: str) -> list[str]:
    """The keys of tables of kinds; the modules themselves need JAX."""
    folder = Path(__file__).parent / "frameworks"
    return [
        str(key.value)
        for table in tables
        for node in ast.parse((folder / TABLES[table]).read_text("utf-8")).body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == table
        if isinstance(node.value, ast.Dict)
        for key in node.value.keys
        if isinstance(key, ast.Constant)
    ]


@pytest.mark.parametrize("name", names("DYNAMIC", "SYMBOLIC", "OPEN_SIZES"))
def test_agrees_with_xla(name: str, oracle: Oracle) -> None:
    text, inputs, expected = oracle.export(name)
    agrees(name, text, inputs, expected)


def agrees(name: str, text: str, inputs: list[Array], expected: list[Array]) -> None:
    found = [leaf for value in ours.run(text, inputs) for leaf in leaves(value)]
    assert len(found) == len(expected)
    for number, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
        assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
        close(mine, theirs, COARSE.get(name, RELATIVE), f"result {number} of {name}")


def close(mine: Array, theirs: Array, relative: float, what: str) -> None:
    if mine.dtype.kind in "biu":
        assert np.array_equal(mine, theirs), what
        return
    wide = np.complex128 if mine.dtype.kind == "c" else np.float64
    a, b = mine.astype(wide), theirs.astype(wide)
    assert np.array_equal(np.isnan(a), np.isnan(b)), what
    with np.errstate(invalid="ignore"):
        difference = np.nanmax(np.where(a == b, 0, np.abs(a - b)), initial=0)
    largest = np.max(np.abs(b), initial=0, where=np.isfinite(b))
    assert difference <= relative * largest, f"{what}: {difference} of {largest}"


def sorts_in(text: str) -> list[Sort]:
    program = load_program(text)
    ops = (found.op.twin if isinstance(found.op, Packed) else found.op for found in program.ops)
    return [op for op in ops if isinstance(op, Sort)]


def test_the_comparators_that_xla_makes_of_them_are_recognised(oracle: Oracle) -> None:
    for name in ("sorted_of_any_type", "argument_sort", "sorted_by_several"):
        for text in oracle.export_hlo(name)[0][1:]:
            sorts = sorts_in(text)
            assert sorts
            assert all(order_of(op.comparator) for op in sorts)


def test_the_comparators_that_jax_writes_are_recognised(oracle: Oracle) -> None:
    text, _, _ = oracle.export("sorted_of_any_type")
    sorts = sorts_in(text)
    assert len(sorts) > 20
    assert all(order_of(op.comparator) for op in sorts)
