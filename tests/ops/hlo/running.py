"""Programs with HLO's own ops in MLIR's generic form, and what they give."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from hloscope.engine.frontend import load
from hloscope.engine.process_grid import results_of
from hloscope.engine.source import Source
from tests.programs import load_program

from ..building import array

f16, f32, i32, i64, u32 = (partial(array, element_type=name) for name in ("f16", "f32", "i32", "i64", "ui32"))
"""Arrays of an element type."""


def results(text: str, *inputs: Any) -> tuple[Any, ...]:
    """What `main` gives for arrays."""
    return results_of(load_program(text), [np.asarray(value) for value in inputs])


def complaint(text: str) -> str:
    """The only thing that is wrong with a program."""
    (found,) = load(Source(text)).diagnostics
    return found.text


def main(arguments: str, body: str, result: str) -> str:
    """A function that returns `%r`, of type `result`."""
    return f"func.func @main({arguments}) -> {result} {{\n{body}\n  return %r : {result}\n}}\n"
