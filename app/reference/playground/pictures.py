"""Data of an op's picture: its maps as in the debugger, and the values of each process."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hloscope.engine.debugger.address import result as result_address
from hloscope.engine.debugger.map_operands import awaited_at, op_at, operands_at
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ir.types import TensorType, Type
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.program import BoundOperation, BoundProgram

from ...present.elements import wire_of
from ...present.index_maps import maps_json, maps_of
from ...wire.playground import InlineValue, InlineValues, PlaygroundPicture
from .form_values import FormValues
from .operands import PlaygroundLimits


def picture(
    found: FormValues,
    program: BoundProgram,
    bound: BoundOperation,
    recording: Recording | None,
    allowed: PlaygroundLimits,
) -> PlaygroundPicture:
    """The response of `GET /api/recordings/{key}/maps/{op}`, with `inline` beside it.

    `inline` has one list each for operands, results and runtime values, and in it for each tensor its value in
    every process, or `None` if it is unknown or has more than `most` elements. `awaited` has for each process
    those that a map's `place` counts.
    """
    most = allowed.values // found.processes
    steps = _steps(recording, bound.id, found.processes)
    bound = _bound_at(found, bound, recording, steps)
    maps = maps_json(maps_of(bound, program), program.module.language)
    operands = [
        [_encode(array, operand.type, most) for array in operand.arrays] for operand in found.operands
    ]
    inline: InlineValues = {"most": most, "operands": operands, "results": [], "found": []}
    if recording is not None:
        inline["results"] = list(_results(recording, bound, steps, most))
        inline["found"] = list(_auxiliary_json(recording, len(maps["operands"]), steps, most))
    return {
        **maps,
        "processes": [[*process] for process in _processes(found)],
        "inline": inline,
        "awaited": _awaited_processes(recording, steps),
    }


def _bound_at(
    found: FormValues, bound: BoundOperation, recording: Recording | None, steps: Sequence[int | None]
) -> BoundOperation:
    """The op as the first process executed it; if it did not, as it is on the grid."""
    first = steps[0] if steps else None
    if recording is not None and first is not None:
        return replace(recording.static_form(bound.id), op=op_at(recording, 0, first))
    return replace(bound, op=bound.op.on_grid(Grid(found.replicas, found.partitions)))


def _awaited_processes(recording: Recording | None, steps: Sequence[int | None]) -> list[list[int]]:
    """For each process, the processes that a map's `place` counts."""
    if recording is None:
        return []
    return [
        [] if step is None else list(awaited_at(recording, process, step))
        for process, step in enumerate(steps)
    ]


def _steps(recording: Recording | None, op: int, processes: int) -> list[int | None]:
    """For each process, the step that executed the op; `None` if it has not."""
    if recording is None:
        return []
    return [step_of(recording, process, op) for process in range(processes)]


def _processes(found: FormValues) -> Iterator[tuple[int, int]]:
    for replica in range(found.replicas):
        for partition in range(found.partitions):
            yield replica, partition


def step_of(recording: Recording, process: int, op: int) -> int | None:
    """The step of a process that executed the op; `None` if it has not."""
    track = recording.tracks[process]
    return next((step for step in range(track.step_count) if track.op_of(step) == op), None)


def _results(
    recording: Recording, bound: BoundOperation, steps: Sequence[int | None], most: int
) -> Iterator[list[InlineValue | None]]:
    for number, value in enumerate(bound.operation.results):
        yield [
            None if step is None else _result(recording, process, step, number, value.type, most)
            for process, step in enumerate(steps)
        ]


def _result(
    recording: Recording, process: int, step: int, number: int, type: Type, most: int
) -> InlineValue | None:
    try:
        array = recording.value(result_address(step, number, process))
    except KeyError:
        return None  # the run ended at this op
    return _encode(array, type, most)


def _auxiliary_json(
    recording: Recording, operands: int, steps: Sequence[int | None], most: int
) -> Iterator[list[InlineValue | None]]:
    """The op's runtime values by process: the transpose of the result of `operands_at`."""
    told = [_auxiliary_values(recording, process, step, operands) for process, step in enumerate(steps)]
    for number in range(max(map(len, told), default=0)):
        yield [_plain_integers(row[number], most) if number < len(row) else None for row in told]


def _auxiliary_values(
    recording: Recording, process: int, step: int | None, operands: int
) -> Sequence[Array | None]:
    if step is None:
        return ()
    try:
        return operands_at(recording, process, step)[operands:]
    except KeyError:
        return ()


def _plain_integers(array: Array | None, most: int) -> InlineValue | None:
    """The op's integer runtime values, for the page; `None` above `most` elements."""
    if array is None or array.size > most:
        return None
    data = b64encode(array.astype("<i8").tobytes()).decode()
    return {"dtype": "i64", "components": 1, "shape": list(array.shape), "data": data}


def _encode(array: Array, type: Type, most: int) -> InlineValue | None:
    """A value as raw bytes; `None` if it has too many elements to be sent."""
    if array.size > most or not isinstance(type, TensorType):
        return None
    wire = wire_of(type.element_type)
    return {**wire.json(), "shape": list(array.shape), "data": b64encode(wire.encode(array)).decode()}
