"""interpreter.run_parallel: which functions fit, and what grids of any size give."""

from __future__ import annotations

import numpy as np
import pytest

from hloscope.engine.frontend import load
from hloscope.engine.ops.core.exchanges import RunGrid
from hloscope.engine.ops.core.op import Ask
from hloscope.engine.ops.dialects.interpreter_dialect import RunParallel
from hloscope.engine.source import Source
from tests.programs import load_program

from .test_tuples import results

ROW, NUMBER = "tensor<2xf32>", "tensor<f32>"
FUNCTIONS = f"""
func.func private @negate(%x: {ROW}) -> {ROW} {{
  %0 = stablehlo.negate %x : {ROW}
  return %0 : {ROW}
}}
func.func private @both(%x: {ROW}, %n: {NUMBER}) -> ({NUMBER}, {ROW}) {{
  return %n, %x : {NUMBER}, {ROW}
}}
func.func private @nothing() {{
  return
}}
func.func private @place() -> (tensor<ui32>, tensor<ui32>) {{
  %r = stablehlo.replica_id : tensor<ui32>
  %p = stablehlo.partition_id : tensor<ui32>
  return %r, %p : tensor<ui32>, tensor<ui32>
}}
"""


def text(statement: str, returned: str = "") -> str:
    names, _, types = returned.partition(" : ")
    return f"""{FUNCTIONS}
    func.func @main(%x: {ROW}, %n: {NUMBER}) -> ({types}) {{
      {statement}
      return {names + " : " + types if types else ""}
    }}"""


def run_parallel(
    programs: str, inputs: str, takes: str, gives: str, results: str = "", infeed: str = ""
) -> str:
    queue = f", infeed = [{infeed}]" if infeed else ""
    return f'{results} "interpreter.run_parallel"({inputs}) {{programs = {programs}{queue}}} : ({takes}) -> ({gives})'


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        (
            run_parallel(
                "[[@negate, @both]]", "%x, %x", f"{ROW}, {ROW}", f"{ROW}, {NUMBER}, {ROW}", "%r:3 ="
            ),
            "must have as many operands as the functions take, 3, not 2",
        ),
        (
            run_parallel("[[@negate], [@negate]]", "%x, %n", f"{ROW}, {NUMBER}", f"{ROW}, {ROW}", "%r:2 ="),
            f"operand 1 must be {ROW}, which @negate takes, not {NUMBER}",
        ),
        (
            run_parallel("[[@negate, @nothing]]", "%x", ROW, ""),
            "must have as many results as the functions give, 1, not 0",
        ),
        (
            run_parallel("[[@both]]", "%x, %n", f"{ROW}, {NUMBER}", f"{ROW}, {NUMBER}", "%r:2 ="),
            f"result 0 must be {NUMBER}, which @both gives, not {ROW}",
        ),
        (
            run_parallel("[[@nothing]]", "", "", "", infeed="@place, @negate"),
            f"@negate of infeed must take nothing, not [{ROW}]",
        ),
        (run_parallel("[[@nothing]]", "", "", "", infeed="@negat"), "calls @negat, which is not defined"),
    ],
)
def test_functions_must_fit(statement: str, wanted: str) -> None:
    (found,) = load(Source(text(statement))).diagnostics
    assert found.message == wanted


def test_operands_are_dealt_out_and_results_collected_in_order() -> None:
    statement = run_parallel(
        "[[@negate, @both], [@nothing, @negate]]",
        "%x, %x, %n, %x",
        f"{ROW}, {ROW}, {NUMBER}, {ROW}",
        f"{ROW}, {NUMBER}, {ROW}, {ROW}",
        "%r:4 =",
    )
    returned = f"%r#0, %r#1, %r#2, %r#3 : {ROW}, {NUMBER}, {ROW}, {ROW}"
    (bound,) = (op for op in load_program(text(statement, returned)).ops if isinstance(op.op, RunParallel))
    assert isinstance(bound.op, RunParallel)
    asked = bound.op.begin((np.zeros(2),))
    assert isinstance(asked, Ask)
    assert isinstance(asked.request, RunGrid)
    assert asked.request.programs == (("negate", "both"), ("nothing", "negate"))
    assert asked.request.infeed == ()
    found = results(text(statement, returned), [1, 2], 7)
    assert [value.tolist() for value in found] == [[-1, -2], 7, [1, 2], [-1, -2]]


def test_processes_know_their_place_in_the_inner_grid() -> None:
    names = ", ".join(f"%r#{number}" for number in range(12))
    types = ", ".join(["tensor<ui32>"] * 12)
    rows = "[[@place, @place], [@place, @place], [@place, @place]]"
    statement = run_parallel(rows, "", "", types, "%r:12 =")
    found = [int(value) for value in results(text(statement, f"{names} : {types}"), [1, 2], 7)]
    assert list(zip(found[::2], found[1::2], strict=True)) == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]
