"""What a run says of itself between being told to go on and going on."""

from dataclasses import replace

import pytest

import hloscope.app.runs.run as run_module
from hloscope.app.runs.opening import Opening, OpenParameters, open_run
from hloscope.app.runs.run import Goal, Run
from hloscope.app.runs.run_inputs import feeds_of
from hloscope.engine.debugger.address import Address
from hloscope.engine.limits import DEFAULT_LIMITS, Limits
from hloscope.engine.source import Source
from tests.app.grid_programs import FROM_HOST
from tests.app.serving import ADD, ENDLESS


def opened(text: str, limits: Limits = DEFAULT_LIMITS) -> Run:
    found = open_run(Source(text), OpenParameters(None, [], []), limits, "", 1)
    assert isinstance(found, Opening)
    return found.run


def state_kind(run: Run) -> str:
    return run.state.kind


def recorded(run: Run) -> Run:
    run.record(Goal(None))
    while run.active:
        run.slice(1)
    return run


def test_a_run_that_has_just_been_fed_is_recording() -> None:
    run = recorded(opened(FROM_HOST))
    assert state_kind(run) == "paused"
    run.pending.append(
        feeds_of([{"queue": "host:3", "process": None, "items": [[{"kind": "dense", "text": "[4, 5]"}]]}], {})
    )
    run.record(Goal(None))
    # Whoever asks before the next slice would else take the run for one that still waits.
    assert state_kind(run) == "recording"
    assert state_kind(recorded(run)) == "done"


def test_a_run_that_goes_on_beyond_a_limit_is_recording() -> None:
    run = recorded(opened(ADD, replace(DEFAULT_LIMITS, run_step_limit=1)))
    assert (state_kind(run), run.step_count) == ("paused", 1)
    run.record(Goal(None))
    assert state_kind(run) == "recording"
    run.slice(1)
    assert run.step_count == 2


def test_the_first_recording_is_measured_by_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a run gets little of the processor in a slice: it goes on until it has had its share."""
    used = [0.0]
    monkeypatch.setattr(run_module, "thread_time", lambda: used[0])
    run = opened(ENDLESS)
    run.record(Goal(None, seconds=1.0))
    for _ in range(50):
        run.slice(0.001)
    assert state_kind(run) == "recording"

    def busy() -> float:
        used[0] += 0.6
        return used[0]

    monkeypatch.setattr(run_module, "thread_time", busy)
    run.slice(0.001)
    run.slice(0.001)
    assert state_kind(run) == "paused"
    assert run.state.reason == f"Recorded {run.step_count:,} steps in the first 1 s of the processor."


def test_what_was_recorded_first_is_there_and_the_rest_follows() -> None:
    run = opened(ADD)
    run.record(Goal(1))
    run.slice(1)
    assert (state_kind(run), run.step_count) == ("paused", 1)
    assert run.state.reason == "Recorded 1 step, as far as was asked."
    assert run.recording.value(Address.parse("0.s0.0")) is not None
    assert state_kind(recorded(run)) == "done"
