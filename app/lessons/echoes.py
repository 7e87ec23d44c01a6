"""Echoes of an answer: later values that contain the number a question asks for, so that they must be covered too.

    echoes(recording, ask)      their addresses

`%y = maximum(%sum, 0)` shows the number that the question about `%sum` asks for, and `%attention`, which a manual
computation returns, the one that the question about its result asks for.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.debugger.track import Track
from hloscope.engine.ops.core.op import Array

from ..present.numbers import exact_number
from ..wire.lessons import AskBlock
from .answers import is_number, read_number

MOST = 4_096
"""Maximum elements of a value that is searched for the answer."""
SMALL = 10
"""Whole numbers below it are in many values: only those made of the asked value repeat them."""
_NEAR = 0.02
"""Relative error within which an element may be the answer, which has at least three digits."""


def echoes(recording: Recording, ask: AskBlock) -> Iterator[Address]:
    """The values made from the asked one on that contain the answer.

    A common number, or one of the inputs, counts only in values that are computed from the asked one.
    """
    asked = [address for each in ask["hides"] if (address := Address.parse(each["address"])).kind == "s"]
    if ask["ask"] != "number" or not asked:
        return
    anywhere = not is_common(str(ask["truth"])) and not is_given(recording, ask)
    values = {recording.value_number(address) for address in asked}
    first = min(address.number for address in asked)
    for address, operands in _later(recording, first):
        if address in asked or not (anywhere or values & set(operands)):
            continue
        value = recording.value(address)
        if isinstance(value, np.ndarray) and contains(value, ask):
            values.add(recording.value_number(address))
            yield address


def _later(recording: Recording, first: int) -> Iterator[tuple[Address, tuple[int, ...]]]:
    """The values of all processes from a step on, in order, each with the operands that it is made of."""
    for track in recording.tracks:
        made = [
            (finish, -step)
            for step in range(track.step_count)
            if (finish := track.finish_of(step)) is not None
        ]
        entered = zip(*np.unique(track.frame_column, return_index=True), strict=True)
        made += [(int(step), int(frame) + 1) for frame, step in entered if step > first]
        for at, what in sorted(made, key=lambda each: (each[0], each[1] <= 0, each[1])):
            if at >= first:
                yield from (
                    _arguments(recording, track, what - 1)
                    if what > 0
                    else _results(recording, track, -what, at)
                )


def _arguments(recording: Recording, track: Track, frame: int) -> Iterator[tuple[Address, tuple[int, ...]]]:
    opener = track.opener_of(frame)
    operands = () if opener is None else recording.program.ops[track.op_of(opener)].operands
    for index in range(len(recording.program.blocks[track.block_of(frame)].arguments)):
        yield Address(track.number, "f", frame, index), operands


def _results(
    recording: Recording, track: Track, step: int, finish: int
) -> Iterator[tuple[Address, tuple[int, ...]]]:
    """The results of a step; what its last frame returns counts among its operands."""
    own, last = (recording.program.ops[track.op_of(at)] for at in (step, finish))
    # A constant is in the text of the program.
    for index in range(0 if own.operation.name.endswith("constant") else len(own.results)):
        yield Address(track.number, "s", step, index), own.operands + last.operands


def contains(value: Array, ask: AskBlock) -> bool:
    """Whether a value that is shown whole has an element that is the answer."""
    if value.dtype == object or not 0 < value.size <= MOST:
        return False
    truth = read_number(str(ask["truth"]))
    near = value.reshape(-1)
    if truth is not None and np.isfinite(float(truth)) and near.dtype.kind not in "cV":
        wide = near.astype(np.float64)
        near = near[np.abs(wide - float(truth)) <= _NEAR * abs(float(truth)) + 10.0 ** -(ask["digits"] or 15)]
    return any(is_answer(exact_number(each), ask) for each in near)


def is_answer(text: str, ask: AskBlock) -> bool:
    """Whether a number in a text is the answer."""
    return bool(is_number(ask["number_kind"] or "float", ask["digits"] or 15, str(ask["truth"]), text))


def is_common(truth: str) -> bool:
    """Whether an answer is a number that any text may contain."""
    number = read_number(truth)
    return not isinstance(number, float) and (number is None or number in range(1 - SMALL, SMALL))


def is_given(recording: Recording, ask: AskBlock) -> bool:
    """Whether the answer is a number of the inputs, which any text may mention."""
    return ask["ask"] == "number" and any(
        contains(np.asarray(array), ask) for inputs in recording.launch.inputs for array in inputs
    )


def is_long(number: Fraction | float | None, least: int) -> bool:
    """Whether a number rarely appears by coincidence: a fraction, or a whole number of at least `least`."""
    return isinstance(number, Fraction) and (abs(number) >= least or number.denominator > 1)
