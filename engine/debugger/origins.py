"""Where a value that an op reads was made: the address of an operand, from the columns of a track."""

from __future__ import annotations

import numpy as np

from ..program import BoundProgram
from .address import Address
from .track import Track

_ROWS = 1 << 16
"""Steps that are looked through at a time."""


def address_of(program: BoundProgram, track: Track, step: int, value: int) -> Address | None:
    """The address of a value of the program as the op of `step` reads it; `None` where it was not made by a step."""
    frames = frames_around(track, step)
    made = program.makers.get(value)
    if made is None:
        return None
    if made.op is None:
        return _argument(track, frames, made.block, made.index)
    return _result(track, frames, step, made.op, made.index)


def frames_around(track: Track, step: int) -> list[int]:
    """The frame of a step and those around it, the innermost first."""
    frame: int | None = track.frame_of(step)
    found = []
    while frame is not None:
        found.append(frame)
        frame = track.parent_of(frame)
    return found


def _argument(track: Track, frames: list[int], block: int, index: int) -> Address | None:
    frame = next((frame for frame in frames if track.block_of(frame) == block), None)
    return None if frame is None else Address(track.number, "f", frame, index)


def _result(track: Track, frames: list[int], step: int, op: int, index: int) -> Address | None:
    """The last time before `step` that an op was executed in one of the frames."""
    stop = step
    while stop > 0:
        start = max(0, stop - _ROWS)
        ops, inside, _ = track.columns(start, stop)
        hits = np.flatnonzero((ops == op) & np.isin(inside, frames))
        if len(hits):
            return Address(track.number, "s", start + int(hits[-1]), index)
        stop = start
    return None
