"""Questions about a recording: one class each, with its route, fields, examples and answer.

To add a question, add a class to the module of its topic, and its name to that module's `QUESTIONS`; the route, the
API's page and the worker follow.
"""

from collections.abc import Iterator, Mapping
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

TOPICS: Mapping[str, tuple[AnyQuestion, ...]] = {
    "Recordings": (*program.QUESTIONS, *values.QUESTIONS),
    "Process grid": grid.QUESTIONS,
    "Index maps": (*index_maps.QUESTIONS, *index_numbers.QUESTIONS),
    "Memory": memory.QUESTIONS,
    "Profile": profile.QUESTIONS,
    "Provenance": provenance.QUESTIONS,
    "Findings": (*findings.QUESTIONS, *precision.QUESTIONS),
    "Two runs": comparison.QUESTIONS,
    "Search": search.QUESTIONS,
    "Breakpoints": stops.QUESTIONS,
    "Expressions": expressions.QUESTIONS,
}
"""The questions with a route, by topic of the API's page."""
ROUTELESS = (
    program.OpenQuestion,
    values.NpyQuestion,
    values.ElementQuestion,
    *handouts.QUESTIONS,
    *lines.QUESTIONS,
    *repeats.QUESTIONS,
)
"""The questions without a route, which only the server sends."""


def questions() -> Iterator[AnyQuestion]:
    """All questions with a route."""
    for topic in TOPICS.values():
        yield from topic
