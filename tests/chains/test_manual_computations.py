"""Maps of manual computations, composed through parts, against elements moved between processes."""

from __future__ import annotations

from math import prod

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine.chains import map_sources, operation_maps
from hloscope.engine.debugger.map_operands import map_operands
from hloscope.engine.ops.collectives.collective_rules import CollectiveOp
from hloscope.engine.ops.core.exchanges import GridPosition
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.ops.sharding.manual_computation import ManualComputation
from hloscope.engine.process_grid import Launch, results_on_grid
from hloscope.engine.program import BoundOperation, BoundProgram
from tests.ops.playing import processes
from tests.ops.relations import Relation, mapped, numbered
from tests.programs import load_program

GRID = Grid(1, 4)
MESH = {"x": 2, "y": 2}
CUTS = [
    ((), ()),
    (("x",), ()),
    ((), ("x",)),
    (("x",), ("y",)),
    (("y",), ("x",)),
    (("x", "y"), ()),
    ((), ("y", "x")),
]
Cut = tuple[tuple[str, ...], tuple[str, ...]]
TEXT = """
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%operand: tensor<{whole}xi64>) -> tensor<{made}xi64> {{
  %result = sdy.manual_computation(%operand) in_shardings=[<@mesh, [{ins}]>] out_shardings=[<@mesh, [{outs}]>]
      manual_axes={{"x", "y"}} (%part: tensor<{part}xi64>) {{
    {body}
    sdy.return %moved : tensor<{part}xi64>
  }} : (tensor<{whole}xi64>) -> tensor<{made}xi64>
  return %result : tensor<{made}xi64>
}}
"""
REVERSE = "%moved = stablehlo.reverse %part, dims = [1] : tensor<{part}xi64>"
SUM = """%moved = "stablehlo.all_reduce"(%part) ({{
    ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %s = stablehlo.add %a, %b : tensor<i64>
      stablehlo.return %s : tensor<i64>
    }}) {{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids,
      replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}} : (tensor<{part}xi64>) -> tensor<{part}xi64>"""


def sharding(cut: Cut) -> str:
    return ", ".join("{" + ", ".join(f'"{axis}"' for axis in axes) + "}" for axes in cut)


def program(
    ins: Cut, outs: Cut, part: tuple[int, int], body: str
) -> tuple[BoundProgram, BoundOperation, tuple[int, ...]]:
    """The program, its manual computation and the operand's sizes."""
    counts = [[prod(MESH[axis] for axis in axes) for axes in cut] for cut in (ins, outs)]
    whole, made = (tuple(size * count for size, count in zip(part, each, strict=True)) for each in counts)
    spelled = {
        name: "x".join(map(str, sizes)) for name, sizes in (("whole", whole), ("made", made), ("part", part))
    }
    text = TEXT.format(ins=sharding(ins), outs=sharding(outs), body=body.format(**spelled), **spelled)
    found = load_program(text)
    return found, next(bound for bound in found.ops if isinstance(bound.op, ManualComputation)), whole


def by_maps(found: BoundProgram, bound: BoundOperation, given: object, *, inverse: bool) -> Relation:
    """Evaluate the composed maps in every process."""
    relation: Relation = set()
    assert isinstance(bound.op, CollectiveOp)
    sources = map_sources(found, bound.id)
    for process in processes(GRID):
        place = GridPosition(process, GRID)
        values = map_operands(bound.op, given[process], place)  # type: ignore[index]
        operands = [values[0], *(values[1 + source.found] for source in sources[1:])]
        peers = bound.op.peers(place)
        assert peers is not None
        for item in operation_maps(found, bound.id, inverse=inverse):
            assert not item.enclosing
            for index, at, element in mapped(item, operands):
                other = process if at is None else peers.awaited[at]
                ends = ((process, 0, index), (other, 0, element))
                relation.add(ends if inverse else (ends[1], ends[0]))
    return relation


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(CUTS), st.sampled_from(CUTS), st.tuples(st.integers(1, 2), st.integers(1, 3)))
def test_elements_move_as_the_composed_maps_say(ins: Cut, outs: Cut, part: tuple[int, int]) -> None:
    found, bound, whole = program(ins, outs, part, REVERSE)
    given = numbered(GRID, whole)
    results = results_on_grid(
        found, Launch(GRID, tuple(tuple(given[process]) for process in processes(GRID)))
    )
    size, moved = prod(whole), set()
    for process, (result,) in zip(processes(GRID), results, strict=True):
        for index in np.ndindex(result.shape):
            source, at = divmod(int(result[index]) - 1, size)
            origin = (processes(GRID)[source], 0, tuple(map(int, np.unravel_index(at, whole))))
            moved.add((origin, (process, 0, index)))
    assert by_maps(found, bound, given, inverse=False) == moved
    assert by_maps(found, bound, given, inverse=True) == moved


def test_behind_another_collective_the_maps_enclose() -> None:
    """The peers of the body need not be those of the manual computation: parts may begin anywhere."""
    found, bound, _ = program((("x",), ()), (("x",), ()), (2, 2), SUM)
    for inverse in (False, True):
        (item,) = operation_maps(found, bound.id, inverse=inverse)
        assert item.enclosing
        assert item.place is not None
