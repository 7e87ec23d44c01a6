"""The derivation of an element over the API, and wrong questions."""

from __future__ import annotations

from starlette.testclient import TestClient

from tests.app.serving import JSON, asked

PROGRAM = """\
func.func @main(%x: tensor<3x4xf32>, %y: tensor<4x2xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
"""
INPUTS = [{"kind": "iota"}, {"kind": "iota"}]


def test_products_in_their_order(client: TestClient, run: JSON) -> None:
    found = asked(client, run, "derivation", address="0.s0.0", elements="@1,1")
    assert (found["kind"], found["agrees"], found["value"]) == ("sum of products", True, "98")
    assert (found["exact"], found["lost"], found["rowCount"], found["termCount"]) == ("98", "0", 4, 4)
    assert [[part["text"] for part in row["terms"][0]] for row in found["rows"]] == [
        ["4", "1"],
        ["5", "3"],
        ["6", "5"],
        ["7", "7"],
    ]
    assert [row["partial"] for row in found["rows"]] == ["4", "19", "49", "98"]
    (left, right) = found["rows"][3]["terms"][0]
    assert (left["name"], left["address"], left["index"]) == ("%x", "0.f0.0", [1, 3])
    assert (right["name"], right["index"]) == ("%y", [3, 1])
    assert (
        found["agreement"]
        == "In this order, the bits are those recorded, and so are those of 4 other elements."
    )


def test_rows_from_a_number_on(client: TestClient, run: JSON) -> None:
    found = asked(client, run, "derivation", address="0.s0.0", elements="@0,0", **{"from": 2})
    assert (found["start"], len(found["rows"]), found["rowCount"]) == (2, 2, 4)


def test_of_an_input_there_is_nothing_to_derive(client: TestClient, run: JSON) -> None:
    found = asked(client, run, "derivation", address="0.f0.0", elements="@0,1")
    assert (found["rows"], found["agrees"], found["value"]) == ([], None, "1")


def test_it_is_of_one_element(client: TestClient, run: JSON) -> None:
    error = asked(client, run, "derivation", 422, address="0.s0.0", elements="0,1")["error"]
    assert error["message"] == "A derivation is of one element, not of 2."
