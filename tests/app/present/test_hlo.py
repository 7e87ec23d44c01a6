"""A program of HLO text as the browser gets it: opcodes, parameters, tuples, where an op comes from."""

import pytest

from hloscope.app.present.ops import op_details
from hloscope.app.present.program import location_frames, op_name, program_table
from hloscope.app.reference.opcodes import op_of_opcode, opcodes_by_op, replacement_op
from hloscope.app.wire.program import OpInfo, ProgramInfo
from hloscope.engine.ir.locations import CallSiteLocation, FileLocation, NameLocation
from hloscope.engine.ops import op_table
from hloscope.engine.program import BoundProgram
from hloscope.engine.syntax.hlo.opcodes import forms_of_opcodes
from tests.programs import known_example, load_program

TEXT = """HloModule pairs

%less (a: f32[], b: f32[], i: s32[], j: s32[]) -> pred[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  %i = s32[] parameter(2)
  %j = s32[] parameter(3)
  ROOT %lower = pred[] compare(%a, %b), direction=LT
}

ENTRY %main (x: f32[4]) -> (f32[4], s32[4]) {
  %places = s32[4]{0} iota(), iota_dimension=0
  %x = f32[4]{0} parameter(0)
  ROOT %sorted = (f32[4]{0}, s32[4]{0}) sort(%x, %places), dimensions={0}, is_stable=true, to_apply=%less,\
 metadata={op_name="jit(f)/sort" source_file="f.py" source_line=7}
}
"""


@pytest.fixture(scope="module")
def program() -> BoundProgram:
    return load_program(TEXT)


def _op(table: ProgramInfo, opcode: str) -> OpInfo:
    (found,) = [op for op in table["ops"] if op["opcode"] == opcode]
    return found


def test_ops_have_their_opcodes_and_types_their_spelling(program: BoundProgram) -> None:
    table = program_table(program)
    assert table["language"] == "hlo"
    assert [op["opcode"] for op in table["ops"]] == ["compare", "return", "iota", "sort", "return"]
    (result,) = _op(table, "sort")["results"]
    value = table["values"][result]
    assert value["type"] == "(f32[4]{0}, s32[4]{0})"
    assert [element["type"] for element in value["elements"] or []] == ["f32[4]{0}", "s32[4]{0}"]
    assert {value["layout"] for value in table["values"]} == {""}


def test_what_lies_otherwise_in_memory_is_told() -> None:
    found = load_program("ENTRY main {\n  ROOT x = f32[2,3]{0,1:S(1)} parameter(0)\n}")
    (value,) = program_table(found)["values"]
    assert value["layout"] == "column-major, in memory space 1"


def test_parameters_have_their_lines(program: BoundProgram) -> None:
    table = program_table(program)
    lines = {table["values"][int(value)]["name"]: line for value, line in table["parameters"].items()}
    assert lines == {"%a": 4, "%b": 5, "%i": 6, "%j": 7, "%x": 13}
    assert [function["name"] for function in table["functions"]] == ["less", "main"]
    for function in table["functions"]:
        assert TEXT[function["to"] - 1] == "}"
    less, main = table["functions"]
    assert _op(table, "sort")["regions"] == [less["block"]]
    assert less["from"] < less["to"] < main["from"] < main["to"]


def test_stablehlo_has_none_of_that() -> None:
    shown = known_example("softmax")
    found = load_program(shown.text)
    table = program_table(found)
    assert (table["language"], table["parameters"]) == ("stablehlo", {})
    assert {op["opcode"] for op in table["ops"]} == {""}


def test_details_are_in_the_words_of_the_text(program: BoundProgram) -> None:
    number = _op(program_table(program), "sort")["id"]
    details = op_details(program, number)
    assert details["url"] == "/ops/stablehlo.sort"
    assert details["documentation"].startswith("Sorts")
    assert details["opName"] == "jit(f)/sort"
    assert details["location"] == [{"function": None, "place": "f.py:7:0"}]
    attributes = {item["name"]: item["text"] for item in details["attributes"]}
    assert attributes == {"dimensions": "{0}", "is_stable": "true", "to_apply": "%less"}
    assert {item["result"] for item in details["maps"] or []} == {"%sorted#0", "%sorted#1"}


def test_calls_are_told_from_the_inside_out() -> None:
    inner = NameLocation("step", FileLocation("a.py", 3, 1))
    outer = NameLocation("main", FileLocation("b.py", 9, 2))
    location = NameLocation("jit(f)/add", CallSiteLocation(inner, outer))
    assert op_name(location) == "jit(f)/add"
    assert location_frames(location) == [
        {"function": "step", "place": "a.py:3:1"},
        {"function": "main", "place": "b.py:9:2"},
    ]
    assert location_frames(NameLocation("jit(f)/add", FileLocation("a.py", 3, 1)))[0]["function"] is None
    assert (op_name(None), location_frames(None)) == (None, [])


def test_every_opcode_has_one_page() -> None:
    read = opcodes_by_op()
    assert sorted(opcode for opcodes in read.values() for opcode in opcodes) == sorted(forms_of_opcodes())
    assert read["stablehlo.broadcast_in_dim"] == ["broadcast"]
    assert op_of_opcode("call") == "func.call"
    assert op_of_opcode("select") == "stablehlo.select"
    assert op_of_opcode("no-such-opcode") is None
    assert replacement_op(op_table()["stablehlo.if"]) == "hlo.conditional"
    assert replacement_op(op_table()["stablehlo.add"]) is None
    assert replacement_op(op_table()["stablehlo.uniform_quantize"]) is None
