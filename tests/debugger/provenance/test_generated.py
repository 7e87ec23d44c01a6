"""Provenance of generated programs of one op, of ops with functions, and of processes that meet or send."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.process_grid.launch import Launch
from hloscope.engine.program import BoundProgram
from tests.debugger.programs import recorded
from tests.oracle.cases import Case
from tests.oracle.generators import GENERATORS
from tests.oracle.generators.grids import collectives
from tests.oracle.generators.hlo import GENERATORS as HLO_GENERATORS
from tests.oracle.generators.hlo.cases import HloCase
from tests.oracle.generators.transfers import transfers
from tests.oracle.grid_case import GridCase
from tests.programs import load_program

from .disturbing import Inputs, assert_exact
from .hlo_generator import HloGenerator

few = settings(
    max_examples=6,
    phases=[Phase.generate],
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
OPS = [
    *("select", "gather", "scatter", "dynamic_gather", "sort", "select_and_scatter", "reduce"),
    *("reduce_window", "map", "while", "if", "case"),
]
OPCODES = ["scan", "bitcast", "fusion", "all-reduce-done"]
BY_PLACE = ("scatter", "select_and_scatter")
"""Lanes of their bodies are counted through all places that values go to: another choice shifts them."""


def _check(program: BoundProgram, inputs: Inputs, grid: Grid, **how: Any) -> None:
    def rerun(rows: Inputs) -> Recording:
        return recorded(program, Launch(grid, tuple(tuple(row) for row in rows)))

    with np.errstate(all="ignore"):
        assert_exact(rerun, inputs, **how)


@pytest.mark.parametrize("name", OPS)
def test_of_an_op(name: str) -> None:
    @few
    @given(GENERATORS[f"stablehlo.{name}"])
    def check(case: Case) -> None:
        program = load_program(case.program, "test.mlir")
        _check(program, [case.operands], Grid(1, 1), in_bodies=name not in BY_PLACE)

    check()


@pytest.mark.more
@pytest.mark.parametrize("opcode", OPCODES)
def test_of_an_opcode(opcode: str) -> None:
    @few
    @given(HLO_GENERATORS[opcode])
    def check(case: HloCase) -> None:
        program = load_program(case.text, "test.hlo")
        _check(program, [case.case.operands], Grid(1, 1))

    check()


def _check_grid(case: GridCase) -> None:
    if len(case.functions) > 1:
        main = case.main()
        _check(load_program(main.program + case.text, "test.mlir"), [main.operands], Grid(1, 1))
        return
    grid = case.grid
    attributes = (
        f"mhlo.num_replicas = {grid.num_replicas} : i32, mhlo.num_partitions = {grid.num_partitions} : i32"
    )
    text = f"module attributes {{{attributes}}} {{\n{case.functions[0].text('main')}}}"
    rows: Sequence[Sequence[Array]] = case.operands
    _check(load_program(text, "test.mlir"), rows, grid)


@few
@given(collectives(6) | collectives(6, freely=True))
def test_of_processes_that_meet(case: GridCase) -> None:
    _check_grid(case)


@few
@given(transfers())
def test_of_processes_that_send(case: GridCase) -> None:
    _check_grid(case)


ONE_FUNCTION = """
HloModule one_function

turned {
  pair = (f32[2], f32[]) parameter(0)
  x = f32[2] get-tuple-element(pair), index=0
  ROOT y = f32[2] reverse(x), dimensions={0}
}

ENTRY main {
  which = s32[] parameter(0)
  a = f32[2] parameter(1)
  b = f32[2] parameter(2)
  k = f32[] constant(1)
  first = (f32[2], f32[]) tuple(a, k)
  second = (f32[2], f32[]) tuple(b, k)
  ROOT y = f32[2] conditional(which, first, second, first), branch_computations={turned, turned, turned}
}
"""


@pytest.mark.parametrize("which", [0, 1, 2, 5])
def test_of_branches_that_are_one_function(which: int) -> None:
    inputs = [np.array(which, np.int32), np.array([1, 2], np.float32), np.array([5, 7], np.float32)]
    _check(load_program(ONE_FUNCTION, "test.hlo"), [inputs], Grid(1, 1))


@pytest.mark.more
@pytest.mark.parametrize("processes", [1, 3])
@pytest.mark.parametrize("seed", range(2))
def test_of_functions_in_functions(seed: int, processes: int) -> None:
    program = load_program(HloGenerator(seed, processes).text, "test.hlo")
    numbers = np.random.default_rng(seed)
    which = np.array(numbers.integers(-1, 4), np.int32)
    inputs = [
        [*(numbers.uniform(-1.4, 1.4, (2, 3)).astype(np.float32) for _ in range(2)), which]
        for _ in range(processes)
    ]
    _check(program, inputs, Grid(processes, 1))
