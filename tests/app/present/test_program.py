"""The program table, chunks, diagnostics and op details, against the program and recording that they come from."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.app.present.index_maps import maps_of
from hloscope.app.present.input_specs import input_spec, input_spec_json
from hloscope.app.present.ops import op_details
from hloscope.app.present.program import entries, program_table
from hloscope.app.present.source_offsets import Offsets, diagnostics
from hloscope.app.present.tracks import frames_chunk, outline_chunk
from hloscope.app.reference.examples import examples
from hloscope.engine.chains import Chains
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import Diagnostic, InputError
from hloscope.engine.frontend import load
from hloscope.engine.inputs import InputSpec, make_input
from hloscope.engine.source import Source, Span
from tests.programs import known_example, load_program

PROGRAM = """// 𝒙 is two UTF-16 units
func.func @main(%x: tensor<2xf32> loc("x"), %n: tensor<i32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %c = stablehlo.add %a, %b : tensor<f32> loc("model.py":30:23)
      stablehlo.return %c : tensor<f32>
    }
  %y = call @twice(%sum) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @twice(%x: tensor<f32>) -> tensor<f32> {
  %y = stablehlo.add %x, %x : tensor<f32>
  return %y : tensor<f32>
}
"""


def _recording(name: str) -> Recording:
    shown = known_example(name)
    program = load_program(shown.text)
    assert program.entry is not None
    arguments = program.entry.function.arguments
    specs = [*shown.inputs, *[InputSpec()] * len(arguments)]
    return Recording(
        program, [make_input(s, v.type, n) for n, (s, v) in enumerate(zip(specs, arguments, strict=False))]
    )


def _units(text: str) -> bytes:
    return text.encode("utf-16-le")


def test_the_table_holds_every_op_value_block_and_function() -> None:
    program = load_program(PROGRAM)
    table = json.loads(json.dumps(program_table(program), allow_nan=False))
    assert [op["id"] for op in table["ops"]] == list(range(len(program.ops)))
    assert [function["name"] for function in table["functions"]] == ["main", "twice"]
    assert [function["line"] for function in table["functions"]] == [2, 12]
    names = {value["id"]: value["name"] for value in table["values"]}
    (reduce,) = [op for op in table["ops"] if op["name"] == "stablehlo.reduce"]
    assert [names[number] for number in reduce["operands"]] == ["%x", "%zero"]
    assert (reduce["line"], reduce["endLine"], reduce["column"]) == (4, 8, 3)
    body = table["blocks"][reduce["regions"][0]]
    assert (body["opener"], body["region"], body["function"]) == (reduce["id"], 0, "main")
    assert [names[number] for number in body["arguments"]] == ["%a", "%b"]
    assert [table["ops"][number]["name"] for number in body["ops"]] == ["stablehlo.add", "stablehlo.return"]
    assert table["lines"]["6"] == [body["ops"][0]]
    assert table["ops"][body["ops"][0]]["location"] == "model.py:30:23"
    assert all(
        table["ops"][number]["line"] == int(line) for line, ids in table["lines"].items() for number in ids
    )


def test_offsets_of_the_table_cut_the_ops_out_of_the_browsers_text() -> None:
    text = _units(PROGRAM)
    for op in program_table(load_program(PROGRAM))["ops"]:
        cut = text[2 * op["from"] : 2 * op["to"]].decode("utf-16-le")
        assert op["name"].removeprefix("func.") in cut
        assert cut.startswith(op["summary"].removesuffix("…"))


def test_entries_come_with_their_arguments() -> None:
    module = load(Source(PROGRAM)).module
    assert module is not None
    found = entries(module)
    assert [entry["name"] for entry in found] == ["main", "twice"]
    assert [(a["name"], a["type"]) for a in found[0]["arguments"]] == [
        ("x", "tensor<2xf32>"),
        ("n", "tensor<i32>"),
    ]
    assert found[0]["results"] == ["tensor<f32>"]


@given(st.text(alphabet="a\nü漢𝒙🙂", max_size=60))
def test_offsets_are_counted_in_utf_16_units(text: str) -> None:
    offsets = Offsets(text)
    assert [offsets(place) for place in range(len(text) + 1)] == [
        len(_units(text[:place])) // 2 for place in range(len(text) + 1)
    ]


def test_a_diagnostic_says_where_and_what() -> None:
    source = Source("// 🙂\nabc def", "x.mlir")
    (found,) = diagnostics(
        [Diagnostic("is wrong", Span(9, 12), "constraint", "stablehlo.add", "C1", "do this")], source
    )
    assert found == {
        "from": 10,
        "to": 13,
        "line": 2,
        "column": 5,
        "severity": "error",
        "kind": "constraint",
        "op": "stablehlo.add",
        "label": "C1",
        "message": "is wrong",
        "hint": "do this",
    }


def test_chunks_are_the_columns() -> None:
    recording = _recording("newton")
    recording.record(steps=10)
    part = outline_chunk(recording, 0)
    assert (part.rows, part.complete) == (10, False)
    recording.record()
    chunk = outline_chunk(recording, 0)
    rows = recording.step_count
    assert (chunk.rows, chunk.complete, len(chunk.data)) == (rows, True, 10 * rows)
    np.testing.assert_array_equal(np.frombuffer(chunk.data, "<u4", rows), recording.tracks[0].op_column)
    np.testing.assert_array_equal(
        np.frombuffer(chunk.data, "<u4", rows, 4 * rows), recording.tracks[0].frame_column
    )
    np.testing.assert_array_equal(
        np.frombuffer(chunk.data, "<u2", rows, 8 * rows), recording.tracks[0].depth_column
    )
    frames = frames_chunk(recording, 0)
    assert len(frames.data) == 16 * frames.rows == 16 * recording.frame_count
    np.testing.assert_array_equal(
        np.frombuffer(frames.data, "<u4", frames.rows), recording.tracks[0].frame_block
    )
    assert outline_chunk(recording, 5).rows == 0


@pytest.mark.parametrize("shown", examples(), ids=lambda shown: shown.name)
def test_every_op_of_every_example_has_details(shown: object) -> None:
    program = load_program(getattr(shown, "text", ""))
    for op in program.ops:
        details = json.loads(json.dumps(op_details(program, op.id), allow_nan=False))
        assert details["documentation"]
        assert all(item["holds"] for item in details["constraints"])
        assert details["url"] == f"/ops/{details['name']}"


def test_details_print_maps_as_xla_does_and_attributes_as_mlir_does() -> None:
    program = load_program(
        "func.func @main(%x: tensor<4x6xf32>) -> tensor<6x4xf32> {\n"
        "  %y = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>\n"
        "  return %y : tensor<6x4xf32>\n}"
    )
    details: Any = op_details(program, 0)
    assert details["maps"] == [
        {
            "operand": "%x",
            "result": "%y",
            "text": "(d0, d1) -> (d1, d0), domain: d0 in [0, 5], d1 in [0, 3]",
        }
    ]
    assert details["inverse"][0]["text"] == "(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 5]"
    assert details["attributes"] == [{"name": "permutation", "text": "array<i64: 1, 0>"}]
    assert [item["label"] for item in details["constraints"]][:1] != []
    assert details["cost"]["bytes"] == 96
    for number in (-1, 99):
        with pytest.raises(IndexError):
            op_details(program, number)


def test_an_op_that_runs_others_has_the_bytes_of_its_results_and_a_line_for_each_map_of_a_union() -> None:
    program = load_program(
        "HloModule m\n\n"
        "%squared (x: f32[4,4]) -> f32[4,4] {\n"
        "  %x = f32[4,4] parameter(0)\n"
        "  ROOT %y = f32[4,4] dot(%x, %x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n\n"
        "ENTRY %main (x: f32[4,4]) -> f32[4,4] {\n"
        "  %x = f32[4,4] parameter(0)\n"
        "  ROOT %y = f32[4,4] fusion(%x), kind=kLoop, calls=%squared\n}"
    )
    fusion = next(op.id for op in program.ops if op.operation.opcode == "fusion")
    details: Any = op_details(program, fusion)
    assert details["cost"] == {"flops": 0, "bytes": 64}
    assert details["maps"][0]["text"].splitlines() == [
        "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 3], d1 in [0, 3], s0 in [0, 3]",
        "(d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 3], d1 in [0, 3], s0 in [0, 3]",
    ]


@pytest.mark.parametrize("name", ["mlp", "recurrent_hlo", "newton", "ring_attention"])
def test_the_maps_of_ops_that_run_functions_are_those_that_the_index_map_panel_draws(name: str) -> None:
    shown = known_example(name)
    program = load_program(shown.text)
    chains = Chains(program, program.ops.__getitem__)
    told = 0
    for op in program.ops:
        drawn = maps_of(chains.operation(op.id), program, chains)
        known = {(item.operand, item.result) for item in drawn.maps if not item.map.is_undefined}
        details: Any = op_details(program, op.id, chains)
        texts = [item["text"] for item in details["maps"] or []]
        assert sum(text != "unknown indexing" for text in texts) == len(known), op
        told += len(known)
    assert told


def test_runtime_variables_are_named_after_the_operand_they_are_read_from() -> None:
    shown = known_example("embedding_lookup")
    maps: Any = op_details(load_program(shown.text), 0)["maps"]
    assert "rt0: %tokens;" in maps[0]["text"]


@pytest.mark.parametrize("text", ["normal", "uniform:7", "normal:7*0.05", "[[1, 2]]"])
def test_input_specifications_travel(text: str) -> None:
    spec = InputSpec.parse(text)
    data = json.loads(json.dumps(input_spec_json(spec)))
    assert str(input_spec(data)) == text


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"kind": "array"},
        {"kind": "dense"},
        {"kind": "normal", "seed": "1"},
        {"kind": "normal", "scale": float("nan")},
    ],
)
def test_what_describes_no_input_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(InputError, match="does not describe an input"):
        input_spec(data)


def test_arguments_are_called_as_in_the_users_own_code() -> None:
    named = """#loc1 = loc("params['b1']")
func.func @main(%arg0: tensor<f32> loc("x"), %arg1: tensor<f32> loc(#loc1), %arg2: tensor<f32> loc(unknown)) -> tensor<f32> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<f32> loc("jit(f)/add"("model.py":30:23))
  return %0 : tensor<f32>
}
"""
    assert program_table(load_program(named))["argumentNames"] == {"0": "%x", "1": "%params.b1"}
    assert program_table(load_program(PROGRAM))["argumentNames"] == {}
    inner = """ENTRY e {
  a = f32[] parameter(0), metadata={op_name="params[\\'w\\']"}
  ROOT b = f32[] call(a), to_apply=f
}
f {
  c = f32[] parameter(0), metadata={op_name="jit(f)/add"}
  ROOT d = f32[] add(c, c)
}
"""
    program = load_program(
        "HloModule m\n" + inner[inner.index("f {") :] + inner[: inner.index("f {")], "p.hlo"
    )
    assert list(program_table(program)["argumentNames"].values()) == ["%params.w"]
