"""Programs of tests, loaded from text."""

from __future__ import annotations

from typing import Any

import numpy as np

from hloscope.app.reference.examples import Example, example
from hloscope.app.runs.launching import ArgumentSource, choose_grid, launch
from hloscope.app.runs.run_inputs import stated_inputs
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.frontend import load
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.ops.core.op import Array
from hloscope.engine.process_grid import results_of
from hloscope.engine.program import BoundProgram
from hloscope.engine.source import Source


def load_program(text: str, name: str = "test.mlir") -> BoundProgram:
    """Load a program; fail with its diagnostics."""
    source = Source(text, name)
    loaded = load(source)
    assert loaded.program is not None, "\n".join(found.format(source) for found in loaded.diagnostics)
    return loaded.program


def ran(text: str, *inputs: Any) -> tuple[Array, ...]:
    """The results of a program."""
    return results_of(load_program(text), [np.asarray(value) for value in inputs])


def opened(text: str, name: str = "test.mlir") -> Recording:
    """A recording of no steps, on the program's own grid and with the inputs that it states."""
    program = load_program(text, name)
    assert program.entry is not None
    grid, stated = choose_grid(program, program.entry, DEFAULT_LIMITS), stated_inputs(text)
    given = [*stated, *[ArgumentSource()] * (len(program.entry.function.arguments) - len(stated))]
    return Recording(program, launch(program, program.entry, grid, given, {}, DEFAULT_LIMITS))


def known_example(name: str) -> Example:
    """An example of the gallery."""
    found = example(name)
    assert found is not None, name
    return found
