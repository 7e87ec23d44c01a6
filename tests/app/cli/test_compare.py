"""`hloscope compare`, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hloscope
from hloscope.app.cli.main import main
from hloscope.app.present.differences import number_or_text

PROGRAM = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.exponential %x : tensor<4xf32>
  %1 = stablehlo.add %0, %x : tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    texts = {
        "before.mlir": PROGRAM,
        "after.mlir": PROGRAM.replace("stablehlo.add", "stablehlo.subtract"),
        "small.mlir": PROGRAM.replace("f32", "bf16"),
        "broken.mlir": PROGRAM.replace("exponential", "exponent"),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    x = np.array([1, 2, 3, 4], np.float32) / 3
    np.savez(tmp_path / "x.npz", x=x)
    np.savez(tmp_path / "y.npz", x=x + np.float32(1))
    hloscope.save_run(tmp_path / "run.npz", hloscope.record(PROGRAM, [x]))
    return {path.name: str(path) for path in tmp_path.iterdir()}


def compare(*arguments: str, capsys: Any) -> tuple[int, str, str]:
    code = main(["compare", *arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_two_programs(files: dict[str, str], capsys: Any) -> None:
    code, out, _ = compare(
        files["before.mlir"], files["after.mlir"], "--inputs", files["x.npz"], capsys=capsys
    )
    assert code == 1
    assert out.splitlines()[0].startswith("wrong     line 4: stablehlo.add %1: element [")
    assert out.splitlines()[-1].startswith("First divergence: line 4: stablehlo.add %1")
    assert out.splitlines()[-1].count("its operands agree.") == 1


def test_a_file_of_inputs_and_results_counts_results(
    files: dict[str, str], tmp_path: Path, capsys: Any
) -> None:
    x = np.array([1, 2, 3, 4], np.float32) / 3
    result = np.nextafter(np.exp(x) + x, np.float32(9))
    np.savez(tmp_path / "results.npz", in_0=x, out_0=result)
    _, out, _ = compare(
        files["before.mlir"], str(tmp_path / "results.npz"), "--inputs", files["x.npz"], capsys=capsys
    )
    assert (
        out.splitlines()[-1] == "The runs agree but for rounding: 1 of 1 results differ by no more than that."
    )


def test_a_program_and_itself(files: dict[str, str], capsys: Any) -> None:
    code, out, _ = compare(files["before.mlir"], files["before.mlir"], capsys=capsys)
    assert (code, out) == (0, "All 3 values have the same bits.\n")


def test_another_type_is_rounding(files: dict[str, str], capsys: Any) -> None:
    code, out, _ = compare(files["before.mlir"], files["small.mlir"], capsys=capsys)
    assert code == 0, out
    assert "The runs agree but for rounding" in out


def test_other_inputs(files: dict[str, str], capsys: Any) -> None:
    options = [files["before.mlir"], "--inputs", files["x.npz"], "--other-inputs", files["y.npz"]]
    code, out, _ = compare(*options, capsys=capsys)
    assert code == 1
    assert "First divergence: input %x" in out
    code, _, _ = compare(*options, "--tolerance", "100", capsys=capsys)
    assert code == 0


def test_values_in_a_file(files: dict[str, str], capsys: Any) -> None:
    code, out, _ = compare(files["before.mlir"], files["run.npz"], "--inputs", files["x.npz"], capsys=capsys)
    assert (code, out) == (0, "All 3 values have the same bits.\n")


def test_a_folder_of_probes(files: dict[str, str], tmp_path: Path, capsys: Any) -> None:
    folder = tmp_path / "probes"
    folder.mkdir()
    x = np.array([1, 2, 3, 4], np.float32) / 3
    np.save(folder / "probe1.npy", np.exp(x) + np.float32(1))
    (folder / "index.csv").write_text("%0,tensor<4xf32>,/elsewhere/probe1.npy\n")
    code, out, _ = compare(files["before.mlir"], str(folder), "--inputs", files["x.npz"], capsys=capsys)
    assert code == 1
    assert "First divergence: line 3: stablehlo.exponential %0" in out
    (folder / "index.csv").write_text("%0,tensor<4xf32>,gone.npy\n")
    code, _, err = compare(files["before.mlir"], str(folder), "--inputs", files["x.npz"], capsys=capsys)
    assert code == 2
    assert "gone.npy, which is not there" in err


def test_lines_of_json(files: dict[str, str], capsys: Any) -> None:
    _, out, _ = compare(files["before.mlir"], files["after.mlir"], "--json", capsys=capsys)
    *rows, last = map(json.loads, out.splitlines())
    assert [(row["value"], row["verdict"], row["origin"]) for row in rows] == [("%1", "wrong", "made")]
    assert last["agrees"] is False
    assert last["first"] == rows[0]
    assert [result["verdict"] for result in last["results"]] == ["wrong"]


def test_numbers_that_json_does_not_have_are_text(files: dict[str, str], tmp_path: Path, capsys: Any) -> None:
    hloscope.save_run(tmp_path / "bad.npz", {"%0": np.array([np.inf, -np.inf, np.nan, 1], np.float32)})
    _, out, _ = compare(files["before.mlir"], str(tmp_path / "bad.npz"), "--json", capsys=capsys)
    *rows, _ = [json.loads(line, parse_constant=pytest.fail) for line in out.splitlines()]
    assert [row["after"] for row in rows] == ["NaN"]
    assert number_or_text(-np.inf) == "-Inf"
    assert number_or_text(complex(1, np.inf)) == "(1.0, +Inf)"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["before.mlir"], 2, "nothing to compare with"),
        (["before.mlir", "broken.mlir"], 1, "stablehlo.exponent"),
        (["before.mlir", "x.npz", "--tolerance", "much"], 2, "--tolerance much: give a relative error"),
        (["before.mlir", "--other-partitions", "2", "--tolerance", "-1"], 2, "--tolerance -1"),
        (
            ["before.mlir", "--against", "nope"],
            2,
            "Give xla, device, gpu, tpu or cpu, each also with :FLAGS; jaxlib==VERSION; or a file values.npz.",
        ),
        (["before.mlir", "--against", "xla:nonsense"], 2, "'nonsense' is not a flag of XLA"),
        (["before.mlir", "--against", "xla:xla_a='"], 2, "xla_a=' have a quotation mark without its twin"),
    ],
)
def test_what_cannot_be_compared(
    files: dict[str, str], arguments: list[str], code: int, said: str, capsys: Any
) -> None:
    found, _, err = compare(*[files.get(argument, argument) for argument in arguments], capsys=capsys)
    assert found == code
    assert said in err


def test_a_file_without_known_names(files: dict[str, str], tmp_path: Path, capsys: Any) -> None:
    np.savez(tmp_path / "other.npz", hidden=np.ones(4, np.float32))
    code, _, err = compare(files["before.mlir"], str(tmp_path / "other.npz"), capsys=capsys)
    assert code == 2
    assert "the file has no value of the run; it has hidden" in err
