"""Opening a program, and looking at its run, takes time in proportion to its arguments, results and processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hloscope.app.answers.program import OpDetailsQuestion, ProgramQuestion
from hloscope.app.answers.provenance import OperandsQuestion
from hloscope.app.answers.question import answer
from hloscope.app.cli.main import main
from hloscope.app.runs import opening
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.source import Source
from tests.app.grid_programs import SUM_OF_PAIRS
from tests.work import calls


def listed(form: str, n: int) -> str:
    return ", ".join(form.format(i) for i in range(n))


def scalars(n: int) -> str:
    arguments, types = listed("%a{}: tensor<f32>", n), listed("tensor<f32>", n)
    ops = "".join(f"  %{i} = stablehlo.negate %a{i} : tensor<f32>\n" for i in range(n))
    return f"func.func @main({arguments}) -> ({types}) {{\n{ops}  return {listed('%{}', n)} : {types}\n}}"


def loop(n: int) -> str:
    arguments, types = listed("%a{}: tensor<f32>", n), listed("tensor<f32>", n)
    return f"""\
func.func @main(%k: tensor<i32>, {arguments}) -> (tensor<i32>, {types}) {{
  %one = stablehlo.constant dense<1> : tensor<i32>
  %w:{n + 1} = stablehlo.while(%ik = %one, {listed("%i{0} = %a{0}", n)}) : tensor<i32>, {types}
   cond {{
    %c = stablehlo.compare EQ, %ik, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }} do {{
    %d = stablehlo.subtract %ik, %one : tensor<i32>
    stablehlo.return %d, {listed("%i{}", n)} : tensor<i32>, {types}
  }}
  return {listed("%w#{}", n + 1)} : tensor<i32>, {types}
}}"""


def parts(n: int) -> str:
    types, cut = listed("f32[2]", n), "{devices=[2]<=[2]}"
    parameters = "".join(f"  %p{i} = f32[2] parameter({i}), sharding={cut}\n" for i in range(n))
    return f"""\
HloModule jit_f, num_partitions=2

ENTRY %main_spmd ({listed("p{}: f32[2]", n)}) -> ({types}) {{
{parameters}  %id = u32[] partition-id()
  ROOT %t = ({types}) tuple({listed("%p{}", n)}), sharding={{{", ".join([cut] * n)}}}
}}"""


def one_tuple(n: int) -> str:
    types = listed("f32[2]", n)
    elements = "".join(f"  %g{i} = f32[2] get-tuple-element(%p), index={i}\n" for i in range(n))
    return f"""\
HloModule jit_f

ENTRY %main (p: ({types})) -> ({types}) {{
  %p = ({types}) parameter(0)
{elements}  ROOT %t = ({types}) tuple({listed("%g{}", n)})
}}"""


def from_outside(n: int) -> str:
    made = "".join(f"  %{i} = stablehlo.custom_call @f{i}() : () -> tensor<f32>\n" for i in range(n))
    return f"func.func @main() -> tensor<f32> {{\n{made}  return %0 : tensor<f32>\n}}"


def concatenation(n: int) -> str:
    types = listed("tensor<1xf32>", n)
    return f"""\
