"""The playground: a form for each op, its program, values and maps; what is wrong, tied to fields."""

import copy
import json
from base64 import b64decode
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from app.playground import described, listed
from app.playground.answering import Effort, answered
from app.playground.bodies import COMBINERS
from app.playground.forms import form_of
from app.playground.operands import PlaygroundLimits
from app.playground.problems import fields_of
from app.playground.setups import NO_FORMS, SETUPS
from app.playground.tensors import TYPE_NAMES, FormTensor, element_type_of, name_of
from app.reference.specification import sections
from engine.frontend import load
from engine.limits import Limits
from engine.ops import op_table
from engine.source import Source
from tests.app.serving import serving

JSON = dict[str, Any]
ALLOWED = PlaygroundLimits(1 << 24, 1 << 14, 16, 1 << 20)
LIMITS = Limits(session_memory_bytes=64 << 20, op_flops=10**9)
OPS = [item["name"] for family in listed() for item in family["ops"] if "why" not in item]
PRESETS = [(op, number) for op in OPS for number in range(len(described(op)["presets"]))]  # type: ignore[index]

ALGORITHM = {
    *(
        "lhs_precision_type",
        "rhs_precision_type",
        "accumulation_type",
        "lhs_component_count",
        "rhs_component_count",
    ),
    *("num_primitive_operations", "allow_imprecise_accumulation"),
}
"""Of dot_general: how a backend should compute. It changes no value here, and no map."""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with serving(tmp_path_factory.mktemp("data")) as client:
        yield client


def form(op: str) -> JSON:
    found = described(f"stablehlo.{op}")
    assert found is not None
    return found


def filled(op: str, operands: JSON | None = None, /, **fields: Any) -> JSON:
    """What an op's form holds at first, with other fields and, for operands, other parts of their tensors."""
    state: JSON = copy.deepcopy(form(op)["first"])
    for name, changes in (operands or {}).items():
        for index, change in enumerate(changes):
            if index < len(state["operands"][name]):
                state["operands"][name][index] |= change
            else:
                state["operands"][name].append({"shape": None, "type": None, "values": "iota"} | change)
    state["fields"] |= fields
    return state


def play(op: str, state: JSON | None = None) -> JSON:
    state = form(op)["first"] if state is None else state
    return answered(f"stablehlo.{op}", state, ALLOWED, LIMITS, Effort(1000, 2000))


def played(op: str, operands: JSON | None = None, /, **fields: Any) -> JSON:
    return play(op, filled(op, operands, **fields))


def value_of(found: JSON) -> Any:
    """The array that an answer has."""
    kind = {"f": "f", "i": "i", "u": "u"}[found["dtype"][0]]
    raw = np.frombuffer(b64decode(found["data"]), f"<{kind}{int(found['dtype'][1:]) // 8}")
    return raw.reshape((*found["shape"], *([2] if found["components"] == 2 else [])))


def result(answer: JSON, number: int = 0, process: int = 0) -> Any:
    return value_of(answer["picture"]["inline"]["results"][number][process])


def the_problem(answer: JSON) -> JSON:
    assert len(answer["problems"]) == 1, answer["problems"]
    found: JSON = answer["problems"][0]
    assert answer["picture"] is None
    return found


def marked(problem: JSON) -> list[tuple[str, str]]:
    return [(field["name"], field["part"]) for field in problem["fields"]]


# Forms.


def test_every_op_has_a_form_or_says_why_not() -> None:
    names = {name for name, op in op_table().items() if name.startswith("stablehlo.") and op.name == name}
    reasons = {item.op: item.why for item in NO_FORMS}
    assert {*OPS, *reasons} == names
    assert not {*OPS} & {*reasons}
    assert all(why.endswith(".") for why in reasons.values())
    assert len(OPS) >= 99


@pytest.mark.parametrize("op", OPS)
def test_a_form_has_every_input_of_the_specification(op: str) -> None:
    found, section = described(op), sections().get(op.partition(".")[2])
    assert found is not None
    names = {item["name"] for item in found["operands"] + found["fields"]}
    for row in section.inputs if section else []:
        assert row["name"] in names or row["name"] in ALGORITHM, row["name"]


