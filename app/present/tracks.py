"""The steps and frames of each process as columns of bytes, 4,096 rows per chunk; its progress, and when it ran."""

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.debugger.track import Track
from hloscope.engine.process_grid.grid_events import LaunchGroup

from ..wire.grid import TrackInfo
from .elements import Array

ROWS = 4096
ENDED = ("done", "failed")
"""States of a process that records no further steps."""


@dataclass(frozen=True)
class ColumnChunk:
    """The bytes of a chunk, its rows, and whether it can still grow."""

    data: bytes
    rows: int
    complete: bool


def outline_chunk(recording: Recording, number: int, process: int = 0) -> ColumnChunk:
    """Columns of the steps of a process: op u32, frame u32, depth u16."""
    track = recording.tracks[process]
    return _chunk(track.columns(*_rows(number, track.step_count)), recording, process)


def frames_chunk(recording: Recording, number: int, process: int = 0) -> ColumnChunk:
    """Columns of its frames: block, parent, opener and iteration, each u32; 0xFFFFFFFF is none."""
    track = recording.tracks[process]
    return _chunk(track.frame_columns(*_rows(number, track.frame_count)), recording, process)


def _rows(number: int, count: int) -> tuple[int, int]:
    return min(number * ROWS, count), min((number + 1) * ROWS, count)


def _chunk(columns: tuple[Array, ...], recording: Recording, process: int) -> ColumnChunk:
    rows = len(columns[0])
    complete = rows == ROWS or recording.state.kind in ENDED or recording.state_of(process) in ENDED
    return ColumnChunk(
        b"".join(column.astype(column.dtype.newbyteorder("<")).tobytes() for column in columns),
        rows,
        complete,
    )


MOST_COLUMNS = 4_096
_FULL = 255


def tracks_json(recording: Recording) -> list[TrackInfo]:
    """The progress of each process, and the first process with the same outline.

    One of the two may be ahead; their common steps are the same.
    """
    like = _likenesses.setdefault(recording, Likeness()).look(recording.tracks)
    return [
        {
            "steps": track.step_count,
            "frames": track.frame_count,
            "prints": track.print_count,
            "state": recording.state_of(track.number),
            "end": track.end_tick,
            "like": first,
        }
        for track, first in zip(recording.tracks, like, strict=True)
    ]


class Likeness:
    """Processes of a recording with the same outline; compares only new steps."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[int, int, int]] = {}
        """By process: the first process like it, and the number of equal steps and frames."""

    def look(self, tracks: Sequence[Track]) -> list[int]:
        """The first process with the same outline, for each process; it may be itself."""
        longest: dict[int, Track] = {}  # one per outline; the tracks of all others are its prefixes
        found = []
        for track in tracks:
            first = self._way(track, longest)
            other = longest.setdefault(first, track)
            self._known[track.number] = (first, *_common(track, other))
            if _length(track) > _length(other):
                longest[first] = track
            found.append(first)
        return found

    def _way(self, track: Track, longest: dict[int, Track]) -> int:
        before, *seen = self._known.get(track.number, (track.number, 0, 0))
        if before in longest and _have_same_steps(track, longest[before], *seen):
            return before
        others = (first for first in longest if first != before)
        return next(
            (first for first in others if _have_same_steps(track, longest[first], 0, 0)), track.number
        )


_likenesses: WeakKeyDictionary[Recording, Likeness] = WeakKeyDictionary()


def _length(track: Track) -> tuple[int, int]:
    return track.step_count, track.frame_count


def _common(one: Track, other: Track) -> tuple[int, int]:
    """The number of steps and frames that both tracks have."""
    return min(one.step_count, other.step_count), min(one.frame_count, other.frame_count)


def _have_same_steps(one: Track, other: Track, steps: int, frames: int) -> bool:
    """Whether two tracks agree from a step and a frame on, as far as both are recorded."""
    last, last_frame = _common(one, other)
    columns = zip(one.columns(steps, last), other.columns(steps, last), strict=True)
    opened = zip(one.frame_columns(frames, last_frame), other.frame_columns(frames, last_frame), strict=True)
    return all(np.array_equal(a, b) for pairs in (columns, opened) for a, b in pairs)


def strips_bytes(recording: Recording, team: LaunchGroup, start: int, stop: int, columns: int) -> bytes:
    """Process-major u8: the share of each of `columns` tick ranges in which a process ran."""
    columns = max(1, min(columns, MOST_COLUMNS))
    edges = start + np.arange(columns + 1) * (max(stop - start, 1) / columns)
    return b"".join(_shares(recording.tracks[process], edges).tobytes() for process in team.numbers)


def _shares(track: Track, edges: Array) -> Array:
    steps, ticks = (np.array(column, np.float64) for column in (track.jump_steps, track.jump_ticks))
    place = np.searchsorted(ticks, edges, side="right") - 1
    ends = np.append(steps[1:], track.step_count)
    # Steps completed before each edge; a partly completed step counts by its fraction.
    done = np.minimum(steps[place] + edges - ticks[place], ends[place])
    done[place < 0] = 0
    shares = np.diff(done) / np.diff(edges)
    # A short run within a long range stays visible.
    found: Array = np.ceil(np.clip(shares, 0, 1) * _FULL).astype(np.uint8)
    return found
