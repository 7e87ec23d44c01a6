"""Transfers and async ops: every conformance program, in any schedule, dropped and recomputed."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hloscope.engine.debugger.address import result
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.process_grid import Launch
from hloscope.engine.process_grid.grid_run import Schedule
from hloscope.engine.program import BoundProgram
from tests.debugger import programs
from tests.each import for_each
from tests.programs import load_program

from ..conformance.catalogue import EXAMPLES as ALL_EXAMPLES
from ..conformance.catalogue import launch_of
from ..conformance.hlo_programs import Example
from .test_schedule import at_random, everything

FOLDER = Path(__file__).parent.parent / "conformance"
TEXTS = {
    path.stem: path.read_text("utf-8")
    for pattern in ("grid_send*.mlir", "grid_async*.mlir", "grid_infeed*.mlir")
    for path in sorted(FOLDER.glob(pattern))
}
EXAMPLES = {
    found.name: found for found in ALL_EXAMPLES if found.name.startswith("transfers") and found.results
}
NAMES = [*TEXTS, *EXAMPLES]


def run(name: str) -> tuple[BoundProgram, Launch]:
    if name in TEXTS:
        return load_program(TEXTS[name]), Launch.single_process(())
    example: Example = EXAMPLES[name]
    return load_program(example.text), launch_of(example)


def recorded(name: str, schedule: Schedule | None = None, recording_bytes: int = 1 << 30) -> Recording:
    program, launch = run(name)
    limits = replace(DEFAULT_LIMITS, recording_bytes=recording_bytes)
    return programs.recorded(program, launch, limits, schedule=schedule)


@cache
def expected(name: str) -> Any:
    return everything(recorded(name))


@for_each("seed", range(8))
@for_each("name", NAMES)
def test_any_fair_order_gives_the_same(name: str, seed: int) -> None:
    assert everything(recorded(name, at_random(seed))) == expected(name)


@pytest.mark.parametrize("name", NAMES)
def test_values_that_were_dropped_come_back(name: str) -> None:
    assert everything(recorded(name, recording_bytes=64)) == expected(name)


@for_each("name", NAMES)
def test_pauses_change_nothing(name: str) -> None:
    program, launch = run(name)
    recording = Recording(program, launch)
    while recording.record(steps=1).kind == "recording":
        pass
    assert everything(recording) == expected(name)


LATE = """
func.func private @early(%x: tensor<1xi64>) -> (tensor<2xi64>, tensor<1xi64>) {
  %started = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<1xi64>):
    %all = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<1xi64>) -> tensor<2xi64>
    stablehlo.return %all : tensor<2xi64>
  }) : (tensor<1xi64>) -> !stablehlo.future<tensor<2xi64>>
  %meanwhile = stablehlo.add %x, %x : tensor<1xi64>
  %all = "stablehlo.async_done"(%started) : (!stablehlo.future<tensor<2xi64>>) -> tensor<2xi64>
  return %all, %meanwhile : tensor<2xi64>, tensor<1xi64>
}

func.func private @late(%x: tensor<1xi64>) -> tensor<2xi64> {
  %1 = stablehlo.add %x, %x : tensor<1xi64>
  %2 = stablehlo.add %1, %x : tensor<1xi64>
  %3 = stablehlo.add %2, %x : tensor<1xi64>
  %4 = stablehlo.add %3, %x : tensor<1xi64>
  %5 = stablehlo.add %4, %x : tensor<1xi64>
  %6 = stablehlo.add %5, %x : tensor<1xi64>
  %all = "stablehlo.all_gather"(%6) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<1xi64>) -> tensor<2xi64>
  return %all : tensor<2xi64>
}

func.func @main() -> (tensor<2xi64>, tensor<1xi64>, tensor<2xi64>) {
  %x = stablehlo.constant dense<3> : tensor<1xi64>
  %r:3 = "interpreter.run_parallel"(%x, %x) {programs = [[@early], [@late]]} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>, tensor<1xi64>, tensor<2xi64>)
  return %r#0, %r#1, %r#2 : tensor<2xi64>, tensor<1xi64>, tensor<2xi64>
}
"""


def test_who_has_only_started_goes_on_at_once() -> None:
    recording = programs.recorded(LATE)
    assert [found.tolist() for found in recording.results() or ()] == [[3, 21], [6], [3, 21]]
    early = recording.tracks[1]
    names = [recording.program.ops[early.op_of(step)].operation.name for step in range(early.step_count)]
    assert names[:5] == [
        "stablehlo.async_start",
        "stablehlo.all_gather",
        "stablehlo.return",
        "stablehlo.add",
        "stablehlo.async_done",
    ]
    ticks = [early.tick_of(step) - early.tick_of(0) for step in range(early.step_count)]
    assert ticks[:5] == [0, 1, 2, 3, 4], "nothing is waited for before async_done"
    assert ticks[5] > 5
    assert recording.value(result(1, 0, 1)).tolist() == [0, 0], "it stands for what is to come"
    assert recording.value(result(4, 0, 1)).tolist() == [3, 21]