@pytest.mark.parametrize("op", OPS)
def test_a_form_is_described_in_json(op: str) -> None:
    found = described(op)
    assert json.loads(json.dumps(found)) == found
    assert found is not None
    known = {item["name"] for item in found["operands"] + found["fields"]} | {"result", ""}
    assert all(item["of"] in known for item in found["fields"])
    assert all(preset["title"] and preset["sentence"] for preset in found["presets"])
    assert len({preset["title"] for preset in found["presets"]}) == len(found["presets"])


@pytest.mark.parametrize(("op", "number"), PRESETS, ids=[f"{op[10:]}-{number}" for op, number in PRESETS])
def test_every_example_runs_and_has_maps(op: str, number: int) -> None:
    preset = described(op)["presets"][number]  # type: ignore[index]
    answer = play(op.partition(".")[2], preset["state"])
    assert answer["problems"] == []
    picture = answer["picture"]
    assert load(Source(answer["program"]["text"])).diagnostics == ()
    processes = len(picture["processes"])
    assert len(picture["operands"]) == len(answer["operands"]) == len(picture["inline"]["operands"])
    for tensor, values in zip(
        picture["operands"] + picture["results"],
        picture["inline"]["operands"] + picture["inline"]["results"],
        strict=True,
    ):
        assert len(values) == processes
        assert all(value["shape"] == tensor["shape"] for value in values)
        assert all(len(b64decode(value["data"])) == value_of(value).nbytes for value in values)
    for item in picture["maps"] + picture["inverse"]:
        for variable in item["map"].get("runtimes", []):
            kept = picture["inline"]["operands"] + picture["inline"]["found"]
            assert all(value is not None for value in kept[variable["operand"]])
    if picture["operands"] and op not in ("stablehlo.rng", "stablehlo.get_dimension_size"):
        assert any(item["map"]["kind"] == "normal" for item in picture["maps"])


def test_the_text_states_its_own_inputs() -> None:
    answer = played("gather")
    first, _, _ = answer["program"]["text"].partition("\n")
    assert first.startswith("// inputs: [[[[1, 2], [3, 4]")
    assert [item["kind"] for item in answer["program"]["inputs"]] == ["dense", "dense"]


# Values.


def test_values_are_own_indices_counting_random_or_typed() -> None:
    def both(values: Any) -> list[float]:
        change = {"lhs": [{"type": "i32", "values": values}], "rhs": [{"values": "zeros"}]}
        found: list[float] = result(played("add", change)).reshape(-1).tolist()
        return found

    assert both("iota") == [0, 1, 2, 3, 4, 5]
    assert both("counting") == [1, 2, 3, 4, 5, 6]
    assert both("ones") == [1] * 6
    assert both(["-5", "0", "7", "+1", "2147483647", "2"]) == [-5, 0, 7, 1, 2147483647, 2]
    assert both("random") == both("random")
    assert both("random:1") != both("random:2")


@pytest.mark.parametrize(
    ("element", "text", "wanted"),
    [
        ("f32", "-1.5e3", -1500.0),
        ("f32", "nan", np.nan),
        ("f32", "-inf", -np.inf),
        ("bf16", "inf", np.inf),
        ("f64", "0.1", 0.1),
        ("i1", "true", 1),
        ("i1", "0", 0),
        ("ui64", "18446744073709551615", 2**64 - 1),
        ("i4", "-8", -8),
    ],
)
def test_elements_are_read_as_their_type_has_them(element: str, text: str, wanted: float) -> None:
    change = {"operand": [{"shape": [1], "type": element, "values": [text]}]}
    answer = played("reverse", change, dimensions=[])
    np.testing.assert_array_equal(result(answer), [wanted])


def test_complex_elements_have_two_parts() -> None:
    change = {"operand": [{"shape": [2], "type": "complex<f32>", "values": ["1+2i", "-3i"]}]}
    assert result(played("reverse", change, dimensions=[])).tolist() == [[1, 2], [0, -3]]


