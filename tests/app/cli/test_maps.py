"""`hloscope maps`: which ops it prints, how, and what it says of names that are not there."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from hloscope.app.cli.main import main

CHAIN = """func.func @main(%x: tensor<4x6xf32>, %i: tensor<i32>) -> (tensor<3x4xf32>, tensor<4x6xf32>) {
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %s = call @half(%t) : (tensor<6x4xf32>) -> tensor<3x4xf32>
  %e = stablehlo.add %x, %x : tensor<4x6xf32>
  return %s, %e : tensor<3x4xf32>, tensor<4x6xf32>
}
func.func private @half(%v: tensor<6x4xf32>) -> tensor<3x4xf32> {
  %lower = stablehlo.slice %v [3:6, 0:4] : (tensor<6x4xf32>) -> tensor<3x4xf32>
  return %lower : tensor<3x4xf32>
}
"""
UPDATE = """HloModule update

add {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT sum = s32[] add(a, b)
}

ENTRY main {
  src = s32[4] parameter(0)
  upd = s32[2] parameter(1)
  of = s32[] parameter(2)
  zero = s32[] constant(0)
  one = s32[] constant(1)
  ROOT dus = s32[4] dynamic-update-slice(src, upd, of)
  known = s32[2] dynamic-slice(src, one), dynamic_slice_sizes={2}
  total = s32[] reduce(src, zero), dimensions={0}, to_apply=add
}
"""
LOOP = """func.func @main(%x: tensor<6xf32>, %n: tensor<i32>) -> tensor<6xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<6xf32>
    cond {
      %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %w = stablehlo.reverse %v, dims = [0] : tensor<6xf32>
      stablehlo.return %j, %w : tensor<i32>, tensor<6xf32>
    }
  return %r#1 : tensor<6xf32>
}
"""
OPEN = """func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = stablehlo.negate %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
"""


@pytest.fixture
def chain(tmp_path: Path) -> str:
    return written(tmp_path, CHAIN)


def written(folder: Path, text: str, name: str = "p.mlir") -> str:
    file = folder / name
    file.write_text(text, "utf-8")
    return str(file)


def printed(capsys: Any, *arguments: str, code: int = 0) -> list[str]:
    assert main(["maps", *arguments]) == code
    return list(capsys.readouterr().out.splitlines())


def test_all_ops_are_printed_those_of_called_functions_too(chain: str, capsys: Any) -> None:
    lines = printed(capsys, chain)
    assert [line for line in lines if line.startswith("#")] == [
        "# %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>",
        "# %s = call @half(%t) : (tensor<6x4xf32>) -> tensor<3x4xf32>",
        "# %e = stablehlo.add %x, %x : tensor<4x6xf32>",
        "# %lower = stablehlo.slice %v [3:6, 0:4] : (tensor<6x4xf32>) -> tensor<3x4xf32>, in @half",
    ]
    assert lines[1:3] == [
        "output to input:",
        "operand id = 0 (d0, d1) -> (d1, d0), domain: d0 in [0, 5], d1 in [0, 3]",
    ]


@pytest.mark.parametrize("name", ["%s", "s", "s#0", "@main:%s"])
def test_one_op_is_found_by_the_name_of_its_result(chain: str, name: str, capsys: Any) -> None:
    lines = printed(capsys, chain, "--op", name, "--direction", "both")
    assert lines == [
        "# %s = call @half(%t) : (tensor<6x4xf32>) -> tensor<3x4xf32>",
        "output to input:",
        "operand id = 0 (d0, d1) -> (d0 + 3, d1), domain: d0 in [0, 2], d1 in [0, 3]",
        "input to output, operand id = 0:",
        "output id = 0 (d0, d1) -> (d0 - 3, d1), domain: d0 in [3, 5], d1 in [0, 3]",
    ]


def test_an_op_of_a_called_function_is_found(chain: str, capsys: Any) -> None:
    (title, *_) = printed(capsys, chain, "--op", "lower")
    assert title.endswith(", in @half")
    assert printed(capsys, chain, "--op", "@half:lower")[0] == title


def test_chains_go_to_the_arguments_and_meet(chain: str, capsys: Any) -> None:
    lines = printed(capsys, chain, "--compose")
    assert lines == [
        "# @main",
        "output to input, output id = 0:",
        "operand id = 0 (d0, d1) -> (d1, d0 + 3), domain: d0 in [0, 2], d1 in [0, 3]",
        "output to input, output id = 1:",
        "operand id = 0 (d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 5]",
    ]
    lines = printed(capsys, chain, "--compose", "--op", "lower", "--direction", "both", "--style", "xla-2024")
    assert lines[1:] == [
        "output -> input 0, %x:",
        "(d0, d1) -> (d1, d0 + 3)",
        "domain:",
        "d0 in [0, 2]",
        "d1 in [0, 3]",
        "input 0, %x -> output:",
        "(d0, d1) -> (d1 - 3, d0)",
        "domain:",
        "d0 in [0, 3]",
        "d1 in [3, 5]",
    ]


def test_xla_style_is_exact_and_xla_2024_style_is_the_document(tmp_path: Path, capsys: Any) -> None:
    file = written(tmp_path, UPDATE, "p.hlo")
    exact = printed(capsys, file, "--op", "dus")
    assert exact[1:10] == [
        "output to input:",
        "operand id = 0 (d0){rt0} -> (d0), domain: d0 in [0, 3], rt0 in [0, 2], -rt0 + d0 in [-2, -1]",
        "runtime variables:",
        "",
        "rt0: parameter(2); (d0) -> (), domain: d0 in [0, 3]",
        "(d0){rt0} -> (d0), domain: d0 in [0, 3], rt0 in [0, 2], -rt0 + d0 in [2, 3]",
        "runtime variables:",
        "",
        "rt0: parameter(2); (d0) -> (), domain: d0 in [0, 3]",
    ]
    document = printed(capsys, file, "--op", "dus", "--style", "xla-2024")
    assert document[1:] == [
        "# output -> input: one map for each input, which encloses what is read; --style xla has it exactly",
        "output -> input 0, %src:",
        "(d0) -> (d0)",
        "domain:",
        "d0 in [0, 3]",
        "output -> input 1, %upd:",
        "(d0)[s0] -> (d0 - s0)",
        "domain:",
        "d0 in [0, 3]",
        "s0 in [0, 2]",
        "hlo: of = s32[] parameter(2)",
        "(d0) -> ()",
        "output -> input 2, %of:",
        "(d0) -> ()",
        "domain:",
        "d0 in [0, 3]",
    ]


ALL_WRITTEN = """func.func @main(%a: tensor<1x4xi32>, %u: tensor<1x4xi32>, %at: tensor<i32>) -> tensor<1x4xi32> {
  %0 = stablehlo.dynamic_update_slice %a, %u, %at, %at :
    (tensor<1x4xi32>, tensor<1x4xi32>, tensor<i32>, tensor<i32>) -> tensor<1x4xi32>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<1x4xi32>
  return %1 : tensor<1x4xi32>
}"""


def test_maps_of_ops_are_simplified_and_operands_of_which_nothing_is_read_are_listed(
    tmp_path: Path, capsys: Any
) -> None:
    file = written(tmp_path, ALL_WRITTEN, "p.mlir")
    update = printed(capsys, file, "--op", "%0")
    assert update[2] == "operand id = 0 KNOWN EMPTY"
    assert update[3].startswith(
        "operand id = 1 (d0, d1){rt0, rt1} -> (0, d1), domain: d0 in [0, 0], d1 in [0, 3]"
    )
    assert printed(capsys, file, "--op", "%1")[2] == (
        "operand id = 0 (d0, d1) -> (0, d1), domain: d0 in [0, 0], d1 in [0, 3]"
    )


SCATTER = """func.func @main(%a: tensor<5xf32>, %i: tensor<3x1xi32>, %u: tensor<3xf32>) -> tensor<5xf32> {
  %0 = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
      index_vector_dim = 1>} : (tensor<5xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}"""


def test_a_result_depends_on_every_index_of_a_scatter(tmp_path: Path, capsys: Any) -> None:
    """Each could have sent its update to any element, or away from it."""
    lines = printed(capsys, written(tmp_path, SCATTER), "--compose", "--direction", "both")
    assert "operand id = 1 (d0)[s0] -> (s0, 0), domain: d0 in [0, 4], s0 in [0, 2]" in lines
    assert "output id = 0 (d0, d1)[s0] -> (s0), domain: d0 in [0, 2], d1 in [0, 0], s0 in [0, 4]" in lines


def test_known_offsets_are_written_out_in_xla_style_only(tmp_path: Path, capsys: Any) -> None:
    file = written(tmp_path, UPDATE, "p.hlo")
    assert "operand id = 0 (d0) -> (d0 + 1), domain: d0 in [0, 1]" in printed(capsys, file, "--op", "known")
    document = printed(capsys, file, "--op", "known", "--style", "xla-2024")
    assert document[2] == "(d0)[s0] -> (d0 + s0)"
    assert "hlo: one = s32[] constant(1)" in document


def test_bodies_of_reductions_are_no_ops_of_their_own(tmp_path: Path, capsys: Any) -> None:
    titles = [line for line in printed(capsys, written(tmp_path, UPDATE, "p.hlo")) if line.startswith("#")]
    assert not any("sum" in line for line in titles)
    assert any("%total" in line for line in titles)


def test_parts_of_tuples_have_names(tmp_path: Path, capsys: Any) -> None:
    text = """HloModule pair

    ENTRY main {
      p = (f32[2], f32[3]) parameter(0)
      ROOT second = f32[3] get-tuple-element(p), index=1
    }
    """
    file = written(tmp_path, text, "p.hlo")
    wanted = "operand id = 1 %p#1 (d0) -> (d0), domain: d0 in [0, 2]"
    assert wanted in printed(capsys, file)
    assert wanted in printed(capsys, file, "--compose")


def test_constants_read_nothing(tmp_path: Path, capsys: Any) -> None:
    lines = printed(capsys, written(tmp_path, UPDATE, "p.hlo"), "--op", "one")
    assert lines == ["# %one = s32[] constant(1)", "reads no elements"]


@pytest.mark.parametrize("style", ["xla", "xla-2024"])
def test_long_constants_are_told_without_their_middle(tmp_path: Path, style: str, capsys: Any) -> None:
    table = ", ".join(f"{number}.5" for number in range(2_000))
    text = f"""func.func @main() -> tensor<2000xf32> {{
  %c = stablehlo.constant dense<[{table}]> : tensor<2000xf32>
  return %c : tensor<2000xf32>
}}
"""
    title, reads = printed(capsys, written(tmp_path, text), "--style", style)
    assert len(title) < 700
    assert title.startswith("# %c = stablehlo.constant dense<")
    assert " … " in title
    assert title.endswith("> : tensor<2000xf32>")
    assert reads == "reads no elements"


def test_loops_name_the_values_around_them(tmp_path: Path, capsys: Any) -> None:
    file = written(tmp_path, LOOP)
    lines = printed(capsys, file, "--op", "%r#1")
    assert "outer value %n (d0) -> (), domain: d0 in [0, 5]" in lines
    assert "operand id = 1 (d0) -> (d0), domain: d0 in [0, 5]" in lines
    assert "(d0) -> (-d0 + 5), domain: d0 in [0, 5]" in lines
    assert not any(line.startswith("output to input, output id = 0") for line in lines)
    whole = printed(capsys, file, "--op", "r")
    assert "output to input, output id = 0:" in whole


def test_open_sizes_are_told(tmp_path: Path, capsys: Any) -> None:
    lines = printed(capsys, written(tmp_path, OPEN))
    assert lines[1:] == [
        "# sizes that only a run shows",
        "output to input:",
        "operand id = 0 unknown indexing",
    ]


def test_a_line_of_json_for_each_program(chain: str, capsys: Any) -> None:
    (line,) = printed(capsys, chain, "--json", "--op", "t", "--direction", "input-to-output")
    found = json.loads(line)
    assert (found["status"], found["function"], found["style"]) == ("passed", "main", "xla")
    (item,) = found["maps"]
    assert item["op"] == "%t"
    assert item["direction"] == "input-to-output"
    assert item["operand"] == {"number": 0, "name": "%x"}
    assert item["result"] == {"number": 0, "name": "%t"}
    assert item["text"] == "(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 5]"
    assert item["maps"][0]["map"]["results"] == ["d1", "d0"]


def test_what_a_run_decides_is_told_from_what_is_wider_than_any_run(tmp_path: Path, capsys: Any) -> None:
    wide = LOOP.replace("6xf32", "64xf32").replace(
        "%w = stablehlo.reverse %v, dims = [0] : tensor<64xf32>",
        """%a = stablehlo.slice %v [1:64] : (tensor<64xf32>) -> tensor<63xf32>
      %b = stablehlo.slice %v [0:1] : (tensor<64xf32>) -> tensor<1xf32>
      %w = stablehlo.concatenate %a, %b, dim = 0 : (tensor<63xf32>, tensor<1xf32>) -> tensor<64xf32>""",
    )
    decides = "data-dependent: whether a run reads it depends on the branch taken or the trip count"
    wider = "over-approximation: may hold elements that no run reads"
    assert printed(capsys, written(tmp_path, LOOP), "--compose") == [
        "# @main",
        "output to input:",
        *("operand id = 0 (d0) -> (d0), domain: d0 in [0, 5]", decides),
        *("(d0) -> (-d0 + 5), domain: d0 in [0, 5]", decides),
        "operand id = 1 (d0) -> (), domain: d0 in [0, 5]",
    ]
    assert printed(capsys, written(tmp_path, wide), "--compose")[2:] == [
        *("operand id = 0 (d0)[s0] -> (s0), domain: d0 in [0, 63], s0 in [0, 63]", wider, decides),
        "operand id = 1 (d0) -> (), domain: d0 in [0, 63]",
    ]
    for text, how in ((LOOP, (False, True)), (wide, (True, True))):
        (line,) = printed(capsys, written(tmp_path, text), "--compose", "--json")
        moved, count = json.loads(line)["maps"]
        assert {(item["enclosing"], item["undecided"]) for item in moved["maps"]} == {how}
        assert {(item["enclosing"], item["undecided"]) for item in count["maps"]} == {(False, False)}


def test_a_program_from_standard_input(capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CHAIN.encode())))
    assert printed(capsys, "-", "--op", "e")[0].startswith("# %e")


def test_parts_of_a_file_are_programs(tmp_path: Path, capsys: Any) -> None:
    file = written(tmp_path, f"{CHAIN}// -----\n{LOOP}")
    assert "// -----" in printed(capsys, file, "--split-input-file")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("%lowr", "no op of the program computes %lowr; did you mean %lower?"),
        ("%x", "%x is an argument"),
        ("%nothing_like_it", "no op of the program computes %nothing_like_it\n"),
        ("@hal:lower", "no function @hal; did you mean @half?"),
    ],
)
def test_unknown_names_are_told_with_what_is_near(chain: str, name: str, words: str, capsys: Any) -> None:
    assert main(["maps", chain, "--op", name]) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.out == ""


def test_unknown_names_in_json(chain: str, capsys: Any) -> None:
    (line,) = printed(capsys, chain, "--json", "--op", "lowr", code=2)
    found = json.loads(line)
    assert found["status"] == "error"
    assert "did you mean %lower" in found["diagnostics"][0]["message"]


def test_a_wrong_program_has_no_maps(tmp_path: Path, capsys: Any) -> None:
    lines = printed(capsys, written(tmp_path, CHAIN.replace("3:6", "3:9")), code=1)
    assert not any("operand id" in line for line in lines)
    assert any("slice" in line for line in lines)


def test_a_file_that_is_not_there(capsys: Any) -> None:
    assert main(["maps", "nowhere.mlir"]) == 2
    assert "nowhere.mlir" in capsys.readouterr().err


PARTS_OF_GRIDS = """func.func @main(%x: tensor<2x4xf32>) -> tensor<?x4xf32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>}> : (tensor<2x4xf32>) -> tensor<?x4xf32>
  %1 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 2, type = 0>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) : (tensor<2x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
"""


def test_sizes_that_hang_on_the_grid_leave_maps_unknown(tmp_path: Path, capsys: Any) -> None:
    """How many parts there are is known when the program runs."""
    lines = printed(capsys, written(tmp_path, PARTS_OF_GRIDS), "--direction", "both")
    assert sum("unknown indexing" in line for line in lines) == 4
