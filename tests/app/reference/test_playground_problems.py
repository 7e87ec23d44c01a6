"""The playground: what is wrong is told at its field; limits; whatever one sends; the API and the pages."""

import copy
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from hloscope.app.reference.playground.evaluate import Effort, evaluate_form
from hloscope.app.reference.playground.forms import form_of
from hloscope.app.reference.playground.problems import fields_of
from hloscope.app.reference.playground.tensors import TYPE_NAMES
from hloscope.app.reference.specification import sections
from tests.app.reference.playing import (
    ALLOWED,
    JSON,
    LIMITS,
    OPS,
    filled,
    form,
    marked,
    play,
    played,
    the_problem,
    value_of,
)
from tests.app.serving import serving
from tests.each import for_each

# What is wrong.

TWO_SIZES: JSON = {"inputs": [{"shape": [2, 3], "values": "iota"}, {"shape": [2, 2], "values": "iota"}]}
CUBE: JSON = {"operand": [{"shape": [3, 4, 5], "values": "iota"}]}


@for_each(
    ("op", "operands", "fields", "label", "place"),
    [
        ("gather", {}, {"index_vector_dim": 9}, "C2", "index_vector_dim"),
        ("gather", CUBE, {"offset_dims": [3, 3], "slice_sizes": [1, 2, 2]}, "C4", "offset_dims"),
        ("gather", {}, {"slice_sizes": [9], "collapsed_slice_dims": [], "offset_dims": [1]}, "C21", "slice_sizes"),
        ("gather", {}, {"start_index_map": [0, 0]}, "C3", "start_index_map"),
        ("gather", {"start_indices": [{"type": "f32", "values": "iota"}]}, {}, "I2", "start_indices"),
        ("scatter", {}, {"scatter_dims_to_operand_dims": [5]}, "C21", "scatter_dims_to_operand_dims"),
        ("scatter", {}, {"index_vector_dim": -1}, "C22", "index_vector_dim"),
        ("convolution", {}, {"window_strides": [0, 1]}, "C3", "window_strides"),
        ("convolution", {}, {"precision_config": ["DEFAULT"] * 3}, "C24", "precision_config"),
        ("pad", {}, {"interior_padding": [-1]}, "C3", "interior_padding"),
        ("pad", {"padding_value": [{"type": "f32"}]}, {}, "C1", "operand"),
        ("reduce_window", {}, {"padding": [[0, 0], [0, 0]]}, "C12", "padding"),
        ("reduce", {}, {"dimensions": [2]}, "C4", "dimensions"),
        ("reshape", {}, {"result": {"shape": [5, 5], "type": None}}, "C2", "result"),
        ("transpose", {}, {"permutation": [0, 0, 1]}, "C2", "permutation"),
        ("dot_general", {}, {"rhs_contracting_dimensions": [1]}, "C10", "lhs_contracting_dimensions"),
        ("concatenate", TWO_SIZES, {"dimension": 0}, "C2", "dimension"),
        ("dynamic_pad", {"interior_padding": [{"values": ["-1", "1"]}]}, {}, "C3", "interior_padding"),
        ("batch_norm_training", {}, {"feature_index": 5}, "C1", "feature_index"),
        ("real_dynamic_slice", {"strides": [{"values": ["0", "1"]}]}, {}, None, "strides"),
        ("dynamic_iota", {"output_shape": [{"type": "complex<f32>"}]}, {}, "I1", "output_shape"),
        ("einsum", {}, {"einsum_config": "?"}, None, "einsum_config"),
        ("all_gather", {}, {"replica_groups": [[0, 5]]}, "C4", "replica_groups"),
        ("all_gather", {}, {"grid": [4, 1]}, "C3", "replica_groups"),
        ("collective_permute", {}, {"source_target_pairs": [[0, 9]]}, "C4", "source_target_pairs"),
        ("and", {"lhs": [{"type": "f32"}]}, {}, "I1", "lhs"),
    ],
)  # fmt: skip
def test_a_broken_constraint_is_told_at_its_field(
    op: str, operands: JSON, fields: JSON, label: str | None, place: str
) -> None:
    problem = (
        the_problem(played(op, operands, **fields))
        if label != "C3"
        else played(op, operands, **fields)["problems"][0]
    )
    assert problem["label"] == label
    assert marked(problem)[0][0] == place
    assert problem["message"].endswith(".")


def test_every_constraint_of_the_specification_speaks_of_a_field() -> None:
    """Which control to mark is known for each label, but for rules of results alone and of quantized elements."""
    for op in OPS:
        found, section = form_of(op), sections().get(op.partition(".")[2])
        assert found is not None
        for row in section.constraints if section else []:
            about = fields_of(found.op, list(found.operands), list(found.controls), row["label"], "")
            spare = {"result", "results", "is_quantized", "element_type"}
            assert about or any(word in row["text"] for word in spare), (op, row)


def test_a_body_that_does_not_fit_marks_the_body() -> None:
    problem = played("scatter", {"inputs": [{"type": "f32"}]}, update_computation="and")["problems"][0]
    assert marked(problem) == [("update_computation", ""), ("inputs", "type")]
    assert problem["message"].startswith("In the body, stablehlo.and: ")


@pytest.mark.parametrize(
    ("op", "state", "limit"),
    [
        ("add", filled("add", {"lhs": [{"shape": [1 << 13, 1 << 13]}]}), "playground_elements"),
        ("add", filled("add", {"lhs": [{"shape": [1] * 17}]}), "max_rank"),
        ("broadcast", filled("broadcast", broadcast_sizes=[1 << 20, 1 << 10]), "playground_elements"),
    ],
)
def test_limits_are_named(op: str, state: JSON, limit: str) -> None:
    answer = play(op, state)
    assert answer["picture"] is None
    assert {problem["label"] for problem in answer["problems"]} == {limit}
    assert all(limit in problem["message"] for problem in answer["problems"])


