"""What depends on an op: by data, by decisions and by transfers."""

from __future__ import annotations

import pytest

from hloscope.engine.program import BoundProgram
from hloscope.engine.value_walks import dependents

from .conformance.catalogue import FOLDER, program_of
from .programs import load_program

COUNTED = """
func.func @main(%end: tensor<i32>, %x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %limit = stablehlo.xor %end, %one : tensor<i32>
  %out:3 = stablehlo.while(%i = %zero, %v = %x, %other = %x) : tensor<i32>, tensor<f32>, tensor<f32>
    cond {
      %go = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %n = stablehlo.add %i, %one : tensor<i32>
      %d = stablehlo.add %v, %v : tensor<f32>
      stablehlo.return %n, %d, %other : tensor<i32>, tensor<f32>, tensor<f32>
    }
  %twice = stablehlo.add %x, %x : tensor<f32>
  %pair = stablehlo.tuple %out#1, %twice : tuple<tensor<f32>, tensor<f32>>
  %first = stablehlo.get_tuple_element %pair[0] : (tuple<tensor<f32>, tensor<f32>>) -> tensor<f32>
  %second = stablehlo.get_tuple_element %pair[1] : (tuple<tensor<f32>, tensor<f32>>) -> tensor<f32>
  return %first, %second : tensor<f32>, tensor<f32>
}
"""


def names_behind(program: BoundProgram, name: str) -> set[str]:
    """The names of the values that depend on the op with a result of this name."""
    ops = [found.id for found in program.ops for value in found.results if program.values[value].name == name]
    return {program.values[value].name for value, _ in dependents(program, ops)}


@pytest.mark.parametrize(("name", "is_behind"), [("%first", True), ("%second", False), ("%v", False)])
def test_a_loop_depends_on_its_condition_and_elements_of_a_tuple_on_their_own(
    name: str, is_behind: bool
) -> None:
    assert (name in names_behind(load_program(COUNTED), "%limit")) == is_behind


def test_what_is_received_depends_on_what_is_sent() -> None:
    program = program_of(FOLDER / "stablehlo.recv.mlir")
    assert "%doubled" in names_behind(program, "%operand")
