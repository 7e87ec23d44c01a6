"""Maps that depend on the branch or on the number of iterations are marked as undecided."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import pytest

from hloscope.engine.chains import Leaf, ValueMap, maps_of_function
from hloscope.engine.ops.core.op import Array
from tests.debugger.programs import recorded
from tests.debugger.provenance.matrices import Ends
from tests.ops.mapping import table_of
from tests.programs import load_program

V = "tensor<4xf32>"
HEAD = f"func.func @main(%n: tensor<i32>, %p: tensor<i1>, %x: {V}, %y: {V}) -> {V}"
BRANCHES = f"""{HEAD} {{
  %r = "stablehlo.if"(%p) ({{
    %a = stablehlo.reverse %x, dims = [0] : {V}
    %b = stablehlo.add %a, %x : {V}
    stablehlo.return %b : {V}
  }}, {{
    %b = stablehlo.add %x, %y : {V}
    stablehlo.return %b : {V}
  }}) : (tensor<i1>) -> {V}
  return %r : {V}
}}"""
CASES = f"""{HEAD} {{
  %r = "stablehlo.case"(%n) ({{
    stablehlo.return %x : {V}
  }}, {{
    %b = stablehlo.add %x, %y : {V}
    stablehlo.return %b : {V}
  }}, {{
    %a = stablehlo.reverse %y, dims = [0] : {V}
    %b = stablehlo.add %x, %a : {V}
    stablehlo.return %b : {V}
  }}) : (tensor<i32>) -> {V}
  return %r : {V}
}}"""


def loop(body: str, limit: str = "%n") -> str:
    """A loop that computes %w from %v in each iteration."""
    return f"""{HEAD} {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, {V}
    cond {{
      %go = stablehlo.compare LT, %i, {limit}, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    }} do {{
      {body}
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %w : tensor<i32>, {V}
    }}
  return %r#1 : {V}
}}"""


MAYBE = f"""%w = "stablehlo.if"(%p) ({{
        %a = stablehlo.add %v, %y : {V}
        stablehlo.return %a : {V}
      }}, {{
        stablehlo.return %v : {V}
      }}) : (tensor<i1>) -> {V}"""
PROGRAMS = {
    "branches": BRANCHES,
    "cases": CASES,
    "an iteration moves elements": loop(f"%w = stablehlo.reverse %v, dims = [0] : {V}"),
    "an iteration reads another value": loop(f"%w = stablehlo.add %v, %y : {V}"),
    "an iteration replaces the value": loop(f"%w = stablehlo.negate %y : {V}"),
    "an iteration keeps elements": loop(f"%w = stablehlo.tanh %v : {V}"),
    "a branch in a loop": loop(MAYBE),
    "a branch in a loop of a known number of iterations": loop(MAYBE, "%three"),
}
RUNS = [(n, p) for n in range(4) for p in (False, True)]


def _inputs(n: int, p: bool) -> list[Array]:
    return [np.array(n, np.int32), np.array(p), np.ones(4, np.float32), np.ones(4, np.float32)]


def _table(item: ValueMap, shapes: dict[Leaf, Sequence[int]], *, inverse: bool) -> Array:
    """[element of the result, element of the argument]"""
    found = table_of(item.map, shapes[item.start], shapes[item.end], ())
    return found.T if inverse else found


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_every_run_reads_and_what_only_some_do(name: str, inverse: bool) -> None:
    program = load_program(PROGRAMS[name])
    block = program.blocks[program.functions["main"].block]
    (given,), inputs = block.operations[-1].operands, [np.shape(array) for array in _inputs(0, False)]
    shapes: dict[Leaf, Sequence[int]] = {
        Leaf(given): (4,),
        **{Leaf(value): shape for value, shape in zip(block.arguments, inputs, strict=True)},
    }
    read = []
    for n, p in RUNS:
        recording = recorded(program, _inputs(n, p))
        columns = np.split(Ends(recording).back(), np.cumsum([prod(shape) for shape in inputs])[:-1], axis=1)
        read.append(dict(zip(map(Leaf, block.arguments), columns, strict=True)))
    maps = maps_of_function(program, "main", inverse=inverse)
    assert not any(item.enclosing for item in maps)
    for item in maps:
        table = _table(item, shapes, inverse=inverse)
        argument = item.start if inverse else item.end
        in_each = [bool(np.all(run[argument][table])) for run in read]
        assert any(in_each)
        assert all(in_each) is not item.undecided, item
    for argument in map(Leaf, block.arguments):
        tables = [_table(m, shapes, inverse=inverse) for m in maps if argument in (m.start, m.end)]
        union = np.any([np.zeros((4, prod(shapes[argument])), bool), *tables], axis=0)
        assert not any(np.any(run[argument] & ~union) for run in read)


def test_a_conditional_of_hlo() -> None:
    program = load_program(
        """HloModule m
there { a = f32[4] parameter(0)
  ROOT n = f32[4] negate(a) }
back { b = f32[4] parameter(0)
  ROOT r = f32[4] reverse(b), dimensions={0} }
ENTRY main {
  p = pred[] parameter(0)
  x = f32[4] parameter(1)
  y = f32[4] parameter(2)
  ROOT c = f32[4] conditional(p, x, y), true_computation=there, false_computation=back
}""",
        "test.hlo",
    )
    maps = maps_of_function(program, program.entry.function.name if program.entry else "main")
    assert [item.undecided for item in sorted(maps, key=lambda item: item.end.value)] == [False, True, True]


def test_what_is_wider_than_any_run_reads_differs_from_what_a_run_decides() -> None:
    many = f"""%a = stablehlo.slice %v [1:4] : ({V}) -> tensor<3xf32>
      %b = stablehlo.slice %y [0:1] : ({V}) -> tensor<1xf32>
      %w = stablehlo.concatenate %a, %b, dim = 0 : (tensor<3xf32>, tensor<1xf32>) -> {V}"""
    text = (
        loop(many)
        .replace("tensor<4xf32>", "tensor<64xf32>")
        .replace("1:4", "1:64")
        .replace("3xf32", "63xf32")
    )
    program = load_program(text)
    arguments = program.blocks[program.functions["main"].block].arguments
    (item,) = (m for m in maps_of_function(program, "main") if m.end.value == arguments[2])
    assert (item.enclosing, item.undecided) == (True, True)
    few = load_program(loop(many))
    arguments = few.blocks[few.functions["main"].block].arguments
    found = [m for m in maps_of_function(few, "main") if m.end.value == arguments[2]]
    assert found
    assert all((m.enclosing, m.undecided) == (False, True) for m in found)
