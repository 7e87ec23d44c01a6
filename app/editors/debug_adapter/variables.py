"""The tree of variables: scopes, values, and parts of tensors, each created on demand."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.debugger.run_location import RunLocation
from hloscope.engine.expressions import Value
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.values import is_tuple

from ...present.numbers import exact_number
from ...present.program import location_text
from ...present.summary import line_of, short_type, tensor_line, value_text
from ...present.types import type_text

SHOWN_BYTES = 4 << 20
"""Maximum bytes of a value that is summarised automatically, unless it was dropped."""
MOST_CHILDREN = 1000
"""Maximum children in one response, if the client does not page."""
Variable = dict[str, Any]


@dataclass(frozen=True)
class _Scope:
    place: RunLocation
    kind: str


@dataclass(frozen=True)
class _Lazy:
    """A value that is not read yet."""

    name: str
    address: Address


@dataclass(frozen=True)
class _Part:
    """A tensor or a tuple, or a part of one."""

    array: Array
    name: str


class Variables:
    """References to expandable variables; they are valid until the next move."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._found: list[_Scope | _Lazy | _Part] = []

    def clear(self) -> None:
        """Invalidate all references."""
        self._found.clear()

    def scopes(self, place: RunLocation, *, innermost: bool) -> list[Variable]:
        """The scopes of a frame: its values, and in the innermost the current op."""
        found = [self._scope(place, "Values", "locals")]
        if innermost and place.bound is not None:
            found.append(self._scope(place, "Current op"))
        if place.at_end:
            found.append(self._scope(place, "Results"))
        return found

    def _scope(self, place: RunLocation, kind: str, hint: str | None = None) -> Variable:
        told = {"presentationHint": hint} if hint else {}
        return {
            "name": kind,
            "variablesReference": self._keep(_Scope(place, kind)),
            "expensive": False,
            **told,
        }

    def _keep(self, found: _Scope | _Lazy | _Part) -> int:
        self._found.append(found)
        return len(self._found)

    def children(self, reference: int, kind: str | None, start: int, count: int) -> list[Variable]:
        """The children of a reference; `kind` (`indexed`, `named`) filters, `start`, `count` page.

        `KeyError` for an invalid reference.
        """
        if not 0 < reference <= len(self._found):
            raise KeyError(reference)
        found = self._found[reference - 1]
        most = count or MOST_CHILDREN
        if isinstance(found, _Part):
            return [] if kind == "named" else list(self._parts(found, start, most))
        if kind == "indexed":
            return []
        named = self._of_scope(found) if isinstance(found, _Scope) else iter([self._open(found)])
        return list(islice(named, start, start + most))

    def _of_scope(self, scope: _Scope) -> Iterator[Variable]:
        if scope.kind == "Values":
            return (self.value(name, address) for name, address in scope.place.visible())
        if scope.kind == "Results":
            return self._results(scope.place)
        return self._of_op(scope.place)

    def _results(self, place: RunLocation) -> Iterator[Variable]:
        for number, array in enumerate(place.track.results() or ()):
            yield self.computed(f"result {number}", array)

    def _of_op(self, place: RunLocation) -> Iterator[Variable]:
        """The current op: its name, its operands, its results."""
        assert place.bound is not None
        operation = place.bound.operation
        yield {"name": "op", "value": operation.spelled, "variablesReference": 0}
        if location := location_text(operation.location):
            yield {"name": "source", "value": location, "variablesReference": 0}
        for number, (name, address) in enumerate(place.operands()):
            if address:
                yield {
                    **self.value(f"operand {number}: {name}", address),
                    "evaluateName": f"operand({number})",
                }
        for name, address in place.results():
            yield {**self.value(f"will give {name}", address), "evaluateName": "result"}

    def value(self, name: str, address: Address) -> Variable:
        """A recorded value: its type and range, or only the type if the range is slow."""
        type = self._recording.type_of(address)
        if not isinstance(type, TensorType):
            text = type_text(type, self._recording.program.module.language)
            array = self._recording.value(address)
            inner = self._keep(_Part(array, name)) if is_tuple(array) else 0
            return {"name": name, "value": text, "type": text, "variablesReference": inner}
        if self._is_slow(address, type):
            text = short_type(type, None, self._recording.program.module.language)
            reference = self._keep(_Lazy(name, address))
            return {"name": name, "value": text, "type": str(type), "variablesReference": reference,
                    "presentationHint": {"lazy": True}}  # fmt: skip
        return self._shown(name, address, type)

    def _is_slow(self, address: Address, type: TensorType) -> bool:
        size = type.byte_count if type.is_static else None
        return not self._recording.keeps(address) or (size is not None and size > SHOWN_BYTES)

    def _open(self, found: _Lazy) -> Variable:
        type = self._recording.type_of(found.address)
        assert isinstance(type, TensorType)
        return self._shown(found.name, found.address, type)

    def _shown(self, name: str, address: Address, type: TensorType) -> Variable:
        array = self._recording.value(address)
        text = value_text(array, type, self._lanes(address), self._recording.program.module.language)
        found = self._with_parts({"name": name, "value": text, "type": str(type)}, array)
        return {**found, "evaluateName": name, "memoryReference": str(address)}

    def _lanes(self, address: Address) -> tuple[int, ...] | None:
        track = self._recording.tracks[address.process]
        frame = track.frame_of(address.number) if address.kind == "s" else address.number
        return track.frame_lanes.get(frame)

    def computed(self, name: str, found: Value) -> Variable:
        """The value of an expression."""
        shown = {"name": name, "value": line_of(found)}
        if isinstance(found, np.ndarray):
            return self._with_parts(shown, found)
        return {**shown, "variablesReference": 0}

    def _with_parts(self, shown: Variable, array: Array) -> Variable:
        if not array.ndim or not array.size:
            return {**shown, "variablesReference": 0}
        return {
            **shown,
            "variablesReference": self._keep(_Part(array, "")),
            "indexedVariables": array.shape[0],
        }

    def _parts(self, found: _Part, start: int, count: int) -> Iterable[Variable]:
        """The elements of a list, the rows of a matrix, …"""
        array = found.array
        for number in range(start, min(array.shape[0], start + count)):
            part = array[number]
            if is_tuple(array):
                yield self._with_parts({"name": f"[{number}]", "value": tensor_line(part)}, part)
            elif array.ndim == 1:
                yield {"name": f"[{number}]", "value": exact_number(part), "variablesReference": 0}
            else:
                yield self._with_parts({"name": f"[{number}]", "value": tensor_line(part)}, part)


def bytes_of(recording: Recording, reference: str, offset: int, count: int) -> tuple[bytes, int]:
    """Bytes of a value, row-major and little-endian, and the number of unavailable ones."""
    array = np.ascontiguousarray(recording.value(Address.parse(reference)))
    start = max(0, min(offset, array.nbytes))
    data = (
        array.reshape(-1).view(np.uint8)[start : start + count]
        if array.ndim
        else array.reshape(1).view(np.uint8)[start : start + count]
    )
    return data.tobytes(), count - len(data)


def source_frames(places: Sequence[RunLocation]) -> list[tuple[str, RunLocation]]:
    """The name of each frame: a function, or a region of an op with its iteration."""
    return [(_frame_name(place), place) for place in places]


def _frame_name(place: RunLocation) -> str:
    if not place.track.frame_count:
        return "not begun"
    program, block = place.recording.program, place.block
    if block.opener is None:
        return f"@{block.function}"
    opener = program.ops[block.opener].operation.spelled
    region = f", region {block.region}" if len(program.ops[block.opener].regions) > 1 else ""
    return f"{opener}{region}, iteration {place.iteration}"
