"""How far each process of a grid has come, and when it was running: for a timeline with a row for each."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np

from engine.debugger.recording import Recording
from engine.debugger.track import Track
from engine.process_grid.events import Team

from .elements import Array

JSON = dict[str, Any]
MOST_COLUMNS = 4_096
_FULL = 255


def tracks_json(recording: Recording) -> list[JSON]:
    """Of each process how far it has come, and, once the run is over, the first one that did the very same."""
    is_over = recording.state.kind in ("done", "failed")
    first: dict[Any, int] = {}
    return [
        {
            "steps": track.step_count,
            "frames": track.frame_count,
            "prints": track.print_count,
            "state": recording.state_of(track.number),
            "end": track.end_tick,
            "like": first.setdefault(_name(track), track.number) if is_over else track.number,
        }
        for track in recording.tracks
    ]


def _name(track: Track) -> tuple[str, int, int, bytes]:
    """Outlines of one name are equal."""
    columns = (*track.columns(0, track.step_count), *track.frame_columns(0, track.frame_count))
    found = blake2b(digest_size=16)
    for column in columns:
        found.update(np.ascontiguousarray(column).data if column.size else b"")
    return track.state, track.step_count, track.frame_count, found.digest()


def strips_bytes(recording: Recording, team: Team, start: int, stop: int, columns: int) -> bytes:
    """Process-major u8: which share of each of `columns` stretches of ticks a process was running in."""
    columns = max(1, min(columns, MOST_COLUMNS))
    edges = start + np.arange(columns + 1) * (max(stop - start, 1) / columns)
    return b"".join(_shares(recording.tracks[process], edges).tobytes() for process in team.numbers)


def _shares(track: Track, edges: Array) -> Array:
    steps, ticks = (np.array(column, np.float64) for column in (track.jump_steps, track.jump_ticks))
    place = np.searchsorted(ticks, edges, side="right") - 1
    ends = np.append(steps[1:], track.step_count)
    # How many steps were done before each edge; within a step, a part of it.
    done = np.minimum(steps[place] + edges - ticks[place], ends[place])
    done[place < 0] = 0
    shares = np.diff(done) / np.diff(edges)
    # A short run of a long stretch is still seen.
    return np.ceil(np.clip(shares, 0, 1) * _FULL).astype(np.uint8)
