"""Recordings that begin in the middle of a program: where they do, what they are given, and that nothing else changes.

Our own engine stands in for XLA where it does not matter who computes what comes before.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hloscope
from hloscope.app.cli.main import main
from hloscope.app.comparing.first_part import LaterStart, begin_with_engine
from hloscope.app.runs.launching import ArgumentSource, RunPlan, choose_grid
from hloscope.app.runs.opening import begin_again
from hloscope.app.runs.python_values import spec_of
from hloscope.app.xla.engine import Versions
from hloscope.engine.entry import find_entry
from hloscope.engine.errors import InputError
from hloscope.engine.limits import Limits

LIMITS = Limits()
CALLS = """func.func private @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.exponential %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @never(%x: tensor<3xf32>) -> tensor<3xf32> {
  %7 = stablehlo.exponential %x : tensor<3xf32>
  return %7 : tensor<3xf32>
}
func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %c = stablehlo.constant dense<2.0> : tensor<3xf32>
  %1 = stablehlo.multiply %a, %c : tensor<3xf32>
  %2 = stablehlo.tanh %1 : tensor<3xf32>
  %unread = stablehlo.negate %1 : tensor<3xf32>
  %3 = func.call @f(%2) : (tensor<3xf32>) -> tensor<3xf32>

  %4 = stablehlo.add %3, %c : tensor<3xf32>
  return %4 : tensor<3xf32>
}
"""
LOOP = """func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %scale = stablehlo.multiply %a, %a : tensor<4xf32>
  %x, %n = stablehlo.while(%x0 = %a, %n0 = %zero) : tensor<4xf32>, tensor<i32>
    cond { %three = stablehlo.constant dense<3> : tensor<i32>
      %go = stablehlo.compare LT, %n0, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1> }
    do { %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %n0, %one : tensor<i32>
      %e = stablehlo.multiply %x0, %scale : tensor<4xf32>
      stablehlo.return %e, %next : tensor<4xf32>, tensor<i32> }
  %r = stablehlo.add %x, %scale : tensor<4xf32>
  return %r, %n : tensor<4xf32>, tensor<i32>
}
"""
HLO = """HloModule m

