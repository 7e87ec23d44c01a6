"""Stops of breakpoints by the API: steps, errors in their texts, log messages, pages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hloscope.app.answers import stops as stops_answers
from hloscope.app.answers.question import NotRecorded
from hloscope.app.answers.question import answer as answer_to
from hloscope.app.answers.stops import DifferingStopsQuestion, StopsQuestion
from hloscope.app.runs.run import Run
from hloscope.app.wire.stops import StopsInfo
from tests.debugger.programs import COUNTDOWN, recorded


@pytest.fixture
def run() -> Run:
    return Run("key", recorded(COUNTDOWN, [np.int32(20), np.int32(3)]))


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
        ({"hits": "often"}, "hits", "is not a hit count", (0, 0)),
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


def _differing(run: Run, other: Run, **fields: Any) -> StopsInfo:
    return answer_to(run, DifferingStopsQuestion(other.key, **{"at": "*", **fields}), other).json()


def _run(key: str, text: str, step: int) -> Run:
    return Run(key, recorded(text, [np.int32(20), np.int32(step)]))


@pytest.fixture
def others() -> list[Run]:
    """A countdown with other steps, the same again, and another program."""
    changed = COUNTDOWN.replace("%2 = stablehlo.subtract %i, %one", "%2 = stablehlo.subtract %i, %step")
    return [_run("steps", COUNTDOWN, 4), _run("same", COUNTDOWN, 3), _run("program", changed, 3)]


def test_stops_where_a_value_differs_from_another_run(run: Run, others: list[Run]) -> None:
    steps, same, program = others
    sums = _ask(run, at="stablehlo.add")["steps"]
    found = _differing(run, steps, at="%1")
    assert found["steps"] == sums
    assert found["next"] == run.recording.step_count
    assert _differing(run, steps, at="%1", hits="2")["steps"] == sums[1:2]
    assert _differing(run, steps, at="%1", condition="iteration == 4")["steps"] == sums[4:5]
    assert _differing(run, steps, at="%2")["steps"] == []
    assert _differing(run, steps, at="%1", side="after")["steps"] == sums
    assert _differing(run, steps)["steps"] == []  # what is computed from different inputs
    assert _differing(run, same)["steps"] == []
    assert _differing(run, program)["steps"] == _ask(run, at="stablehlo.subtract")["steps"][:1]


def test_an_element_that_is_read_exists(run: Run) -> None:
    problem = _ask(run, kind="read", at="%i[0]")["problem"]
    assert problem
    assert (problem["part"], problem["message"]) == ("at", "%i has no element [0]")


def test_a_comparison_that_takes_long_goes_on(
    run: Run, others: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stops_answers, "COMPARING_SECONDS", 0.0)
    nexts, steps = [0], list[int]()
    while nexts[-1] < run.recording.step_count:
        found = _differing(run, others[0], at="%1", start=nexts[-1])
        steps += found["steps"]
        nexts.append(found["next"])
    assert steps == _ask(run, at="stablehlo.add")["steps"]
    assert nexts == sorted(nexts)
    assert len(set(nexts)) > 10


def test_the_run_stops_where_the_comparison_ends(
    run: Run, others: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("hloscope.app.runs.run_pair", "hloscope.app.answers.stops"):
        monkeypatch.setattr(f"{module}.MOST_VALUES", 30)
    found = _differing(run, others[0], at="%1")
    assert found["next"] == run.recording.step_count
    assert [error["message"] for error in found["errors"]] == [
        "only the first 30 values of the runs are compared"
    ]
    assert found["steps"][-1] == found["errors"][0]["step"]
    assert set(found["steps"][:-1]) < set(_ask(run, at="stablehlo.add")["steps"])
