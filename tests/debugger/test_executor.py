"""Recordings whose segments an executor computes: the same steps, frames, values and findings as those of our engine."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine.debugger.address import result
from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.debugger.track import Track
from hloscope.engine.errors import RunError
from hloscope.engine.executor import MOST_OPERATIONS, Segments
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.values import leaves
from hloscope.engine.program import BoundProgram
from hloscope.engine.segment_text import segment_text
from tests.conformance.catalogue import WORKED, launch_of, name_of, program_of
from tests.debugger.programs import recorded
from tests.each import for_each
from tests.programs import load_program

from . import programs
from .executing import OurExecutor, RemoteExecutor

X = np.arange(4, dtype=np.float32)
MEANS_OTHER_VALUES = ("convolution-10", "integers-14")
"""Programs of HLO text that StableHLO computes otherwise: infinities that meet padding, and powers of integers above 63."""
ALIKE = [worked for worked in WORKED if name_of(worked) not in MEANS_OTHER_VALUES]
LAYERS = """
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %a = stablehlo.multiply %x, %w : tensor<4xf32>
  %b = stablehlo.tanh %a : tensor<4xf32>
  %c = call @outside(%b) : (tensor<4xf32>) -> tensor<4xf32>
  %d = stablehlo.multiply %c, %w : tensor<4xf32>
  %e = stablehlo.tanh %d : tensor<4xf32>
  return %e : tensor<4xf32>
}
func.func private @outside(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
"""
LOG = """
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  %1 = stablehlo.log %0 : tensor<3xf32>
  %2 = stablehlo.negate %1 : tensor<3xf32>
  return %2 : tensor<3xf32>
}
"""


def _bits(values: Sequence[Array]) -> list[tuple[str, tuple[int, ...], bytes]]:
    return [(leaf.dtype.name, leaf.shape, leaf.tobytes()) for value in values for leaf in leaves(value)]


def _own_steps(track: Track, inside: set[int]) -> list[tuple[int, int]]:
    """The steps outside of bodies on elements, each with its op."""
    blocks = track.frame_block
    steps = enumerate(zip(track.op_column.tolist(), track.frame_column.tolist(), strict=True))
    return [(step, op) for step, (op, frame) in steps if int(blocks[frame]) not in inside]


def _bodies(program: BoundProgram) -> set[int]:
    """The blocks of bodies that combine or order elements."""
    found = set()
    waiting = [
        number for bound in program.ops if bound.op.unpacked.traits.computes_alone for number in bound.regions
    ]
    while waiting:
        number = waiting.pop()
        found.add(number)
        waiting += [inner for bound in program.blocks[number].operations for inner in bound.regions]
    return found


def _assert_same(plain: Recording, executed: Recording) -> None:
    """The same steps, values and findings, apart from the frames of bodies."""
    assert (executed.state.kind, executed.state.reason) == (plain.state.kind, plain.state.reason)
    inside = _bodies(plain.program)
    for one, other in zip(plain.tracks, executed.tracks, strict=True):
        before, after = _own_steps(one, inside), _own_steps(other, inside)
        assert [op for _, op in before] == [op for _, op in after]
        for (step, op), (at, _) in zip(before, after, strict=True):
            if one.finish_of(step) is not None and plain.program.ops[op].results:
                assert _bits(_values(plain, one.number, step)) == _bits(_values(executed, one.number, at)), op
    assert _bits(plain.results() or ()) == _bits(executed.results() or ())
    sentences = [[each.sentence for each in FindingReport(run).findings] for run in (plain, executed)]
    assert sentences[0] == sentences[1]


def _values(recording: Recording, process: int, step: int) -> list[Array]:
    count = len(recording.program.ops[recording.tracks[process].op_of(step)].results)
    return [recording.value(result(step, number, process)) for number in range(count)]


@pytest.mark.more
@for_each("worked", ALIKE, ids=name_of)
def test_every_worked_program_is_recorded_alike(worked: Any) -> None:
    """The executor hands out arrays too: scalars, and elements of types without facts."""
    program = program_of(worked)
    executed = recorded(program, launch_of(worked), executor=RemoteExecutor(), ends=None)
    _assert_same(recorded(program, launch_of(worked), ends=None), executed)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_results_of_the_first_operations_alone_are_enough(most: int) -> None:
    program = load_program(LAYERS)
    executor = OurExecutor(most=most)
    _assert_same(recorded(program, [X, X]), recorded(program, [X, X], executor=executor))
    assert all(len(segment.executed) <= most for segment in executor.executed)


def test_what_the_executor_refuses_is_computed_by_the_engine() -> None:
    program = load_program(LAYERS)
    executor = OurExecutor(refuses=frozenset({"stablehlo.tanh"}))
    _assert_same(recorded(program, [X, X]), recorded(program, [X, X], executor=executor))
    names = {bound.operation.name for segment in executor.executed for bound in segment.executed}
    assert names == {"stablehlo.multiply"}


def test_equal_segments_have_one_text() -> None:
    program = load_program(LAYERS)
    executor = OurExecutor()
    recorded(program, [X, X], executor=executor)
    assert len(executor.executed) == 2
    assert len({segment_text(segment).text for segment in executor.executed}) == 1


def test_long_runs_of_operations_are_cut() -> None:
    count = MOST_OPERATIONS + 3
    lines = "\n".join(f"  %{k + 1} = stablehlo.negate %{k} : tensor<4xf32>" for k in range(count))
    text = f"func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {{\n{lines}\n  return %{count} : tensor<4xf32>\n}}"
    executor = OurExecutor()
    program = load_program(text)
    _assert_same(recorded(program, [X]), recorded(program, [X], executor=executor))
    assert [len(segment.executed) for segment in executor.executed] == [MOST_OPERATIONS, 3]


def test_whole_numbers_and_constants_are_left_to_the_engine() -> None:
    program = load_program(programs.COUNTDOWN)
    segments = Segments(program, DEFAULT_LIMITS)
    assert not any(bound.id in segments for bound in program.ops)


@settings(max_examples=30, deadline=None)
@given(
    budget=st.integers(1, 4000), slices=st.lists(st.integers(1, 9), min_size=1, max_size=8), data=st.data()
)
def test_dropped_values_of_a_run_in_slices_are_computed_again(
    budget: int, slices: list[int], data: st.DataObject
) -> None:
    program = load_program(data.draw(st.sampled_from([LAYERS, programs.CALLS, LOOP])))
    count = len(program.blocks[0].arguments)
    plain = recorded(program, [X] * count)
    limits = replace(DEFAULT_LIMITS, recording_bytes=budget)
    executor = data.draw(st.sampled_from([OurExecutor, RemoteExecutor]))()
    executed = Recording(program, [X] * count, limits, executor=executor)
    for steps in slices:
        executed.record(steps=steps)
        executed._checkpoints.add(executed._run.snapshot())  # in the middle of a segment
    executed.record()
    step = data.draw(st.integers(0, plain.step_count - 1))
    assert _bits(_values(plain, 0, step)) == _bits(_values(executed, 0, step))
    _assert_same(plain, executed)


LOOP = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %1 = stablehlo.compare LT, %i, %five, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %v, %x : tensor<4xf32>
      %2 = stablehlo.add %i, %one : tensor<i32>
      %3 = stablehlo.sine %1 : tensor<4xf32>
      stablehlo.return %2, %3 : tensor<i32>, tensor<4xf32>
    }
  return %0#1 : tensor<4xf32>
}
"""


