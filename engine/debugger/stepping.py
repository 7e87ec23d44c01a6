"""Moves over a recording in both directions; a move maps a position to a position.

Position p is *at* the op of step p, and a position equal to the number of steps is the end. All moves follow
from the depth of each step: the inner steps of an op are the deeper ones right after it.
`static/js/core/run/stepping.js` implements the same rules in the browser; both are tested on one table.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..program import BoundProgram
from .recording import Recording

_CHUNK = 4096


@dataclass(frozen=True)
class Outline:
    """The columns of a recording up to its current end, and the line of each op."""

    op: NDArray[np.uint32]
    depth: NDArray[np.uint16]
    line_of_op: NDArray[np.uint32]

    @classmethod
    def of(cls, recording: Recording, process: int = 0) -> Outline:
        """The current outline of a process."""
        track = recording.tracks[process]
        return cls(track.op_column, track.depth_column, recording.program.derive(lines_of_ops))

    @property
    def end(self) -> int:
        """The last position, after the last step."""
        return len(self.op)

    def line(self, position: int) -> int | None:
        """The line of the op at `position`; `None` at the end."""
        return int(self.line_of_op[self.op[position]]) if position < self.end else None


def lines_of_ops(program: BoundProgram) -> NDArray[np.uint32]:
    """The start line of each op of the program."""
    return np.array([program.line_of(op.id) for op in program.ops], np.uint32)


def into(outline: Outline, position: int) -> int:
    """Step into: the next position in any frame."""
    return min(position + 1, outline.end)


def back(outline: Outline, position: int) -> int:
    """Step back: the previous position in any frame."""
    return max(position - 1, 0)


def over(outline: Outline, position: int) -> int:
    """Step over: the next op of this frame, or of a caller if this frame has ended."""
    if position >= outline.end:
        return outline.end
    return _next_at_most(outline, position + 1, int(outline.depth[position]))


def out(outline: Outline, position: int) -> int:
    """Step out: the op after the one that opened this frame."""
    if position >= outline.end or outline.depth[position] == 0:
        return outline.end
    return _next_at_most(outline, position + 1, int(outline.depth[position]) - 1)


def back_over(outline: Outline, position: int) -> int:
    """Step back over: the previous op in this frame, or at its first op the opener."""
    depth = int(outline.depth[position]) if position < outline.end else 0
    return _last_at_most(outline, position, depth)


def _next_at_most(outline: Outline, position: int, depth: int) -> int:
    """The first position from `position` on that is no deeper than `depth`."""
    while position < outline.end:
        chunk = outline.depth[position : position + _CHUNK]
        hits = np.flatnonzero(chunk <= depth)
        if len(hits):
            return position + int(hits[0])
        position += len(chunk)
    return outline.end


def _last_at_most(outline: Outline, position: int, depth: int) -> int:
    """The last position before `position` that is no deeper than `depth`, or the start."""
    while position > 0:
        start = max(position - _CHUNK, 0)
        hits = np.flatnonzero(outline.depth[start:position] <= depth)
        if len(hits):
            return start + int(hits[-1])
        position = start
    return 0
