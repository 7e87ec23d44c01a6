"""Loops whose iterations ran at once have the steps, frames and values of a run step by step, bit for bit."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random

import numpy as np
import pytest

from hloscope.engine.debugger.address import Address, argument, result
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.events import Loops
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.program import BoundProgram
from hloscope.engine.scalar_loops import ScalarLoop
from tests.ops.building import same_bits
from tests.programs import load_program

LOOPS = """
func.func @main(%n: tensor<i32>, %x: tensor<f32>) -> (tensor<i32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %all:3 = stablehlo.while(%k = %zero, %s = %zero, %y = %x) : tensor<i32>, tensor<i32>, tensor<f32> cond {
    %two = stablehlo.constant dense<2> : tensor<i32>
    %t = stablehlo.compare LT, %k, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %twice = stablehlo.broadcast_in_dim %y, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %sum = stablehlo.add %twice, %twice : tensor<2xf32>
    %r:2 = stablehlo.while(%i = %zero, %z = %y) : tensor<i32>, tensor<f32> cond {
      %u = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %u : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %sine = stablehlo.sine %z : tensor<f32>
      %w = stablehlo.FAULT %sine, %x : tensor<f32>
      stablehlo.return %j, %w : tensor<i32>, tensor<f32>
    }
    %l = stablehlo.add %k, %one : tensor<i32>
    %v = stablehlo.add %s, %r#0 : tensor<i32>
    stablehlo.return %l, %v, %r#1 : tensor<i32>, tensor<i32>, tensor<f32>
  }
  return %all#1, %all#2 : tensor<i32>, tensor<f32>
}
"""
SOUND = load_program(LOOPS.replace("FAULT", "multiply"))
FAULTY = load_program(
    LOOPS.replace("%sine = stablehlo.sine %z", "%sine = stablehlo.add %z, %z").replace("FAULT", "add")
)
PROGRAMS = {"sound": SOUND, "faulty": FAULTY}
COUNT = 6_000
INPUTS = (np.array(COUNT, np.int32), np.array(0.75, np.float32))
COLUMNS = (
    "op_column",
    "frame_column",
    "depth_column",
    "frame_block",
    "frame_parent",
    "frame_opener",
    "frame_iteration",
)


@cache
def step_by_step(name: str) -> Recording:
    recording = Recording(PROGRAMS[name], INPUTS)
    recording.tracks[0].loops = Loops.STEP_BY_STEP
    assert recording.record().kind == "done"
    return recording


def at_once(
    program: BoundProgram, budget: int = DEFAULT_LIMITS.recording_bytes, slices: int = 10_000
) -> Recording:
    recording = Recording(program, INPUTS, replace(DEFAULT_LIMITS, recording_bytes=budget))
    while recording.record(steps=slices).kind == "recording":
        pass
    return recording


def random_addresses(recording: Recording, count: int) -> list[Address]:
    random, program, track = Random(7), recording.program, recording.tracks[0]
    steps = [random.randrange(track.step_count) for _ in range(count)]
    frames = [random.randrange(track.frame_count) for _ in range(count)]
    results = [
        result(step, at) for step in steps for at in range(len(program.ops[track.op_of(step)].results))
    ]
    blocks = {frame: program.blocks[track.block_of(frame)] for frame in frames}
    return results + [argument(frame, at) for frame in frames for at in range(len(blocks[frame].arguments))]


def assert_same(found: Recording, wanted: Recording, count: int = 150) -> None:
    mine, theirs = found.tracks[0], wanted.tracks[0]
    assert (mine.step_count, mine.frame_count) == (theirs.step_count, theirs.frame_count)
    for name in COLUMNS:
        assert np.array_equal(getattr(mine, name), getattr(theirs, name)), name
    random = Random(3)
    for step in random.sample(range(mine.step_count), count):
        assert mine.finish_of(step) == theirs.finish_of(step)
        stop = step + random.randrange(9_000)
        assert all(map(np.array_equal, mine.columns(step, stop), theirs.columns(step, stop)))
        assert np.array_equal(mine.finished_ops(step, stop), theirs.finished_ops(step, stop))
    for frame in random.sample(range(mine.frame_count), count):
        assert mine.start_of(frame) == theirs.start_of(frame)
        assert mine.creation_step("f", frame) == theirs.creation_step("f", frame)
        stop = frame + random.randrange(9_000)
        assert all(map(np.array_equal, mine.frame_columns(frame, stop), theirs.frame_columns(frame, stop)))
    for address in random_addresses(wanted, count):
        assert same_bits(found.value(address), wanted.value(address)), address


@pytest.mark.parametrize("slices", [997, 10_000, 10**9])
@pytest.mark.parametrize("budget", [1, DEFAULT_LIMITS.recording_bytes])
def test_steps_frames_and_values_are_those_of_a_run_step_by_step(budget: int, slices: int) -> None:
    """Also when all other values were dropped, and wherever the recording paused."""
    found, wanted = at_once(SOUND, budget, slices), step_by_step("sound")
    assert found.tracks[0].loops_at_once.steps > 0.9 * found.step_count
    assert_same(found, wanted)
    assert found.has_dropped == (budget == 1)


def test_the_steps_of_a_long_loop_take_less_than_a_byte_each() -> None:
    track = at_once(SOUND, slices=10**9).tracks[0]
    assert track.nbytes < track.step_count


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_second_recording_passes_over_known_iterations(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And has the same steps, values and findings; iterations with faults are run again."""
    program = PROGRAMS[name]
    first = at_once(program)
    assert bool(first.log.tallies) == (program is FAULTY)
    iterated = 0
    run_scalars = ScalarLoop.run_scalars

    def counted(loop: ScalarLoop, *arguments: object, **named: object) -> object:
        nonlocal iterated
        found = run_scalars(loop, *arguments, **named)  # type: ignore[arg-type]
        iterated += found[1]
        return found

    again = Recording(program, INPUTS)
    again.known_starts.add(first.tracks[0].loop_links)
    monkeypatch.setattr(ScalarLoop, "run_scalars", counted)
    assert again.record().kind == "done"
    assert iterated < 0.8 * 2 * COUNT if program is SOUND else iterated > 0
    monkeypatch.undo()
    assert_same(again, step_by_step(name))
    assert again.log.tallies == first.log.tallies


def test_known_iterations_stop_where_the_recording_does() -> None:
    again = Recording(SOUND, INPUTS)
    again.known_starts.add(at_once(SOUND).tracks[0].loop_links)
    while again.record(steps=1_234).kind == "recording":
        assert again.step_count % 1_234 == 0
    assert_same(again, step_by_step("sound"), 40)
