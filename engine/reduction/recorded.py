"""The run of a case, with the values of the entry and its regions by name."""

from collections.abc import Mapping

from ..debugger.address import Address
from ..debugger.provenance.run import RecordedRun
from ..debugger.recording import Recording
from ..errors import ProgramError
from ..ir.module import Block
from ..ir.types import TensorType, Type
from ..limits import DEFAULT_LIMITS, Limits
from ..ops.core.op import Array
from ..ops.core.values import is_tuple
from ..process_grid.launch import Launch
from .case import Case

Values = Mapping[str, Array]


class Recorded:
    """A run of a case, its values those of the first process; `problem` states why it did not finish, if so."""

    def __init__(self, case: Case, limits: Limits = DEFAULT_LIMITS) -> None:
        assert case.program is not None
        self.case = case
        self.problem = ""
        self._addresses: dict[str, Address] = {}
        try:
            self.recording = Recording(case.program, _launch(case), limits, case.entry.name)
            state = self.recording.record()
        except ProgramError as error:
            self.problem = error.message
            return
        if state.kind != "done":
            self.problem = state.diagnostic.message if state.diagnostic else state.reason
            return
        self.run = RecordedRun(self.recording)
        self._addresses = self._of_frame(0)

    @property
    def steps(self) -> int:
        """Number of steps."""
        return self.recording.step_count

    @property
    def results(self) -> tuple[Array, ...]:
        """The results of the entry, in the order of the case's results."""
        found = self.recording.tracks[0].results() or ()
        if self.case.module.language == "hlo" and len(found) == 1 and is_tuple(found[0]):
            return tuple(found[0].tolist())
        return found

    def get(self, name: str) -> Array | None:
        """The entry's value of that name; `None` if there is none."""
        address = self._addresses.get(name)
        return None if address is None else self.recording.value(address)

    def address(self, name: str) -> Address | None:
        """The address of the entry's value of that name."""
        return self._addresses.get(name)

    def frames(self, operation: int) -> list[tuple[Block, dict[str, Address]]]:
        """The first and the last frame of each block that an op of the entry ran."""
        step = self._step_of(operation)
        found: dict[int, list[int]] = {}
        if step is not None:
            steps = self.run.steps(0)
            for frame in map(int, steps.opened_frames(step)):
                found.setdefault(steps.block_of(frame).id, []).append(frame)
        chosen = [frame for frames in found.values() for frame in dict.fromkeys((frames[0], frames[-1]))]
        return [(self._block(frame), self._of_frame(frame)) for frame in chosen]

    def at(self, address: Address) -> Array:
        """A value of a frame."""
        return self.recording.value(address)

    def _block(self, frame: int) -> Block:
        program = self.recording.program
        bound = self.run.steps(0).block_of(frame)
        if bound.opener is None:
            body = program.functions[bound.function].function.body
            assert body is not None
            return body.block
        return program.ops[bound.opener].operation.regions[bound.region].block

    def _step_of(self, operation: int) -> int | None:
        wanted = self.case.operations[operation]
        track = self.recording.tracks[0]
        for step in range(track.step_count):
            found = self.recording.program.ops[track.op_of(step)].operation
            if found is wanted and track.frame_of(step) == 0:
                return step
        return None

    def _of_frame(self, frame: int) -> dict[str, Address]:
        track, program = self.recording.tracks[0], self.recording.program
        block = self.run.steps(0).block_of(frame)
        names = [program.values[number].name for number in block.arguments]
        found = {name: Address(0, "f", frame, index) for index, name in enumerate(names)}
        for step in range(track.step_count):
            if track.frame_of(step) == frame:
                results = program.ops[track.op_of(step)].operation.results
                found |= {value.name: Address(0, "s", step, index) for index, value in enumerate(results)}
        return found


def _launch(case: Case) -> Launch:
    """The launch of all processes on the same inputs."""
    return Launch(case.grid, (case.inputs,) * case.grid.num_processes)


def fits(array: Array | None, wanted: Type) -> bool:
    """Whether an array can be the input for a value: a static tensor of its shape and dtype."""
    return (
        array is not None
        and isinstance(wanted, TensorType)
        and wanted.is_static
        and not is_tuple(array)
        and array.shape == wanted.sizes
        and array.dtype == wanted.element_type.dtype
    )