func.func @main({listed("%a{}: tensor<1xf32>", n)}) -> tensor<{n}xf32> {{
  %r = stablehlo.concatenate {listed("%a{}", n)}, dim = 0 : ({types}) -> tensor<{n}xf32>
  return %r : tensor<{n}xf32>
}}"""


PROGRAMS = (scalars, loop, parts, one_tuple, from_outside, concatenation)


class Session:
    """What a worker does for a page: each step can be done once those before it are."""

    def __init__(self, text: str) -> None:
        self.source = Source(text)

    def check(self) -> None:
        assert opening.check(self.source, None, DEFAULT_LIMITS)["entries"]

    def open(self) -> None:
        self.opened = self._opened([])
        self.run = self.opened.run

    def open_again(self) -> None:
        self._opened(self.opened.facts["arguments"])

    def record(self) -> None:
        self.run.recording.record()

    def program(self) -> None:
        answer(self.run, ProgramQuestion())

    def ops(self) -> None:
        for op in self._large():
            answer(self.run, OpDetailsQuestion(op))

    def operands(self) -> None:
        large, track = set(self._large()), self.run.recording.tracks[0]
        for step in range(track.step_count):
            if track.op_of(step) in large:
                answer(self.run, OperandsQuestion(step))

    def _opened(self, previous: list[Any]) -> opening.Opening:
        found = opening.open_run(
            self.source, opening.OpenParameters(None, [], previous), DEFAULT_LIMITS, "build", 1
        )
        assert isinstance(found, opening.Opening), found.result
        return found

    def _large(self) -> Iterator[int]:
        for number, bound in enumerate(self.run.recording.program.ops):
            if max(len(bound.operands), len(bound.results)) > 8:
                yield number


STEPS = (
    Session.check,
    Session.open,
    Session.open_again,
    Session.record,
    Session.program,
    Session.ops,
    Session.operands,
)


@pytest.mark.parametrize("program", PROGRAMS)
def test_twice_the_arguments_take_at_most_little_more_than_twice_the_calls(
    program: Callable[[int], str],
) -> None:
    first, small, large = Session(program(9)), Session(program(60)), Session(program(120))
    for step in STEPS:
        step(first)  # what is found out once and kept
        few, many = (calls(partial(step, session)) for session in (small, large))
        assert many <= 2.3 * few + 500, step.__name__


def test_an_op_of_very_many_maps_lists_none() -> None:
    session = Session(loop(40))
    session.open()
    (number,) = (op.id for op in session.run.recording.program.ops if op.operation.name == "stablehlo.while")
    details = answer(session.run, OpDetailsQuestion(number)).json()
    assert details["maps"] is None
    assert details["inverse"] is None


# Of many processes, on the command line.

OWN_RESULTS = """\
module attributes {mhlo.num_replicas = COUNT : i32} {
  func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<ui32>) {
    %r = stablehlo.replica_id : tensor<ui32>
    %f = stablehlo.convert %r : (tensor<ui32>) -> tensor<f32>
    %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %y = stablehlo.add %x, %b : tensor<2xf32>
    return %y, %r : tensor<2xf32>, tensor<ui32>
  }
}"""
FOR_EVER = """\
module attributes {mhlo.num_replicas = COUNT : i32} {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %t = stablehlo.create_token : !stablehlo.token
    %y:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
        source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}
      : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
    return %y#0 : tensor<2xf32>
  }
}"""
ON_GRIDS = {
    "own results": (OWN_RESULTS, ()),
    "each": (OWN_RESULTS, ("--results", "each")),
    "saved": (OWN_RESULTS, ("--outputs", "y.npz")),
    "a deadlock": (FOR_EVER, ()),
    "pairs": (SUM_OF_PAIRS, ("--json",)),
}


def of_processes(text: str, count: int) -> str:
    pairs = ", ".join(f"[{i}, {i + 1}]" for i in range(0, count, 2))
    return (
        text.replace("COUNT", str(count))
        .replace("num_replicas = 4", f"num_replicas = {count}")
        .replace("[[0, 1], [2, 3]]> : tensor<2x2xi64>", f"[{pairs}]> : tensor<{count // 2}x2xi64>")
    )


@pytest.mark.parametrize("name", ON_GRIDS)
def test_twice_the_processes_take_at_most_little_more_than_twice_the_calls(
    name: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    text, options = ON_GRIDS[name]
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "p.mlir"

    def run(count: int) -> int:
        file.write_text(of_processes(text, count), "utf-8")
        return calls(lambda: main(["run", str(file), "--set", "max_processes=1000", *options]))

    run(4)
    few, many = run(200), run(400)
    told = capsys.readouterr()
    assert "(0, 0)" in told.out + told.err or '"passed"' in told.out
    assert many <= 2.3 * few + 500
