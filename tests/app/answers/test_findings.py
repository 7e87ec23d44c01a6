"""Findings over the API: the list, the steps to mark, the next origin, and the walk by bad elements alone."""

import numpy as np
import pytest
from starlette.testclient import TestClient

from hloscope.app.answers.findings import FindingsQuestion
from hloscope.app.runs.run import Run
from tests.app.serving import JSON, asked, new_session, settled
from tests.findings.finding import LENGTH, LOST, recorded, slow_down

PROGRAM = """\
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.log %x : tensor<4xf32>
  %1 = stablehlo.add %0, %y : tensor<4xf32>
  %2 = stablehlo.subtract %1, %1 : tensor<4xf32>
  %3 = stablehlo.add %2, %y : tensor<4xf32>
  return %3 : tensor<4xf32>
}
"""
INPUTS = [{"kind": "dense", "text": "[1, 0, 2, 0]"}, {"kind": "dense", "text": "[1, 2, 3, 4]"}]


def test_the_state_of_a_run_counts_what_was_found(run: JSON) -> None:
    assert run["findings"] == 2


def test_findings_have_their_steps_addresses_and_sentences(client: TestClient, run: JSON) -> None:
    found = asked(client, run, "findings")
    assert (found["found"], found["steps"]) == (2, 5)
    infinity, nan = found["findings"]
    assert infinity["sentence"] == "first -Inf: line 2, log, 2 of 4 elements, where %x is 0"
    assert (infinity["opName"], infinity["kind"], infinity["grade"]) == ("stablehlo.log", "inf", "harmful")
    assert infinity["cause"] is None
    assert nan["cause"] == {"kind": "op", "address": "0.s0.0", "name": "%0", "op": 0, "index": [1]}
    assert [(mark["finding"], mark["step"], mark["address"], mark["index"]) for mark in found["marks"]] == [
        (0, 0, "0.s0.0", [1]),
        (1, 2, "0.s2.0", [1]),
    ]
    assert infinity["first"]["words"] == "2 of 4 elements became -Inf"
    assert nan["first"]["words"] == "2 of 4 elements became NaN"
    assert (infinity["title"], nan["title"]) == ("infinity", "NaN")


def test_from_one_origin_to_the_next_and_back(client: TestClient, run: JSON) -> None:
    first = asked(client, run, "findings/origin", step=-1)
    following = asked(client, run, "findings/origin", step=first["step"])
    assert [stop["address"] for stop in (first, following)] == ["0.s0.0", "0.s2.0"]
    assert asked(client, run, "findings/origin", step=following["step"]) is None
    assert asked(client, run, "findings/origin", step=5, direction="back") == following
    assert asked(client, run, "findings/origin", step=2, direction="back") == first


def test_a_walk_by_bad_elements_ends_where_they_were_born(client: TestClient, run: JSON) -> None:
    question: JSON = {"address": "0.s3.0", "elements": "@1", "reach": "all"}
    bad = asked(client, run, "provenance", **question, only="not_finite")
    assert [node["address"] for node in bad["nodes"]] == ["0.s3.0", "0.s2.0", "0.s1.0", "0.s0.0"]
    whole = asked(client, run, "provenance", **question)
    assert {"0.f0.0", "0.f0.1"} <= {node["address"] for node in whole["nodes"]}


def test_inputs_that_are_not_finite_are_counted_and_named(client: TestClient) -> None:
    given = [{"kind": "dense", "text": "[1, nan, 2, 3]"}, {"kind": "dense", "text": "[1, 2, 3, 4]"}]
    run = settled(client, new_session(client, PROGRAM, inputs=given))
    assert run["findings"] == 1
    (bad,) = asked(client, run, "findings")["inputs"]
    assert (bad["sentence"], bad["kind"]) == ("%x holds NaN in 1 of 4 elements", "nan")
    assert (bad["address"], bad["index"], bad["grade"]) == ("0.f0.0", [1], "harmful")


def test_what_there_was_no_time_to_follow_is_said_and_followed_further(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow_down(monkeypatch)
    recording = recorded(LOST, np.array([100, 1], np.float32))
    run = Run("a", recording)
    answer = FindingsQuestion().answer(run)
    assert (
        answer.json()["rest"]
        == "1 finding was not followed to the end, so that it is not known whether it does harm"
    )
    assert [found["followed"] for found in answer.json()["findings"]] == [False]
    assert not answer.final
    assert FindingsQuestion().answer(run).json() == answer.json()
    for _ in range(LENGTH):
        answer = FindingsQuestion(further=True).answer(run)
    assert answer.json()["rest"] == ""
    assert [(found["grade"], found["followed"]) for found in answer.json()["findings"]] == [("masked", True)]


def test_a_question_for_more_is_a_question_for_the_same(client: TestClient, run: JSON) -> None:
    found = asked(client, run, "findings")
    assert found["rest"] == ""
    assert asked(client, run, "findings", further=True) == found
