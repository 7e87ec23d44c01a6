"""collective_broadcast whose roots an operand tells: one for each of its operands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hloscope.engine.errors import RunError
from hloscope.engine.frontend import load
from hloscope.engine.ops.collectives.collective_broadcast import CollectiveBroadcast
from hloscope.engine.ops.core.process_groups import Grid, ReplicaGroups
from hloscope.engine.process_grid import results_of
from hloscope.engine.source import Source

from .playing import Brought, play, processes
from .relations import by_maps, by_pieces, by_values, numbered
from .running import tensor

GRID = Grid(4, 1)
DATA = tensor((2, 3), "i64"), tensor((2,), "i64")
ROOTS = tensor((2,), "i32")


def rooted(*groups: list[int]) -> CollectiveBroadcast:
    """An op of two operands in groups of replicas."""
    return CollectiveBroadcast(
        DATA[0], ReplicaGroups.of(*groups), others=(DATA[1], ROOTS), has_dynamic_root=True
    )


def brought(*roots: int) -> Brought:
    """Numbered data, and the roots, the same everywhere."""
    given = numbered(GRID, (2, 3), (2,))
    return {process: [*arrays, np.array(roots, np.int32)] for process, arrays in given.items()}


@pytest.mark.parametrize("groups", [([0, 1, 2, 3],), ([2, 0], [1, 3]), ([3, 1],)])
@pytest.mark.parametrize("roots", [(0, 1), (1, 0), (1, 1)])
def test_each_operand_has_its_root(groups: tuple[list[int], ...], roots: tuple[int, int]) -> None:
    op, given = rooted(*groups), brought(*roots)
    for process, results in play(op, GRID, given).items():
        group = next((found for found in groups if process.replica_id in found), None)
        for number, result in enumerate(results):
            if group is None:
                assert not result.any()
                continue
            root = processes(GRID)[group[roots[number]]]
            assert np.array_equal(result, given[root][number])


@pytest.mark.parametrize("groups", [([0, 1, 2, 3],), ([2, 0], [1, 3]), ([3, 1],)])
@pytest.mark.parametrize("roots", [(0, 1), (1, 0)])
def test_maps_follow_the_roots(groups: tuple[list[int], ...], roots: tuple[int, int]) -> None:
    op, given = rooted(*groups), brought(*roots)
    relation = by_maps(op, GRID, given, inverse=False)
    assert relation == by_maps(op, GRID, given, inverse=True)
    moved = {pair for pair in relation if pair[0][1] < 2}
    assert moved == by_pieces(op, GRID, given) == by_values(op, GRID, given, (0, 1))
    # Every element is there because of its own operand's root.
    taking_part = {process for process in processes(GRID) if any(process.replica_id in g for g in groups)}
    read = {(origin[0], origin[2], target[1]) for origin, target in relation - moved}
    assert read == {(process, (number,), number) for process in taking_part for number in (0, 1)}


def test_roots_about_which_a_group_does_not_agree_end_the_run() -> None:
    given = dict(brought(0, 1))
    last = processes(GRID)[3]
    given[last] = [*given[last][:-1], np.array([0, 0], np.int32)]
    with pytest.raises(
        RunError, match=r"the roots are \[0, 1\] at place 0 of the group and \[0, 0\] at place 3"
    ):
        play(rooted([0, 1, 2, 3]), GRID, given)


@pytest.mark.parametrize("root", [-1, 2])
def test_roots_must_be_places_of_the_group(root: int) -> None:
    with pytest.raises(RunError, match=r"must be places in the group, from 0 to 1"):
        play(rooted([0, 1], [2, 3]), GRID, brought(0, root))


PROGRAM = """
func.func @one(%a: tensor<2xi32>, %b: tensor<i32>, %n: ROOTS) -> (tensor<2xi32>, tensor<i32>) {
  %r:2 = "stablehlo.collective_broadcast"(OPERANDS) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>FLAG}>
    : (TYPES) -> (tensor<2xi32>, tensor<i32>)
  return %r#0, %r#1 : tensor<2xi32>, tensor<i32>
}
func.func @main() -> (tensor<2xi32>, tensor<i32>, tensor<2xi32>, tensor<i32>) {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %b = stablehlo.constant dense<3> : tensor<i32>
  %c = stablehlo.constant dense<[4, 5]> : tensor<2xi32>
  %d = stablehlo.constant dense<6> : tensor<i32>
  %n = stablehlo.constant dense<[1, 0]> : ROOTS
  %r:4 = "interpreter.run_parallel"(%a, %b, %n, %c, %d, %n) {programs = [[@one], [@one]]}
    : (tensor<2xi32>, tensor<i32>, ROOTS, tensor<2xi32>, tensor<i32>, ROOTS)
    -> (tensor<2xi32>, tensor<i32>, tensor<2xi32>, tensor<i32>)
  return %r#0, %r#1, %r#2, %r#3 : tensor<2xi32>, tensor<i32>, tensor<2xi32>, tensor<i32>
}
"""


def program(**changes: str) -> Any:
    parts = {
        "OPERANDS": "%a, %b, %n",
        "FLAG": ", has_dynamic_root",
        "TYPES": "tensor<2xi32>, tensor<i32>, ROOTS",
        "ROOTS": "tensor<2xi32>",
    }
    text = PROGRAM
    for name, part in (parts | changes).items():
        text = text.replace(name, part)
    return load(Source(text))


@pytest.mark.parametrize("flag", [", has_dynamic_root", ", has_dynamic_root = true"])
def test_text_with_roots_runs(flag: str) -> None:
    loaded = program(FLAG=flag)
    assert loaded.program, [found.text for found in loaded.diagnostics]
    assert [found.tolist() for found in results_of(loaded.program, [])] == [[4, 5], 3, [4, 5], 3]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"FLAG": ""}, "takes one operand without has_dynamic_root, not 3"),
        (
            {"OPERANDS": "%a", "TYPES": "tensor<2xi32>"},
            "has_dynamic_root asks for the roots behind the operands",
        ),
        ({"ROOTS": "tensor<2xi64>"}, "the roots must be tensor<2xi32>, one for each operand"),
        ({"OPERANDS": "%b, %n", "TYPES": "tensor<i32>, ROOTS"}, "the roots must be tensor<1xi32>"),
    ],
)
def test_roots_that_do_not_fit_are_refused(changes: dict[str, str], message: str) -> None:
    assert message in program(**changes).diagnostics[0].text
