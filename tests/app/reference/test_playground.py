"""The playground's forms: one for each op, examples that run, values, what follows from what."""

import json
from base64 import b64decode
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.app.reference.playground.bodies import COMBINERS
from hloscope.app.reference.playground.evaluate import Effort, evaluate_form
from hloscope.app.reference.playground.forms import form_json
from hloscope.app.reference.playground.setups import NO_FORMS, setups
from hloscope.app.reference.playground.tensors import TYPE_NAMES, FormTensor, element_type_of, name_of
from hloscope.app.reference.specification import sections
from hloscope.app.wire.playground import DerivedElements
from hloscope.engine.frontend import load
from hloscope.engine.ops import op_table
from hloscope.engine.source import Source
from tests.app.reference.playing import (
    ALLOWED,
    LIMITS,
    OPS,
    form,
    marked,
    play,
    played,
    result,
    the_problem,
    value_of,
)
from tests.each import for_each

PRESETS = [(op, number) for op in OPS for number in range(len(form_json(op)["presets"]))]  # type: ignore[index]

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


# Forms.


def test_every_op_has_a_form_or_says_why_not() -> None:
    names = {name for name, op in op_table().items() if name.startswith("stablehlo.") and op.name == name}
    assert {*OPS, *NO_FORMS} == names
    assert not {*OPS} & {*NO_FORMS}
    assert all(why.endswith(".") for why in NO_FORMS.values())
    assert len(OPS) >= 99


@for_each("op", OPS)
def test_a_form_has_every_input_of_the_specification(op: str) -> None:
    found, section = form_json(op), sections().get(op.partition(".")[2])
    assert found is not None
    names = {item["name"] for item in found["operands"] + found["fields"]}
    for row in section.inputs if section else []:
        assert row["name"] in names or row["name"] in ALGORITHM, row["name"]


@for_each("op", OPS)
def test_a_form_is_described_in_json(op: str) -> None:
    found = form_json(op)
    assert json.loads(json.dumps(found)) == found
    assert found is not None
    known = {item["name"] for item in found["operands"] + found["fields"]} | {"result", ""}
    assert all(item["of"] in known for item in found["fields"])
    assert all(preset["title"] and preset["sentence"] for preset in found["presets"])
    assert len({preset["title"] for preset in found["presets"]}) == len(found["presets"])


@for_each(("op", "number"), PRESETS, ids=[f"{op[10:]}-{number}" for op, number in PRESETS])
def test_every_example_runs_and_has_maps(op: str, number: int) -> None:
    preset = form_json(op)["presets"][number]  # type: ignore[index]
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


def test_an_element_is_derived_from_its_terms() -> None:
    wanted: DerivedElements = {"process": 0, "result": 0, "elements": [[0, 1], [9, 9], [0]]}
    state = form("dot_general")["first"]
    effort = Effort(1000, 2000)
    answer = evaluate_form("stablehlo.dot_general", state, ALLOWED, LIMITS, effort, wanted)
    (found,) = answer["derivations"]
    assert answer["picture"] is None
    factors = [[int(element["text"]) for element in row["terms"][0]] for row in found["rows"]]
    assert (
        sum(one * other for one, other in factors) == int(found["value"]) == result(play("dot_general"))[0, 1]
    )
    assert [row["partial"] for row in found["rows"]][-1] == found["value"]
    misfits: list[DerivedElements] = [{**wanted, "process": 7}, {**wanted, "result": 7}]
    for misfit in misfits:
        assert (
            evaluate_form("stablehlo.dot_general", state, ALLOWED, LIMITS, effort, misfit)["derivations"]
            == []
        )


@for_each(("op", "number"), PRESETS, ids=[f"{op[10:]}-{number}" for op, number in PRESETS])
def test_the_first_element_of_every_example_is_derived(op: str, number: int) -> None:
    state = form_json(op)["presets"][number]["state"]  # type: ignore[index]
    (shown, *_), *_ = play(op.partition(".")[2], state)["picture"]["inline"]["results"]
    wanted: DerivedElements = {"process": 0, "result": 0, "elements": [[0] * len(shown["shape"])]}
    answer = evaluate_form(op, state, ALLOWED, LIMITS, Effort(1000, 2000), wanted)
    assert len(answer["derivations"]) == (0 not in shown["shape"])


