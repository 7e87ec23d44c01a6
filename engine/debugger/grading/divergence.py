"""Compares values of a recorded run of which the program states that several processes hold copies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...findings import FaultTally, Occurrence
from ...findings.processes import difference_fault, differing_elements
from ...findings.sentences import value_name
from ...ops.collectives.collective_rules import CollectiveOp
from ...program import BoundOperation, Maker
from ...remote_values import OnOtherHost
from ...sharded_runs.shown_shardings import ShownShardings
from ...value_walks import is_given
from ..address import Address
from ..origins import address_of
from ..recording import Recording

SECONDS = 2.0
"""Time limit for comparing, until more is requested."""
_MAX_RUNS = 64
"""Maximum number of executions of one op that are compared."""
_MAX_UPSTREAM = 256
"""Maximum number of ops searched for the culprit."""
Array = NDArray[Any]
Groups = Sequence[Sequence[int]]
Statement = tuple[int, Maker, Groups]
"""A value of the program, what makes it, and the groups of processes that hold copies of it."""
Pair = tuple[Address, Address]
"""The same value in two processes."""
Culprit = tuple[int, int, Array]
"""An op, its step in the second process, and where its results differ."""


class Divergence:
    """Compares the values that are stated to be copies, and attributes each difference to an op."""

    def __init__(self, recording: Recording) -> None:
        self.recording, self.program = recording, recording.program
        self._grid, self._processes = recording.grid, recording.launch_groups[0].numbers
        self._waiting = self._statements() if len(self._processes) > 1 else []
        """The statements that have not been checked, the first one last."""
        self._tallies: dict[int, FaultTally] = {}
        self._elsewhere: dict[str, None] = {}

    @property
    def left(self) -> int:
        """Number of values that have not been compared."""
        return len(self._waiting)

    def tallies(self) -> list[FaultTally]:
        """The differences found so far by op, in the order of their first steps."""
        return sorted(self._tallies.values(), key=lambda tally: tally.first.step)

    @property
    def elsewhere(self) -> Sequence[str]:
        """The values that differ and were not compared by element, as another host has them; each with its process."""
        return [*self._elsewhere]

    def go_on(self) -> None:
        """Compare more values, up to the time limit."""
        deadline = perf_counter() + SECONDS
        while self._waiting and perf_counter() < deadline:
            for op, occurrence in self._differences(*self._waiting.pop()):
                self._tallies.setdefault(op, FaultTally.start(op, occurrence)).add(occurrence)

    def _statements(self) -> list[Statement]:
        """Values that the program states to be equal in several processes, the last one first."""
        entry = self.recording.tracks[0].block_of(0)
        function = next(each for each in self.program.functions.values() if each.block == entry)
        statements: list[Statement] = []
        for value, shown in ShownShardings(self.program, function).all.items():
            maker = self.program.makers[value]
            if maker.op is not None and len(shown.tilings) <= 1:
                groups = [group for group in shown.copies(self._grid) if len(group) > 1]
                statements += [(value, maker, groups)] if groups else []
        return statements[::-1]

    def _differences(self, value: int, maker: Maker, groups: Groups) -> Iterator[tuple[int, Occurrence]]:
        """The steps in which a value was made that differs, with the culprit."""
        assert maker.op is not None
        steps = self._steps_of(maker.op)
        for run in range(min(_MAX_RUNS, *map(len, steps.values()))):
            at = {number: int(each[run]) for number, each in steps.items()}
            pair = self._differing_pair(at, maker.index, groups)
            if pair is None:
                continue
            op, step, differs = self._culprit(*self._inside(maker, at, run), run, pair)
            names = [self.recording.process_name(number) for number in pair]
            computed = "" if op == maker.op else value_name(self.program, value)
            result = maker.index if op == maker.op else 0
            fault = difference_fault(differs, (names[0], names[1]), computed, result)
            yield op, Occurrence(pair[1], step, run, fault)

    def _steps_of(self, op: int) -> dict[int, Array]:
        """The steps in which each process executed an op to its end."""
        steps = {}
        for number in self._processes:
            track = self.recording.tracks[number]
            all_steps = np.flatnonzero(track.op_column == op)
            steps[number] = all_steps[[track.finish_of(int(step)) is not None for step in all_steps]]
        return steps

    def _differing_pair(self, steps: Mapping[int, int], index: int, groups: Groups) -> tuple[int, int] | None:
        """The first two processes of a group whose copies differ."""
        for first, *others in groups:
            for other in others:
                if self._differs(steps, index, (first, other)).any():
                    return first, other
        return None

    def _differs(self, steps: Mapping[int, int], index: int, pair: tuple[int, int]) -> Array:
        """Mask of the elements in which results of two processes differ."""
        addresses = [Address(number, "s", steps[number], index) for number in pair]
        checksums = {
            None if known is None else known.checksum for known in map(self.recording.facts, addresses)
        }
        if len(checksums) == 1 and None not in checksums:
            return np.zeros((), np.bool_)
        try:
            return differing_elements(*map(self.recording.value, addresses))
        except OnOtherHost as other:
            self._elsewhere[other.value] = None
            return np.zeros((), np.bool_)

    def _culprit(self, maker: Maker, steps: Mapping[int, int], run: int, pair: tuple[int, int]) -> Culprit:
        """The nearest collective upstream that gave the processes different results: its groups may be too small.

        Without one, the op in which the process id was mixed with an input; else the op that made the value.
        """
        assert maker.op is not None
        for bound in self._upstream(maker.op):
            if (
                not isinstance(bound.op.unpacked, CollectiveOp)
                or not bound.op.unpacked.explanation.combines_processes
            ):
                continue
            all_steps = self._steps_of(bound.id)
            if all(len(all_steps[number]) > run for number in pair):
                at = {number: int(all_steps[number][run]) for number in pair}
                differs = self._differs(at, 0, pair)
                if differs.any():
                    return bound.id, at[pair[1]], differs
        first, other = (Address(number, "s", steps[number], maker.index) for number in pair)
        if mixed := self._mixing_op((first, other)):
            left, right = map(self.recording.value, mixed)
            op = int(self.recording.tracks[pair[1]].op_column[mixed[1].number])
            return op, mixed[1].number, differing_elements(left, right)
        return maker.op, steps[pair[1]], self._differs(steps, maker.index, pair)

    def _inside(self, maker: Maker, steps: dict[int, int], run: int) -> tuple[Maker, dict[int, int]]:
        """The op that made the value in the called function, through nested calls, and its steps."""
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
        """The op, and the ops of its block that its operands were computed by, the nearest first."""
        block, waiting, seen = self.program.ops[op].block, [op], {op}
        while waiting and len(seen) < _MAX_UPSTREAM:
            bound = self.program.ops[waiting.pop(0)]
            yield bound
            for value in bound.operands:
                made = self.program.makers[value]
                if made.op is not None and made.block == block and made.op not in seen:
                    seen.add(made.op)
                    waiting.append(made.op)

    def _mixing_op(self, made: Pair) -> Pair | None:
        """The first result upstream that is computed of a process id and of an input, in both processes.

        `None` if there is none, or if anything else differs: an argument, or an index that says which part a process has.
        """
        waiting, seen, mixed = [made], {made[0]}, list[Pair]()
        while waiting:
            pair = waiting.pop()
            if pair[0].kind != "s" or pair[1].kind != "s" or len(seen) > _MAX_UPSTREAM:
                return None
            bound = self.program.ops[self.recording.tracks[pair[0].process].op_of(pair[0].number)]
            differing = self._differing_operands(pair, bound)
            if differing is None or not differing.keys().isdisjoint(
                bound.op.findings.deciding_operands(bound.op)
            ):
                return None
            agreeing = [value for number, value in enumerate(bound.operands) if number not in differing]
            if differing and not pair[0].index and any(is_given(self.program, value) for value in agreeing):
                mixed.append(pair)
            fresh = [each for each in differing.values() if each[0] not in seen]
            seen.update(each[0] for each in fresh)
            waiting += fresh
        return min(mixed, key=lambda pair: pair[0].number, default=None)

    def _differing_operands(self, pair: Pair, bound: BoundOperation) -> dict[int, Pair] | None:
        """The operands that differ, by their numbers; `None` if one has no address, or is on another host."""
        differing = {}
        for number, value in enumerate(bound.operands):
            first, other = (
                address_of(self.program, self.recording.tracks[each.process], each.number, value)
                for each in pair
            )
            if first is None or other is None:
                return None
            try:
                differs = differing_elements(self.recording.value(first), self.recording.value(other))
            except OnOtherHost:
                return None
            if differs.any():
                differing[number] = (first, other)
        return differing
