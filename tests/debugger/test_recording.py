"""Runs and their recordings: frames, iterations, lanes, limits, and values that come back the same."""

from dataclasses import replace

import numpy as np
import pytest

from hloscope.engine.debugger import recording as recordings
from hloscope.engine.debugger import track
from hloscope.engine.debugger.address import Address, argument, result
from hloscope.engine.debugger.recording import NONE, Recording
from hloscope.engine.errors import InputError
from hloscope.engine.inputs import Array
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.process_grid.grid_run import GridRun, GridSnapshot
from hloscope.engine.source import Source
from tests.programs import load_program

from . import programs
from .programs import recorded

X = np.arange(4, dtype=np.float32)
I32 = np.int32


def _names(recording: Recording) -> list[str]:
    return [recording.program.ops[op].operation.name for op in recording.tracks[0].op_column]


def test_a_call_takes_a_step_and_so_does_each_op_of_the_callee() -> None:
    recording = recorded(programs.CALLS, [X])
    assert recording.state.kind == "done"
    assert _names(recording) == [
        *("stablehlo.negate", "func.call", "stablehlo.add", "func.return"),
        *("stablehlo.add", "func.return"),
    ]
    assert recording.tracks[0].depth_column.tolist() == [0, 0, 1, 1, 0, 0]
    assert recording.tracks[0].frame_column.tolist() == [0, 0, 1, 1, 0, 0]
    assert recording.tracks[0].frame_opener.tolist() == [NONE, 1]
    results = recording.results()
    assert results is not None
    assert np.array_equal(results[0], -X)


def test_the_result_of_a_call_and_the_arguments_of_its_frame_have_addresses() -> None:
    recording = recorded(programs.CALLS, [X])
    assert np.array_equal(recording.value(result(1)), -2 * X)
    assert np.array_equal(recording.value(argument(0)), X)
    assert np.array_equal(recording.value(argument(1)), -X)
    assert str(recording.type_of(argument(1))) == "tensor<4xf32>"
    for address in (result(99), argument(9), result(0, 5), Address(1, "s", 0, 0)):
        with pytest.raises(KeyError):
            recording.value(address)


def test_each_iteration_is_a_frame_of_its_own() -> None:
    recording = recorded(programs.COUNTDOWN, [I32(3), I32(7)])
    results = recording.results()
    assert results is not None
    assert [int(array) for array in results] == [0, 21]
    bodies = [
        (recording.program.blocks[block].region, int(iteration))
        for block, iteration in zip(
            recording.tracks[0].frame_block, recording.tracks[0].frame_iteration, strict=True
        )
    ][1:]
    assert bodies == [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2), (0, 3)]
    sums = [int(recording.value(argument(frame, 1))) for frame in (2, 4, 6)]
    assert sums == [0, 7, 14]


@pytest.mark.parametrize("chosen", [0, 1])
def test_only_the_chosen_branch_runs(chosen: int) -> None:
    x = np.array([1, 2], np.float32)
    recording = recorded(programs.BRANCHES, [np.bool_(chosen), I32(chosen), x])
    results = recording.results()
    assert results is not None
    assert np.array_equal(results[0], -x if chosen else x)
    assert np.array_equal(results[1], x + x if chosen else x)
    assert recording.frame_count == 3


def test_an_endless_loop_is_recorded_only_as_far_as_asked() -> None:
    recording = Recording(load_program(programs.ENDLESS), [])
    assert recording.record(steps=100).kind == "recording"
    assert recording.step_count == 100
    assert recording.record(steps=50).kind == "recording"
    assert recording.step_count == 150


def test_a_scalar_loop_of_100_000_iterations_ends_below_the_default_limits() -> None:
    recording = recorded(programs.COUNTDOWN, [I32(100_000), I32(1)])
    results = recording.results()
    assert recording.state.kind == "done"
    assert results is not None
    assert results[0] == 0
    assert 500_000 < recording.step_count < DEFAULT_LIMITS.run_step_limit / 2


def test_a_run_pauses_at_the_step_limit_and_names_it() -> None:
    recording = recorded(programs.ENDLESS, limits=replace(DEFAULT_LIMITS, run_step_limit=500), ends="paused")
    assert "run_step_limit = 500" in recording.state.reason
    assert recording.step_count == 500
    assert recording.state.describe(Source("", "endless.mlir")) == f"endless.mlir: {recording.state.reason}"