def test_the_text_states_its_own_inputs() -> None:
    answer = played("gather")
    first, _, _ = answer["program"]["text"].partition("\n")
    assert first == "// inputs: [10, 11, 12, 13, 14]; [[3], [0], [3], [9]]"
    assert [item["kind"] for item in answer["program"]["inputs"]] == ["dense", "dense"]


def test_an_op_of_which_nothing_is_said_by_hand_has_the_form_of_its_worked_example() -> None:
    form = form_json("stablehlo.real_dynamic_slice")
    assert "stablehlo.real_dynamic_slice" not in setups()
    assert form is not None
    assert [preset["title"] for preset in form["presets"]] == ["The worked example"]
    state = form["first"]
    assert state["operands"]["operand"][0]["shape"] == [3, 4]
    assert state["operands"]["limit_indices"][0]["values"] == ["3", "4"]
    assert result(played("real_dynamic_slice")).tolist() == [[4, 6], [8, 10]]


def test_the_worked_example_is_the_last_of_the_examples() -> None:
    form = form_json("stablehlo.scatter")
    assert form is not None
    assert form["presets"][-1]["title"] == "The worked example"
    assert form["presets"][-1]["state"]["fields"]["update_computation"] == "add"


# Values.


def test_values_are_own_indices_counting_random_or_typed() -> None:
    def both(values: Any) -> list[float]:
        change = {"lhs": [{"shape": [2, 3], "type": "i32", "values": values}], "rhs": [{"values": "zeros"}]}
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
    answer = played("all_gather", {"operands": [{"shape": [2, 2]}]}, all_gather_dim=1)
    assert [value_of(found).tolist() for found in answer["picture"]["inline"]["operands"][0]] == [
        [[0, 1], [2, 3]],
        [[4, 5], [6, 7]],
    ]
    assert result(answer, 0, 1).tolist() == [[0, 1, 4, 5], [2, 3, 6, 7]]
    assert answer["picture"]["awaited"] == [[0, 1], [0, 1]]
    assert answer["program"]["grid"] == {"replicas": 2, "partitions": 1}
    typed = played("all_gather", {"operands": [{"shape": [1, 1], "values": ["7", "9"]}]}, all_gather_dim=1)
    assert result(typed).tolist() == [[7, 9]]


def test_groups_may_take_in_all_partitions() -> None:
    """With a channel the groups are of processes, as many as the grid says."""
    answer = played("all_gather", channel_id=1, grid=[2, 2])
    assert answer["problems"] == []
    assert answer["picture"]["results"][0]["shape"] == [8]
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


# Short texts of tensors.


@for_each("name", TYPE_NAMES)
def test_element_types_keep_their_names(name: str) -> None:
    assert name_of(element_type_of(name)) == name
    assert FormTensor.read(f"2x3x{name}:iota") == FormTensor((2, 3), name, "iota")
    assert FormTensor.read(f"=x{name}") == FormTensor(None, name, "iota")
    assert FormTensor.read(f"{name}:1") == FormTensor((), name, ("1",))


def test_setups_are_of_ops_that_there_are() -> None:
    assert {*setups()} <= {*op_table()}
    for name, setup in setups().items():
        for texts in setup.operands.values():
            for text in (texts,) if isinstance(texts, str) else texts:
                tensor = FormTensor.read(text)
                if isinstance(tensor.values, tuple) and tensor.shape is not None:
                    assert len(tensor.values) == prod(tensor.shape), name


SMALLEST_FIRST = (
    *("slice", "pad", "dynamic_slice", "dynamic_update_slice", "concatenate", "reverse", "reduce"),
    *(
        "reduce_window",
        "all_gather",
        "all_to_all",
        "collective_permute",
        "reduce_scatter",
        "gather",
        "scatter",
    ),
)


@for_each("op", SMALLEST_FIRST)
def test_the_first_example_of_what_moves_data_has_one_dimension(op: str) -> None:
    shown = played(op)["picture"]
    ranks = [len(each["shape"]) for side in ("operands", "results") for each in shown[side]]
    assert max(ranks) <= (2 if op in ("gather", "scatter") else 1)  # vectors of indices have two
