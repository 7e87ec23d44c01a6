"""This engine's side of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from hloscope.engine.debugger.recording import Recording
from tests.programs import load_program

from .values import Array

NAME = "case.mlir"


def run(text: str, inputs: Sequence[Array], name: str = NAME) -> tuple[Array, ...]:
    """Results of a program; an `AssertionError` shows its diagnostics, or why its run failed."""
    program = loaded(text, name)
    recording = Recording(program, inputs)
    state = recording.record()
    assert state.kind == "done", state.describe(program.module.source)
    results = recording.results()
    assert results is not None
    return results


loaded = lru_cache(maxsize=4)(load_program)
"""What `load_program` makes of a text, without loading it again for the next question about it."""


def run_hlo(text: str, inputs: Sequence[Array]) -> list[Array]:
    """Results of HLO text, with the elements of tuples in place of the tuples."""
    return [part for value in run(text, inputs, "case.hlo") for part in _parts(value)]


def _parts(value: Array) -> list[Array]:
    if value.dtype != object:
        return [value]
    return [part for element in value for part in _parts(element)]
