"""The values of a recording that another engine has computed, kept so that the recording opens without its device."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.debugger.address import result
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import InputError
from hloscope.engine.executor import Results, Segment, Segments
from hloscope.engine.ir.types import TupleType, Type, leaf_types
from hloscope.engine.ops.core.exchanges import GridPosition
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.values import leaves, tuple_of
from hloscope.engine.program import BoundProgram

MOST_BYTES = 4 << 30
"""Maximum bytes of kept values."""
STEPS, VALUES = KEPT = ("executed_steps", "executed_values")
"""The names of the arrays in a file: process, step and operation of each row, and the bytes of all results."""
_OTHER_FORM = "the values of the file do not belong to its program"


@dataclass
class KeptExecutor:
    """Hands out kept results; what it lacks, our engine computes."""

    computed_by: str
    is_strict: bool = False
    is_stored: bool = field(default=True, init=False)
    about: Mapping[str, Any] = field(default_factory=dict)
    """What was known of the run on the device: see `app/comparing/on_device.py`."""
    results: Mapping[tuple[int, int], tuple[int, tuple[Array, ...]]] = field(default_factory=dict)
    """By process and step: the operation and its results."""

    def execute(
        self, segment: Segment, values: Mapping[int, Array], place: GridPosition, step: int
    ) -> Results:
        """The results of the segment's first operation in this step."""
        first = segment.executed[0]
        number = place.process.replica_id * place.grid.num_partitions + place.process.partition_id
        op, found = self.results.get((number, step), (-1, ()))
        return {op: found} if op == first.id else {}


def kept_arrays(recording: Recording) -> dict[str, Array]:
    """The results of each executed operation, as arrays of a file.

    Raises `InputError` if they are too many bytes, or of processes that the program has started itself.
    """
    if len(recording.launch_groups) > 1:
        raise InputError("the program starts further processes, whose values cannot be saved")
    rows: list[tuple[int, int, int]] = []
    pieces: list[bytes] = []
    size = 0
    for process, step, op, values in _executed(recording):
        rows.append((process, step, op))
        for value in values:
            for leaf in leaves(value):
                pieces.append(np.ascontiguousarray(leaf).tobytes())
                size += leaf.nbytes
        if size > MOST_BYTES:
            raise InputError(f"the values of the recording are more than {MOST_BYTES:,} bytes")
    columns = np.array(rows, np.int64).reshape(-1, 3)
    return {STEPS: columns, VALUES: np.frombuffer(b"".join(pieces), np.uint8)}


def _executed(recording: Recording) -> Iterator[tuple[int, int, int, list[Array]]]:
    """Process, step, operation and results of what the executor computed."""
    program, executor = recording.program, recording.executor
    assert executor is not None
    segments = Segments(program, recording.limits, recording.bindings, is_strict=executor.is_strict)
    for track in recording.tracks:
        for step, op in enumerate(track.op_column.tolist()):
            is_executed = op in segments or op in segments.kernels
            if is_executed and track.finish_of(step) is not None:
                count = len(program.ops[op].results)
                values = [recording.value(result(step, number, track.number)) for number in range(count)]
                yield track.number, step, op, values


def kept_executor(
    program: BoundProgram,
    arrays: Mapping[str, Array],
    computed_by: str,
    about: Mapping[str, Any] | None = None,
) -> KeptExecutor:
    """The executor with the arrays of a file. Raises `InputError` if they do not fit the program."""
    results = _results(program, arrays)
    is_strict = any(program.ops[op].op.traits.is_kernel for op, _ in results.values())
    return KeptExecutor(computed_by, is_strict, about or {}, results)


def _results(
    program: BoundProgram, arrays: Mapping[str, Array]
) -> dict[tuple[int, int], tuple[int, tuple[Array, ...]]]:
    """The results by process and step."""
    columns, data = arrays[STEPS], arrays[VALUES]
    if columns.ndim != 2 or columns.shape[1:] != (3,) or data.dtype != np.uint8:
        raise InputError(_OTHER_FORM)
    reader = _Reader(data.reshape(-1))
    found = {}
    for process, step, op in columns.tolist():
        if not 0 <= op < len(program.ops):
            raise InputError(_OTHER_FORM)
        types = [value.type for value in program.ops[op].operation.results]
        found[process, step] = op, tuple(map(reader.value, types))
    if reader.at != data.size:
        raise InputError(_OTHER_FORM)
    return found


@dataclass
class _Reader:
    """Reads values one after the other."""

    data: NDArray[np.uint8]
    at: int = 0

    def value(self, found: Type) -> Array:
        """The next value, of a type."""
        if isinstance(found, TupleType):
            return tuple_of([self.value(part) for part in found.types])
        (leaf,) = leaf_types(found)
        dtype, shape = leaf.element_type.dtype, leaf.shape  # type: ignore[attr-defined]
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        if self.at + size > self.data.size:
            raise InputError(_OTHER_FORM)
        piece = self.data[self.at : self.at + size]
        self.at += size
        value: Array = np.array(piece).view(dtype).reshape(shape)
        return value