@given(
    st.lists(st.integers(-(2**31), 2**31 - 1), min_size=6, max_size=6),
    st.sampled_from([[0], [1], [0, 1], []]),
)
def test_typed_values_go_through(numbers: list[int], dimensions: list[int]) -> None:
    change = {"operand": [{"shape": [2, 3], "values": [str(number) for number in numbers]}]}
    wanted = np.flip(np.array(numbers).reshape(2, 3), tuple(dimensions))
    assert result(played("reverse", change, dimensions=dimensions)).tolist() == wanted.tolist()


@pytest.mark.parametrize(
    ("element", "text"),
    [
        ("i32", "1.5"), ("i32", ""), ("i32", "x" * 500), ("f32", "1]> : tensor<"), ("i1", "2"), ("complex<f32>", "i"),
        ("i32", "1\n2"), ("f32", "0x7F"), ("f8E4M3FN", "inf"), ("i8", "300"), ("i32", "99999999999999999999"),
    ],
)  # fmt: skip
def test_what_is_no_element_is_told_at_its_values(element: str, text: str) -> None:
    change = {"operand": [{"shape": [1], "type": element, "values": [text]}]}
    problem = the_problem(played("reverse", change, dimensions=[]))
    assert marked(problem) == [("operand", "values")]
    assert len(problem["message"]) < 300


def test_processes_have_values_of_their_own() -> None:
    answer = played("all_gather")
    assert [value_of(found).tolist() for found in answer["picture"]["inline"]["operands"][0]] == [
        [[0, 1], [2, 3]],
        [[4, 5], [6, 7]],
    ]
    assert result(answer, 0, 1).tolist() == [[0, 1, 4, 5], [2, 3, 6, 7]]
    assert answer["picture"]["awaited"] == [[0, 1], [0, 1]]
    assert answer["program"]["grid"] == {"replicas": 2, "partitions": 1}
    typed = played("all_gather", {"operands": [{"shape": [1, 1], "values": ["7", "9"]}]})
    assert result(typed).tolist() == [[7, 9]]


def test_groups_may_take_in_all_partitions() -> None:
    """With a channel the groups are of processes, as many as the grid says."""
    answer = played("all_gather", channel_id=1, grid=[2, 2])
    assert answer["problems"] == []
    assert answer["picture"]["results"][0]["shape"] == [2, 8]
    assert sorted(answer["picture"]["awaited"][0]) == [0, 1, 2, 3]


def test_many_processes_have_fewer_values_each() -> None:
    wide = {"operands": [{"shape": [64, 32], "values": "random"}]}
    picture = played("all_gather", wide, grid=[16, 1], replica_groups=[list(range(16))])["picture"]
    assert picture["inline"]["operands"][0] == [None] * 16
    assert picture["maps"][0]["map"]["kind"] == "normal"


# What follows from what.


def test_shapes_and_types_follow() -> None:
    answer = played("add", {"lhs": [{"shape": [4], "type": "i8"}]})
    assert answer["operands"] == [{"shape": [4], "type": "i8"}] * 2
    answer = played(
        "scatter",
        {"inputs": [{"shape": [5, 3]}], "scatter_indices": [{"shape": [2, 1], "values": ["0", "1"]}]},
    )
    assert answer["operands"][2] == {"shape": [2, 3], "type": "i32"}
    answer = played("select_and_scatter", {"operand": [{"shape": [6, 4], "values": "random"}]})
    assert answer["operands"][1]["shape"] == [3, 2]
    answer = played(
        "reduce", {"inputs": [{"type": "f32"}, {}], "init_values": [{}, {"values": "ones"}]}, body="add"
    )
    assert [found["type"] for found in answer["operands"]] == ["f32"] * 4
    assert len(answer["picture"]["results"]) == 2


def test_results_follow_from_values_of_operands() -> None:
    answer = played("dynamic_reshape", {"output_shape": [{"values": ["4", "3"]}]})
    assert answer["picture"]["results"][0]["shape"] == [4, 3]
    answer = played("set_dimension_size", {"size": [{"values": ["3"]}]})
    assert answer["picture"]["results"][0]["shape"] == [3]


@pytest.mark.parametrize("body", COMBINERS)
def test_every_body_is_a_program(body: str) -> None:
    two = {"inputs": [{"type": "i32"}, {"type": "i32"}], "init_values": [{}, {}]}
    answer = played("reduce", two if body == "argmax" else {}, body=body)
    assert answer["problems"] == []


