"""Moving over a recording, in both directions. A move is a function from a position to a position.

Position p is *at* the op of step p; a position equal to the number of steps is the end. Everything
follows from the depth of each step: an op's inner steps are those right after it that are deeper.
`static/js/core/run/stepping.js` states the same rules for the browser; both are tested on one table.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..program import BoundProgram
from .recording import Recording

_CHUNK = 4096


@dataclass(frozen=True)
class Outline:
    """The columns of a recording as far as it goes, and the line on which each op starts."""

    op: NDArray[np.uint32]
    depth: NDArray[np.uint16]
    line_of_op: NDArray[np.uint32]

    @classmethod
    def of(cls, recording: Recording, process: int = 0) -> Outline:
        """The outline of what is recorded of a process now."""
        track = recording.tracks[process]
        return cls(track.op_column, track.depth_column, recording.program.derive(lines_of_ops))

    @property
    def end(self) -> int:
        """The last position: behind the last step."""
        return len(self.op)

    def line(self, position: int) -> int | None:
        """The line of the op at `position`; `None` at the end."""
        return int(self.line_of_op[self.op[position]]) if position < self.end else None


def lines_of_ops(program: BoundProgram) -> NDArray[np.uint32]:
    """The line on which each op of the program starts."""
    return np.array([program.line_of(op.id) for op in program.ops], np.uint32)


def into(outline: Outline, position: int) -> int:
    """Step into: the position after this one, in whatever frame it is."""
    return min(position + 1, outline.end)


def back(outline: Outline, position: int) -> int:
    """Step back: the position before this one, in whatever frame it is."""
    return max(position - 1, 0)


def over(outline: Outline, position: int) -> int:
    """Step over: the next op of this frame, or of one around it if this one has ended."""
    if position >= outline.end:
        return outline.end
    return _next_at_most(outline, position + 1, int(outline.depth[position]))


def out(outline: Outline, position: int) -> int:
    """Step out: the op after the one that opened this frame."""
    if position >= outline.end or outline.depth[position] == 0:
        return outline.end
    return _next_at_most(outline, position + 1, int(outline.depth[position]) - 1)


def back_over(outline: Outline, position: int) -> int:
    """Step back over: the op before in this frame; at its first op, the op that opened the frame."""
    depth = int(outline.depth[position]) if position < outline.end else 0
    return _last_at_most(outline, position, depth)


def continue_to(outline: Outline, position: int, breakpoints: Collection[int]) -> int:
    """The next op on a line with a breakpoint, or the end."""
    lines = outline.line_of_op[outline.op[position + 1 :]]
    hits = np.flatnonzero(np.isin(lines, sorted(breakpoints)))
    return position + 1 + int(hits[0]) if len(hits) else outline.end


def reverse_continue(outline: Outline, position: int, breakpoints: Collection[int]) -> int:
    """The last op before on a line with a breakpoint, or the start."""
    lines = outline.line_of_op[outline.op[:position]]
    hits = np.flatnonzero(np.isin(lines, sorted(breakpoints)))
    return int(hits[-1]) if len(hits) else 0


def run_to_line(outline: Outline, position: int, line: int) -> int:
    """The next op on `line`, or on the first line after it that has ops."""
    return continue_to(outline, position, {snap_to_line(outline, line)})


def snap_to_line(outline: Outline, line: int) -> int:
    """`line` if an op starts there, else the next line where one does, else the last."""
    lines: list[int] = sorted(set(outline.line_of_op.tolist()))
    return lines[min(bisect_left(lines, line), len(lines) - 1)]


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
