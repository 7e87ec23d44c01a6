"""`hloscope profile`: a table by op or group, and all ops as JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hloscope.app.cli.main import main

PROGRAM = """func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.tanh %0 : tensor<4x4xf32>
  %2 = stablehlo.tanh %1 : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
"""
TIME = r"[\d.]+ (?:s|ms|µs)"


def printed(tmp_path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """What the command prints for the program."""
    file = tmp_path / "p.mlir"
    file.write_text(PROGRAM)
    assert main(["profile", str(file), "--input", "normal", *options]) == 0
    return capsys.readouterr().out.replace(f"{file}: ", "")


def test_a_table_of_kinds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, measured, counted, head, *rows = printed(tmp_path, capsys, "--by", "kind").splitlines()
    assert re.fullmatch(rf"{TIME} in 4 executions of 4 ops\.", first)
    assert measured.startswith("Times are measured: those of hloscope's engine on this machine")
    assert counted.startswith("Counts follow from types.")
    assert head.split() == [
        "time",
        "share",
        "total",
        "runs",
        "read",
        "written",
        "flops",
        "flops/byte",
        "live",
    ]
    cells = {row.split()[-1]: re.split(r"\s{2,}", row.strip())[3:] for row in rows}
    assert cells == {
        "dot_general": ["1", "128 bytes", "64 bytes", "128", "0.667", "128 bytes", "dot_general"],
        "tanh": ["2", "128 bytes", "128 bytes", "32", "0.125", "192 bytes", "tanh"],
        "return": ["1", "0 bytes", "0 bytes", "0", "128 bytes", "return"],
    }


def test_a_row_for_each_op_names_its_line_and_the_rest_is_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    *_, row, rest = printed(tmp_path, capsys, "--top", "1").splitlines()
    assert re.search(r"(dot_general %0, line 2|tanh %\d, line \d|return, line 5)$", row)
    assert rest == "and 3 more rows"


def test_the_total_of_a_call_includes_what_it_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "call.mlir"
    file.write_text(
        "func.func @main() -> tensor<f32> {\n  %0 = call @one() : () -> tensor<f32>\n  return %0 : tensor<f32>\n}\n"
        "func.func private @one() -> tensor<f32> {\n  %0 = stablehlo.constant dense<1.0> : tensor<f32>\n"
        "  return %0 : tensor<f32>\n}\n"
    )
    main(["profile", str(file)])
    rows = re.findall(
        rf"({TIME}) +(?:under )?(\S+) % +({TIME}) .* (call|constant|return)\b", capsys.readouterr().out
    )
    for time, share, total, kind in rows:
        assert (time != total) == (kind == "call"), (time, total, kind)
        assert 0 < float(share) < 100
    assert sorted(kind for *_, kind in rows) == ["call", "constant", "return", "return"]


def test_json_has_all_ops_as_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile = json.loads(printed(tmp_path, capsys, "--json", "--by", "scope"))["profile"]
    assert (profile["ops"], profile["counts"], profile["flops"]) == (
        [0, 1, 2, 3],
        [1, 1, 1, 1],
        [128, 16, 16, 0],
    )
    assert (profile["titles"], profile["lines"]) == (
        ["dot_general %0", "tanh %1", "tanh %2", "return"],
        [2, 3, 4, 5],
    )
    kinds, functions = profile["kinds"], profile["functions"]
    assert (kinds["titles"], kinds["of"]) == (["dot_general", "tanh", "return"], [0, 1, 1, 2])
    assert (functions["titles"], functions["of"]) == (["main"], [0, 0, 0, 0])
    assert all(seconds > 0 for seconds in profile["seconds"])
    assert functions["totals"] == [pytest.approx(sum(profile["seconds"]))]
