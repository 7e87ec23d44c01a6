"""Shadow runs: errors of steps against a run in more digits, and the op to blame for a wrong result."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, TypeVar

import ml_dtypes
import numpy as np
import pytest

from hloscope.engine.comparison.shadow import Blame, NoShadow, Shadow, find_blame, largest_errors
from hloscope.engine.comparison.what_if import Trial, what_if
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.process_grid import Launch
from tests.debugger.programs import recorded
from tests.programs import load_program

from .exact import exact_error, exact_result
from .textbook import CASES, Case

T = TypeVar("T")


def shadow_of(recording: Recording) -> Shadow:
    """Its shadow, made to the end."""
    shadow = Shadow(recording)
    for _ in shadow.make():
        pass
    return shadow


def ended(generator: Generator[None, None, T]) -> T:
    """What a generator returns."""
    while True:
        try:
            next(generator)
        except StopIteration as end:
            found: T = end.value
            return found


def blame_of(recording: Recording) -> Blame | None:
    """The op to blame."""
    return ended(find_blame(shadow_of(recording)))


def test_results_of_tf32_lose_no_more_than_its_ten_bits_have() -> None:
    text = """
func.func @main(%x: tensor<64xtf32>) -> tensor<64xtf32> {
  %0 = stablehlo.multiply %x, %x : tensor<64xtf32>
  return %0 : tensor<64xtf32>
}
"""
    x = np.random.default_rng(0).normal(size=64).astype(np.float16).astype(np.float32)
    shadow = shadow_of(recorded(text, [x]))
    assert 2**-13 < shadow.results[0] < 2**-11
    assert shadow.units == [loss.unit for loss in shadow.losses] == [2**-11]
    assert shadow.is_sound


GRID = """
module attributes {mhlo.num_partitions = 4 : i32} {
func.func @main(%x: tensor<64xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %id = stablehlo.partition_id : tensor<ui32>
  %wide = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>
  %factor = stablehlo.broadcast_in_dim %wide, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %scaled = stablehlo.multiply %x, %factor : tensor<64xf32>
  %narrow = stablehlo.convert %scaled : (tensor<64xf32>) -> tensor<64xbf16>
  %all = "stablehlo.all_reduce"(%narrow) ({
    ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
      %s = stablehlo.add %a, %b : tensor<bf16>
      stablehlo.return %s : tensor<bf16>
  }) {replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : (tensor<64xbf16>) -> tensor<64xbf16>
  %back = stablehlo.convert %all : (tensor<64xbf16>) -> tensor<64xf32>
  %mine = stablehlo.multiply %back, %factor : tensor<64xf32>
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%mine init: %init) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  return %sum : tensor<f32>
}
}
"""


def test_several_processes_run_beside_themselves() -> None:
    program = load_program(GRID, "grid")
    inputs = np.random.default_rng(0).uniform(0.5, 1, (4, 64)).astype(np.float32)
    recording = recorded(program, Launch(Grid(1, 4), tuple((given,) for given in inputs)))
    shadow = shadow_of(recording)
    factors = np.arange(4)
    exact = (inputs.astype(np.float64) * factors[:, None]).sum(0).sum() * factors
    ours = [float(track.results()[0]) for track in recording.tracks]  # type: ignore[index]
    wide = [float(track.results()[0]) for track in shadow.wide.tracks]  # type: ignore[index]
    np.testing.assert_allclose(wide, exact, rtol=1e-15)
    relative = [abs(one - other) / max(abs(other), 1) for one, other in zip(ours, wide, strict=True)]
    np.testing.assert_allclose(shadow.results, relative, rtol=1e-6)
    assert shadow.results[0] == 0 < shadow.results[1]
    # Process 0 contributes zeros, which are exact, and receives what the others have rounded.
    reduced = [
        loss for loss in shadow.losses if program.ops[loss.op].operation.name == "stablehlo.all_reduce"
    ]
    assert [loss.process for loss in reduced] == [0, 1, 2, 3]
    assert len({loss.handed_on for loss in reduced}) == 1
    assert all(loss.handed_on > 0 and loss.error > loss.handed_on / 4 for loss in reduced)
    blame = ended(find_blame(shadow))
    assert blame
    assert program.ops[blame.born.loss.op].operation.name == "stablehlo.convert"


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_the_op_to_blame_is_named_first(case: Case) -> None:
    recording = recorded(case.text, [np.asarray(value, case.dtype) for value in case.inputs])
    blame = blame_of(recording)
    if not case.guilty:
        assert blame is None
        return
    assert blame is not None
    ops = recording.program.ops
    assert ops[blame.guilty.loss.op].op.name == f"stablehlo.{case.guilty}"
    if case.born:
        assert ops[blame.born.loss.op].op.name == f"stablehlo.{case.born}"


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_the_error_is_within_a_factor_of_two_of_the_exact_one(case: Case) -> None:
    inputs = [np.asarray(value, case.dtype) for value in case.inputs]
    recording = recorded(case.text, inputs)
    (error,) = shadow_of(recording).results
    (found,) = recording.results() or ()
    exact = exact_error(found, exact_result(recording, inputs))
    assert error == exact or exact / 2 <= error <= 2 * exact


def test_errors_are_distances_from_the_exact_value() -> None:
    text = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %c = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.add %x, %c : tensor<f32>
  %1 = stablehlo.subtract %0, %c : tensor<f32>
  return %1 : tensor<f32>
}"""
    shadow = shadow_of(recorded(text, [np.float32(1e-6)]))
    _, added, left = shadow.losses
    value = float(np.float32(1e-6))
    rounded = float(np.float32(1) + np.float32(1e-6))
    assert added.error == pytest.approx(abs(rounded - (1 + value)) / (1 + value))
    assert left.handed_on == added.error
    assert left.error == pytest.approx(abs(rounded - 1 - value) / value)
    assert left.lost_bits == pytest.approx(24 + np.log2(left.error))
    assert shadow.results == [left.error]
    assert not shadow.is_sound
    assert largest_errors(shadow) == {0: 0.0, 1: added.error, 2: left.error}


