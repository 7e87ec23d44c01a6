"""Search over values by the API: what is asked in words, what is answered, and how one goes on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from hloscope.app.answers import search as search_answers
from hloscope.app.answers.question import answer as answer_to
from hloscope.app.answers.search import SearchQuestion
from hloscope.app.present.value_search import SearchError, op_names, parse_predicate, parse_shape
from hloscope.app.runs.run import Run
from hloscope.engine.debugger.value_search import IsNear, IsWithin, ShapeFilter
from tests.app.serving import JSON, new_session, settled
from tests.debugger.programs import recorded
from tests.programs import load_program


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("", ShapeFilter()),
        ("f32[64,768]", ShapeFilter((64, 768), "f32")),
        (" [ 64 , ? ] ", ShapeFilter((64, None))),
        ("pred[]", ShapeFilter((), "i1")),
        ("s64[2]", ShapeFilter((2,), "i64")),
        ("tensor<64x768xf32>", ShapeFilter((64, 768), "f32")),
        ("tensor<?x2xui8>", ShapeFilter((None, 2), "ui8")),
        ("tensor<f32>", ShapeFilter((), "f32")),
        ("64x768xbf16", ShapeFilter((64, 768), "bf16")),
        ("u8", ShapeFilter(None, "ui8")),
    ],
)
def test_shapes_are_read_in_both_spellings(text: str, shape: ShapeFilter) -> None:
    assert parse_shape(text) == shape


@pytest.mark.parametrize("text", ["[64", "64,768", "f32[a]", "tensor<", "f32[-1]", "[1,,2]"])
def test_what_is_no_shape_is_said(text: str) -> None:
    with pytest.raises(SearchError, match="is not a shape"):
        parse_shape(text)


def test_numbers_are_read_exactly() -> None:
    assert parse_predicate("number", "9007199254740993", "", "", "") == IsNear(2**53 + 1)
    assert parse_predicate("number", "-1e-3", "1e-6", "", "") == IsNear(-1e-3, 1e-6)
    assert parse_predicate("range", "", "", "", "2.5") == IsWithin(-float("inf"), 2.5)
    refused = {
        ("number", "one"): "is not a number",
        ("number", ""): "is not a number",
        ("number", "nan"): "NaN equals no number",
    }
    for (kind, number), words in refused.items():
        with pytest.raises(SearchError, match=words):
            parse_predicate(kind, number, "", "", "")  # type: ignore[arg-type]
    with pytest.raises(SearchError, match="is not a tolerance"):
        parse_predicate("number", "1", "-1", "", "")
    with pytest.raises(SearchError, match="the first is larger"):
        parse_predicate("range", "", "", "3", "2")


# By the API.

LOOP = """\
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<2x3xf32>
  %0 = stablehlo.divide %x, %zero : tensor<2x3xf32> loc("jit(f)/attention/div"("f.py":3:1))
  %1 = stablehlo.subtract %0, %0 : tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
"""


@pytest.fixture(scope="module")
def run(client: TestClient) -> JSON:
    return settled(client, new_session(client, LOOP, inputs=[{"kind": "iota"}]))


def _search(client: TestClient, run: JSON, status: int = 200, **question: str | int) -> Any:
    """The answer to the whole search, however often a busy machine stops it before its end."""
    answer = client.get(f"/api/recordings/{run['key']}/search", params=question)
    assert answer.status_code == status, answer.text
    found = answer.json()
    if found.get("next") is not None:
        rest = _search(client, run, **{**question, "from": found["next"]})
        return {**rest, "hits": found["hits"] + rest["hits"], "looked": found["looked"] + rest["looked"]}
    return found


def test_hits_say_where_what_and_how_many(client: TestClient, run: JSON) -> None:
    found = _search(client, run, find="nan")
    told = [(hit["step"], hit["line"], hit["name"], hit["index"], hit["count"]) for hit in found["hits"]]
    assert told == [(1, 3, "%0", [0, 0], 1), (2, 4, "%1", [0, 0], 6)]
    assert [hit["element"] for hit in found["hits"]] == ["NaN", "NaN"]
    assert (found["next"], found["looked"]) == (None, 5)
    assert [hit["step"] for hit in _search(client, run, find="inf")["hits"]] == [1]
    [hit] = _search(client, run, find="range", low="3", high="4")["hits"]
    assert (hit["step"], hit["name"], hit["index"], hit["count"], hit["element"]) == (
        None,
        "%x",
        [1, 0],
        2,
        "3",
    )
    assert _search(client, run, find="number", number="4", shape="[3,2]")["hits"] == []
    assert [hit["step"] for hit in _search(client, run, find="zero")["hits"]] == [0]


def test_a_search_goes_on_where_it_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run("key", recorded(LOOP, [np.ones((2, 3), np.float32)]))
    whole = SearchQuestion("any")
    expected = answer_to(run, whole).json()["hits"]
    monkeypatch.setattr(search_answers, "MOST_HITS", 1)
    found, positions = [], list[int | None]([0])
    while (start := positions[-1]) is not None:
        part = answer_to(run, replace(whole, start=start)).json()
        found += part["hits"]
        positions.append(part["next"])
    assert found == expected
    assert (len(found), positions) == (4, [0, 1, 2, 3, 4, None])


def test_what_makes_no_sense_is_said(client: TestClient, run: JSON) -> None:
    problem = _search(client, run, 422, find="number", number="1", tolerance="-2")
    assert "is not a tolerance" in problem["error"]["message"]
    _search(client, run, 422, find="everything")
    _search(client, run, 404, find="nan", process=7)


def test_ops_have_the_names_of_the_framework(client: TestClient, run: JSON) -> None:
    answer = client.get(f"/api/recordings/{run['key']}/op-names").json()
    assert answer == {"shared": [0], "rests": ["jit(f)/attention/div"], "ops": [-1, 0, -1, -1]}


def test_names_of_ops_are_sent_without_what_they_share_with_the_name_before() -> None:
    lines = [
        f'%{at + 1} = stablehlo.abs %{at} : tensor<2xf32> loc("{name}")\n'
        for at, name in enumerate(("jit(f)/a/x", "jit(f)/a/y", "jit(f)/a", "é/x", "é/y"))
    ]
    body = "".join([*lines, "return %5 : tensor<2xf32>\n"])
    program = load_program(f"func.func @main(%0: tensor<2xf32>) -> tensor<2xf32> {{\n{body}}}")
    assert op_names(program) == {
        "shared": [0, 9, 8, 0, 0],
        "rests": ["jit(f)/a/x", "y", "", "é/x", "é/y"],
        "ops": [0, 1, 2, 3, 4, -1],
    }