# What is wrong.


@pytest.mark.parametrize(
    ("op", "operands", "fields", "label", "place"),
    [
        ("gather", {}, {"index_vector_dim": 9}, "C2", "index_vector_dim"),
        ("gather", {}, {"offset_dims": [3, 3]}, "C4", "offset_dims"),
        ("gather", {}, {"slice_sizes": [1, 1, 2, 3]}, "C21", "slice_sizes"),
        ("gather", {}, {"start_index_map": [2]}, "C3", "start_index_map"),
        ("gather", {"start_indices": [{"type": "f32", "values": "iota"}]}, {}, "I2", "start_indices"),
        ("scatter", {}, {"scatter_dims_to_operand_dims": [5]}, "C21", "scatter_dims_to_operand_dims"),
        ("scatter", {}, {"index_vector_dim": -1}, "C22", "index_vector_dim"),
        ("convolution", {}, {"window_strides": [0, 1]}, "C3", "window_strides"),
        ("convolution", {}, {"precision_config": ["DEFAULT"]}, "C24", "precision_config"),
        ("pad", {}, {"interior_padding": [-1, 0]}, "C3", "interior_padding"),
        ("pad", {"padding_value": [{"type": "f32"}]}, {}, "C1", "operand"),
        ("reduce_window", {}, {"padding": [[0, 0]]}, "C12", "padding"),
        ("reduce", {}, {"dimensions": [2]}, "C4", "dimensions"),
        ("reshape", {}, {"result": {"shape": [5, 5], "type": None}}, "C2", "result"),
        ("transpose", {}, {"permutation": [0, 0, 1]}, "C2", "permutation"),
        ("dot_general", {}, {"rhs_contracting_dimensions": [1]}, "C10", "lhs_contracting_dimensions"),
        ("concatenate", {}, {"dimension": 0}, "C2", "dimension"),
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
        ("all_gather", filled("all_gather", grid=[1 << 20, 1 << 20]), "playground_processes"),
    ],
)
def test_limits_are_named(op: str, state: JSON, limit: str) -> None:
    answer = play(op, state)
    assert answer["picture"] is None
    assert {problem["label"] for problem in answer["problems"]} == {limit}
    assert all(limit in problem["message"] for problem in answer["problems"])


def test_large_tensors_have_maps_and_no_values() -> None:
    large = {"lhs": [{"shape": [4096, 4096], "type": "f32"}], "rhs": [{"shape": [4096, 4096]}]}
    answer = played("dot_general", large)
    assert answer["problems"] == []
    assert "playground_run_elements" in answer["note"]
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
    assert answered("stablehlo.while", {}, ALLOWED, LIMITS, Effort(10, 10))["problems"]


# Short texts of tensors.


@pytest.mark.parametrize("name", TYPE_NAMES)
def test_element_types_keep_their_names(name: str) -> None:
    assert name_of(element_type_of(name)) == name
    assert FormTensor.read(f"2x3x{name}:iota") == FormTensor((2, 3), name, "iota")
    assert FormTensor.read(f"=x{name}") == FormTensor(None, name, "iota")
    assert FormTensor.read(f"{name}:1") == FormTensor((), name, ("1",))


def test_setups_are_of_ops_that_there_are() -> None:
    assert {*SETUPS} <= {*op_table()}
    for name, setup in SETUPS.items():
        for texts in setup.operands.values():
            for text in (texts,) if isinstance(texts, str) else texts:
                tensor = FormTensor.read(text)
                if isinstance(tensor.values, tuple) and tensor.shape is not None:
                    assert len(tensor.values) == prod(tensor.shape), name


# Over HTTP.


def test_the_api_lists_describes_and_answers(client: TestClient) -> None:
    families = client.get("/api/playground").json()
    assert [item["name"] for family in families for item in family["ops"] if "why" not in item] == OPS
    found = client.get("/api/playground/stablehlo.gather").json()
    assert found == form("gather")
    assert client.get("/api/playground/stablehlo.while").status_code == 404
    answer = client.post("/api/playground", json={"op": "stablehlo.gather", **found["first"]})
    assert answer.status_code == 200
    assert answer.json() == played("gather")


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