def test_the_shadow_takes_the_decisions_of_the_run() -> None:
    """In f32 4194304 + 0.1 equals 4194304 + 0.2; in f64 it is less, but the shadow takes the branch of the run."""
    text = """func.func @main(%x: tensor<3xf32>) -> (tensor<f32>, tensor<i32>) {
  %c = stablehlo.constant dense<4194304.0> : tensor<3xf32>
  %0 = stablehlo.add %x, %c : tensor<3xf32>
  %1 = stablehlo.slice %0 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
  %2 = stablehlo.slice %0 [1:2] : (tensor<3xf32>) -> tensor<1xf32>
  %3 = stablehlo.compare LT, %1, %2 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
  %4 = stablehlo.reshape %3 : (tensor<1xi1>) -> tensor<i1>
  %5 = stablehlo.convert %4 : (tensor<i1>) -> tensor<i32>
  %6 = "stablehlo.if"(%4) ({
    %7 = stablehlo.constant dense<1.0> : tensor<f32>
    stablehlo.return %7 : tensor<f32>
  }, {
    %8 = stablehlo.constant dense<2.0> : tensor<f32>
    %9 = stablehlo.negate %8 : tensor<f32>
    stablehlo.return %9 : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %6, %5 : tensor<f32>, tensor<i32>
}"""
    recording = recorded(text, [np.array([0.1, 0.2, 0.3], np.float32)])
    shadow = shadow_of(recording)
    assert shadow.results == [0.0, 0.0]
    assert [int(leaf) for leaf in shadow.wide.results() or ()] == [-2, 0]


BITS = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.exponential %x : tensor<4xf32>
  %1 = stablehlo.bitcast_convert %0 : (tensor<4xf32>) -> tensor<4xi32>
  %2 = stablehlo.bitcast_convert %1 : (tensor<4xi32>) -> tensor<4xf32>
  %3 = stablehlo.add %2, %x : tensor<4xf32>
  return %3 : tensor<4xf32>
}"""


def test_ops_about_bits_take_the_values_of_the_run() -> None:
    recording = recorded(BITS, [np.linspace(0, 1, 4, dtype=np.float32)])
    shadow = shadow_of(recording)
    assert [recording.program.ops[op].op.name for op in shadow.taken] == ["stablehlo.bitcast_convert"] * 2
    assert shadow.is_sound
    assert shadow.results[0] > 0


FACTORS = """func.func @main(%a: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3x3xf32>) {
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)
  %1:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>, tensor<i32>)
  return %0#0, %1#0 : tensor<3x3xf32>, tensor<3x3xf32>
}"""


@pytest.mark.parametrize(("dtype", "taken"), [(np.float32, [3]), (np.float64, [2, 3])])
def test_routines_of_lapack_run_in_f64_but_for_arbitrary_signs(
    dtype: type[np.floating[Any]], taken: list[int]
) -> None:
    text = FACTORS if dtype is np.float32 else FACTORS.replace("f32", "f64").replace("lapack_s", "lapack_d")
    recording = recorded(text, [np.array([[4, 1, 0], [1, 3, 1], [0, 1, 2]], dtype)])
    shadow = shadow_of(recording)
    assert [recording.program.line_of(op) for op in shadow.taken] == taken
    assert shadow.is_sound
    assert (shadow.results[0] > 0) is (dtype is np.float32)
    assert shadow.results[1] == 0


def test_hlo_text_has_a_shadow_too() -> None:
    text = """HloModule m
