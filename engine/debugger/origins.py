"""Sources of operands: the step that made a value, found in the columns of a track."""

from __future__ import annotations

from ..program import BoundProgram
from .address import Address
from .track import Track


def address_of(
    program: BoundProgram, track: Track, step: int, value: int, path: tuple[int, ...] = ()
) -> Address | None:
    """The address of a value, or of a part of it, as the op of `step` reads it.

    `None` if no step made it.
    """
    made = program.makers.get(value)
    if made is None:
        return None
    frame: int | None = track.frame_of(step)
    while frame is not None and track.block_of(frame) != made.block:
        frame = track.parent_of(frame)
    if frame is None:
        return None
    if made.op is None:
        return Address(track.number, "f", frame, made.index, path)
    found = step_in(program, track, frame, program.positions[made.op])
    return None if found is None else Address(track.number, "s", found, made.index, path)


def step_in(program: BoundProgram, track: Track, frame: int, position: int) -> int | None:
    """The step that ran the op at a position of a frame's block; `None` if none has.

    Each op runs once per frame. A frame's steps are in order, each followed by everything in the frames that it
    opens.
    """
    positions, count = program.positions, track.step_count
    low, high = track.start_of(frame) + position, count
    if low < count and track.frame_of(low) == frame and positions[track.op_of(low)] == position:
        return low  # no earlier op has opened a frame
    while low < high:
        middle = (low + high) // 2
        found = _step_around(track, middle, frame)
        place = None if found is None else positions[track.op_of(found)]
        if place == position:
            return found
        if found is None or place is None:
            high = middle  # after the frame's end
        elif place > position:
            high = found
        else:
            finish = track.finish_of(found)
            low = high if finish is None else finish + 1
    return None


def _step_around(track: Track, step: int, frame: int) -> int | None:
    """The step of a frame during which another step ran, perhaps itself; `None` if none."""
    inner = track.frame_of(step)
    while inner > frame:  # frames are numbered in the order of entry
        opener = track.opener_of(inner)
        if opener is None:
            return None
        step, inner = opener, track.frame_of(opener)
    return step if inner == frame else None
