"""Findings on the command line and in Python."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import hloscope
from hloscope.app.cli.main import main

from .finding import LOST, slow_down
from .planted import planted_programs

LOGS = """// inputs: [1, 0, 2]
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.log %x : tensor<3xf32>
  %1 = stablehlo.subtract %0, %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}
"""
SENTENCES = [
    "first -Inf: line 3, log, 1 of 3 elements, where %x is 0",
    "first NaN: line 4, subtract, 1 of 3 elements, where %0 is -Inf; the infinity comes from %0, line 3",
]


@pytest.fixture
def logs(tmp_path: Path) -> str:
    """A program that takes the logarithm of 0."""
    path = tmp_path / "logs.mlir"
    path.write_text(LOGS)
    return str(path)


def test_run_names_what_does_harm_beside_the_results(logs: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", logs]) == 0
    told = capsys.readouterr()
    assert told.err.splitlines() == [f"{logs}: {sentence}" for sentence in SENTENCES]
    assert "0xFFC00000" in told.out
    assert main(["run", logs, "--input", "[1, 2, 3]"]) == 0
    assert not capsys.readouterr().err


def test_run_keeps_few_values_and_finds_the_same(logs: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", logs, "--set", "recording_bytes=1"]) == 0
    assert [line.partition(": ")[2] for line in capsys.readouterr().err.splitlines()] == SENTENCES


def test_findings_lists_them_and_exits_with_one_where_they_do_harm(
    logs: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["findings", logs]) == 1
    assert capsys.readouterr().out.splitlines() == [f"{logs}: harmful: {sentence}" for sentence in SENTENCES]
    assert main(["findings", logs, "--input", "[1, 2, 3]"]) == 0
    assert capsys.readouterr().out == f"{logs}: nothing found\n"


def test_findings_as_json(logs: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["findings", "--json", logs]) == 1
    line = json.loads(capsys.readouterr().out)
    assert line["status"] == "failed"
    assert [(found["line"], found["kind"], found["grade"], found["index"]) for found in line["findings"]] == [
        (3, "inf", "harmful", [1]),
        (4, "nan", "harmful", [1]),
    ]


def test_python_has_the_findings_and_where_a_nan_came_from() -> None:
    recording = hloscope.record(LOGS, [[1, 0, 2]])
    assert [finding.sentence for finding in recording.findings] == SENTENCES
    origin = recording.origin_of_nan()
    assert origin is not None
    assert (origin.kind, origin.address, origin.op, origin.index) == ("op", "0.s1.0", 1, (1,))
    infinity = recording.origin_of_nan(hloscope.Address.parse("0.s0.0"), (1,))
    assert infinity is not None
    assert infinity.address == "0.s0.0"
    assert recording.origin_of_nan(hloscope.Address.parse("0.s0.0"), (0,)) is None
    assert hloscope.record(LOGS, [[1, 2, 3]]).origin_of_nan() is None


def test_a_nan_that_was_given_is_said_to_be(logs: str, capsys: pytest.CaptureFixture[str]) -> None:
    recording = hloscope.record(LOGS, [np.array([1, np.nan, 2], np.float32)])
    (given,) = recording.bad_inputs
    assert (given.kind, given.grade, given.index) == ("nan", "harmful", (1,))
    assert main(["findings", logs, "--input", "[1, nan, 2]"]) == 1
    assert capsys.readouterr().out == f"{logs}: harmful: %x holds NaN in 1 of 3 elements\n"
    assert main(["run", logs, "--input", "[1, nan, 2]"]) == 0
    assert capsys.readouterr().err == f"{logs}: %x holds NaN in 1 of 3 elements\n"
    assert main(["run", "--json", logs, "--input", "[1, nan, 2]"]) == 0
    assert [each["name"] for each in json.loads(capsys.readouterr().out)["inputs"]] == ["%x"]
    assert not hloscope.record(LOGS, [[1, 2, 3]]).bad_inputs
    origin = recording.origin_of_nan()
    assert origin is not None
    assert (origin.kind, origin.name, origin.index) == ("given", "%x", (1,))


MASKED = """func.func @main(%scores: tensor<2xf32>, %mask: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %scores, %mask : tensor<2xf32>
  %1 = stablehlo.exponential %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}
"""


def test_an_infinity_that_was_given_is_named_and_meant_where_nothing_is_left_of_it() -> None:
    def told(scores: list[float], mask: list[float]) -> list[str]:
        found = hloscope.record(MASKED, [scores, mask]).bad_inputs
        return [f"{each.kind}, {each.grade}: {each.sentence}" for each in found]

    inf, nan = float("inf"), float("nan")
    assert told([1, 2], [0, -inf]) == ["inf, neutral: %mask holds -Inf in 1 of 2 elements"]
    assert told([inf, 2], [0, 0]) == ["inf, harmful: %scores holds +Inf in 1 of 2 elements"]
    assert told([inf, -inf], [0, 0]) == ["inf, harmful: %scores holds infinity in 2 of 2 elements"]
    assert told([nan, -inf], [0, 0]) == [
        "nan, harmful: %scores holds NaN in 1 of 2 elements",
        "inf, neutral: %scores holds -Inf in 1 of 2 elements",
    ]


def test_an_input_in_a_tuple_is_named_by_its_address() -> None:
    program = """HloModule m
ENTRY main {
  p = (f32[2], f32[2]) parameter(0)
  ROOT x = f32[2] get-tuple-element(p), index=1
}
"""
    recording = hloscope.record(program, [([1.0, 2.0], [1.0, float("nan")])])
    (given,) = recording.bad_inputs
    assert (given.address, given.index, given.grade) == ("0.f0.0.1", (1,), "harmful")


def test_what_differs_between_processes_is_named_where_nothing_else_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    planted = next(found for found in planted_programs() if found.name == "wrong_group")
    path = tmp_path / planted.file
    path.write_text(planted.text("faulty"))
    assert main(["run", str(path), "--input", "normal[8, 3]"]) == 0
    assert "first difference between processes" in capsys.readouterr().err
    path.write_text(planted.text("sound"))
    assert main(["run", str(path), "--input", "normal[8, 3]"]) == 0
    assert not capsys.readouterr().err


def test_what_there_was_no_time_to_follow_is_said_and_followed_on_demand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow_down(monkeypatch)
    path = tmp_path / "chain.mlir"
    path.write_text(f"// inputs: [100, 1]\n{LOST}")
    rest = "1 finding was not followed to the end, so that it is not known whether it does harm"
    assert main(["findings", str(path)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{path}: harmful: first +Inf: line 4, exponential, 1 of 2 elements, where %x is above 88.72 (not followed to the end)",
        f"{path}: {rest}; --seconds N raises the limit",
    ]
    assert main(["run", str(path)]) == 0
    assert capsys.readouterr().err.splitlines()[-1] == f"{path}: {rest} (hloscope findings --seconds N)"
    assert main(["findings", str(path), "--seconds", "60"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{path}: masked: first +Inf: line 4, exponential, 1 of 2 elements, where %x is above 88.72"
    ]


def test_python_says_what_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    slow_down(monkeypatch)
    recording = hloscope.record(LOST, [np.array([100, 1], np.float32)])
    assert [(found.grade, found.followed) for found in recording.findings] == [("harmful", False)]
    assert recording.follow_findings(60)
    assert [(found.grade, found.followed) for found in recording.findings] == [("masked", True)]
