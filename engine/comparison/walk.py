"""Steps of all processes of a recording, each after the steps whose values it reads."""

from __future__ import annotations

from collections.abc import Iterator

from ..debugger.provenance.run import RecordedRun


def walk(run: RecordedRun) -> Iterator[tuple[int, int]]:
    """Yield process and step of finished steps, each process in order.

    A participant of a collective comes after everything that the others contribute.
    """
    recording = run.recording
    arrivals = {
        (process, step): [(other, at) for other, at, _ in found.visits]
        for found in recording.meetings
        for process, step, _ in found.visits
    }
    ends = [track.step_count for track in recording.tracks]
    at = [0] * len(ends)
    moved = True
    while moved:
        moved = False
        for process, end in enumerate(ends):
            while at[process] < end and _may_go(arrivals.get((process, at[process]), ()), at):
                if recording.tracks[process].finish_of(at[process]) is not None:
                    yield process, at[process]
                at[process] += 1
                moved = True


def _may_go(others: object, at: list[int]) -> bool:
    assert isinstance(others, list | tuple)
    return all(at[other] >= step for other, step in others)