ENTRY main {
  a = f32[3] parameter(0)
  pair = (f32[3], f32[3]) tuple(a, a)
  first = f32[3] get-tuple-element(pair), index=0
  d = f32[3] multiply(first, a)
  both = (f32[3], (f32[3], f32[3])) tuple(d, pair)
  e = f32[3] tanh(d)
  inner = (f32[3], f32[3]) get-tuple-element(both), index=1
  second = f32[3] get-tuple-element(inner), index=1
  ROOT r = f32[3] add(e, second)
}
"""
OUTSIDE = """func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.custom_call @mine(%a) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = stablehlo.add %0, %a : tensor<3xf32>
  %2 = stablehlo.custom_call @mine(%1) : (tensor<3xf32>) -> tensor<3xf32>
  %3 = stablehlo.add %2, %0 : tensor<3xf32>
  return %3 : tensor<3xf32>
}
"""
SUM_OF_PARTS = """module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.multiply %a, %a : tensor<2xf32>
    %1 = "stablehlo.all_reduce"(%0) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
    %2 = stablehlo.add %1, %0 : tensor<2xf32>
    return %2 : tensor<2xf32>
  }
}
"""
NUMBERS = np.array([0.5, -1, 2], np.float32)


class OurEngine:
    """Our own engine in the place of XLA."""

    seconds = 60.0

    def __init__(self) -> None:
        self.asked: list[str] = []

    def versions(self) -> Versions:
        return Versions("1", "1", "made-up")

    def run(
        self, text: str, arguments: Sequence[Any] = (), overrides: Any = None, grid: Any = (1, 1, False)
    ) -> list[Any]:
        self.asked.append(text)
        count = grid[0] * grid[1]
        each = len(arguments) // count
        inputs = [
            hloscope.Each([arguments[process * each + number] for process in range(count)])
            for number in range(each)
        ]
        found = hloscope.run_each(text, inputs, replicas=grid[0], partitions=grid[1])
        return [value for values in found for value in values]


def plan_of(text: str, *inputs: Any, **bindings: Any) -> RunPlan:
    program = hloscope.parse(text)
    function = find_entry(program, None)
    grid = choose_grid(program, function, LIMITS)
    values = zip(inputs, function.function.arguments, strict=True)
    given = [ArgumentSource.one(spec_of(value, argument.type)) for value, argument in values]
    return RunPlan(program, function, grid, given, {}, bindings.get("bindings", {}), LIMITS)


def begun(text: str, place: int | str, *inputs: Any, **bindings: Any) -> tuple[LaterStart, Any]:
    """A later start, and its recording to the end."""
    found = begin_with_engine(plan_of(text, *inputs, **bindings), place, OurEngine())  # type: ignore[arg-type]
    recording = found.plan.recording()
    recording.record()
    assert recording.state.kind == "done", recording.state
    return found, recording


def first_result(run: Any) -> Any:
    """Of a recording or a process that has ended."""
    return run.results()[0]


@pytest.mark.parametrize("place", [10, 11, 12, 13, 14, 15, 16, "%4", "3", "%2", "%unread"])
def test_results_are_those_of_the_whole_run(place: int | str) -> None:
    whole = hloscope.run(CALLS, [NUMBERS])
    _, recording = begun(CALLS, place, NUMBERS)
    assert [value.tobytes() for value in recording.results()] == [value.tobytes() for value in whole]


def test_only_values_that_are_read_later_are_forwarded() -> None:
    found, recording = begun(CALLS, "%4", NUMBERS)
    assert list(found.values) == ["%3"]
    assert recording.step_count == 2
    entry = recording.program.entry.function
    assert [value.name for value in entry.arguments] == ["%a", "%c", "%3"]  # the constant is ours
    assert (entry.begin.line, entry.begin.values) == (16, ("constant", "computed"))
    assert entry.begin.by == "XLA of jaxlib 1 on made-up"
    assert (
        found.sentence
        == "the recording begins at line 16; 1 value from before it is computed by XLA of jaxlib 1 on made-up"
    )


def test_values_keep_their_names_and_places() -> None:
    _, recording = begun(CALLS, "%4", NUMBERS)
    (value,) = [value for value in recording.program.entry.function.arguments if value.name == "%3"]
    assert recording.program.module.source.line_and_column(value.span.start)[0] == 14
    assert recording.program.module.source.text == CALLS


@pytest.mark.parametrize(
    ("text", "place", "line", "said"),
    [
        (CALLS, 2, 14, "line 2 is in @f: the recording begins before line 14"),
        (LOOP, 10, 4, "line 10 is in a region: the recording begins before line 4"),
        (LOOP, "%e", 4, "line 10 is in a region"),
        (CALLS, 15, 16, ""),
    ],
)
def test_within_functions_and_regions_it_begins_before_them(
    text: str, place: int | str, line: int, said: str
) -> None:
    inputs = NUMBERS if text == CALLS else np.arange(4, dtype=np.float32)
    found, recording = begun(text, place, inputs)
    assert found.place.line == line
    assert said in found.place.note
    assert [value.tobytes() for value in recording.results()] == [
        value.tobytes() for value in hloscope.run(text, [inputs])
    ]


@pytest.mark.parametrize(
    ("place", "said"),
    [(99, "no operation of @main is on line 99"), ("%nope", "no operation makes %nope"), (6, "@main never comes to line 6, which is in @never")],
)  # fmt: skip
def test_places_that_there_are_not_are_refused(place: int | str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        begun(CALLS, place, NUMBERS)


@pytest.mark.parametrize("line", range(5, 13))
def test_hlo_text_and_its_tuples(line: int) -> None:
    _, recording = begun(HLO, line, NUMBERS)
    assert first_result(recording).tobytes() == hloscope.run(HLO, [NUMBERS])[0].tobytes()


def test_what_is_bound_is_used_on_both_sides() -> None:
    plan = plan_of(OUTSIDE, NUMBERS)
    ops = [bound.id for bound in plan.program.ops if bound.op.outside]
    bindings = {ops[0]: (2 * NUMBERS,), ops[1]: (3 * NUMBERS,)}
    _, recording = begun(OUTSIDE, 4, NUMBERS, bindings=bindings)
    assert first_result(recording).tolist() == (5 * NUMBERS).tolist()
    with pytest.raises(InputError, match="what comes before needs @mine, line 2"):
        begun(OUTSIDE, 4, NUMBERS)


def test_each_process_has_values_of_its_own() -> None:
    plan = plan_of(SUM_OF_PARTS, NUMBERS[:2])
    parts = ArgumentSource("each", (spec_of(NUMBERS[:2], None), spec_of(NUMBERS[1:], None)))
    plan = RunPlan(plan.program, plan.function, plan.grid, [parts], {}, {}, LIMITS)
    found = begin_with_engine(plan, "%2", OurEngine())  # type: ignore[arg-type]
    assert set(found.values) == {"%0@0,0", "%1@0,0", "%0@1,0", "%1@1,0"}
    recording = found.plan.recording()
    recording.record()
    squares = NUMBERS**2
    both = squares[:2] + squares[1:]
    assert [first_result(track).tolist() for track in recording.tracks] == [
        (both + squares[:2]).tolist(),
        (both + squares[1:]).tolist(),
    ]


def test_it_begins_again_of_values_alone() -> None:
    found, recording = begun(CALLS, "%4", NUMBERS)
    again = begin_again(plan_of(CALLS, NUMBERS), "%4", found.by, found.values).recording()
    again.record()
    assert first_result(again).tobytes() == first_result(recording).tobytes()
    with pytest.raises(InputError, match="have none for %3"):
        begin_again(plan_of(CALLS, NUMBERS), "%4", found.by, {})


def test_queues_are_the_runs_own() -> None:
    text = """HloModule m
