"""Provenance over the API: one step and all the way, both directions, paths, and wrong questions."""

from dataclasses import replace

import numpy as np
import pytest
from starlette.testclient import TestClient

from hloscope.app.answers import provenance as provenance_answers
from hloscope.app.answers.provenance import ProvenanceQuestion
from hloscope.app.answers.question import answer as answer_to
from hloscope.app.present.element_sets import ElementsError, parse_elements, set_json
from hloscope.app.runs.run import Run
from hloscope.engine.indexing.elements.element_sets import ElementSet
from tests.app.serving import JSON, asked
from tests.debugger.programs import recorded

IMMUTABLE = "private, max-age=31536000, immutable"
PROGRAM = """\
func.func @main(%x: tensor<3x4xf32>, %y: tensor<4x2xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.negate %x : tensor<3x4xf32>
  %1 = stablehlo.dot_general %0, %y, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  %t = stablehlo.create_token : !stablehlo.token
  return %1 : tensor<3x2xf32>
}
"""
INPUTS = [{"kind": "iota"}, {"kind": "iota"}]


def test_one_step_back_with_the_formula(client: TestClient, run: JSON) -> None:
    found = asked(client, run, "provenance", address="0.s1.0", elements="3")
    assert [(node["address"], node["name"], node["end"]) for node in found["nodes"]] == [
        ("0.s1.0", "%1", None),
        ("0.s0.0", "%0", None),
        ("0.f0.1", "%y", "input"),
    ]
    assert (found["complete"], found["inputs"], found["nodes"][2]["input"]) == (
        *(True, [2]),
        {"number": 1, "name": "%y"},
    )
    row, column = (edge["elements"] for edge in found["edges"])
    assert row == {
        "shape": [3, 4],
        "count": 4,
        "boxes": [{"start": [1, 0], "sizes": [1, 4], "strides": [1, 1]}],
    }
    assert column["boxes"] == [{"start": [0, 1], "sizes": [4, 1], "strides": [1, 1]}]
    assert found["formula"]["text"].startswith("%1[1, 1] = %0[1, 0] * %y[0, 1] + ")
    assert found["formula"]["count"] == 4
    assert found["nodes"][0]["opName"] == "stablehlo.dot_general"


def test_all_the_way_back_and_forward(client: TestClient, run: JSON) -> None:
    back = asked(client, run, "provenance", address="0.s1.0", elements="@1,1", reach="all")
    assert [back["nodes"][number]["address"] for number in back["inputs"]] == ["0.f0.1", "0.f0.0"]
    on = asked(
        client, run, "provenance", address="0.f0.0", elements="@0:2,3", direction="forward", reach="all"
    )
    (end,) = (node for node in on["nodes"] if node["end"] == "output")
    assert (end["address"], end["outputs"], end["elements"]["count"]) == ("0.s1.0", [0], 4)
    assert on["formula"] is None


def test_a_path_goes_from_element_to_element(client: TestClient, run: JSON) -> None:
    found = asked(client, run, "provenance", address="0.s1.0", elements="@1,1", to="0.f0.0", element="@1,2")
    stops = [(stop["address"], stop["elements"]["boxes"][0]["start"]) for stop in found["path"]]
    assert stops == [("0.s1.0", [1, 1]), ("0.s0.0", [1, 2]), ("0.f0.0", [1, 2])]
    assert (
        asked(client, run, "provenance", address="0.s1.0", elements="@1,1", to="0.f0.0", element="0")["path"]
        is None
    )
    on = asked(client, run, "provenance", address="0.f0.0", elements="@1,2", direction="forward", to="0.s1.0")
    assert [stop["address"] for stop in on["path"]] == ["0.f0.0", "0.s0.0", "0.s1.0"]


def test_a_walk_tells_how_much_there_is(client: TestClient, run: JSON) -> None:
    found = asked(client, run, "provenance", address="0.s1.0", elements="@1,1", reach="all")
    assert (found["values"], found["steps"], found["omitted"]) == (4, 2, 0)
    assert (found["waiting"], found["unlooked"], found["pathReason"]) == ([], 0, None)


