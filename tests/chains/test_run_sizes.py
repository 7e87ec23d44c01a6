"""Chains of programs with open sizes: unknown before a run, exact after it."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from hloscope.engine.chains import Chains, maps_between, maps_of_function, operation_maps
from hloscope.engine.indexing import print_map
from hloscope.engine.ops.specialise import specialise_op
from hloscope.engine.program import BoundOperation, BoundProgram
from tests.programs import load_program

from .relations import Run

TEXT = """func.func private @half(%v: tensor<4x?xf32>) -> tensor<?x?xf32> {
  %n = stablehlo.negate %v : tensor<4x?xf32>
  %w = stablehlo.convert %n : (tensor<4x?xf32>) -> tensor<?x?xf32>
  return %w : tensor<?x?xf32>
}
func.func @main(%x: tensor<?x4xf32>) -> tensor<?x?xf32> {
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x4xf32>) -> tensor<4x?xf32>
  %d = stablehlo.reverse %t, dims = [0] : tensor<4x?xf32>
  %h = func.call @half(%d) : (tensor<4x?xf32>) -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}
"""


def static_forms(run: Run, shown: set[int]) -> Callable[[int], BoundOperation]:
    """Static forms of the ops in `shown`, as in the run."""

    def static_form(number: int) -> BoundOperation:
        bound = run.program.ops[number]
        found = {value: array for (_, value), array in run.values.items()}
        values = [found.get(value) for value in bound.operands]
        known = [value for value in values if value is not None]
        if number not in shown or len(known) < len(values) or not bound.dynamic:
            return bound
        return replace(bound, op=specialise_op(bound.op, known))

    return static_form


def started() -> tuple[BoundProgram, Run]:
    program = load_program(TEXT)
    run = Run(program)
    entry = program.entry
    assert entry is not None
    run.block(program.blocks[entry.block], [np.zeros((3, 4), np.float32)])
    return program, run


def test_maps_are_unknown_until_a_run_shows_the_sizes() -> None:
    program, run = started()
    entry = program.entry
    assert entry is not None
    shown: set[int] = set()
    chains = Chains(program, static_forms(run, shown))
    (before,) = maps_of_function(program, "main", chains=chains)
    assert before.map.is_undefined
    shown |= {bound.id for bound in program.ops}
    (after,) = maps_of_function(program, "main", chains=chains)
    assert print_map(after.map) == "(d0, d1) -> (d1, -d0 + 3), domain: d0 in [0, 3], d1 in [0, 2]"
    block = program.blocks[entry.block]
    reverse = block.operations[1]
    (item,) = maps_between(program, reverse.results[0], block.arguments[0], chains=chains)
    assert print_map(item.map) == "(d0, d1) -> (d1, -d0 + 3), domain: d0 in [0, 3], d1 in [0, 2]"
    (own,) = operation_maps(program, reverse.id, static_form=chains.operation, chains=chains)
    assert print_map(own.map) == "(d0, d1) -> (-d0 + 3, d1), domain: d0 in [0, 3], d1 in [0, 2]"
