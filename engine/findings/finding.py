"""A finding: what one op did wrong in a run, in one step or many."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

FaultKind = str
"""The name of a kind: `zero_division`. `kinds.py` has all."""
Grade = Literal["harmful", "masked", "neutral"]
"""`harmful`: it reaches a result, a predicate, an index, an integer, another process or an outfeed. `masked`: nothing of it is
left at the end. `neutral`: the program intends it, as the -Inf that a max starts with.
"""
Harm = Literal["result", "predicate", "index", "integer", "process", "outside", "pending", "unknown"]
"""What wrong elements reach: a result of the program, the condition of a branch or a loop, an index, an integer that they are
converted to, another process, or a consumer outside of the run. `pending`: an op that has yet to run reads them. `unknown`:
the time limit ended the search, or another host has the values that it reached.
"""
_MOST_OCCURRENCES = 1000
"""Maximum number of steps kept for one finding; further steps are only counted."""


@dataclass(frozen=True)
class Fault:
    """The fault of one op in one step."""

    kind: FaultKind
    elements: int
    """Number of affected elements."""
    size: int
    """Number of elements of the value."""
    index: tuple[int, ...]
    """The index of the worst affected element, or of the first."""
    cause: str = ""
    """The reason, in words that follow the sentence: `where {0} is above 88.72`. `{0}` stands for the name of operand 0."""
    result: int | None = 0
    """The number of the result that `index` refers to; `None` if it refers to an operand."""
    operand: int | None = None
    """The number of the operand that `index` refers to, or that is at fault."""
    value: float | None = None
    """The element at `index`, where it is a real number."""
    from_inf: bool = False
    """For a NaN: whether the op made it from an infinity."""
    from_constant: bool = False
    """For a NaN: whether a select chose it from a constant of the program."""
    lost: float = 0.0
    """For absorbed addends: their sum, as a part of the sum that does not change."""
    is_sentinel: bool = False
    """Whether all indices at fault are -1 or just behind the end, which may stand for nothing."""


@dataclass(frozen=True)
class Occurrence:
    """A step in which an op raised a finding."""

    process: int
    step: int
    iteration: int
    """The iteration of the loop body around the step, from 0; 0 outside of loops."""
    fault: Fault


@dataclass
class FaultTally:
    """The steps recorded so far in which one op did wrong in one way."""

    op: int
    kind: FaultKind
    first: Occurrence
    worst: Occurrence
    count: int = 0
    lost: float = 0.0
    """The sum of `Fault.lost`."""
    occurrences: list[Occurrence] = field(default_factory=list)

    @classmethod
    def start(cls, op: int, occurrence: Occurrence) -> FaultTally:
        """An empty tally whose first step will be `occurrence`."""
        return cls(op, occurrence.fault.kind, occurrence, occurrence)

    def add(self, occurrence: Occurrence) -> None:
        """Count one more step."""
        self.count += 1
        self.lost += occurrence.fault.lost
        if len(self.occurrences) < _MOST_OCCURRENCES:
            self.occurrences.append(occurrence)
        if occurrence.fault.elements > self.worst.fault.elements:
            self.worst = occurrence


@dataclass(frozen=True)
class Cause:
    """The origin of the values that made an element bad: of an infinity that became a NaN."""

    kind: Literal["op", "given"]
    """`given`: an input, a constant of the program or a value from outside holds them."""
    address: str
    """The first value that holds them."""
    name: str
    """The name of that value in the program."""
    op: int | None = None
    """The op that made them."""
    index: tuple[int, ...] = ()
    """The index of one of the elements."""


@dataclass(frozen=True)
class Finding:
    """Faults of one kind of one op, in one or more steps."""

    op: int
    """The number of the op in the program."""
    kind: FaultKind
    grade: Grade
    count: int
    """Number of steps, over all processes."""
    first: Occurrence
    worst: Occurrence
    """The step with the most affected elements."""
    occurrences: tuple[Occurrence, ...]
    """The steps, in the order in which they were recorded; of many steps only the first are kept."""
    sentence: str
    """The first event: `first +Inf: line 15, exponential, 12 of 80 elements, where %10 is above 88.72`."""
    cause: Cause | None = None
    followed: bool = True
    """Whether the elements were followed to the end; otherwise the time limit was reached and the grade is assumed."""
    elsewhere: bool = False
    """Whether they were not followed because another host has values that they reach."""


@dataclass(frozen=True)
class BadInput:
    """An input of a run that holds NaN or infinities; one for each of the two."""

    process: int
    argument: int
    """The number of the function's argument."""
    name: str
    address: str
    kind: Literal["nan", "inf"]
    grade: Grade
    elements: int
    """Number of affected elements."""
    size: int
    index: tuple[int, ...]
    """The index of the first affected element."""
    sentence: str
    """`%x holds NaN in 3 of 12 elements`."""
    followed: bool = True
    """Whether the elements were followed to the end."""
    elsewhere: bool = False
    """Whether they were not because another host has values that they reach."""
