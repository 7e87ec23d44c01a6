"""Maps of recorded steps, with the numbers that they read there: they agree with the pieces of collective executions."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np
import pytest

from hloscope.app.reference.examples import Example, op_example, parse_example
from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.grid_record import CollectiveExecution
from hloscope.engine.debugger.map_operands import awaited_at, execution_at, map_operands, op_at, operands_at
from hloscope.engine.debugger.pieces import moved_pieces, peer_values
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.indexing import OperandMap
from hloscope.engine.ir.element_types import F32
from hloscope.engine.ir.types import TensorType, Type
from hloscope.engine.ops.collectives.collective_rules import CollectiveOp
from hloscope.engine.ops.core.op import Op
from hloscope.engine.ops.custom_calls.custom_call import CustomCall
from hloscope.engine.ops.hlo.collective_starts import CollectiveStart
from hloscope.engine.ops.hlo.ragged_all_to_all import RaggedAllToAll
from hloscope.engine.ops.sharding.manual_computation import ManualComputation
from hloscope.engine.ops.transforms.linear_algebra import Cholesky
from hloscope.engine.process_grid import Launch
from hloscope.engine.sharded_runs.sharded_inputs import Boundary, needed_grid
from tests.each import for_each
from tests.example_pictures import recorded
from tests.ops.relations import indices_in, mapped
from tests.process_grid.test_sharded_programs import IN_HLO, NESTED, SHARD_MAP
from tests.programs import load_program

EXECUTIONS = [
    *("stablehlo.all_gather", "stablehlo.all_reduce", "stablehlo.all_to_all", "stablehlo.reduce_scatter"),
    *("stablehlo.collective_broadcast", "stablehlo.collective_permute", "stablehlo.collective_reduce"),
    *("stablehlo.async_done", "sdy.manual_computation", "hlo.async_done", "hlo.all_to_all"),
    *("hlo.all_to_all_tuple", "hlo.collective_broadcast", "hlo.collective_permute", "hlo.reduce_scatter"),
    *("hlo.collective_permute_in_place", "hlo.ragged_all_to_all", "hlo.all_gather_start"),
    *("hlo.all_reduce_start", "hlo.collective_permute_start"),
]
Place = tuple[int, int, tuple[int, ...]]
"""A process, the number of a value, and an index."""


def shown(name: str) -> Example:
    found = op_example(name) or op_example(name, ".hlo")
    assert found is not None
    return found


def maps_of(op: Op) -> Iterator[OperandMap]:
    return op.join_maps() if isinstance(op, ManualComputation) else op.index_maps()


def said(recording: Recording, execution: CollectiveExecution, process: int) -> set[tuple[Place, Place]]:
    """The values that reached the process, by the maps of the step."""
    step, _ = execution.arrivals[process]
    op = op_at(recording, process, step)
    assert isinstance(op, CollectiveOp)
    awaited = awaited_at(recording, process, step)
    assert awaited == execution.awaited[process]
    found = set()
    brought = peer_values(recording, execution, process).brought[0]
    data = range(2 if isinstance(op, RaggedAllToAll) else len(brought))  # vectors say where slices go
    behind = len(op.given) if isinstance(op, CollectiveStart) else 0
    for item in maps_of(op):
        for index, place, element in mapped(item, operands_at(recording, process, step)):
            other = process if place is None else awaited[place]
            if item.operand in data and item.result >= behind:
                found.add(((other, item.operand, element), (process, item.result - behind, index)))
    return found


def moved(recording: Recording, execution: CollectiveExecution, process: int) -> set[tuple[Place, Place]]:
    """What the pieces say, of which later ones lie over earlier ones."""
    held: dict[Place, set[Place]] = {}
    for piece in moved_pieces(recording, execution, process):
        box = piece.piece
        for read, written in zip(indices_in(box.read), indices_in(box.written), strict=True):
            target, origin = (process, box.result, written), (piece.source, box.operand, read)
            held[target] = held.get(target, set()) | {origin} if box.combined else {origin}
    return {(origin, target) for target, origins in held.items() for origin in origins}


@for_each("name", EXECUTIONS)
def test_maps_of_recorded_collectives_agree_with_their_pieces(name: str) -> None:
    recording = recorded(shown(name))
    compared = 0
    for execution in recording.collective_executions:
        for process, (step, _) in execution.arrivals.items():
            assert execution_at(recording, process, step) is execution
            # Indices of a permute in place are in tuples, of which pieces speak as they are.
            if not execution.is_message and "in_place" not in name:
                assert said(recording, execution, process) == moved(recording, execution, process)
                compared += 1
            assert operands_at(recording, process, step)
    assert compared or "in_place" in name


TEXT = """// title: sum
// description: Sum over all.
// inputs: each [0, 1] | [2, 3]
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) {replica_groups = dense<> : tensor<0x0xi64>} : (tensor<2xi32>) -> tensor<2xi32>
    %1 = stablehlo.negate %0 : tensor<2xi32>
    return %1 : tensor<2xi32>
  }
}
"""


def test_groups_are_those_of_the_grid() -> None:
    recording = recorded(parse_example("text", TEXT))
    step = recording.collective_executions[0].arrivals[1][0]
    (item,) = op_at(recording, 1, step).index_maps()
    assert [interval.size for interval in item.map.ranges] == [2]
    x, place, size = operands_at(recording, 1, step)
    assert x is not None
    assert x.tolist() == [2, 3]
    assert place is not None
    assert size is not None
    assert (int(place), int(size)) == (1, 2)
    assert awaited_at(recording, 1, step) == (0, 1)
    assert awaited_at(recording, 1, step + 1) == ()
    assert execution_at(recording, 1, step + 1) is None
    (negated,) = operands_at(recording, 1, step + 1)
    assert negated is not None
    assert negated.tolist() == recording.value(Address(1, "s", step, 0)).tolist() == [2, 4]


def moved_values(recording: Recording, process: int, step: int) -> int:
    """Compares each element of the results with what the maps say that it is; how many there are."""
    op, count = op_at(recording, process, step), 0
    operands, awaited = operands_at(recording, process, step), awaited_at(recording, process, step)
    execution = execution_at(recording, process, step)
    result = np.zeros_like(recording.value(Address(process, "s", step, 0)))
    for item in op.index_maps():
        for index, place, element in mapped(item, operands):
            other, at = process, step
            if place is not None and execution is not None:
                other = awaited[place]
                at = execution.arrivals[other][0]
            given = operands_at(recording, other, at)[item.operand]
            assert given is not None
            result[index] = given[element]
            count += 1
    assert np.array_equal(result, recording.value(Address(process, "s", step, 0)))
    return count


@pytest.mark.parametrize("text", [SHARD_MAP, NESTED, IN_HLO], ids=["shard_map", "nested", "uneven"])
def test_values_are_those_that_the_maps_of_cuts_and_joins_lead_to(text: str) -> None:
    program = load_program(text)
    assert program.entry is not None
    grid = needed_grid(program, program.entry)
    types = [found.type for found in program.entry.function.arguments]
    whole = [np.arange(1, 1 + prod(shape), dtype=np.float32).reshape(shape) for shape in whole_shapes(types)]
    inputs = Boundary(program, program.entry, grid).cut_all(whole)
    recording = Recording(program, Launch(grid, inputs))
    assert recording.record().kind == "done"
    calls = 0
    for track in recording.tracks:
        for step in range(track.step_count):
            op = program.ops[track.op_of(step)].op
            if isinstance(op, CustomCall) and op.call_target_name.startswith("SPMD"):
                calls += moved_values(recording, track.number, step)
    assert calls > 0


def whole_shapes(types: list[Type]) -> list[tuple[int, ...]]:
    return [found.sizes for found in types if isinstance(found, TensorType)]


def test_nans_that_signal_are_computed_with_quietly() -> None:
    matrix = TensorType((2, 2), F32)
    signalling = np.full((2, 2), 0x7FA00000, np.uint32).view(np.float32)
    *_, is_indefinite = map_operands(Cholesky(matrix, True, matrix), (signalling,))
    assert is_indefinite == 1