def test_a_run_pauses_when_its_steps_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when it is continued: values are dropped, steps never."""
    monkeypatch.setattr(recordings, "LEAST_STEP_BYTES", 100_000)
    recording = recorded(
        programs.ENDLESS_ROWS, limits=replace(DEFAULT_LIMITS, recording_bytes=1000), ends="paused"
    )
    assert "recording_bytes = 1,000 bytes" in recording.state.reason
    held = recording.step_bytes
    assert 100_000 < held < 1_000_000
    assert recording.record(steps=10_000).kind == "paused"
    assert recording.step_bytes == held


def test_recursion_without_end_is_refused_by_depth() -> None:
    recording = recorded(programs.RECURSIVE, [np.float32(1)], ends="failed")
    diagnostic = recording.state.diagnostic
    assert diagnostic is not None
    assert diagnostic.label == "call_depth_limit"
    source = recording.program.module.source
    assert source.line_and_column(diagnostic.span.start)[0] == 3
    assert recording.state.describe(source).startswith(f"{source.name}:3:")


def test_a_body_of_scalar_ops_runs_lifted_over_all_lanes() -> None:
    x = np.arange(15, dtype=np.float32).reshape(3, 5)
    recording = recorded(programs.LIFTED, [x, np.float32(1)])
    results = recording.results()
    assert results is not None
    assert np.array_equal(results[0], x.max(axis=1))
    assert recording.tracks[0].frame_lanes
    frame, lanes = next(iter(recording.tracks[0].frame_lanes.items()))
    assert recording.value(argument(frame)).shape == lanes
    assert recording.frame_count < 10, "one frame for each level of the tree, not one for each element"


def test_a_body_that_cannot_be_lifted_runs_once_a_lane() -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    recording = recorded(programs.NOT_LIFTABLE, [x])
    results = recording.results()
    assert results is not None
    assert np.array_equal(results[0], x.sum(axis=1))


@pytest.mark.parametrize("budget", [1, 64, 100_000])
def test_dropped_values_are_computed_again_bit_for_bit(budget: int) -> None:
    whole = recorded(programs.COUNTDOWN, [I32(40), I32(3)])
    tight = recorded(programs.COUNTDOWN, [I32(40), I32(3)], replace(DEFAULT_LIMITS, recording_bytes=budget))
    for step in [*range(whole.step_count - 1, -1, -7), 0, 2, whole.step_count - 1]:
        for number in range(len(whole.program.ops[whole.tracks[0].op_column[step]].results)):
            address = result(step, number)
            assert np.array_equal(whole.value(address), tight.value(address))
    for frame in range(0, whole.frame_count, 5):
        assert np.array_equal(whole.value(argument(frame)), tight.value(argument(frame)))


def test_checkpoints_that_take_long_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that ticks with each look at it, and far ahead with each checkpoint."""
    now = checkpoints = 0.0

    def clock() -> float:
        nonlocal now
        now += 0.01
        return now

    def snapshot(run: GridRun) -> GridSnapshot:
        nonlocal now, checkpoints
        now, checkpoints = now + 1, checkpoints + 1
        return taken(run)

    taken = GridRun.snapshot
    monkeypatch.setattr(GridRun, "snapshot", snapshot)
    monkeypatch.setattr("hloscope.engine.debugger.recording.perf_counter", clock)
    ops = "".join(f"  %{number} = stablehlo.constant dense<1> : tensor<i32>\n" for number in range(1000))
    text = f"func.func @main() {{\n{ops}  return\n}}"
    assert recorded(text).state.kind == "done"
    assert now > 10
    assert 1 < checkpoints < now / 4


def test_a_long_run_replays_from_checkpoints() -> None:
    limits = replace(DEFAULT_LIMITS, recording_bytes=1000, run_step_limit=60_000)
    recording = recorded(programs.ENDLESS, limits=limits, ends="paused")
    steps = [
        s for s in range(40_000, 40_100) if recording.program.ops[recording.tracks[0].op_column[s]].results
    ]
    values = [int(recording.value(result(step))) for step in steps]
    assert values == list(range(values[0], values[0] + len(values)))