def test_a_nan_of_the_executor_is_found_where_it_is_born() -> None:
    program = load_program(LOG)
    inputs = [np.array([1, 2, -1], np.float32)]
    recording = recorded(program, inputs, executor=OurExecutor())
    (finding,) = FindingReport(recording).findings
    assert "log, 1 of 3 elements, where %0 is negative" in finding.sentence


def test_a_failure_of_the_executor_names_the_operation() -> None:
    class Failing(OurExecutor):
        def execute(self, *_: Any) -> Any:
            raise RunError("the device is gone")

    recording = recorded(LOG, [np.ones(3, np.float32)], executor=Failing(), ends="failed")
    assert recording.state.kind == "failed"
    found = recording.state.describe(recording.program.module.source)
    assert found.startswith("test.mlir:3:")
    assert "the device is gone" in found


BROADCASTS = """
func.func @main(%x: tensor<4xf32>) -> tensor<4x4xf32> {
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %halves = stablehlo.broadcast_in_dim %half, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %a = stablehlo.multiply %x, %halves : tensor<4xf32>
  %rows = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
  %turned = stablehlo.transpose %rows, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = stablehlo.add %rows, %turned : tensor<4x4xf32>
  %later = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
  %c = call @outside(%b) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %d = stablehlo.add %c, %later : tensor<4x4xf32>
  return %d : tensor<4x4xf32>
}
func.func private @outside(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  return %a : tensor<4x4xf32>
}
"""


@pytest.mark.parametrize("most", [1, 2, 1 << 30])
def test_views_of_constants_and_of_small_values_are_left_to_the_engine(most: int) -> None:
    program = load_program(BROADCASTS)
    executor = OurExecutor(most=most)
    _assert_same(recorded(program, [X]), recorded(program, [X], executor=executor))
    returned = [
        bound.operation.results[0].name for segment in executor.executed for bound in segment.executed
    ]
    assert returned == ["%a", "%b", "%later", "%d"]
