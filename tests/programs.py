"""Programs of tests, loaded from text."""

from __future__ import annotations

from hloscope.app.reference.examples import Example, example
from hloscope.engine.frontend import load
from hloscope.engine.program import BoundProgram
from hloscope.engine.source import Source


def load_program(text: str, name: str = "test.mlir") -> BoundProgram:
    """Load a program; fail with its diagnostics."""
    source = Source(text, name)
    loaded = load(source)
    assert loaded.program is not None, "\n".join(found.format(source) for found in loaded.diagnostics)
    return loaded.program


def known_example(name: str) -> Example:
    """An example of the gallery."""
    found = example(name)
    assert found is not None, name
    return found
