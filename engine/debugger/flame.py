"""A flame chart of a process: its steps from left to right, above each op the scopes, regions and functions around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..chains.bodies import body_blocks
from ..ops.control_flow.control_flow import CONDITION
from ..program import BoundProgram
from .profile import OpFacts, kind_of, op_title, owners, scope_parts, scopes_of
from .recording import Recording
from .track import Track

LOOP = "stablehlo.while"
MOST_LEVELS = 16
"""Maximum rows of the chart, the outermost first."""
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bar:
    """A function, a region, a scope or an op while it runs, or several that are too narrow to be apart."""

    level: int
    title: str
    count: int
    """The number of bars that it stands for."""
    step: int
    stop: int
    """Its first step, and the step after its last one."""
    left: float
    right: float
    """Its ends, as shares of the chart's width."""
    seconds: float
    op: int | None
    """Of an op, its number."""


@dataclass(frozen=True)
class Flame:
    """The chart of the steps from `start` to `stop`; their widths are equal, or with `by_time` their durations."""

    bars: tuple[Bar, ...]
    start: int
    stop: int
    seconds: float


def flame_of(
    recording: Recording, process: int, start: int, stop: int, columns: int, *, by_time: bool
) -> Flame:
    """The chart of the steps from `start` to `stop` of a process, in `columns` columns of pixels."""
    track = recording.tracks[process]
    stop = min(stop, track.step_count)
    start = min(start, stop)
    seconds = track.step_seconds[start:stop]
    if start == stop:
        return Flame((), start, stop, 0.0)
    widths = seconds if by_time and seconds.any() else np.ones(stop - start)
    edges = np.concatenate([[0.0], np.cumsum(widths) / widths.sum()])
    times = np.concatenate([[0.0], np.cumsum(seconds)])
    chart = _Chart(recording.program, track, OpFacts(recording), start, stop)
    bars = (bar for level in range(MOST_LEVELS) for bar in chart.bars(level, edges, times, columns))
    return Flame(tuple(bars), start, stop, float(times[-1]))


class _Chart:
    """The key of each step at each level: bars are runs of equal keys below one bar."""

    def __init__(self, program: BoundProgram, track: Track, facts: OpFacts, start: int, stop: int) -> None:
        self._program, self._track, self._start = program, track, start
        owner, _ = owners(track, facts.absorbs, facts.is_kernel)
        owner = owner[start:stop]
        self._ops = track.op_column[owner].astype(np.int64)
        frames, parents = track.frame_column[owner].astype(np.int64), track.frame_parent.astype(np.int64)
        depths = track.depth_column.astype(np.int64)
        depth = depths[owner] - int(depths.min())
        self._first_scope = len(parents)
        self._keys = np.full((MOST_LEVELS, stop - start), -1, np.int64)
        self._place_frames(frames, depth.copy(), parents)
        self._place_scopes(owner, depth + 1)
        self._begins = np.zeros(stop - start, np.bool_)

    def _place_frames(self, frames: Ints, depth: Ints, parents: Ints) -> None:
        for level in range(int(depth.max()), -1, -1):
            here = depth == level
            if level < MOST_LEVELS:
                self._keys[level][here] = frames[here]
            frames[here] = parents[frames[here]]
            depth[here] -= 1

    def _place_scopes(self, owner: Ints, level: Ints) -> None:
        """The scopes of each op below its frame, and then the op itself."""
        table, self._scopes = _scope_table(self._program)
        first_step = self._first_scope + len(self._scopes)
        for column in (*table.T, None):
            found = np.full(len(owner), -1) if column is None else column[self._ops]
            keys = first_step + owner if column is None else self._first_scope + found
            is_here = np.full(len(owner), column is None) | (found >= 0)
            for row in range(MOST_LEVELS):
                here = is_here & (level == row)
                self._keys[row][here] = keys[here]
            level = level + is_here

    def bars(self, level: int, edges: Floats, times: Floats, columns: int) -> Iterator[Bar]:
        """The bars of a level from left to right."""
        keys = self._keys[level]
        self._begins |= np.concatenate([[True], keys[1:] != keys[:-1]])
        begins = np.flatnonzero(self._begins)
        ends = np.append(begins[1:], len(keys))
        is_bar = keys[begins] >= 0
        begins, ends = begins[is_bar], ends[is_bar]
        for first, last in _together(edges[begins], edges[ends], columns):
            begin, end = int(begins[first]), int(ends[last])
            yield Bar(
                level,
                self._title(int(keys[begin]), int(self._ops[begin])),
                last - first + 1,
                self._start + begin,
                self._start + end,
                float(edges[begin]),
                float(edges[end]),
                float(times[end] - times[begin]),
                int(self._ops[begin]) if self._is_op(int(keys[begin])) else None,
            )

    def _is_op(self, key: int) -> bool:
        return key >= self._first_scope + len(self._scopes)

    def _title(self, key: int, op: int) -> str:
        if self._is_op(key):
            return op_title(self._program, op)
        if key < self._first_scope:
            return frame_title(self._program, self._track, key)
        return self._scopes[key - self._first_scope]


def _together(left: Floats, right: Floats, columns: int) -> Iterator[tuple[int, int]]:
    """The first and last bar of each bar that is drawn: adjacent bars within one column of pixels are one."""
    if not len(left):
        return
    column = np.floor(left * columns)
    is_narrow = (right - left) * columns < 1
    joins = is_narrow[1:] & is_narrow[:-1] & (column[1:] == column[:-1]) & (left[1:] == right[:-1])
    firsts = np.concatenate([[0], np.flatnonzero(~joins) + 1])
    lasts = np.append(firsts[1:], len(left)) - 1
    yield from zip(firsts.tolist(), lasts.tolist(), strict=True)


def frame_title(program: BoundProgram, track: Track, frame: int) -> str:
    """`@f`, `iteration 3`: the function of a frame, its iteration in a loop, or the op whose region it is."""
    block, opener = program.blocks[track.block_of(frame)], track.opener_of(frame)
    if opener is not None:
        bound = program.ops[track.op_of(opener)]
        if bound.operation.name == LOOP:
            is_condition = body_blocks(program, bound)[CONDITION].id == block.id
            return "condition" if is_condition else f"iteration {track.iteration_of(frame)}"
        if block.opener is not None:
            return kind_of(bound)
    return block.function if program.module.language == "hlo" else f"@{block.function}"


def _scope_table(program: BoundProgram) -> tuple[Ints, Sequence[str]]:
    """For each op the numbers of the scopes around it, the outermost first, -1 for none; and the name of each."""
    paths = [scope_parts(scope) if scope else [] for scope in program.derive(scopes_of)]
    common = _common_head([path for path in paths if path])
    numbers: dict[tuple[str, ...], int] = {}
    rows = [
        [numbers.setdefault(tuple(path[: end + 1]), len(numbers)) for end in range(common, len(path))]
        for path in paths
    ]
    width = max(map(len, rows), default=0)
    table = np.array([row + [-1] * (width - len(row)) for row in rows], np.int64).reshape(len(rows), width)
    return table, [path[-1] for path in numbers]


def _common_head(paths: Sequence[Sequence[str]]) -> int:
    """The number of leading parts that all paths share."""
    count = 0
    for parts in zip(*paths, strict=False):
        if len(set(parts)) > 1:
            break
        count += 1
    return count
