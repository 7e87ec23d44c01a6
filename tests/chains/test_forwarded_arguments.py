"""A scalar argument that is equal in all calls is known inside the function.

XLA outlines loops into functions whose arguments are the initial values, such as the counter of a scan.
"""

from __future__ import annotations

import numpy as np
import pytest

from hloscope.engine.chains import Chains, Leaf, maps_of_function, operation_maps
from hloscope.engine.indexing import print_map
from hloscope.engine.program import BoundProgram
from tests.programs import load_program

from .relations import Matrix, matrix

LOOP = """func.func private @looping(%start: tensor<i32>, %step: tensor<i32>, %x: tensor<8xi32>) -> tensor<8xi32> {
  %empty = stablehlo.constant dense<0> : tensor<8xi32>
  %r:4 = stablehlo.while(%i = %start, %by = %step, %xs = %x, %ys = %empty)
      : tensor<i32>, tensor<i32>, tensor<8xi32>, tensor<8xi32>
    cond {
      %n = stablehlo.constant dense<8> : tensor<i32>
      %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %v = stablehlo.dynamic_slice %xs, %i, sizes = [2] : (tensor<8xi32>, tensor<i32>) -> tensor<2xi32>
      %w = stablehlo.dynamic_update_slice %ys, %v, %i
        : (tensor<8xi32>, tensor<2xi32>, tensor<i32>) -> tensor<8xi32>
      %next = stablehlo.add %i, %by : tensor<i32>
      stablehlo.return %next, %by, %xs, %w : tensor<i32>, tensor<i32>, tensor<8xi32>, tensor<8xi32>
    }
  return %r#3 : tensor<8xi32>
}
func.func private @further(%from: tensor<i32>, %x: tensor<8xi32>) -> tensor<8xi32> {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %y = func.call @looping(%from, %two, %x) : (tensor<i32>, tensor<i32>, tensor<8xi32>) -> tensor<8xi32>
  return %y : tensor<8xi32>
}
"""
TWICE = """func.func @main(%x: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {{
  %a = stablehlo.constant dense<{}> : tensor<i32>
  %b = stablehlo.constant dense<{}> : tensor<i32>
  %p = func.call @further(%a, %x) : (tensor<i32>, tensor<8xi32>) -> tensor<8xi32>
  %q = func.call @further(%b, %x) : (tensor<i32>, tensor<8xi32>) -> tensor<8xi32>
  return %p, %q : tensor<8xi32>, tensor<8xi32>
}}
"""


def program_of(first: int, second: int) -> BoundProgram:
    return load_program(TWICE.format(first, second) + LOOP)


def relation(program: BoundProgram, chains: Chains | None, name: str, argument: int) -> tuple[Matrix, bool]:
    """How the first result depends on an argument, and whether the maps only enclose."""
    block = program.blocks[program.functions[name].block]
    start, end = Leaf(block.operations[-1].operands[0]), Leaf(block.arguments[argument])
    found, enclosing = np.zeros((8, 8), np.bool_), False
    for item in maps_of_function(program, name, chains=chains):
        if (item.start, item.end) == (start, end):
            found |= matrix(item.map, (8,), (8,), [])
            enclosing |= item.enclosing
    return found, enclosing


@pytest.mark.parametrize("start", [2, 4])
def test_a_loop_counts_from_the_number_that_all_calls_pass(start: int) -> None:
    program = program_of(start, start)
    found, enclosing = relation(program, Chains(program), "main", 0)
    assert not enclosing
    assert np.array_equal(found, np.diag([k >= start for k in range(8)]))


def test_calls_that_pass_different_numbers_leave_it_open() -> None:
    program = program_of(1, 4)
    found, enclosing = relation(program, Chains(program), "main", 0)
    assert enclosing
    assert found[np.diag_indices(8)].all()


def test_nothing_is_known_of_what_a_function_that_runs_alone_is_given() -> None:
    program = program_of(1, 1)
    for chains in (None, Chains(program, entry=program.functions["further"])):
        found, enclosing = relation(program, chains, "further", 1)
        assert enclosing
        assert found[np.diag_indices(8)].all()


SLICED = """func.func private @sum(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %c = stablehlo.add %a, %b : tensor<i32>
  return %c : tensor<i32>
}
func.func private @sliced(%x: tensor<9xi32>, %at: tensor<i32>) -> tensor<3xi32> {
  %s = stablehlo.dynamic_slice %x, %at, sizes = [3] : (tensor<9xi32>, tensor<i32>) -> tensor<3xi32>
  return %s : tensor<3xi32>
}
func.func @main(%x: tensor<9xi32>) -> tensor<3xi32> {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %at = func.call @sum(%two, %two) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %s = func.call @sliced(%x, %at) : (tensor<9xi32>, tensor<i32>) -> tensor<3xi32>
  return %s : tensor<3xi32>
}
"""


def test_an_offset_that_is_an_argument_is_written_out_within_the_function() -> None:
    program = load_program(SLICED)
    number = next(op.id for op in program.ops if op.op.name == "stablehlo.dynamic_slice")
    found = operation_maps(program, number, chains=Chains(program, folds=True))
    assert print_map(found[0].map) == "(d0) -> (d0 + 4), domain: d0 in [0, 2]"
    alone = Chains(program, folds=True, entry=program.functions["sliced"])
    assert print_map(operation_maps(program, number, chains=alone)[0].map).startswith(
        "(d0){rt0} -> (d0 + rt0)"
    )


APPLIED = """HloModule applied
%shared (a: s32[], b: s32[]) -> s32[] {
  %a = s32[] parameter(0)
  %b = s32[] parameter(1)
  %table = s32[4]{0} constant({5, 6, 7, 8})
  %s = s32[1]{0} dynamic-slice(%table, %b), dynamic_slice_sizes={1}
  %v = s32[] reshape(%s)
  ROOT %c = s32[] add(%a, %v)
}
ENTRY %main (x: s32[9], n: s32[]) -> (s32[], s32[]) {
  %x = s32[9]{0} parameter(0)
  %n = s32[] parameter(1)
  %two = s32[] constant(2)
  %p = s32[] call(%n, %two), to_apply=%shared
  %q = s32[] reduce(%x, %n), dimensions={0}, to_apply=%shared
  ROOT %t = (s32[], s32[]) tuple(%p, %q)
}
"""


def test_a_computation_that_a_reduce_applies_is_given_other_numbers_there() -> None:
    program = load_program(APPLIED)
    number = next(op.id for op in program.ops if op.op.name == "stablehlo.dynamic_slice")
    (found, *_) = operation_maps(program, number, chains=Chains(program, folds=True))
    assert len(found.map.runtimes) == 1
