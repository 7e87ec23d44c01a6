"""Questions about a recording: one class each, with its route, fields, examples and answer.

To add a question, add a class to the module of its topic; the route, the API's page and the worker follow.
"""

from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any, TypeAlias

from . import (
    comparison,
    expressions,
    findings,
    grid,
    handouts,
    index_maps,
    index_numbers,
    lines,
    memory,
    precision,
    profile,
    program,
    provenance,
    repeats,
    search,
    stops,
    values,
)
from .question import PairQuestion, RecordingQuestion

AnyQuestion: TypeAlias = type[RecordingQuestion[Any]] | type[PairQuestion[Any]]


def _routed(*modules: ModuleType) -> tuple[AnyQuestion, ...]:
    """The questions with a route that `modules` define, in order."""
    return tuple(
        found
        for module in modules
        for found in vars(module).values()
        if isinstance(found, type) and issubclass(found, RecordingQuestion | PairQuestion)
        if found.__module__ == module.__name__ and found.path
    )


TOPICS: Mapping[str, tuple[AnyQuestion, ...]] = {
    "Recordings": _routed(program, values, handouts, lines, repeats),
    "Process grid": _routed(grid),
    "Index maps": _routed(index_maps, index_numbers),
    "Memory": _routed(memory),
    "Profile": _routed(profile),
    "Provenance": _routed(provenance),
    "Findings": _routed(findings, precision),
    "Two runs": _routed(comparison),
    "Search": _routed(search),
    "Breakpoints": _routed(stops),
    "Expressions": _routed(expressions),
}
"""The questions with a route, by topic of the API's page."""


def questions() -> Iterator[AnyQuestion]:
    """All questions with a route."""
    for topic in TOPICS.values():
        yield from topic
