"""The command line on HLO text, and the module `hloscope`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hloscope
from hloscope.app.cli.main import main

PROGRAM = """HloModule m

ENTRY main {
  x = f32[2,3]{1,0} parameter(0)
  t = f32[3,2]{1,0} transpose(x), dimensions={1,0}
  p = pred[] constant(true)
  k = token[] after-all()
  inner = (pred[], token[]) tuple(p, k)
  ROOT r = (f32[3,2]{1,0}, (pred[], token[])) tuple(t, inner)
}
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "p.txt"
    path.write_text(PROGRAM, "utf-8")
    return str(path)


def test_hlo_is_recognised_whatever_the_file_is_called(file: str, capsys: Any) -> None:
    assert main(["check", file]) == 0
    assert "well formed, 6 operations in 1 function" in capsys.readouterr().out


def test_tuples_are_taken_apart_and_constants_are_those_of_hlo(
    file: str, tmp_path: Path, capsys: Any
) -> None:
    outputs = tmp_path / "y.npz"
    assert main(["run", file, "--input", "[[1, 2, 3], [4, 5, 6]]", "--outputs", str(outputs)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "%out_0 = f32[3,2]{1,0} constant({ { 1, 4 }, { 2, 5 }, { 3, 6 } })",
        "%out_1 = pred[] constant(true)",
        "%out_2 = token[]",
    ]
    with np.load(outputs) as saved:
        assert saved["out_0"].tolist() == [[1, 4], [2, 5], [3, 6]]
        assert saved["out_1"].tolist() is True


@pytest.mark.parametrize(
    ("values", "shown"),
    [("iota()", "constant({0, 1, 2,"), ("broadcast(f32[] constant(2))", "constant({2, 2, 2,")],
)
def test_large_results_are_shortened(values: str, shown: str, tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "p.hlo"
    opcode = values.replace("iota()", "iota(), iota_dimension=1").replace("2))", "2)), dimensions={}")
    path.write_text(f"HloModule m\nENTRY e {{ ROOT r = f32[20,200] {opcode} }}", "utf-8")
    assert main(["run", str(path)]) == 0
    assert f"%out_0 = f32[20,200] {shown}" in capsys.readouterr().out


def test_chunks_of_hlo(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "p.hlo"
    path.write_text(f"{PROGRAM}// -----\n{PROGRAM.replace('transpose(', 'transpos(')}", "utf-8")
    assert main(["check", "--split-input-file", str(path)]) == 1
    found = capsys.readouterr()
    assert ":16:21: error: unknown opcode 'transpos'" in found.out


def test_values_left_out_of_the_text_can_be_bound(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "p.hlo"
    path.write_text(
        "HloModule m\nENTRY e { c = f32[2] constant({...})\n ROOT r = f32[2] negate(c) }", "utf-8"
    )
    assert main(["run", str(path)]) == 1
    assert "its values were left out when the program was printed" in capsys.readouterr().err
    assert main(["run", str(path), "--bind", "%c=[1, 2]"]) == 0
    assert capsys.readouterr().out == "%out_0 = f32[2] constant({-1, -2})\n"


def test_the_module_takes_hlo_and_gives_the_elements_of_the_root() -> None:
    first, second, third = hloscope.run(PROGRAM, [np.arange(6, dtype=np.float32).reshape(2, 3)])
    assert first.shape == (3, 2)
    assert second.item() is True
    assert third.shape == (0,)
    assert hloscope.check(
        PROGRAM.replace("{1,0}\n", "\n").replace("f32[3,2]{1,0} transpose", "f32[3,3] transpose")
    )


def test_print_gives_hlo_as_it_is_and_as_stablehlo(file: str, tmp_path: Path, capsys: Any) -> None:
    assert main(["print", file]) == 0
    printed = capsys.readouterr().out
    assert "ENTRY %main (x: f32[2,3]{1,0}) -> (f32[3,2]{1,0}, (pred[], token[])) {" in printed
    again = tmp_path / "q.hlo"
    again.write_text(printed, "utf-8")
    assert main(["print", str(again)]) == 0
    assert capsys.readouterr().out == printed
    assert main(["print", "--as", "stablehlo", file]) == 0
    stablehlo = capsys.readouterr().out
    assert "stablehlo.transpose" in stablehlo
    again.write_text(stablehlo, "utf-8")
    assert main(["check", str(again)]) == 0


def test_print_says_what_it_cannot(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "p.mlir"
    path.write_text("func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }", "utf-8")
    assert main(["print", "--as", "hlo", str(path)]) == 1
    assert "the program is StableHLO" in capsys.readouterr().err
    path.write_text("HloModule m\nENTRY e { ROOT s = u64[2] rng-get-and-update-state(), delta=1 }", "utf-8")
    assert main(["print", "--as", "stablehlo", str(path)]) == 1
    assert "StableHLO has no form of rng-get-and-update-state" in capsys.readouterr().err
    path.write_text("HloModule m\nENTRY e { ROOT s = f32[] ad() }", "utf-8")
    assert main(["print", str(path)]) == 1
    assert "unknown opcode 'ad'" in capsys.readouterr().out
