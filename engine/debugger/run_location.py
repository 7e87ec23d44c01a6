"""A position in one frame of a process, and the values visible from it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..argument_names import argument_names
from ..errors import ExpressionError
from ..ops.core.op import Array
from ..program import BoundBlock, BoundOperation, BoundProgram
from .address import Address, result
from .origins import address_of
from .recording import Recording
from .track import NONE, Track


def values_by_name(program: BoundProgram) -> Mapping[str, Sequence[int]]:
    """Value numbers by name (without `%`), also by the name that the page shows: `params.w` for `params['w']`.

    Functions have separate names.
    """
    own, shown = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
    for number, value in enumerate(program.values):
        own[value.name.removeprefix("%")].append(number)
    for number, name in program.derive(argument_names).items():
        shown[name.removeprefix("%")].append(number)
    return {**shown, **own}


@dataclass(frozen=True)
class RunLocation:
    """Step `step` of a process, before its op runs; after the last step, the end of the run."""

    recording: Recording
    process: int
    step: int

    @property
    def track(self) -> Track:
        """The track of the process."""
        return self.recording.tracks[self.process]

    @property
    def at_end(self) -> bool:
        """Whether the run has ended here."""
        return self.step >= self.track.step_count

    @property
    def bound(self) -> BoundOperation | None:
        """The current op; `None` at the end."""
        return None if self.at_end else self.recording.program.ops[self.track.op_of(self.step)]

    @property
    def frame(self) -> int:
        """The number of the frame."""
        if not self.track.step_count:
            return 0
        return 0 if self.at_end else self.track.frame_of(self.step)

    @property
    def block(self) -> BoundBlock:
        """The block that the frame runs."""
        return self.recording.program.blocks[self.track.block_of(self.frame)]

    @property
    def iteration(self) -> int:
        """The iteration of the frame's region, from 0."""
        return int(self.track.frame_columns(self.frame, self.frame + 1)[3][0])

    @property
    def line(self) -> int:
        """The line of the current op, or of the last one at the end."""
        program, track = self.recording.program, self.track
        if not track.step_count:
            return 1
        return program.line_of(track.op_of(min(self.step, track.step_count - 1)))

    def frames(self) -> Iterator[RunLocation]:
        """The positions of this frame and its callers, innermost first, each where it continues."""
        place: RunLocation | None = self
        while place is not None:
            yield place
            opener = place.track.opener_of(place.frame) if place.track.frame_count else None
            place = None if opener is None else RunLocation(self.recording, self.process, opener)

    def visible(self) -> Iterator[tuple[str, Address]]:
        """Names and addresses of existing values in this frame: arguments, then results in order."""
        program, block = self.recording.program, self.block
        for value in block.arguments if self.track.frame_count else ():
            if address := self.address_of(value):
                yield program.values[value].name, address
        for bound in block.operations:
            addresses = [self.address_of(value) for value in bound.results]
            if bound.results and addresses[0] is None:
                return
            for value, address in zip(bound.results, addresses, strict=True):
                if address:
                    yield program.values[value].name, address

    def address_of(self, value: int) -> Address | None:
        """The address of a value as visible here; `None` if it does not exist yet."""
        step = min(self.step, self.track.step_count - 1)
        if step < 0:
            return None
        found = address_of(self.recording.program, self.track, step, value)
        if found is None or (found.kind == "s" and found.number >= self.step):
            return None
        return found

    def operands(self) -> Iterator[tuple[str, Address | None]]:
        """Names and addresses of the current op's operands."""
        for value in self.bound.operands if self.bound else ():
            yield self.recording.program.values[value].name, self.address_of(value)

    def results(self) -> Iterator[tuple[str, Address]]:
        """Names and addresses of the current op's results, if recorded."""
        if self.bound and self.track.finish_of(self.step) is not None:
            for index, value in enumerate(self.bound.results):
                yield self.recording.program.values[value].name, result(self.step, index, self.process)

    def find(self, name: str) -> Address | None:
        """Resolve a name: the innermost frame that has it wins."""
        values = self.recording.program.derive(values_by_name).get(name, ())
        makers = self.recording.program.makers
        for place in self.frames():
            for value in values:
                if makers[value].block == place.block.id and (found := self.address_of(value)):
                    return found
        return None

    def executions(self) -> NDArray[np.intp]:
        """The steps of the process that execute the current op; none at the end."""
        return np.flatnonzero(self.track.op_column == (self.bound.id if self.bound else NONE))

    def iterations(self) -> NDArray[np.intp]:
        """The ends of the iterations of the innermost loop around: the steps of its block's last op; none outside of loops.

        A loop is an op that ran one of its regions more than once.
        """
        track = self.track
        for place in self.frames() if self.bound else ():
            if (opener := track.opener_of(place.frame)) is None:
                continue
            blocks = track.frame_block[track.frame_opener == opener]
            if len(blocks) > len(np.unique(blocks)):
                ends = np.flatnonzero(track.op_column == place.block.operations[-1].id)
                return np.compress(track.frame_opener[track.frame_column[ends]] == opener, ends)
        return np.zeros(0, np.intp)

    # Scope of expressions

    def value(self, name: str, process: int | None) -> Array:
        """See `Scope.value`."""
        place = self if process in (None, self.process) else self.elsewhere(int(process or 0))
        if (found := place.find(name)) is None:
            raise KeyError(name)
        return self.recording.value(found)

    def elsewhere(self, process: int) -> RunLocation:
        """The position in another process at the same tick."""
        if process >= len(self.recording.tracks):
            raise ExpressionError(f"there is no process {process}: there are {len(self.recording.tracks)}")
        track = self.recording.tracks[process]
        return RunLocation(self.recording, process, track.step_at(self.track.tick_of(self.step) - 1) + 1)

    def variable(self, name: str, number: int) -> Any:
        """See `Scope.variable`."""
        match name:
            case "step":
                return self.step
            case "process":
                return self.process
            case "replica":
                return self.track.process.replica_id
            case "partition":
                return self.track.process.partition_id
            case "line":
                return self.line
            case "iteration":
                return self.iteration
        return self._of_the_op(name, number)

    def _of_the_op(self, name: str, number: int) -> Any:
        if self.bound is None:
            raise KeyError(name)
        if name == "op":
            return self.bound.operation.spelled
        found = [address for _, address in (self.operands() if name == "operand" else self.results())]
        if number >= len(found) or (address := found[number]) is None:
            raise KeyError(name)
        return self.recording.value(address)
