"""Every fair schedule of the processes gives the same values at the same ticks."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.debugger.address import argument, result
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.process_grid import Launch, results_on_grid
from hloscope.engine.process_grid.grid_run import Schedule
from tests.programs import load_program

from . import programs

FOUR = Grid(1, 4)
X = tuple((np.arange(4, dtype=np.float32) + 10 * number,) for number in range(4))
RUNS = {
    "ring": (programs.RING_LOOP, Launch(FOUR, X)),
    "pairs": (programs.PAIRS, Launch(FOUR, X)),
    "replicas x partitions": (programs.PAIRS, Launch(Grid(2, 2), X)),
    "messages": (programs.MESSAGES, Launch.single_process(X[1])),
    "started": (programs.STARTED, Launch(FOUR, X)),
}
names = st.sampled_from(sorted(RUNS))


def at_random(seed: int) -> Schedule:
    """Choose a random process that can continue, for a random number of steps."""
    random = Random(seed)

    def choose(able: Sequence[int]) -> tuple[int, int]:
        return random.choice(able), random.randint(1, 6)

    return choose


def recorded(name: str, schedule: Schedule | None = None, recording_bytes: int = 1 << 30) -> Recording:
    text, launch = RUNS[name]
    limits = replace(DEFAULT_LIMITS, recording_bytes=recording_bytes)
    recording = Recording(load_program(text), launch, limits, schedule=schedule)
    assert recording.record().kind == "done", recording.state.reason
    return recording


def everything(recording: Recording) -> dict[str, Any]:
    """Everything recorded, as bytes and numbers."""
    found: dict[str, Any] = {}
    for track in recording.tracks:
        columns = (*track.columns(0, 1 << 30), *track.frame_columns(0, 1 << 30))
        found[f"columns {track.number}"] = [column.tobytes() for column in columns]
        found[f"ticks {track.number}"] = [track.tick_of(step) for step in range(track.step_count + 1)]
        for step in range(track.step_count):
            for index in range(len(recording.program.ops[track.op_of(step)].results)):
                address = result(step, index, track.number)
                found[str(address)] = image(recording.value(address))
        for frame in range(track.frame_count):
            for index in range(len(recording.program.blocks[track.block_of(frame)].arguments)):
                address = argument(frame, index, track.number)
                found[str(address)] = image(recording.value(address))
    return found


def image(value: Any) -> Any:
    if value.dtype.hasobject:
        return [image(item) for item in value]
    return value.shape, value.dtype.name, value.tobytes()


def sorted_executions(recording: Recording) -> list[Any]:
    """Collectives without their numbers, which follow the order of arrival."""
    found = [asdict(execution) | {"number": 0, "op": 0} for execution in recording.collective_executions]
    for execution in found:
        for name in ("arrivals", "ops", "awaited", "released"):
            execution[name] = sorted(execution[name].items())
    return sorted(found, key=lambda execution: execution["arrivals"])


EXPECTED = {name: everything(recorded(name)) for name in RUNS}


@given(names, st.integers(0, 1 << 32))
def test_any_fair_order_gives_the_same(name: str, seed: int) -> None:
    found = recorded(name, at_random(seed))
    assert everything(found) == EXPECTED[name]
    assert sorted_executions(found) == sorted_executions(recorded(name))


@given(names, st.lists(st.integers(1, 9), max_size=12))
def test_a_recording_does_not_depend_on_where_it_paused(name: str, pauses: list[int]) -> None:
    text, launch = RUNS[name]
    recording = Recording(load_program(text), launch)
    for steps in pauses:
        recording.record(steps=steps)
    recording.record()
    assert everything(recording) == EXPECTED[name]
    whole = recorded(name)
    assert [asdict(execution) for execution in recording.collective_executions] == [
        asdict(execution) for execution in whole.collective_executions
    ]


@pytest.mark.parametrize("name", sorted(RUNS))
def test_values_that_were_dropped_come_back(name: str) -> None:
    recording = recorded(name, recording_bytes=1 << 10)
    assert everything(recording) == EXPECTED[name]


@pytest.mark.parametrize("name", sorted(RUNS))
def test_recorded_and_unrecorded_runs_agree(name: str) -> None:
    text, launch = RUNS[name]
    recording = recorded(name)
    own = recording.tracks[: launch.grid.num_processes]
    for track, values in zip(own, results_on_grid(load_program(text), launch), strict=True):
        assert [image(value) for value in track.results() or ()] == [image(value) for value in values]


def test_values() -> None:
    whole = np.sum([row[0] for row in X], axis=0)
    (ring, _), *_ = [track.results() or () for track in recorded("ring").tracks]
    np.testing.assert_array_equal(ring, X[0][0] + whole)
    swapped = np.concatenate([whole[2:], whole[:2]])
    for track in recorded("pairs").tracks:
        np.testing.assert_array_equal(track.results(), [swapped])
    started = [(track.results() or ())[0] for track in recorded("started").tracks]
    np.testing.assert_array_equal(started, [whole + extra for extra in (1, 0, 0, 4)])


def test_ticks_count_what_could_happen_at_once() -> None:
    recording = recorded("ring")
    arrivals = recording.collective_executions[0].arrivals
    assert sorted(arrivals) == [0, 1, 2, 3]
    ticks = [arrivals[number][1] for number in range(4)]
    assert ticks == sorted(ticks)
    assert ticks[0] < ticks[3]  # process 3 counts further before it arrives
    first = recording.collective_executions[0].released
    assert first[0] == 1 + max(ticks[3], ticks[0], ticks[1])  # 0 waits for 3 and 1, not for 2
    assert first[1] == 1 + max(ticks[0], ticks[1], ticks[2])


def test_started_ops_overlap_with_others() -> None:
    recording = recorded("started")
    reduction = next(
        found for found in recording.collective_executions if found.kind.startswith("all_reduce")
    )
    step, tick = reduction.arrivals[0]
    assert recording.tracks[0].tick_of(step + 1) == tick + 1
