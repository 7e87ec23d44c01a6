"""The maps of a recording's ops over HTTP: expressions, texts, roles, what was found out, and who was met."""

from __future__ import annotations

from typing import Any

import numpy as np
from starlette.testclient import TestClient

from tests.app.grid_programs import SUM_OF_PAIRS
from tests.app.serving import new_session, run_of, settled

JSON = dict[str, Any]
GATHER = """func.func @main() -> tensor<3x2xi32> {
  %table = stablehlo.constant dense<[[0, 1], [10, 11], [20, 21]]> : tensor<3x2xi32>
  %rows = stablehlo.constant dense<[[1], [9], [1]]> : tensor<3x1xi64>
  %picked = "stablehlo.gather"(%table, %rows) {
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 2>, indices_are_sorted = false
  } : (tensor<3x2xi32>, tensor<3x1xi64>) -> tensor<3x2xi32>
  return %picked : tensor<3x2xi32>
}
"""
SORT_IN_CALL = """func.func @main() -> tensor<4xi32> {
  %x = stablehlo.constant dense<[30, 10, 40, 20]> : tensor<4xi32>
  %r = call @sorted(%x) : (tensor<4xi32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}
func.func private @sorted(%y: tensor<4xi32>) -> tensor<4xi32> {
  %s = "stablehlo.sort"(%y) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<4xi32>) -> tensor<4xi32>
  %t = stablehlo.reverse %s, dims = [0] : tensor<4xi32>
  return %t : tensor<4xi32>
}
"""
OPAQUE = """func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<3xf32> {
  %shape = stablehlo.constant dense<[3]> : tensor<1xi64>
  %r = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
"""


class Recorded:
    """A program that has run."""

    def __init__(self, client: TestClient, text: str) -> None:
        self.client = client
        session = new_session(client, text)
        settled(client, session)
        self.path = f"/api/recordings/{run_of(client, session)['key']}"
        self.ops = self.get("/program")["ops"]

    def get(self, path: str) -> Any:
        answer = self.client.get(self.path + path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def op(self, name: str) -> int:
        """The number of the op of that name."""
        return next(int(op["id"]) for op in self.ops if op["name"] == name)

    def maps(self, name: str) -> JSON:
        found: JSON = self.get(f"/maps/{self.op(name)}")
        return found


def test_maps_texts_roles_and_parts(client: TestClient) -> None:
    found = Recorded(client, GATHER).maps("stablehlo.gather")
    assert [tensor["name"] for tensor in found["operands"]] == ["%table", "%rows"]
    assert found["results"][0]["shape"] == [3, 2]
    to_table = found["maps"][0]
    assert to_table["map"]["results"] == ["rt0", "d1"]
    assert to_table["map"]["runtimes"][0]["interval"] == [0, 2]
    assert to_table["map"]["runtimes"][0]["clamped"]
    text = found["texts"][0]
    assert (text["direction"], text["operand"], text["result"]) == ("output-to-input", 0, 0)
    assert text["xla"].startswith("(d0, d1){rt0} -> (rt0, d1), domain: d0 in [0, 2]")
    assert text["xla-2024"].startswith("(d0, d1)[s0] -> (s0, d1)\ndomain:\n")
    assert "%table" in text["words"]
    assert {one["direction"] for one in found["texts"]} == {"output-to-input", "input-to-output"}
    assert found["roles"]["results"] == [["batch dim", "offset dim"]]
    assert found["parts"]["kind"] == "gather"
    assert found["parts"]["window"] == {"side": "result", "number": 0, "dimensions": [1]}
    assert found["values"] is None


SCATTER = """func.func @main(%input: tensor<5xi32>, %updates: tensor<3xi32>) -> tensor<5xi32> {
  %places = stablehlo.constant dense<[[1], [3], [1]]> : tensor<3x1xi32>
  %result = "stablehlo.scatter"(%input, %places, %updates) <{
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  }> ({
  ^bb0(%old: tensor<i32>, %new: tensor<i32>):
    stablehlo.return %new : tensor<i32>
  }) : (tensor<5xi32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<5xi32>
  return %result : tensor<5xi32>
}
"""


def test_where_a_scatter_keeps_the_input_is_said_in_words(client: TestClient) -> None:
    found = Recorded(client, SCATTER).maps("stablehlo.scatter")
    assert found["texts"][0]["words"] == (
        "Element [d0] of `%result` reads the element of `%input` at the same index. "
        "Only where `(update that each cell keeps, or -1 for none)[d0]` is -1."
    )


def test_steps_of_simplification_are_told(client: TestClient) -> None:
    text = "func.func @main(%x: tensor<4x8xf32>) -> tensor<32xf32> {\n  %r = stablehlo.reshape %x : (tensor<4x8xf32>) -> tensor<32xf32>\n  return %r : tensor<32xf32>\n}\n"
    found = Recorded(client, text).maps("stablehlo.reshape")
    assert "(d0) -> (d0 / 8, d0 mod 8), domain: d0 in [0, 31]" in [one["xla"] for one in found["texts"]]
    for one in found["texts"]:
        for step in one["rewrites"]:
            assert step["rule"]
            assert step["sentence"].endswith(".")
            assert step["before"] != step["after"]


def test_what_an_op_found_out_is_read_in_pieces(client: TestClient) -> None:
    run = Recorded(client, SORT_IN_CALL)
    op = run.op("stablehlo.sort")
    found = run.maps("stablehlo.sort")
    assert found["values"]["maps"][0]["map"]["runtimes"][0]["operand"] == 1
    step = 2
    answer = client.get(f"{run.path}/maps/{op}/found?step={step}&number=1&start=1&count=2")
    assert answer.headers["X-Shape"] == "4"
    assert np.frombuffer(answer.content, "<i8").tolist() == [3, 0]
    assert client.get(f"{run.path}/maps/{op}/found?step=0&number=1").status_code == 422
    assert client.get(f"{run.path}/maps/{op}/found?step={step}&number=9").status_code == 404


def test_a_call_has_the_maps_of_what_it_runs(client: TestClient) -> None:
    found = Recorded(client, SORT_IN_CALL).maps("func.call")
    assert {item["operand"] for item in found["maps"]} == {0}
    assert all(item["map"]["kind"] == "normal" for item in found["maps"])


def test_of_processes_that_meet_a_place_says_which(client: TestClient) -> None:
    run = Recorded(client, SUM_OF_PAIRS)
    found = run.maps("stablehlo.all_reduce")
    assert found["maps"][0]["place"] is not None
    op = run.op("stablehlo.all_reduce")
    places = run.get(f"/maps/{op}/places?process=3&step=0")
    assert [place["process"] for place in places] == [2, 3]
    assert places[1]["values"] == {"0": "3.f0.0", "4": "3.s0.0"}


def test_opaque_ops_say_that_nothing_is_known(client: TestClient) -> None:
    found = Recorded(client, OPAQUE).maps("stablehlo.rng")
    assert {item["map"]["kind"] for item in found["maps"]} == {"undefined"}
    assert {text["xla"] for text in found["texts"]} == {"unknown indexing"}


def test_there_are_no_maps_of_what_is_not_there(client: TestClient) -> None:
    run = Recorded(client, GATHER)
    assert client.get(f"{run.path}/maps/99").status_code == 404
    assert client.get(f"{run.path}/maps/-1").status_code == 422
