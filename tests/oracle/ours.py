"""This engine's side of a comparison."""

from __future__ import annotations

from collections.abc import Sequence

from engine.debugger.recording import Recording
from engine.frontend import load
from engine.source import Source

from .values import Array


def run(text: str, inputs: Sequence[Array]) -> tuple[Array, ...]:
    """Parses, verifies and records the whole program; an `AssertionError` shows what is wrong with it."""
    source = Source(text, "case.mlir")
    loaded = load(source)
    assert loaded.program is not None, "\n".join(found.located(source) for found in loaded.diagnostics)
    recording = Recording(loaded.program, inputs)
    state = recording.record()
    assert state.kind == "done", state.diagnostic.located(source) if state.diagnostic else state.reason
    results = recording.results()
    assert results is not None
    return results