def test_a_walk_that_takes_too_long_is_gone_on_with(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run("key", recorded(PROGRAM, [np.ones((3, 4), np.float32), np.ones((4, 2), np.float32)]))
    monkeypatch.setattr(provenance_answers, "SECONDS", 0)
    question = ProvenanceQuestion("0.s1.0", "@1,1", "back", "all")
    seen = []
    for more in (0, 1, 2, 0, 1, 2, 3):
        answer = answer_to(run, replace(question, more=more))
        found = answer.json()
        seen.append(found["values"])
        listed = {node["id"]: node for node in found["nodes"]}
        assert answer.final is found["complete"] is (found["unlooked"] == 0)
        assert found["complete"] or found["reason"] == "After 0 s the search is not complete."
        assert [listed[number]["end"] for number in found["waiting"]] == [None] * found["unlooked"]
        assert len(found["edges"]) == (2, 3, 3, 3)[found["values"] - 1]
    assert seen == [1, 2, 3, 1, 2, 3, 4]
    answer = answer_to(run, replace(question, to="0.f0.0", element="4"))
    found = answer.json()
    assert (found["path"], found["pathReason"], answer.final) == (
        *(None, "After 0 s the search is not complete."),
        False,
    )


def test_operands_of_a_step(client: TestClient, run: JSON) -> None:
    answer = client.get(f"/api/recordings/{run['key']}/steps/1/operands?process=0")
    assert answer.json() == ["0.s0.0", "0.f0.1"]
    assert answer.headers["Cache-Control"] == IMMUTABLE
    assert client.get(f"/api/recordings/{run['key']}/steps/99/operands").status_code == 404
    assert client.get(f"/api/recordings/{run['key']}/steps/0/operands?process=7").status_code == 404


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ({"address": "here"}, "is not an address"),
        ({"address": "0.s2.0"}, "which has no elements"),
        ({"address": "0.s1.0", "elements": "6"}, "There is no element 6: the tensor has 6, counted from 0."),
        ({"address": "0.s1.0", "elements": "3-1"}, "3-1 goes backwards"),
        ({"address": "0.s1.0", "elements": "one"}, "'one' names no elements"),
        ({"address": "0.s1.0", "elements": "@1"}, "1 dimension is named, and the tensor has 2 (3x2)."),
        ({"address": "0.s1.0", "elements": "@0:4,0"}, "0:4 reaches outside of size 3, in dimension 0."),
        ({"address": "0.s1.0", "elements": "@2:1,0"}, "2:1 names no element, in dimension 0."),
        ({"address": "0.s1.0", "elements": "@0:2:0,0"}, "0:2:0 has a step of 0, in dimension 0."),
        (
            {"address": "0.s1.0", "elements": "@0,x"},
            "'x' is neither an index nor start:stop, in dimension 1.",
        ),
        ({"address": "0.s1.0", "elements": "@0,0;1"}, "'1' is not a box"),
        ({"address": "0.s1.0", "to": "0.f0.0", "element": "12"}, "There is no element 12"),
    ],
)
def test_wrong_questions_are_answered_with_what_is_wrong(
    client: TestClient, run: JSON, question: dict[str, str], words: str
) -> None:
    assert words in asked(client, run, "provenance", 422, **question)["error"]["message"]


def test_what_is_not_recorded_is_not_found(client: TestClient, run: JSON) -> None:
    for address in ("0.s99.0", "0.f9.0", "3.s0.0", "0.s1.4", "0.s1.0.1"):
        asked(client, run, "provenance", 404, address=address)
    asked(client, run, "provenance", 422, address="0.s1.0", direction="sideways")


def test_elements_are_spelled_as_positions_or_boxes() -> None:
    shape = (3, 4)
    assert parse_elements("", shape).is_full
    assert parse_elements("0,5-6,5", shape).to_positions().tolist() == [0, 5, 6]
    assert list(parse_elements("@1,0:4:2", shape)) == [(1, 0), (1, 2)]
    assert list(parse_elements("@0,0;@0:2,0", shape)) == [(0, 0), (1, 0)]
    for text in ("0", "@", ""):
        assert parse_elements(text, ()).is_full
    with pytest.raises(ElementsError):
        parse_elements(",".join("0" * 2000), shape)


def test_sets_on_the_wire() -> None:
    ragged = ElementSet.of_positions(
        (100, 100), parse_elements("0-9,77,9000-9009", (100, 100)).to_positions() * 1
    )
    assert set_json(ragged)["count"] == 21
    scattered = parse_elements(",".join(str(n * n) for n in range(90)), (100, 100))
    found = set_json(scattered)
    assert (found["runs"][:3], found["complete"]) == ([(0, 2), (4, 1), (9, 1)], True)
