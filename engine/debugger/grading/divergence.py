"""Values of which the program states that several processes hold copies, and which differ between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...findings import Found, Occurrence
from ...findings.sentences import value_name
from ...ops.collectives.collective_rules import Meeting
from ...ops.core.faults import Fault
from ...ops.core.values import is_tuple
from ...program import BoundOperation, Maker
from ...sharding.runs.shown_shardings import ShownShardings
from ..address import Address
from ..recording import Recording
from .own_numbers import MixingSearch

SECONDS = 2.0
_MOST_RUNS = 64
"""Executions of one op that are looked at."""
_MOST_UPSTREAM = 256
Array = NDArray[Any]
Groups = Sequence[Sequence[int]]
Stated = tuple[int, Maker, Groups]
"""A value of the program, what makes it, and the processes that have the same of it."""


class Divergence:
    """Compares the values of a recorded run that are stated to be equal."""

    def __init__(self, recording: Recording) -> None:
        self.recording, self.program = recording, recording.program
        self._grid, self._team = recording.grid, recording.teams[0].numbers
        self._waiting = self._values() if len(self._team) > 1 else []
        """Values that have not been compared yet, the first one last."""
        self._by_op: dict[int, Found] = {}

    @property
    def left(self) -> int:
        """How many values have not been compared."""
        return len(self._waiting)

    def found(self) -> list[Found]:
        """A finding for each op whose results differ though they should agree, so far; the first one first."""
        return sorted(self._by_op.values(), key=lambda found: found.first.step)

    def go_on(self) -> None:
        """Compares more of them, for some seconds."""
        deadline = perf_counter() + SECONDS
        while self._waiting and perf_counter() < deadline:
            value, maker, groups = self._waiting.pop()
            for op, occurrence in self._occurrences(value, maker, groups):
                found = self._by_op.setdefault(op, Found(op, "divergence", occurrence, occurrence))
                found.add(occurrence)

    def _values(self) -> list[Stated]:
        """What the program states to be the same in several processes, the last one first."""
        entry = self.recording.tracks[0].block_of(0)
        function = next(found for found in self.program.functions.values() if found.block == entry)
        found: list[Stated] = []
        for value, shown in ShownShardings(self.program, function).all.items():
            maker = self.program.makers[value]
            if maker.op is not None and len(shown.tilings) <= 1:
                groups = [group for group in shown.copies(self._grid) if len(group) > 1]
                found += [(value, maker, groups)] if groups else []
        return found[::-1]

    def _occurrences(self, value: int, maker: Maker, groups: Groups) -> Iterator[tuple[int, Occurrence]]:
        """The steps in which a value was made that differs, with the op to blame."""
        assert maker.op is not None
        steps = self._steps_of(maker.op)
        name = value_name(self.program, value)
        runs = min(_MOST_RUNS, *map(len, steps.values()))
        for run in range(runs):
            met = {number: int(each[run]) for number, each in steps.items()}
            for first, other in self._pairs(met, maker.index, groups):
                op, step, differs = self._blame(*self._inside(maker, met, run), run, first, other)
                index = tuple(map(int, np.unravel_index(int(differs.argmax()), differs.shape)))
                places = " and ".join(self.recording.process_name(number) for number in (first, other))
                same = "it is" if op == maker.op else f"{name}, computed from it, is"
                cause = f"{same} stated to be the same in processes {places}"
                result = maker.index if op == maker.op else 0
                fault = Fault(
                    "divergence", int(np.count_nonzero(differs)), differs.size, index, cause, result
                )
                yield op, Occurrence(other, step, run, fault)
                break

    def _steps_of(self, op: int) -> dict[int, Array]:
        """The steps in which each process executed an op to its end."""
        found = {}
        for number in self._team:
            track = self.recording.tracks[number]
            steps = np.flatnonzero(track.op_column == op)
            found[number] = steps[[track.finish_of(int(step)) is not None for step in steps]]
        return found

    def _pairs(self, steps: dict[int, int], index: int, groups: Groups) -> Iterator[tuple[int, int]]:
        """Two processes whose copies differ, of each group."""
        for first, *others in groups:
            for other in others:
                if self._differs(steps, index, first, other).any():
                    yield first, other
                    break

    def _differs(self, steps: dict[int, int], index: int, first: int, other: int) -> Array:
        """Where results of two processes differ; a NaN is equal to itself."""
        left, right = (
            self.recording.value(Address(number, "s", steps[number], index)) for number in (first, other)
        )
        return _differs(left, right)

    def _blame(
        self, maker: Maker, steps: dict[int, int], run: int, first: int, other: int
    ) -> tuple[int, int, Array]:
        """The op to blame with its step: the nearest collective before that gave the processes different results.

        Without one, where the numbers of the processes went into it; else the op that made the value.
        """
        assert maker.op is not None
        for bound in self._upstream(maker.op):
            if (
                not isinstance(bound.op.unpacked, Meeting)
                or not bound.op.unpacked.explanation.combines_processes
            ):
                continue
            found = self._steps_of(bound.id)
            if all(len(found[number]) > run for number in (first, other)):
                met = {number: int(found[number][run]) for number in (first, other)}
                differs = self._differs(met, 0, first, other)
                if differs.any():
                    return bound.id, met[other], differs
        made = [Address(number, "s", steps[number], maker.index) for number in (first, other)]
        if mixed := MixingSearch(self.recording, _differs).find(*made):
            left, right = map(self.recording.value, mixed)
            op = int(self.recording.tracks[other].op_column[mixed[1].number])
            return op, mixed[1].number, _differs(left, right)
        return maker.op, steps[other], self._differs(steps, maker.index, first, other)

    def _inside(self, maker: Maker, steps: dict[int, int], run: int) -> tuple[Maker, dict[int, int]]:
        """What made the value in the function that is called for it, as long as that is one, and in which steps."""
        while maker.op is not None:
            bound = self.program.ops[maker.op]
            if (
                not bound.op.explanation.calls_function
                or bound.op.outside is not None
                or len(bound.results) != 1
            ):
                break
            callees = [self._callee(bound, callee.name) for callee in bound.op.callees()]
            made = [self.program.makers[value] for value in callees[0][-1].operands] if callees else []
            if len(made) != 1 or made[0].op is None:
                break
            inner = self._steps_of(made[0].op)
            if any(len(inner[number]) <= run for number in steps):
                break
            maker, steps = made[0], {number: int(inner[number][run]) for number in steps}
        return maker, steps

    def _callee(self, bound: BoundOperation, name: str) -> Sequence[BoundOperation]:
        caller = self.program.blocks[bound.block]
        return self.program.blocks[self.program.find_callee(caller, name).block].operations

    def _upstream(self, op: int) -> Iterator[BoundOperation]:
        """The ops of its block that an op's operands were computed by, the nearest first."""
        block, waiting, seen = self.program.ops[op].block, [op], {op}
        while waiting and len(seen) < _MOST_UPSTREAM:
            bound = self.program.ops[waiting.pop(0)]
            yield bound
            for value in bound.operands:
                made = self.program.makers[value]
                if made.op is not None and made.block == block and made.op not in seen:
                    seen.add(made.op)
                    waiting.append(made.op)


def _differs(left: Any, right: Any) -> Array:
    """Where values of two processes differ; a NaN is equal to itself."""
    if any(map(is_tuple, (left, right))) or left.shape != right.shape:
        return np.zeros((), np.bool_)
    is_number = np.equal(left, left) | np.equal(right, right)
    return np.asarray((left != right) & is_number)
