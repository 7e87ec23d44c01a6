"""Questions about a recording: each is one class that declares its route, its fields, its examples and its answer.

A new question is a class in the module of its topic, and its name in that module's `QUESTIONS`; the route, the API's page
and the worker follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from . import (
    comparison,
    findings,
    grid,
    handouts,
    index_maps,
    index_numbers,
    program,
    provenance,
    search,
    values,
)
from .question import PairQuestion, RecordingQuestion

AnyQuestion: TypeAlias = type[RecordingQuestion[Any]] | type[PairQuestion[Any]]

TOPICS: Mapping[str, tuple[AnyQuestion, ...]] = {
    "Recordings": (*program.QUESTIONS, *values.QUESTIONS),
    "Process grid": grid.QUESTIONS,
    "Index maps": (*index_maps.QUESTIONS, *index_numbers.QUESTIONS),
    "Provenance": provenance.QUESTIONS,
    "Findings": findings.QUESTIONS,
    "Two runs": comparison.QUESTIONS,
    "Search": search.QUESTIONS,
}
"""The questions that have a route, by the topics of the API's page."""
ROUTELESS = (program.OpenQuestion, values.NpyQuestion, values.ElementQuestion, *handouts.QUESTIONS)
"""The questions that only the server asks."""


def questions() -> Iterator[AnyQuestion]:
    """All questions that have a route."""
    for topic in TOPICS.values():
        yield from topic
