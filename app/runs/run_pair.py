"""Two runs of a session inside their worker: compared pair by pair, in slices."""

import time
from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from hloscope.engine.comparison.difference import Tolerance
from hloscope.engine.comparison.matching import Matching, Pair, match_programs
from hloscope.engine.comparison.runs import ComparedValue, RunComparison, comparing
from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.breakpoints import Breakpoint
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.program import BoundProgram

from ..wire.run_comparison import Side

MOST_VALUES = 200_000
"""Maximum pairs of values that are compared; later ones are ignored."""
Steps = Generator[ComparedValue, None, RunComparison] | Generator[ComparedValue | None, None, RunComparison]
STEPS_LOOKED_BACK = 256
"""Maximum steps searched back for one that the other run has too."""


@dataclass(frozen=True)
class StepMatch:
    """A step of the other run; unless it is the same op, it follows the last one that is."""

    step: int | None
    exact: bool


@dataclass(frozen=True)
class DifferingSteps:
    """Steps whose results differ from those of the other run."""

    steps: frozenset[int]
    until: int
    """The first step that is not compared yet."""


class RunPair:
    """A run, another one to compare it with, and the results so far."""

    def __init__(
        self,
        before: Recording,
        after: Recording,
        tolerance: Tolerance | None,
        matching: Matching | None = None,
        steps: Steps | None = None,
    ) -> None:
        """`steps` compare one pair after the other, where that is not done as two recordings are compared."""
        self.before, self.after = before, after
        self.same_program = _text(before.program) == _text(after.program)
        self.matching = matching or (
            identity(before.program)
            if self.same_program
            else match_programs(before.program, after.program, (before, after))
        )
        self.values: list[ComparedValue] = []
        self.comparison: RunComparison | None = None
        """The comparison, once it is complete."""
        self.breakpoints: dict[tuple[str, ...], Breakpoint] = {}
        """Breakpoints on differences, with their stops so far."""
        self._steps = steps or comparing(before, after, tolerance, matching=self.matching)

    @property
    def ended(self) -> bool:
        """Whether the comparison is complete."""
        return self.comparison is not None or len(self.values) >= MOST_VALUES

    def go_on(self, seconds: float) -> None:
        """Compare for `seconds`."""
        end = time.monotonic() + seconds
        try:
            while not self.ended:
                found = next(self._steps)
                if found is not None:
                    self.values.append(found)
                if time.monotonic() >= end:
                    return
        except StopIteration as ended:
            self.comparison = ended.value

    def so_far(self) -> RunComparison:
        """The results so far; amplified rounding and final results only once complete."""
        return self.comparison or RunComparison(tuple(self.values), ())

    def differing(
        self, process: int, ops: frozenset[int], side: Side, *, only_births: bool
    ) -> DifferingSteps:
        """The steps of one run, among those of some ops, whose results differ from the other run's.

        `only_births`: without those that differ because of their operands, or of a step inside.
        """
        track = (self.after if side == "after" else self.before).tracks[process]
        seen, wrong, births = set[int](), set[int](), set[int]()
        for found in self.values:
            address = found.after if side == "after" else found.before
            if not isinstance(address, Address) or address.kind != "s" or address.process != process:
                continue
            seen.add(address.number)
            if found.difference.is_different:
                wrong.add(address.number)
                if found.origin != "carried":
                    births.add(address.number)
        until = track.step_count
        if self.comparison is None:
            last = max(seen) if seen and (side == "before" or self.ended) else -1
            # The results of a loop, a branch or a call are compared after the steps inside, and carried if one is wrong.
            carried = max(wrong, default=-1) if only_births else -1
            until = next(
                (
                    step
                    for step in np.flatnonzero(np.isin(track.op_column, list(ops))).tolist()
                    if step > last
                    or (step not in seen and step >= carried and (track.finish_of(step) or step) > last)
                ),
                until,
            )
        return DifferingSteps(frozenset(births if only_births else wrong), until)

    def step_of(self, process: int, step: int, *, back: bool = False) -> StepMatch:
        """The other run's position when this run is about to run a step; `back`: the step is of the run after."""
        ours, theirs = (self.after, self.before) if back else (self.before, self.after)
        if process >= len(ours.tracks) or process >= len(theirs.tracks):
            return StepMatch(None, exact=False)
        ops, others = ours.tracks[process].op_column, theirs.tracks[process].op_column
        if step >= len(ops):
            return StepMatch(len(others), exact=True)
        for at in range(step, max(-1, step - STEPS_LOOKED_BACK), -1):
            op = int(ops[at])
            partner = self._partner(op, back=back)
            if partner is None:
                continue
            nth = int(np.count_nonzero(ops[:at] == op))
            places = np.flatnonzero(others == partner)
            if nth < len(places):
                return StepMatch(int(places[nth]) + (at < step), exact=at == step)
        return StepMatch(None, exact=False)

    def _partner(self, op: int, *, back: bool) -> int | None:
        if self.same_program:
            return op  # ops without results too, which a matching omits
        if not back:
            return self.matching.stand_in(op)
        pair = self.matching.back.get(op)
        if pair is not None:
            return pair.before
        return next((before for before, after in self.matching.replaced if after == op), None)


def _text(program: BoundProgram) -> str:
    return program.module.source.text


def identity(program: BoundProgram) -> Matching:
    """Each operation of a program is its own partner."""
    return Matching(tuple(Pair(op.id, op.id, ()) for op in program.ops if op.results), (), ())
