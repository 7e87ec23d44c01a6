"""Stops of breakpoints by the API: steps, errors in their texts, log messages, pages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hloscope.app.answers import stops as stops_answers
from hloscope.app.answers.question import NotRecorded
from hloscope.app.answers.question import answer as answer_to
from hloscope.app.answers.stops import StopsQuestion
from hloscope.app.runs.run import Run
from hloscope.app.wire.stops import StopsInfo
from hloscope.engine.limits import DEFAULT_LIMITS
from tests.debugger.programs import COUNTDOWN, recorded


@pytest.fixture
def run() -> Run:
    recording = recorded(COUNTDOWN, [np.int32(20), np.int32(3)])
    program = recording.program
    return Run("key", recording, program.module.source, DEFAULT_LIMITS, program.functions["main"])


def _ask(run: Run, **fields: Any) -> StopsInfo:
    return answer_to(run, StopsQuestion(**{"kind": "op", "at": "stablehlo.subtract", **fields})).json()


def test_stops_between_two_steps(run: Run) -> None:
    whole = _ask(run, condition="%i < 5")
    assert len(whole["steps"]) == 4
    assert whole["next"] == run.recording.step_count
    assert whole["problem"] is None
    assert whole["errors"] == []
    assert _ask(run, condition="%i < 5", start=whole["steps"][1])["steps"] == whole["steps"][1:]
    assert _ask(run, condition="%i < 5", stop=whole["steps"][1])["steps"] == whole["steps"][:1]
    assert _ask(run, condition="%i < 5", hits="> 2")["steps"] == whole["steps"][2:]
    assert _ask(run, at="stablehlo.cosine")["empty"]


@pytest.mark.parametrize(
    ("fields", "part", "message", "place"),
    [
        ({"condition": "%i <"}, "condition", "the expression ends", (4, 4)),
        ({"condition": "%j < 1"}, "condition", "no value %j", (0, 2)),
        ({"hits": "often"}, "hits", "is no hit count", (0, 0)),
        ({"log": "i is {%i +}"}, "log", "the expression ends", (0, 0)),
    ],
)
def test_errors_have_a_part_and_a_position(
    run: Run, fields: dict[str, Any], part: str, message: str, place: tuple[int, int]
) -> None:
    found = _ask(run, **fields)
    problem = found["problem"]
    assert problem
    assert found["steps"] == []
    assert problem["part"] == part
    assert message in problem["message"]
    if part == "condition":
        assert (problem["start"], problem["end"]) == place


def test_log_messages_of_the_last_stops(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stops_answers, "MOST_TEXTS", 3)
    found = _ask(run, log="i = {%i}, next {%2}", stop=10**6)
    assert found["texts"] == ["i = 3, next 2", "i = 2, next 1", "i = 1, next 0"]
    assert len(found["steps"]) == 3
    assert _ask(run, log="i = {%i}")["texts"] == []
    values = _ask(
        run, kind="value", at="%2", log="{value} after {before}", condition="iteration == 3", stop=10**6
    )
    assert values["texts"] == ["16 after 17"]


def test_an_error_of_a_step_is_a_stop_with_a_message(run: Run) -> None:
    found = _ask(run, condition="%zero // (%i - 4) == 0")
    assert [error["message"] for error in found["errors"]] == ["the right side is zero"]
    assert found["errors"][0]["step"] in found["steps"]


def test_many_stops_come_in_pages(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stops_answers, "MOST_STOPS", 7)
    monkeypatch.setattr(stops_answers, "SECONDS", 0.0)
    steps, start = list[int](), 0
    while start < run.recording.step_count:
        found = _ask(run, start=start)
        assert found["next"] > start
        steps, start = steps + found["steps"], found["next"]
    monkeypatch.undo()
    assert steps == _ask(run)["steps"]
    assert len(steps) == 20


def test_breakpoints_of_other_processes_are_not_recorded(run: Run) -> None:
    with pytest.raises(NotRecorded):
        _ask(run, process=1)
