"""Programs of tests, loaded from text."""

from __future__ import annotations

from hloscope.engine.frontend import load
from hloscope.engine.program import BoundProgram
from hloscope.engine.source import Source


def load_program(text: str, name: str = "test.mlir") -> BoundProgram:
    """Load a program; fail with its diagnostics."""
    source = Source(text, name)
    loaded = load(source)
    assert loaded.program is not None, "\n".join(found.format(source) for found in loaded.diagnostics)
    return loaded.program
