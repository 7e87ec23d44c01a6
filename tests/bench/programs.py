"""Whole programs: this engine with a recording of every value, the reference interpreter, and XLA."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.examples import Example, example
from engine.debugger.recording import Recording
from engine.frontend import load
from engine.inputs import default_input, make_input
from engine.program import BoundProgram
from engine.source import Source
from tests.oracle.client import Oracle

NAMES = ("mlp", "mlp_train_step", "transformer_block")
REPETITIONS = 15

Array = NDArray[Any]


@dataclass(frozen=True)
class Measured:
    """Median seconds of each way to run one program; `difference` is ours from XLA's, relative."""

    name: str
    load: float
    ours: float
    reference: float
    xla: float
    steps: int
    kept_bytes: int
    difference: float


def measured(name: str, oracle: Oracle) -> Measured:
    """One program, all ways, one after the other."""
    shown = example(name)
    assert shown is not None
    program = _loaded(shown)
    inputs = inputs_of(program, shown)
    recording = _recorded(program, inputs)
    reference, _ = oracle.measure("interpret", shown.text, inputs)
    xla, expected = oracle.measure("xla", shown.text, inputs, REPETITIONS)
    return Measured(
        name,
        _median(lambda: _loaded(shown)),
        _median(lambda: _recorded(program, inputs)),
        reference["seconds"],
        # XLA's first run also sets up its buffers.
        median(xla["seconds"][1:]),
        recording.step_count,
        recording.kept_bytes,
        _difference(recording.results() or (), expected),
    )


def inputs_of(program: BoundProgram, shown: Example) -> list[Array]:
    """The inputs that the example states."""
    assert program.entry is not None
    arguments = program.entry.function.arguments
    specs = [*shown.inputs, *[default_input()] * (len(arguments) - len(shown.inputs))]
    pairs = enumerate(zip(specs, arguments, strict=True))
    return [make_input(spec, value.type, number, value.name) for number, (spec, value) in pairs]


def _loaded(shown: Example) -> BoundProgram:
    program = load(Source(shown.text, shown.file)).program
    assert program is not None
    return program


def _recorded(program: BoundProgram, inputs: list[Array]) -> Recording:
    recording = Recording(program, inputs)
    assert recording.record().kind == "done"
    return recording


def _median(run: Callable[[], object]) -> float:
    seconds = []
    for _ in range(REPETITIONS):
        begin = perf_counter()
        run()
        seconds.append(perf_counter() - begin)
    return median(seconds)


def _difference(got: tuple[Array, ...], expected: list[Array]) -> float:
    pairs = zip(got, expected, strict=True)
    return max(float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-30)) for a, b in pairs)
