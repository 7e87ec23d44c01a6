"""The outline and the frames of a recording as columns of bytes, 4,096 rows per chunk."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from hloscope.engine.debugger.recording import Recording

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


def chunk_count(rows: int) -> int:
    """The number of chunks for `rows` rows."""
    return ceil(rows / ROWS)


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
