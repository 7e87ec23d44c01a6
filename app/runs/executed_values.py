"""The values of a recording that another engine has computed, kept so that the recording opens without its device."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.debugger.address import result
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import InputError
from hloscope.engine.executor import Results, Segment, Segments
from hloscope.engine.ir.types import TensorType, TupleType, Type
from hloscope.engine.ops.core.exchanges import GridPosition
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.values import is_tuple, leaves, tuple_of
from hloscope.engine.program import BoundProgram

from ..wire.sessions import LaterStart
from ..xla.several_hosts import HostsExecutor

MOST_BYTES = 4 << 30
"""Maximum bytes of kept values."""
STEPS, VALUES = KEPT = ("executed_steps", "executed_values")
"""The names of the arrays in a file: process, step, operation and offset of each row, and the bytes of all results.

Files of form 1 have no offsets: the results follow each other.
"""
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
        number = place.number
        op, found = self.results.get((number, step), (-1, ()))
        return {op: tuple(map(_copied, found))} if op == first.id else {}


def _copied(value: Array) -> Array:
    """A copy, which the recording can drop without the bytes of the others."""
    return tuple_of(list(map(_copied, value))) if is_tuple(value) else np.array(value)


@dataclass
class KeptValues:
    """The arrays of a file. Results with the same bits, such as those of all devices, are stored once."""

    rows: list[tuple[int, int, int, int]] = field(default_factory=list)
    size: int = 0
    """The bytes of all results, where each is counted once."""
    _pieces: list[bytes] = field(default_factory=list)
    _offsets: dict[bytes, int] = field(default_factory=dict)
    """The offsets of results, by digest."""

    def add(self, process: int, step: int, op: int, values: Iterable[Array]) -> None:
        """Add the results of an operation. Raises `InputError` if all are too many bytes."""
        data = b"".join(np.ascontiguousarray(leaf).tobytes() for value in values for leaf in leaves(value))
        digest = blake2b(data).digest()
        if digest not in self._offsets:
            self._offsets[digest] = self.size
            self._pieces.append(data)
            self.size += len(data)
            if self.size > MOST_BYTES:
                raise InputError(f"the values of the recording are more than {MOST_BYTES:,} bytes")
        self.rows.append((process, step, op, self._offsets[digest]))

    @property
    def distinct(self) -> int:
        """The number of results that are stored."""
        return len(self._pieces)

    def arrays(self) -> dict[str, Array]:
        """The arrays, by name."""
        values = np.frombuffer(b"".join(self._pieces), np.uint8)
        return {STEPS: np.array(self.rows, np.int64).reshape(-1, 4), VALUES: values}


def kept_arrays(recording: Recording) -> dict[str, Array]:
    """The results of each executed operation, as arrays of a file; those of one host, if several record together.

    Raises `InputError` if they are too many bytes, or of processes that the program has started itself.
    """
    if len(recording.launch_groups) > 1:
        raise InputError("the program starts further processes, whose values cannot be saved")
    kept = KeptValues()
    for process, step, op, values in _executed(recording):
        kept.add(process, step, op, values)
    return kept.arrays()


def _own_processes(recording: Recording) -> Collection[int]:
    """The processes whose values are here."""
    executor = recording.executor
    if isinstance(executor, HostsExecutor):
        return executor.processes
    found = executor.about.get("processes") if isinstance(executor, KeptExecutor) else None
    return range(len(recording.tracks)) if found is None else found


def _executed(recording: Recording) -> Iterator[tuple[int, int, int, list[Array]]]:
    """Process, step, operation and results of what the executor computed."""
    program, executor = recording.program, recording.executor
    assert executor is not None
    segments = Segments(program, recording.limits, recording.bindings, is_strict=executor.is_strict)
    for number in _own_processes(recording):
        track = recording.tracks[number]
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


def device_start(device: Mapping[str, Any], file: str = "") -> LaterStart:
    """The start of a run whose values an engine computed, by the facts about it; `file`: where a server has the values."""
    return {
        "at": 1,
        "line": 1,
        "by": str(device["computed_by"]),
        "note": "; ".join([str(device["unmodified"]), *map(str, device["notes"])]),
        "values": [{"kind": "file", "file": file, "array": name} for name in KEPT] if file else [],
        "whole": True,
    }


def _results(
    program: BoundProgram, arrays: Mapping[str, Array]
) -> dict[tuple[int, int], tuple[int, tuple[Array, ...]]]:
    """The results by process and step."""
    columns, data = arrays[STEPS], arrays[VALUES]
    is_known = columns.dtype == np.int64 and data.dtype == np.uint8
    if not is_known or columns.ndim != 2 or columns.shape[1] not in (3, 4):
        raise InputError(_OTHER_FORM)
    reader = _Reader(data.reshape(-1))
    found = {}
    for process, step, op, *offset in columns.tolist():
        reader.at = offset[0] if offset else reader.at
        if not (0 <= op < len(program.ops) and reader.at >= 0):
            raise InputError(_OTHER_FORM)
        types = [value.type for value in program.ops[op].operation.results]
        found[process, step] = op, tuple(map(reader.value, types))
    return found


@dataclass
class _Reader:
    """Reads values one after the other, as views: however many refer to the same bytes, these are in memory once."""

    data: NDArray[np.uint8]
    at: int = 0

    def value(self, found: Type) -> Array:
        """The next value, of a type."""
        if isinstance(found, TupleType):
            return tuple_of([self.value(part) for part in found.types])
        if not isinstance(found, TensorType) or not found.is_static:
            raise InputError(_OTHER_FORM)
        dtype = found.element_type.dtype
        size = prod(found.sizes) * dtype.itemsize
        if self.at + size > self.data.size:
            raise InputError(_OTHER_FORM)
        value: Array = self.data[self.at : self.at + size].view(dtype).reshape(found.sizes)
        self.at += size
        return value
