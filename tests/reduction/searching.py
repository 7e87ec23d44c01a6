"""Cases and checks for tests of reductions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hloscope.engine.frontend import load
from hloscope.engine.inputs import InputSpec, make_input
from hloscope.engine.reduction.case import Case, case_of
from hloscope.engine.reduction.search import Search
from hloscope.engine.source import Source

EXAMPLES = Path(__file__).parent.parent.parent / "app" / "reference" / "examples"


def case(text: str, name: str = "<test>") -> Case:
    """The case of a text, on normal numbers."""
    module = load(Source(text, name)).module
    assert module is not None
    assert module.entry is not None
    inputs = [
        make_input(InputSpec.parse("normal"), value.type, number)
        for number, value in enumerate(module.entry.arguments)
    ]
    return case_of(module, module.entry, inputs)


def example(name: str) -> Case:
    """The case of an example."""
    return case((EXAMPLES / name).read_text(), name)


def reduced(found: Case, holds: Callable[[Case], bool]) -> Search:
    """The search, when it is done."""
    assert holds(found)
    search = Search(found, holds)
    search.run()
    assert holds(search.best)
    return search