def test_a_step_without_results_is_not_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = recorded(programs.COUNTDOWN, [I32(9), I32(2)])
    monkeypatch.setattr(GridRun, "run", lambda *_: pytest.fail("replayed"))
    with pytest.raises(KeyError):
        recording.value(result(recording.step_count - 1))


def test_the_same_run_twice_is_the_same_recording() -> None:
    first, second = (recorded(programs.COUNTDOWN, [I32(9), I32(2)]) for _ in range(2))
    assert np.array_equal(first.tracks[0].op_column, second.tracks[0].op_column)
    assert np.array_equal(first.tracks[0].frame_column, second.tracks[0].frame_column)
    assert first.kept_bytes == second.kept_bytes


def test_recorded_values_cannot_be_written() -> None:
    recording = recorded(programs.CALLS, [X])
    for address in (result(0), result(1), argument(0), argument(1)):
        assert not recording.value(address).flags.writeable


def test_wrong_inputs_are_named() -> None:
    with pytest.raises(InputError, match="takes 1 input, not 0"):
        Recording(load_program(programs.CALLS), [])
    with pytest.raises(InputError, match=r"argument 0 \(%x\) is tensor<4xf32>, not float64\[4\]"):
        Recording(load_program(programs.CALLS), [np.zeros(4)])
    with pytest.raises(InputError, match="no function @nowhere; the program defines @main, @twice"):
        Recording(load_program(programs.CALLS), [X], entry="@nowhere")


def test_prints_beyond_the_budget_are_counted_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(track, "PRINTED_CHARACTERS", 40)
    lines = "\n".join("interpreter.print %x : tensor<4xf32>" for _ in range(3))
    found = recorded(f"func.func @main(%x: tensor<4xf32>) {{\n{lines}\nreturn\n}}", [X])
    assert found.print_count == 3
    assert found.tracks[0].prints == [(0, "tensor<4xf32> [0.0, 1.0, 2.0, 3.0]")]


TOGETHER = """func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2x2xf32>) {
  %near = stablehlo.constant dense<1.0e-6> : tensor<4xf32>
  %sum = stablehlo.add %x, %near : tensor<4xf32>
  %rest = stablehlo.subtract %sum, %x : tensor<4xf32>
  %square = stablehlo.reshape %rest : (tensor<4xf32>) -> tensor<2x2xf32>
  %wide = stablehlo.iota dim = 0 : tensor<256xf32>
  %large = stablehlo.add %wide, %wide : tensor<256xf32>
  %part = stablehlo.slice %large [4:8] : (tensor<256xf32>) -> tensor<4xf32>
  %power = stablehlo.exponential %x : tensor<4xf32>
  return %power, %square : tensor<4xf32>, tensor<2x2xf32>
}
"""


def test_ops_that_run_together_are_recorded_as_one_by_one() -> None:
    program, x = load_program(TOGETHER), np.array([1, 2, 3, 100], np.float32)

    def as_computed(*given: object) -> tuple[Array, ...]:  # the interpreter asks after each op
        return given[2]  # type: ignore[return-value]

    for limits in (DEFAULT_LIMITS, replace(DEFAULT_LIMITS, recording_bytes=3_000)):
        together, single = (
            Recording(program, [x], limits, rounding=rounding) for rounding in (None, as_computed)
        )
        assert together.record().kind == single.record().kind == "done"
        first, second = together.tracks[0], single.tracks[0]
        for name in ("op_column", "frame_column", "depth_column", "finished_column"):
            assert getattr(first, name).tolist() == getattr(second, name).tolist()
        assert together.kept_bytes == single.kept_bytes
        assert together.has_dropped == single.has_dropped == (limits is not DEFAULT_LIMITS)
        assert len(first.seconds) == first.step_count
        assert [*together.log.tallies.items()] == [*single.log.tallies.items()]
        assert {kind for _, kind in together.log.tallies} == {"cancellation", "inf"}
        for step in range(first.step_count - 1):
            value = together.value(result(step))
            assert np.array_equal(value, single.value(result(step)))
            assert not value.flags.writeable


def test_ops_that_run_together_stop_at_the_step_that_is_asked_for() -> None:
    program = load_program(TOGETHER)
    recording = Recording(program, [X])
    for steps in range(1, len(program.ops) + 1):
        recording.record(steps=1)
        assert recording.step_count == steps
    assert recording.state.kind == "done"