ENTRY main {
  t = token[] after-all()
  i = (f32[3], token[]) infeed(t)
  a = f32[3] get-tuple-element(i), index=0
  ROOT r = f32[3] add(a, a)
}
"""
    with pytest.raises(InputError, match="the program takes from infeed"):
        begin_with_engine(plan_of(text), "r", OurEngine())  # type: ignore[arg-type]


# XLA itself


@pytest.mark.oracle
@pytest.mark.parametrize("text", [CALLS, LOOP, HLO], ids=["calls", "loop", "hlo"])
def test_xla_computes_what_comes_before(text: str) -> None:
    inputs = [np.arange(4, dtype=np.float32) if text == LOOP else NUMBERS]
    last = (
        text.splitlines().index(
            next(line for line in reversed(text.splitlines()) if "= stablehlo.add" in line or "ROOT" in line)
        )
        + 1
    )
    found = hloscope.record(text, inputs, start_at=last)
    assert found.program.entry is not None
    assert found.program.entry.function.begin is not None
    assert found.program.entry.function.begin.by.startswith("XLA of jaxlib ")
    np.testing.assert_allclose(first_result(found), hloscope.run(text, inputs)[0], rtol=1e-5)


@pytest.mark.oracle
def test_xla_computes_for_each_process() -> None:
    parts = hloscope.Each([NUMBERS[:2], NUMBERS[1:]])
    found = hloscope.record(SUM_OF_PARTS, [parts], start_at="%2")
    whole = hloscope.run_each(SUM_OF_PARTS, [parts])
    assert [first_result(track).tolist() for track in found.tracks] == [
        values[0].tolist() for values in whole
    ]


@pytest.mark.oracle
def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "f.mlir"
    program.write_text(CALLS)
    assert main(["run", str(program), "--input", "ones", "--start-at", "%4"]) == 0
    shown = capsys.readouterr()
    assert "the recording begins at line 16; 1 value from before it is computed by XLA of jaxlib" in shown.err
    assert "4.62" in shown.out
    assert main(["run", str(program), "--start-at", "99"]) == 2
    assert "no operation of @main is on line 99" in capsys.readouterr().err


def test_without_xla_it_says_what_to_type(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from hloscope.app.cli import run
    from hloscope.app.xla.failures import XlaMissing

    def missing(*_: Any) -> None:
        raise XlaMissing("python")

    monkeypatch.setattr(run, "begin_with_engine", missing)
    program = tmp_path / "f.mlir"
    program.write_text(CALLS)
    assert main(["run", str(program), "--start-at", "%4"]) == 2
    assert "type `pip install 'hloscope[xla]'`" in capsys.readouterr().err
