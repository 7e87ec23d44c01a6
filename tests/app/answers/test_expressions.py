"""Expressions by the API: results, errors with their positions, and the words of the language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from hloscope.app.answers import expressions
from hloscope.app.answers.expressions import CurveQuestion, EvaluateQuestion
from hloscope.app.answers.question import answer as answer_to
from hloscope.app.runs.run import Run
from hloscope.app.web.api.request_examples import SUM_OF_PARTS
from tests.app.serving import JSON, new_session, settled
from tests.debugger.programs import recorded

LOOP = """\
func.func @main(%x: tensor<2x3xf32>, %arg1: tensor<f32> loc("params['w']")) -> tensor<2x3xf32> {
  %k = stablehlo.constant dense<0> : tensor<i32>
  %tenth = stablehlo.constant dense<0.1> : tensor<f32>
  %large = stablehlo.iota dim = 0 : tensor<1000xf32>
  %0:2 = stablehlo.while(%i = %k, %v = %x) : tensor<i32>, tensor<2x3xf32>
   cond {
    %end = stablehlo.constant dense<5> : tensor<i32>
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %twice = stablehlo.add %v, %v : tensor<2x3xf32>
    stablehlo.return %next, %twice : tensor<i32>, tensor<2x3xf32>
  }
  return %0#1 : tensor<2x3xf32>
}
"""


@pytest.fixture(scope="module")
def run(client: TestClient) -> JSON:
    return settled(client, new_session(client, LOOP, inputs=[{"kind": "iota"}, {"kind": "iota"}]))


def _evaluate(client: TestClient, run: JSON, *texts: str, status: int = 200, **place: int) -> list[Any]:
    parameters: list[tuple[str, str | int]] = [("expression", text) for text in texts]
    answer = client.get(f"/api/recordings/{run['key']}/evaluate", params=[*parameters, *place.items()])
    assert answer.status_code == status, answer.text
    found: list[Any] = answer.json()
    return found


def _texts(found: Sequence[JSON]) -> list[tuple[str, str]]:
    return [(result["kind"], result["text"]) for result in found]


def test_results_are_those_of_the_step(client: TestClient, run: JSON) -> None:
    asked = ["max(%x)", "%x[1, :] - 1", "%tenth", "any(isnan(%x))", "op", "%x.shape"]
    assert _texts(_evaluate(client, run, *asked, step=2)) == [
        ("number", "5"),
        ("tensor", "f32[3]  [2, 3, 4]"),
        ("number", "0.1"),
        ("boolean", "false"),
        ("string", "stablehlo.iota"),
        ("tensor", "i64[2]  [2, 3]"),
    ]


def test_an_argument_also_has_the_name_that_the_page_shows(client: TestClient, run: JSON) -> None:
    assert _texts(_evaluate(client, run, "%params.w == %arg1", step=0)) == [("boolean", "true")]


def test_a_small_tensor_has_its_elements_and_a_large_one_statistics(client: TestClient, run: JSON) -> None:
    small, large = _evaluate(client, run, "%x / 4", "-%large", step=3)
    assert small["tensor"]["elements"] == ["0", "0.25", "0.5", "0.75", "1", "1.25"]
    assert (large["tensor"]["elements"], large["tensor"]["shape"]) == (None, [1000])
    assert (large["tensor"]["statistics"]["min"], large["tensor"]["picture"]["width"]) == (-999, 48)


def test_an_error_has_its_position_and_says_whether_the_text_is_wrong(client: TestClient, run: JSON) -> None:
    early, spelled, shapes = _evaluate(client, run, "%large + 1", "mxa(%x)", "%x + %large", step=3)
    assert early["kind"] == "tensor"
    assert (spelled["text"], spelled["fault"]) == (
        "there is no function 'mxa'",
        {"start": 0, "end": 3, "hint": "did you mean 'max'?", "isForm": True},
    )
    assert (shapes["text"], shapes["fault"]["isForm"]) == ("the shapes 2×3 and 1000 do not broadcast", False)
    [later] = _evaluate(client, run, "%0#1", step=3)
    assert (later["text"], later["fault"]["start"]) == ("%0#1 has no value here", 0)


def test_without_a_step_an_expression_is_only_checked(client: TestClient, run: JSON) -> None:
    later, wrong = _evaluate(client, run, "%0#1", "%0#1 +")
    assert later["kind"] == "checked"
    assert (wrong["kind"], wrong["fault"]["start"]) == ("fault", 6)


def test_an_answer_that_takes_too_long_leaves_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expressions, "SECONDS", 0)
    found = answer_to(_recorded(LOOP), EvaluateQuestion(["1", "2"], step=1)).json()
    assert [result and result["text"] for result in found] == ["1", None]


def _recorded(text: str) -> Run:
    return Run("key", recorded(text, [np.ones((2, 3), np.float32), np.ones((), np.float32)]))


def _curve(client: TestClient, run: JSON, expression: str, over: str, **place: int) -> Any:
    """The whole curve, however often a busy machine ends an answer before its end."""
    parameters: JSON = {"expression": expression, "over": over, **place}
    answer = client.get(f"/api/recordings/{run['key']}/evaluate/curve", params=parameters)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    if found["next"] is None:
        return found
    rest = _curve(client, run, expression, over, **{**place, "from": found["next"]})
    return {**rest, "points": found["points"] + rest["points"]}


def _points(curve: JSON) -> list[tuple[int, int, Any]]:
    return [(point["number"], point["step"], point["value"]) for point in curve["points"]]


def test_a_curve_has_the_iterations_of_the_loop_around(client: TestClient, run: JSON) -> None:
    whole = _curve(client, run, "%i * 2", "iterations", step=15)  # the addition of iteration 1
    assert _points(whole) == [(0, 10, 0), (1, 17, 2), (2, 24, 4), (3, 31, 6), (4, 38, 8)]
    assert (whole["total"], whole["count"], whole["fault"]) == (5, 5, None)
    assert _points(_curve(client, run, "%twice.max()", "iterations", step=15))[4] == (
        4,
        38,
        160,
    )  # also later values
    executions = _points(_curve(client, run, "%i * 2", "executions", step=15))
    assert executions == [(0, 8, 0), (1, 15, 2), (2, 22, 4), (3, 29, 6), (4, 36, 8)]
    outside = _curve(client, run, "%x", "iterations", step=2)
    assert (outside["points"], outside["fault"]["text"]) == (
        [],
        "the current op is in no loop",
    )


def test_points_are_numbers_pictures_or_errors(client: TestClient, run: JSON) -> None:
    pictures = _curve(client, run, "%v", "iterations", step=15)["points"]
    assert [point["value"] for point in pictures] == [None] * 5
    assert pictures[3]["text"] == "f32[2,3]  0 … 40  mean 20"
    assert pictures[3]["picture"]["width"] == 3
    errors = _curve(client, run, "1 / (%i - 2) > %twice[0, 1]", "executions", step=15)["points"]
    assert [(point["value"], point["text"]) for point in errors] == [(None, "%twice has no value here")] * 5
    numbers = _curve(client, run, "1 / (%i - 2)", "iterations", step=15)
    assert [point["value"] for point in numbers["points"]] == [-0.5, -1, "Infinity", 1, 0.5]


def test_many_points_are_spread_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expressions, "MOST_POINTS", 3)
    monkeypatch.setattr(expressions, "CURVE_SECONDS", -1)
    run, found, starts = _recorded(LOOP), [], list[int | None]([0])
    while (start := starts[-1]) is not None:
        curve = answer_to(run, CurveQuestion("%i", "iterations", 15, start=start)).json()
        assert (curve["count"], curve["total"]) == (3, 5)
        [point] = curve["points"]
        found.append((point["number"], point["step"], point["value"]))
        starts.append(curve["next"])
    assert found == [(0, 10, 0), (2, 24, 2), (4, 38, 4)]


def test_a_curve_over_processes_is_at_one_tick(client: TestClient) -> None:
    run = settled(client, new_session(client, SUM_OF_PARTS, name="sum.hlo"))
    curve = _curve(client, run, "process * 10", "processes", step=0)
    assert [(point["process"], point["value"]) for point in curve["points"]] == [(0, 0), (1, 10)]


def test_what_is_not_recorded_has_no_result(client: TestClient, run: JSON) -> None:
    _evaluate(client, run, "1", status=404, step=10_000)
    _evaluate(client, run, "1", status=404, step=0, process=3)
    _evaluate(client, run, *["1"] * 17, status=422, step=0)


def test_every_word_of_the_language_has_a_meaning(client: TestClient, run: JSON) -> None:
    words = client.get(f"/api/recordings/{run['key']}/expression-language").json()
    assert {"max", "isnan"} < {word["name"] for word in words["functions"]}
    assert {"iteration", "operand"} < {word["name"] for word in words["variables"]}
    assert all(word["meaning"] for group in words.values() for word in group)
