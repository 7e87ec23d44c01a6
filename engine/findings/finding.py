"""A finding: what one op did wrong in a run, once or many times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..ops.core.faults import Fault, FaultKind

Grade = Literal["harmful", "masked", "neutral"]
"""`harmful`: it reaches a result, a predicate, an index, an integer, another process or an outfeed. `masked`: nothing of it is
left at the end. `neutral`: it is meant, as the -Inf that a max starts with.
"""


@dataclass(frozen=True)
class Occurrence:
    """A step in which an op did it."""

    process: int
    step: int
    iteration: int
    """Which run of the body it was in, from 0; 0 outside of loops."""
    fault: Fault


@dataclass(frozen=True)
class Cause:
    """Where the values came from that made an element bad: an infinity that became a NaN."""

    kind: Literal["op", "given"]
    """`given`: in an input, in a constant of the program, or by something outside."""
    address: str
    """The value in which they first were not finite."""
    name: str
    """The name of that value in the program."""
    op: int | None = None
    """The op that made them."""
    index: tuple[int, ...] = ()
    """One of the elements."""


@dataclass(frozen=True)
class Finding:
    """What an op did in one or more steps; there is one for each op and kind."""

    op: int
    """The number of the op in the program."""
    kind: FaultKind
    grade: Grade
    count: int
    """In how many steps of all processes."""
    first: Occurrence
    worst: Occurrence
    """The step in which most elements were affected."""
    occurrences: tuple[Occurrence, ...]
    """The first steps, in the order in which they were recorded; of many not all are kept."""
    sentence: str
    """What happened first, for people: `first +Inf: line 15, exponential, 12 of 80 elements, where %10 is above 88.72`."""
    cause: Cause | None = None
    followed: bool = True
    """Whether it is known what became of the elements; where there was no time to follow them, the grade is assumed."""


@dataclass(frozen=True)
class BadInput:
    """An input of a run that holds NaN or infinities, one for each kind: no op has given birth to them."""

    process: int
    argument: int
    """Which argument of the function."""
    name: str
    address: str
    kind: Literal["nan", "inf"]
    grade: Grade
    elements: int
    """How many of its elements are so."""
    size: int
    index: tuple[int, ...]
    """The first of them."""
    sentence: str
    """`%x is given with NaN, 3 of 12 elements`."""
    followed: bool = True
    """Whether it is known what became of them."""