def test_processes_are_limited() -> None:
    answer = play("all_gather", filled("all_gather", grid=[1 << 20, 1 << 20]))
    (problem,) = answer["problems"]
    assert problem["message"] == "1,099,511,627,776 processes; the playground runs at most 16."


def test_large_tensors_have_maps_and_no_values() -> None:
    large = {"lhs": [{"shape": [4096, 4096], "type": "f32"}], "rhs": [{"shape": [4096, 4096]}]}
    answer = played("dot_general", large)
    assert answer["problems"] == []
    assert "playground_elements" in answer["note"]
    picture = answer["picture"]
    assert picture["results"][0]["shape"] == [4096, 4096]
    assert picture["maps"][0]["map"]["kind"] == "normal"
    assert picture["inline"]["operands"] == [[], []]


def test_indices_into_a_large_table_are_known() -> None:
    state = copy.deepcopy(form("gather")["presets"][1]["state"])
    state["operands"]["operand"][0]["shape"] = [50_000, 128]
    state["fields"]["slice_sizes"] = [1, 128]
    picture = play("gather", state)["picture"]
    assert value_of(picture["inline"]["operands"][1][0]).tolist() == [[3], [0], [3], [5], [8]]


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(st.data())
def test_nothing_that_one_sends_is_a_mistake_of_ours(data: st.DataObject) -> None:
    op = data.draw(st.sampled_from(OPS)).partition(".")[2]
    state = copy.deepcopy(form(op)["first"])
    for _ in range(data.draw(st.integers(1, 3))):
        side = data.draw(st.sampled_from([side for side in ("operands", "fields") if state[side]]))
        name = data.draw(st.sampled_from(sorted(state[side])))
        small = (
            st.lists(st.integers(-2, 4), max_size=4)
            | st.integers(-2, 5)
            | st.lists(st.lists(st.integers(-1, 4), max_size=3), max_size=3)
        )
        state[side][name] = data.draw(JUNK | small)
    answer = play(op, state)
    assert answer["picture"] is not None or answer["problems"]
    assert json.dumps(answer)


@given(st.data())
def test_shapes_that_one_types_are_no_mistake_of_ours(data: st.DataObject) -> None:
    op = data.draw(st.sampled_from(OPS)).partition(".")[2]
    state = copy.deepcopy(form(op)["first"])
    for group in state["operands"].values():
        for tensor in group:
            if data.draw(st.booleans()):
                tensor["shape"] = data.draw(st.none() | st.lists(st.integers(0, 4), max_size=4))
            if data.draw(st.booleans()):
                tensor["type"] = data.draw(st.none() | st.sampled_from(TYPE_NAMES))
            tensor["values"] = data.draw(st.sampled_from(["iota", "counting", "random", "zeros"]))
    answer = play(op, state)
    assert answer["picture"] is not None or answer["problems"]


def test_a_name_that_is_no_field_is_told() -> None:
    assert the_problem(played("pad", {}, nonsense=1))["message"] == "stablehlo.pad has no field of this name."
    assert play("pad", {"operands": {"x": []}})["problems"]
    assert play("pad", {"operands": {"operand": [{"shape": [1], "more": 1}]}})["problems"]
    assert evaluate_form("stablehlo.while", {"operands": {}, "fields": {}}, ALLOWED, LIMITS, Effort(10, 10))[
        "problems"
    ]


# Over HTTP.


def test_the_api_lists_describes_and_answers(client: TestClient) -> None:
    families = client.get("/api/playground").json()
    assert [item["name"] for family in families for item in family["ops"] if "why" not in item] == OPS
    found = client.get("/api/playground/stablehlo.gather").json()
    assert found == form("gather")
    assert client.get("/api/playground/stablehlo.while").status_code == 404
    answer = client.post("/api/playground", json={"op": "stablehlo.gather", **found["first"]})
    assert answer.status_code == 200
    assert answer.json() == json.loads(json.dumps(played("gather")))


def test_requests_that_are_none_are_refused(client: TestClient) -> None:
    assert client.post("/api/playground", json={"op": "stablehlo.gather", "more": 1}).status_code == 422
    assert client.post("/api/playground", json={"op": "x" * 300}).status_code == 422
    many = client.post("/api/playground", content=b"{" + b" " * (3 << 20) + b"}")
    assert many.status_code == 413
    assert many.json()["error"]["limit"] == "max_body_bytes"


def test_settings_are_the_limits(tmp_path: Path) -> None:
    with serving(tmp_path, playground_elements=10) as client:
        state = filled("add", {"lhs": [{"shape": [11]}]})
        answer = client.post("/api/playground", json={"op": "stablehlo.add", **state}).json()
        assert answer["problems"][0]["label"] == "playground_elements"
        assert "allows 10" in answer["problems"][0]["message"]


def test_the_program_of_the_playground_opens_in_the_debugger(client: TestClient) -> None:
    for op in ("gather", "all_gather"):
        program = played(op)["program"]
        made = client.post("/api/sessions", json={"name": "playground.mlir", **program})
        assert made.status_code == 201, made.text


@pytest.mark.parametrize("path", ["/playground", "/playground/gather", "/playground/stablehlo.scatter"])
def test_pages(client: TestClient, path: str) -> None:
    page = client.get(path, headers={"accept": "text/html"})
    assert page.status_code == 200
    assert "<h1" in page.text
    assert client.get("/playground/nothing").status_code == 404


def test_an_op_without_a_form_leads_to_its_page(client: TestClient) -> None:
    assert client.get("/playground/func.call").url.path == "/ops/func.call"
