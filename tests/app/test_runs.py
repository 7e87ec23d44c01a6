"""What a run says of itself between being told to go on and going on."""

from dataclasses import replace

from hloscope.app.runs.opening import Opening, OpenParameters, open_run
from hloscope.app.runs.run import Goal, Run
from hloscope.app.runs.run_inputs import feeds_of
from hloscope.engine.limits import DEFAULT_LIMITS, Limits
from hloscope.engine.source import Source
from tests.app.grid_programs import FROM_HOST
from tests.app.serving import ADD


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
