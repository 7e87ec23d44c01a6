"""This engine's side of a comparison."""

from __future__ import annotations

from collections.abc import Sequence

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.frontend import load
from hloscope.engine.source import Source

from .values import Array


def run(text: str, inputs: Sequence[Array], name: str = "case.mlir") -> tuple[Array, ...]:
    """Parses, verifies and records the whole program; an `AssertionError` shows what is wrong with it."""
    source = Source(text, name)
    loaded = load(source)
    assert loaded.program is not None, "\n".join(found.format(source) for found in loaded.diagnostics)
    recording = Recording(loaded.program, inputs)
    state = recording.record()
    assert state.kind == "done", state.describe(source)
    results = recording.results()
    assert results is not None
    return results


def run_hlo(text: str, inputs: Sequence[Array]) -> list[Array]:
    """The same of HLO text; tuples among the results are taken apart."""
    return [part for value in run(text, inputs, "case.hlo") for part in _parts(value)]


def _parts(value: Array) -> list[Array]:
    if value.dtype != object:
        return [value]
    return [part for element in value for part in _parts(element)]
