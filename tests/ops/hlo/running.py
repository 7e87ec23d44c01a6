"""Programs with HLO's own ops, in MLIR's generic form and as HLO text, and their results."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from hloscope.engine.frontend import load
from hloscope.engine.ops.core.values import leaves
from hloscope.engine.process_grid import results_of
from hloscope.engine.source import Source
from hloscope.engine.syntax.hlo.hlo_printer import print_hlo
from tests.programs import load_program

from ..building import array

f16, f32, i32, i64, u32 = (partial(array, element_type=name) for name in ("f16", "f32", "i32", "i64", "ui32"))
"""Arrays of an element type."""


def results(text: str, *inputs: Any) -> tuple[Any, ...]:
    """What `main` gives for arrays."""
    return results_of(load_program(text), [np.asarray(value) for value in inputs])


def results_of_hlo(text: str, *inputs: Any) -> list[Any]:
    """The results of an entry computation, each tensor as lists; the printed text must read as the same module."""
    loaded = load(Source(f"HloModule m\nENTRY e {{\n{text}\n}}", "m.hlo"))
    assert loaded.program is not None, loaded.diagnostics
    assert loaded.module is not None
    assert load(Source(print_hlo(loaded.module), "m.hlo")).module == loaded.module
    found = results_of(loaded.program, [np.asarray(value) for value in inputs])
    return [leaf.tolist() for value in found for leaf in leaves(value)]


def complaint(text: str) -> str:
    """The only thing that is wrong with a program."""
    (found,) = load(Source(text)).diagnostics
    return found.text


def main(arguments: str, body: str, result: str) -> str:
    """A function that returns `%r`, of type `result`."""
    return f"func.func @main({arguments}) -> {result} {{\n{body}\n  return %r : {result}\n}}\n"
