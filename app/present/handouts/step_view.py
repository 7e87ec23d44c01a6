"""The op, value and element that the debugger's page shows at a step.

Chosen by the rules of static/js/core/store.js.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hloscope.engine.debugger.address import Address, result
from hloscope.engine.debugger.origins import address_of
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.debugger.run_location import RunLocation
from hloscope.engine.debugger.track import Track
from hloscope.engine.ir.types import TensorType

from ..elements import Array


@dataclass(frozen=True)
class ViewedValue:
    """The value shown; `array` is `None` for a value without elements."""

    name: str
    address: Address
    type: TensorType | None
    array: Array | None


@dataclass(frozen=True)
class StepView(RunLocation):
    """A step of a process, and the value shown there."""

    tab: str
    shown: ViewedValue | None
    element: tuple[int, ...] | None

    @property
    def mapped_step(self) -> int | None:
        """The step whose index maps are shown: the chosen value's producer, if any."""
        value = self.shown
        if value is not None and value.address.kind == "s":
            return value.address.number
        return None


def find_step_view(
    recording: Recording,
    process: int,
    step: int,
    tab: str,
    value: Sequence[int],
    element: Sequence[int] | None,
) -> StepView:
    """The step view that an address of the page names. Raises `KeyError` if it is not recorded."""
    if not 0 <= process < len(recording.tracks):
        raise KeyError(process)
    track = recording.tracks[process]
    if not 0 <= step <= track.step_count:
        raise KeyError(step)
    shown = _value(recording, track, step, value)
    at = tuple(element) if element is not None and shown is not None else None
    if at is not None and not _is_inside(shown, at):
        at = None
    return StepView(recording, process, step, tab, shown, at)


def _is_inside(shown: ViewedValue | None, at: tuple[int, ...]) -> bool:
    if shown is None or shown.array is None or len(at) != shown.array.ndim:
        return False
    return all(0 <= index < size for index, size in zip(at, shown.array.shape, strict=True))


def _value(recording: Recording, track: Track, step: int, chosen: Sequence[int]) -> ViewedValue | None:
    """The chosen value if it is known at the step; else the first known value of the op."""
    if not track.step_count:
        return None
    if chosen:
        found = _located(recording, track, step, chosen[0], tuple(chosen[1:]))
        if found is not None:
            return found
    at_end = step >= track.step_count
    bound = recording.program.ops[track.op_of(min(step, track.step_count - 1))]
    wanted = bound.operands if at_end else (*bound.results, *bound.operands)
    located = (_located(recording, track, step, number, ()) for number in wanted)
    return next((found for found in located if found is not None), None)


def _located(
    recording: Recording, track: Track, step: int, value: int, path: tuple[int, ...]
) -> ViewedValue | None:
    program, at = recording.program, min(step, track.step_count - 1)
    made = program.makers.get(value)
    if made is None:
        return None
    address = address_of(program, track, at, value, path)
    if made.op is not None and made.op == track.op_of(at):
        address = result(at, made.index, track.number)._replace(path=path)
    if address is None or (address.kind == "s" and address.number > at):
        return None
    inside = f"{{{','.join(map(str, path))}}}" if path else ""
    try:
        type = recording.type_of(address)
        array = recording.value(address) if isinstance(type, TensorType) else None
    except (KeyError, IndexError):
        return None
    name = f"{program.values[value].name}{inside}"
    if not isinstance(type, TensorType) or not isinstance(array, np.ndarray):
        return ViewedValue(name, address, None, None)
    return ViewedValue(name, address, type, array)
