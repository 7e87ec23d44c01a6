"""Collects what ops did wrong while a run is recorded: a few numbers for each step in which something happened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ..events import Iterated
from ..ops.core.faults import FaultKind, Signals
from ..ops.core.op import Array
from ..program import BoundOperation
from .finding import Occurrence
from .given_values import GivenValues
from .loop_steps import steps_of_loop
from .stated_nans import chosen_faults
from .wariness import Wariness

Arrays = tuple[Array, ...]
Place = tuple[int, int, int]
"""A process, a step of it, and the iteration of the body that the step is in."""
MOST_OCCURRENCES = 1000
"""Steps that are kept of one finding; further ones are counted."""


@dataclass
class Found:
    """What an op did, of one kind, so far."""

    op: int
    kind: FaultKind
    first: Occurrence
    worst: Occurrence
    count: int = 0
    occurrences: list[Occurrence] = field(default_factory=list)

    def add(self, occurrence: Occurrence) -> None:
        """Counts one more step."""
        self.count += 1
        if len(self.occurrences) < MOST_OCCURRENCES:
            self.occurrences.append(occurrence)
        if occurrence.fault.elements > self.worst.fault.elements:
            self.worst = occurrence


class FindingLog:
    """What has been found so far, by op and kind, in the order in which it was first found."""

    def __init__(
        self,
        given: GivenValues | None = None,
        wariness: Wariness | None = None,
        choosing: Mapping[int, tuple[int, ...]] = MappingProxyType({}),
    ) -> None:
        """`given` is what the run is given, and `wariness` knows of the ops in which a NaN may be lost.

        `choosing` are the ops that may choose a NaN of the program, with the numbers of the operands that are NaN.
        """
        self.given = given or GivenValues()
        self._wariness = wariness or Wariness(set(), frozenset(), self.given)
        self._choosing = choosing
        self._found: dict[tuple[int, FaultKind], Found] = {}
        self._count = 0

    @property
    def count(self) -> int:
        """How often anything was found, what the run is given among it: it grows when there is something new to ask for."""
        return self._count + self.given.count

    @property
    def found(self) -> Mapping[tuple[int, FaultKind], Found]:
        """All of it."""
        return self._found

    def ask(
        self,
        bound: BoundOperation,
        place: Place,
        operands: Arrays,
        results: Arrays,
        signals: Signals,
    ) -> None:
        """Notes what an op says that it did wrong, in the step at `place`."""
        self._wariness.asks(bound.id, operands)
        for fault in bound.op.faults(operands, results, signals):
            self.add(bound.id, Occurrence(*place, fault))
        if bound.id in self._choosing:
            for fault in chosen_faults(operands, results[0], self._choosing[bound.id]):
                self.add(bound.id, Occurrence(*place, fault))

    def ask_loop(self, ops: Iterable[BoundOperation], process: int, told: Iterated, signals: Signals) -> None:
        """Notes what the ops of a loop did wrong that was told in one event; `ops` are those of an iteration."""
        for bound, step, iteration, fault in steps_of_loop(ops, told, signals):
            self.add(bound.id, Occurrence(process, step, iteration, fault))

    def add(self, op: int, occurrence: Occurrence) -> None:
        """Notes what op number `op` did wrong in a step."""
        self._count += 1
        if occurrence.fault.kind in ("nan", "swallowed_nan"):
            self._wariness.note_nan()
        key = (op, occurrence.fault.kind)
        if key not in self._found:
            self._found[key] = Found(op, occurrence.fault.kind, occurrence, occurrence)
        self._found[key].add(occurrence)
