"""Loops: what is one value in all iterations, and what changes."""

from __future__ import annotations

from engine.chains import map_sources, operation_maps
from engine.chains.handed_on import origin, unchanged
from engine.chains.leaves import Leaf, leaf_name
from engine.indexing import OperandMap
from engine.program import BoundProgram

from .relations import loaded


def the_loop(program: BoundProgram) -> int:
    return next(op.id for op in program.ops if op.op.name == "stablehlo.while")


def by_names(program: BoundProgram) -> dict[tuple[int, str], list[OperandMap]]:
    """The maps of the loop of a program, by the number of the result and the name of the operand."""
    number = the_loop(program)
    sources = map_sources(program, number)
    found: dict[tuple[int, str], list[OperandMap]] = {}
    for item in operation_maps(program, number):
        found.setdefault((item.result, sources[item.operand].name), []).append(item)
    return found


ELEMENT_BY_ELEMENT = """func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %w = stablehlo.cosine %v : tensor<4xf32>
      stablehlo.return %j, %w : tensor<i32>, tensor<4xf32>
    }
  return %r#1 : tensor<4xf32>
}"""


def test_what_is_computed_element_by_element_hangs_on_the_number_of_iterations() -> None:
    program = loaded(ELEMENT_BY_ELEMENT)
    assert not unchanged(program, program.ops[the_loop(program)])
    assert {name for result, name in by_names(program) if result == 1} == {"%x", "%zero", "%n", "%one"}
    forwards = operation_maps(program, the_loop(program), inverse=True)
    sources = map_sources(program, the_loop(program))
    assert {sources[item.operand].name for item in forwards if item.result == 1} >= {"%x", "%n"}


HANDED_ON = """func.func private @same(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c = stablehlo.add %a, %b : tensor<4xf32>
  return %b, %c : tensor<4xf32>, tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:4 = stablehlo.while(%i = %zero, %v = %x, %k = %w, %m = %n) : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>
    cond {
      %go = stablehlo.compare LT, %i, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %q:2 = func.call @same(%v, %k) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      %s:2 = stablehlo.while(%u = %i, %held = %q#0) : tensor<i32>, tensor<4xf32>
        cond {
          %on = stablehlo.compare LT, %u, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %on : tensor<i1>
        } do {
          %next = stablehlo.add %u, %u : tensor<i32>
          stablehlo.return %next, %held : tensor<i32>, tensor<4xf32>
        }
      %o:2 = stablehlo.optimization_barrier %s#1, %m : tensor<4xf32>, tensor<i32>
      stablehlo.return %s#0, %q#1, %o#0, %o#1 : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>
    }
  return %r#1 : tensor<4xf32>
}"""


def test_values_are_handed_on_through_calls_inner_loops_and_barriers() -> None:
    program = loaded(HANDED_ON)
    outer = program.ops[the_loop(program)]
    assert {leaf_name(program, leaf) for leaf in unchanged(program, outer)} == {"%k", "%m"}
    inner = next(op for op in program.ops if op.op.name == "stablehlo.while" and op.id != outer.id)
    assert {leaf_name(program, leaf) for leaf in unchanged(program, inner)} == {"%held"}
    last = program.blocks[outer.regions[1]].operations[-1]
    leaves = [origin(program, Leaf(value)) for value in last.operands]
    assert [leaf_name(program, leaf) for leaf in leaves] == ["%s#0", "%q#1", "%k", "%m"]
    assert [name for result, name in by_names(program) if result == 2] == ["%w"]