ENTRY e {
  x = f32[2]{0} parameter(0)
  one = f32[] constant(1)
  ones = f32[2]{0} broadcast(one), dimensions={}
  grown = f32[2]{0} add(x, ones)
  ROOT left = f32[2]{0} subtract(grown, x)
}
"""
    blame = blame_of(recorded(text, [np.array([1e8, 3e8], np.float32)]))
    assert blame is not None
    assert recorded(text, [np.ones(2, np.float32)]).program.line_of(blame.guilty.loss.op) == 7
    assert blame.guilty.loss.error == 1
    assert blame.guilty.amplification > 1e7


@pytest.mark.parametrize(
    ("text", "inputs", "reason"),
    [
        (
            "func.func @main(%x: tensor<i32>) -> tensor<i32> {\n  return %x : tensor<i32>\n}",
            [np.int32(1)],
            "The program has no floating-point values.",
        ),
        (
            "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
            "  %0 = stablehlo.custom_call @mine(%x) : (tensor<f32>) -> tensor<f32>\n"
            "  return %0 : tensor<f32>\n}",
            [np.float32(1)],
            "The run has not ended.",
        ),
    ],
)
def test_what_has_no_shadow_says_why(text: str, inputs: Sequence[Any], reason: str) -> None:
    with pytest.raises(NoShadow, match=reason):
        Shadow(recorded(text, inputs, ends=None))


OVERFLOW = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<4xf32>
  %1 = stablehlo.sqrt %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}"""


def trials(dtype: str) -> dict[int | None, Trial]:
    """The trials of `OVERFLOW`, by op."""
    shadow = shadow_of(recorded(OVERFLOW, [np.array([0.001, 1, 2, 31.3], np.float32)]))
    found = ended(what_if(shadow, ELEMENT_TYPES[dtype].dtype))
    assert found[0].op is None
    return {trial.op: trial for trial in found}


def test_what_if_an_op_were_narrower() -> None:
    """31.3 * 31.3 leaves the range of f8E4M3FN and 0.001 * 0.001 vanishes in it, but not in bf16, which has 8 bits."""
    coarse, wide = trials("f8E4M3FN"), trials("bf16")
    assert coarse[0].error == np.inf
    assert (coarse[0].elements, coarse[0].overflowing, coarse[0].vanishing) == (12, 1, 1)
    assert (coarse[1].overflowing, coarse[1].vanishing) == (1, 1)
    assert wide[0].overflowing == wide[None].vanishing == 0
    assert 2**-12 < wide[0].error < 2**-7
    assert wide[None].error < 2**-7


def test_what_has_no_more_digits_is_not_tried() -> None:
    shadow = shadow_of(recorded(OVERFLOW.replace("f32", "bf16"), [np.ones(4, ml_dtypes.bfloat16)]))
    (everything,) = ended(what_if(shadow, np.dtype(np.float16)))
    assert (everything.elements, everything.error) == (0, shadow.results[0])


def test_a_recording_reports_its_precision() -> None:
    import hloscope

    case = CASES[0]
    found = hloscope.record(case.text, [1e8]).precision()
    assert str(found).splitlines()[0] == (
        "The result differs from the run in f64 by 100 % of its size: 0.0 of its 24 bits agree."
    )
    answer = found.json()
    assert answer["results"][0]["error"] == 1
    assert len(answer["ops"]) == len(answer["errors"])
    assert max(each for each in answer["errors"] if each is not None) == 1


def test_f64_has_a_shadow_where_numpy_has_more_digits() -> None:
    text = BITS.replace("f32", "f64").replace("i32", "i64")
    shadow = shadow_of(recorded(text, [np.linspace(0, 1, 4)]))
    assert shadow.is_sound
    assert shadow.wide.results()[0].dtype == np.longdouble  # type: ignore[index]
