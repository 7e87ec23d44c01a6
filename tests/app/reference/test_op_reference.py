"""The op reference: a page and an answer for each op, made from its class, the specification and its example."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import hloscope.app.reference
from hloscope.app.lessons.shipped import Shelf
from hloscope.app.reference import families, op_list, op_page
from hloscope.app.reference.examples import op_example
from hloscope.app.reference.playground.evaluate import picture_of
from hloscope.app.reference.playground.forms import form_json, form_list
from hloscope.app.reference.specification import sections
from hloscope.app.wire.playground import FormField
from hloscope.engine.ops import OPS, op_table
from hloscope.engine.ops.core.field_plans import field_plans
from hloscope.engine.ops.core.op import Op
from hloscope.engine.syntax.hlo.opcodes import forms_of_opcodes
from tests.app.grid_programs import FED, ONE_NEVER_COMES, SUM_OF_PAIRS
from tests.app.serving import ADD, ENDLESS, slow
from tests.each import for_each

LABELS: dict[str, list[str]] = json.loads(
    (Path(__file__).parents[2] / "ops" / "specification_labels.json").read_text()
)
WITHOUT_TEXT = {"send": {"C6"}, "recv": {"C6"}}
"""Labels that the tables of these sections name and that no constraint has."""


@for_each("op", dict.fromkeys(OPS), ids=lambda op: op.name)
def test_the_page_of_each_op_is_whole(op: type[Op]) -> None:
    page: Any = op_page(op.name)
    assert page is not None
    assert page["sentence"]
    example = page["example"] or page["hlo_example"]
    assert example["text"].count("\n") > 1
    assert page["generic"] or page["written"]
    assert (page["short"] is None) == (op.short_form is None)
    assert all(item["name"] and item["type"] for item in page["inputs"] + page["results"])
    assert page["links"] or op.name.startswith(("check.", "interpreter."))


def test_every_label_of_the_specification_has_its_text() -> None:
    found = {
        name: [row["label"] for row in section.inputs + section.constraints]
        for name, section in sections().items()
    }
    assert found == {
        name: [label for label in labels if label not in WITHOUT_TEXT.get(name, ())]
        for name, labels in LABELS.items()
    }


def test_texts_of_the_specification_are_well_formed() -> None:
    """English, with each formula between backticks and each bracket closed."""
    italian = re.compile(r"[àèéìòù]|\b(?:dove|altrimenti|allora|tutti|della|tensore|costante|tipo)\b")
    for section in sections().values():
        texts = [row["text"] for row in section.constraints]
        texts += [row["type"] for row in section.inputs + section.outputs]
        for text in texts:
            assert text
            assert text.count("`") % 2 == 0, text
            assert text.count("(") == text.count(")"), text
            assert text.count("[") == text.count("]"), text
            assert not italian.search(text), text


def test_names_may_be_short_and_opcodes_will_do() -> None:
    for name, wanted in [
        ("add", "stablehlo.add"),
        ("top_k", "chlo.top_k"),
        ("return", "func.return"),
        ("dynamic-slice", "stablehlo.dynamic_slice"),
    ]:
        page: Any = op_page(name)
        assert page is not None
        assert page["name"] == wanted
    assert op_page("stablehlo.nothing") is None


def test_every_opcode_of_hlo_text_has_a_page() -> None:
    pages = {opcode: op_page(opcode) for opcode in forms_of_opcodes()}
    assert {opcode: page and page["opcode"] for opcode, page in pages.items()} == {key: key for key in pages}


def test_the_page_of_an_op_of_hlo_text() -> None:
    page: Any = op_page("all-gather-start")
    assert page is not None
    assert page["name"] == "hlo.all_gather_start"
    assert page["family"] == "HLO text alone"
    assert page["xla_name"] == "AllGatherStart"
    assert page["written"] == (
        "%started = (s32[2], s32[4]) all-gather-start(%x), replica_groups={{0,1}}, dimensions={0}"
    )
    assert {"key": "dimensions", "input": "all_gather_dim"} in page["attributes"]
    assert {row["name"]: row["type"] for row in page["inputs"]} == {
        "operands": "values",
        "all_gather_dim": "integer",
        "replica_groups": "groups of processes",
        "channel_handle": "channel, may be left out",
        "use_global_device_ids": "boolean, false unless given",
    }
    assert [(each["operand"], each["result"]) for each in page["maps"]] == [
        ("%x", "%started#0"),
        ("%x", "%started#1"),
    ]


@for_each("op", [op for op in dict.fromkeys(OPS) if op.name.startswith("hlo.")], ids=lambda op: op.name)
def test_what_hlo_alone_has_is_told_in_our_own_words(op: type[Op]) -> None:
    page: Any = op_page(op.name)
    assert page is not None
    assert page["constraints"]
    words = [page["sentence"], *page["paragraphs"], *(rule["text"] for rule in page["constraints"])]
    for text in words:
        assert re.fullmatch(r"[A-Z`].*[.:]", text), text
        assert text.count("`") % 2 == 0, text
    assert all(row["type"] not in ("attribute", "list") for row in page["inputs"])


def test_rules_in_our_own_words_are_only_those_of_ops_without_a_section() -> None:
    ruled = [name for name in sections() if op_table()[f"stablehlo.{name}"].section.rules]
    assert ruled == []


def test_every_op_is_in_one_family() -> None:
    listed = [op["name"] for family in families() for op in family["ops"]]
    assert sorted(listed) == sorted({op.name for op in OPS})
    assert [op["name"] for op in op_list()] == listed
    assert all(len(family["ops"]) > 1 for family in families())


def test_the_api_answers_the_same(client: TestClient) -> None:
    ops = client.get("/api/ops").json()
    assert [op["name"] for op in ops] == [op["name"] for op in op_list()]
    found = client.get("/api/ops/stablehlo.concatenate").json()
    assert found == op_page("concatenate")
    assert found["signature"] == "concatenate(inputs, dimension) → result"
    assert found["opcode"] == "concatenate"
    assert found["links"][0]["url"] == "https://openxla.org/stablehlo/spec#concatenate"
    assert [rule["label"] for rule in found["constraints"]] == ["C1", "C2", "C3", "C4", "C5", "C6"]
    assert [each["operand"] for each in found["maps"]] == ["%input0", "%input1"]
    assert client.get("/api/ops/nothing").status_code == 404


def test_an_op_without_a_form_has_the_picture_of_its_example(client: TestClient) -> None:
    page = client.get("/ops/chlo.broadcast_add").text
    assert '<h2 id="op-picture">In a picture</h2>' in page
    assert "%result[1, 2] reads %lhs[1, 0]; and %rhs[0, 2]." in page
    assert "In a picture" not in client.get("/ops/stablehlo.after_all").text  # only tokens


def test_an_op_without_maps_has_the_picture_of_its_values(client: TestClient) -> None:
    assert "%init_i is 1; %init_sum is 0; %results0 is 10; %results1 is 9." in client.get("/ops/while").text
    page = client.get("/ops/hlo.collective_permute").text
    assert "In process (0, 1), %x is [3, 4]; %y is 1.5; %result{0} is [1, 2]; %result{1} is 0.5." in page
    drawn = page[page.index("<desc>In process") : page.index("<figcaption>")]
    fills = re.findall(r'<rect [^>]*fill="(#\w+)"></rect><text [^>]*>([^<]+)</text>', drawn)
    assert len(fills) == 18
    # A colour is one number in all processes; 0 occurs as an integer and as a float.
    assert len(set(fills)) == len({fill for fill, _ in fills}) == len({number for _, number in fills}) + 1


def test_the_pages_say_it(client: TestClient) -> None:
    page = client.get("/ops/pad").text
    for words in ("Constraints", "interior_padding", "low = [0, 1]", "Which elements it reads", "pad in the"):
        assert words in page
    index = client.get("/ops").text
    for op in OPS:
        assert f'href="/ops/{op.name}"' in index
    assert "<code>parameter</code>" in index
    for path, said in (("/ops/nothing", "There is no such op."), ("/nothing", "There is no such page.")):
        missing = client.get(path, headers={"Accept": "text/html"})
        assert (missing.status_code, f"<h1>{said}</h1>" in missing.text) == (404, True)
        assert "<title>Error 404 · hloscope</title>" in missing.text


OPAQUE = {"stablehlo.rng", "stablehlo.infeed", "stablehlo.recv", "hlo.rng", "hlo.infeed", "hlo.recv"}


@for_each("op", dict.fromkeys(OPS), ids=lambda op: op.name)
def test_every_page_states_both_directions_or_why_not(op: type[Op]) -> None:
    page: Any = op_page(op.name)
    assert page is not None
    assert bool(page["maps"]) != bool(page["no_maps"])
    assert (op.name in OPAQUE) == (page["no_maps"] or "").startswith("Opaque")
    for each in page["maps"]:
        assert each["reads"]
        assert each["goes"]
        for way in (each["reads"], each["goes"]):
            assert re.fullmatch(r"(?s)[A-Z].*\.", way["words"]), way["words"]
            assert way["words"].count("`") % 2 == 0
            assert "It is not known" not in way["words"]
            assert way["xla"] != "unknown indexing"
            assert way["xla-2024"]


def test_what_has_the_same_formulas_is_told_once() -> None:
    page: Any = op_page("add")
    assert page is not None
    (alone,) = page["maps"]
    assert (alone["operand"], alone["alike"]) == ("%lhs", [{"operand": "%rhs", "result": None}])
    page = op_page("while")
    assert page is not None
    (alone,) = page["maps"]
    assert (alone["operand"], alone["result"]) == ("%init_i", "%results0")
    assert {"operand": "%init_sum", "result": "%results1"} in alone["alike"]


def test_maps_are_told_in_words_and_formulas() -> None:
    page: Any = op_page("gather")
    assert page is not None
    operand = page["maps"][0]
    assert operand["operand"] == "%operand"
    assert "`%start_indices[d0, d1, d2, 1]` to 0 … 2" in operand["reads"]["words"]
    assert "rt0 in [0, 2]" in operand["reads"]["xla"]
    assert operand["reads"]["xla-2024"].startswith("(d0, d1, d2, d3, d4)[s0, s1] -> ")
    gathered: Any = op_page("all_gather")
    assert gathered is not None
    assert "in the process at place `d1 floordiv 2` of the group" in gathered["maps"][0]["reads"]["words"]
    assert "in every process of the group" in gathered["maps"][0]["goes"]["words"]
    drawn: Any = op_page("rng")
    assert drawn is not None
    assert drawn["no_maps"].startswith("Opaque: its result is random")


def _tried(client: TestClient, text: str) -> Any:
    answer = client.post("/api/try", json={"text": text})
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize(
    "op",
    [
        *("stablehlo.while", "stablehlo.map", "chlo.top_k", "func.call"),
        *("hlo.fusion", "hlo.conditional", "hlo.topk", "hlo.async_done"),
    ],
)
def test_an_example_runs_in_place(client: TestClient, op: str) -> None:
    page: Any = op_page(op)
    assert page is not None
    found = _tried(client, (page["example"] or page["hlo_example"])["text"])
    assert found["diagnostics"] == []
    assert found["state"] == {"kind": "done", "reason": "the program has ended"}
    assert op in {step["name"] for step in found["steps"]}


def test_steps_of_a_trial_have_lines_depths_and_values(client: TestClient) -> None:
    page: Any = op_page("map")
    assert page is not None
    steps = {step["name"]: step for step in _tried(client, page["example"]["text"])["steps"]}
    assert steps["stablehlo.map"]["endLine"] > steps["stablehlo.map"]["line"]
    assert steps["stablehlo.map"]["depth"] == 0
    assert steps["stablehlo.map"]["results"] == [
        {"name": "%result", "type": "tensor<2x2xi64>", "text": "[[0, 5], [12, 21]]"}
    ]
    product = steps["stablehlo.multiply"]
    assert product["depth"] == 1
    assert product["results"][0]["type"] == "tensor<i64> in 2×2 lanes"


def test_what_a_program_prints_belongs_to_its_step(client: TestClient) -> None:
    page: Any = op_page("interpreter.print")
    assert page is not None
    steps = _tried(client, page["example"]["text"])["steps"]
    assert [step.get("printed", "") for step in steps if step["name"] == "interpreter.print"] == [
        "tensor<3xi32> [1, 2, 3]",
        "tensor<3xi32> [2, 4, 6]",
    ]


def test_long_values_are_written_in_rows(client: TestClient) -> None:
    text = """func.func @main() -> tensor<3x10xi32> {
      %0 = stablehlo.iota dim = 1 : tensor<3x10xi32>
      %1 = stablehlo.multiply %0, %0 : tensor<3x10xi32>
      return %1 : tensor<3x10xi32>
    }"""
    row = "[ 0,  1,  4,  9, 16, 25, 36, 49, 64, 81]"
    step = _tried(client, text)["steps"][1]
    assert step["results"][0]["text"] == f"[{row},\n {row},\n {row}]"


def test_what_is_wrong_with_a_program_that_is_tried(client: TestClient) -> None:
    found = _tried(client, ADD.replace("stablehlo.add", "stablehlo.ad"))
    assert found["steps"] == []
    assert found["state"] is None
    assert "unknown op" in found["diagnostics"][0]["message"]
    failing = _tried(
        client,
        """func.func @main() {
          %0 = stablehlo.constant dense<1> : tensor<i32>
          check.expect_eq_const %0, dense<2> : tensor<i32>
          return
        }""",
    )
    assert failing["state"]["kind"] == "failed"
    assert failing["steps"][-1] == {**failing["steps"][-1], "line": 3, "results": []}


def test_a_trial_has_limits(client: TestClient) -> None:
    found = _tried(client, ENDLESS)
    assert len(found["steps"]) == 1_000
    assert found["state"]["kind"] == "paused"
    assert "trial_step_limit" in found["state"]["reason"]
    state = _tried(client, slow(8_000))["state"]
    # Where the machine is busy, time is over before the op that takes too long has begun.
    assert state["kind"] == "failed" or "trial_time_limit_ms" in state["reason"]
    assert client.post("/api/try", json={"text": ADD, "steps": 5}).status_code == 422


def test_a_trial_of_several_processes_shows_the_results_of_each(client: TestClient) -> None:
    found = client.post("/api/try", json={"text": SUM_OF_PAIRS}).json()
    first, last = found["steps"]
    assert (first["line"], [result["name"] for result in first["results"]]) == (
        3,
        ["%1 (0, 0)", "%1 (1, 0)", "%1 (2, 0)", "%1 (3, 0)"],
    )
    assert (last["name"], found["state"]["kind"]) == ("func.return", "done")
    found = client.post("/api/try", json={"text": ONE_NEVER_COMES}).json()
    assert [step["line"] for step in found["steps"]] == [3, 4, 5, 6, 14, 16, 7]
    assert found["state"]["kind"] == "failed"
    found = client.post("/api/try", json={"text": FED}).json()
    assert found["state"] == {
        "kind": "paused",
        "reason": "the run waits for the infeed queue, which is empty",
    }


def test_a_chain_of_processes_is_deeper_than_what_opened_it(client: TestClient) -> None:
    shown = op_example("stablehlo.send")
    assert shown is not None
    steps = client.post("/api/try", json={"text": shown.text}).json()["steps"]
    received = [step for step in steps if step["name"] == "stablehlo.recv"]
    assert {step["depth"] for step in received} == {1}
    assert [result["text"] for result in received[-1]["results"] if result["text"]] == [
        "[[0, 0], [0, 0]]",
        "[[1, 2], [3, 4]]",
        "[[5, 6], [7, 8]]",
    ]


def test_each_attribute_of_a_form_is_explained() -> None:
    names = {plan.name for op in op_table().values() for plan in field_plans(op)}
    names |= {field["name"] for _, field in _fields()}
    told = tomllib.loads(
        (Path(hloscope.app.reference.__file__).parent / "attribute_sentences.toml").read_text("utf-8")
    )
    assert {key for key, value in told.items() if isinstance(value, str)} <= names
    for op, own in told.items():
        if isinstance(own, dict):
            assert set(own) <= {row["name"] for row in op_page(op)["sentences"]}, op  # type: ignore[index]
    shown = [(op, field) for op, field in _fields() if field["kind"] not in ("tensor", "grid")]
    assert {(op, field["name"]) for op, field in shown if not field["sentence"]} == set()


def _fields() -> list[tuple[str, FormField]]:
    """The fields of all forms, each with its op."""
    forms = [form_json(item["name"]) for family in form_list() for item in family["ops"] if "why" not in item]
    return [(form["op"], field) for form in forms if form for field in form["fields"]]


def test_an_op_names_the_lessons_that_teach_it() -> None:
    names = [title["name"] for title in Shelf().lessons_on("stablehlo.gather")]
    assert names == ["gather-from-zero", "gather-in-the-wild", "vmap-and-batching"]
    assert Shelf().lessons_on("stablehlo.gath") == []


def test_the_picture_of_an_op_is_its_smallest_example() -> None:
    found = picture_of("stablehlo.gather")
    assert found is not None
    assert found["answer"]["picture"] is not None
    assert found["answer"]["picture"]["operands"][0]["shape"] == [5]
    assert picture_of("stablehlo.while") is None
