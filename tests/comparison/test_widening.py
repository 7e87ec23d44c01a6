"""Programs in f64."""

from __future__ import annotations

from math import isnan

import ml_dtypes
import numpy as np
import pytest

import hloscope
from hloscope.engine.comparison.random_rounding import RandomRounding, coarsest_unit
from hloscope.engine.comparison.widening import (
    between,
    exact_results,
    is_as_near,
    nearer,
    widened,
    widened_text,
)
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.entry import find_entry
from hloscope.engine.frontend import load
from hloscope.engine.hlo_to_stablehlo import NotStablehlo, stablehlo_module
from hloscope.engine.ir.element_types import EXTENDED, F64
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.ops import op_table
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.rounding import unit_roundoff
from hloscope.engine.process_grid import Launch
from hloscope.engine.program import BoundProgram
from hloscope.engine.source import Source
from hloscope.engine.syntax import print_module
from tests.each import for_each

from ..conformance.catalogue import WORKED, Worked, launch_of, name_of, program_of
from .drafts import drafted
from .functions import FUNCTIONS
from .proof import PROGRAMS, program

BF16 = np.dtype(ml_dtypes.bfloat16)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_run_in_f64(name: str) -> None:
    recording = hloscope.record(*program(name))
    exact = exact_results(recording, DEFAULT_LIMITS)
    results = recording.results()
    assert exact is not None
    assert results is not None
    found = list(results[0])
    assert [value.dtype for value in exact] == [np.float64] * len(found)
    for one, other in zip(exact, found, strict=True):
        assert 0 < np.abs(one - other).max() < 1e-3 * np.abs(one).max()


@pytest.mark.parametrize(("routine", "is_run"), [("potrf", True), ("syevd", False)])
def test_routines_of_lapack_run_in_f64_but_for_arbitrary_signs(routine: str, is_run: bool) -> None:
    others = "" if is_run else "tensor<2xf32>, "
    recording = hloscope.record(
        f"""func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {{
  %0:{2 if is_run else 3} = stablehlo.custom_call @lapack_s{routine}_ffi(%a)
    {{mhlo.backend_config = {{mode = 86 : ui8, uplo = 76 : ui8}}}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, {others}tensor<i32>)
  return %0#0 : tensor<2x2xf32>
}}""",
        [np.array([[2, 0], [1, 3]], np.float32)],
    )
    exact = exact_results(recording, DEFAULT_LIMITS)
    assert (exact is not None) is is_run
    if exact is not None:
        assert exact[0][0, 0] == np.sqrt(2.0)


def test_the_nearer_of_two_results() -> None:
    exact = np.array([1.0, 2.0])
    near, far = np.array([1.0, 2.0001], np.float32), np.array([1.0, 3.0], np.float32)
    assert nearer(exact, near, far) > 1000
    assert nearer(exact, far, near) < 0.001
    assert nearer(exact, exact, exact) == 1


def test_bits_of_infinities_become_those_of_f64() -> None:
    text = 'module @f32 attributes {a = "f32"} { dense<0xFF800000> : tensor<2xf32> }'
    wide = 'module @f32 attributes {a = "f32"} { dense<0xFFF0000000000000> : tensor<2xf64> }'
    assert widened_text(text) == wide


@pytest.mark.parametrize(
    "text", ['dense<"0x0000803F"> : tensor<f32>', "stablehlo.bitcast_convert", "dense<0x3F800000>"]
)
def test_what_is_about_its_types_is_left(text: str) -> None:
    assert widened_text(text) is None


def test_a_program_of_bits_has_no_wide_form() -> None:
    text = "func.func @main(%x: tensor<f32>) -> tensor<i32> {\n  %0 = stablehlo.bitcast_convert %x : (tensor<f32>) -> tensor<i32>\n  return %0 : tensor<i32>\n}"
    assert widened(hloscope.parse(text)) is None


def test_results_as_near_as_ours_are_told_from_faults() -> None:
    exact = np.array([1.0, 2.0, 1000.0])
    ours = (exact + np.array([1e-7, 0, 6e-5])).astype(np.float32)
    assert is_as_near(exact, ours, (exact * (1 + 4e-7)).astype(np.float32))
    assert not is_as_near(exact, ours, np.array([1, 2.1, 1000], np.float32))
    assert not is_as_near(exact, ours, np.array([1, 2, np.inf], np.float32))
    assert is_as_near(np.zeros(2), np.zeros(2), np.zeros(2))


def test_an_error_of_all_elements_is_a_fault_where_few_of_ours_are_as_large() -> None:
    exact = np.random.default_rng(0).normal(size=4096)
    ours = exact.astype(np.float32)
    ours[0] += np.float32(1e-3)
    assert is_as_near(exact, ours, np.where(np.arange(4096) < 9, ours * np.float32(1.001), ours))
    assert not is_as_near(exact, ours, ours * np.float32(1.001))
    assert is_as_near(exact, ours, ours * np.float32(1 + 2**-23))


def test_shapes_that_end_in_0_are_no_bits() -> None:
    assert widened_text("dense<1.0> : tensor<10x128xf32>, tensor<0xf32>") == (
        "dense<1.0> : tensor<10x128xf64>, tensor<0xf64>"
    )


TEXT_OF_LOG = """
func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = stablehlo.log_plus_one %x : tensor<4xf64>
  return %0 : tensor<4xf64>
}
"""


def _f64(name: str) -> Recording:
    text, draft = drafted(FUNCTIONS[name], t="f64")
    return hloscope.record(text, draft.inputs(0))


@pytest.mark.parametrize("name", ["mlp", "attention", "layer_norm", "horner", "scattered_sums", "kalman"])
def test_programs_of_f64_run_in_more_digits(name: str) -> None:
    """Where NumPy has them; elsewhere they run in f64 again, which decides nothing."""
    recording = _f64(name)
    exact = exact_results(recording, DEFAULT_LIMITS)
    assert exact is not None
    dtype = F64.dtype if EXTENDED is None else EXTENDED.dtype
    assert {value.dtype for value in exact} == {dtype}
    pairs = list(zip(exact, recording.results() or (), strict=True))
    if EXTENDED is not None:
        assert any((one.astype(np.float64) != one).any() for one, _ in pairs)
    assert all(np.abs(one - other).max() < 1e-12 * np.abs(one).max() for one, other in pairs)


@pytest.mark.parametrize("name", ["errors", "factor", "spectrum"])
def test_functions_without_more_digits_have_no_witness(name: str) -> None:
    recording = _f64(name) if name != "spectrum" else hloscope.record(*_spectrum())
    exact = exact_results(recording, DEFAULT_LIMITS)
    dtypes = [value.dtype.name for value in recording.results() or ()]
    if exact is not None:
        assert all(map(isnan, between(exact, exact, dtypes)))


@pytest.mark.more
@for_each("worked", WORKED, ids=name_of)
def test_whatever_has_more_digits_than_f64_runs_with_them(worked: Worked) -> None:
    found = _in_f64(program_of(worked))
    program = found and widened(found)
    given = launch_of(worked)
    if program is None or coarsest_unit(program) in (0.0, unit_roundoff(F64.dtype)) or len(given.inputs) > 1:
        return
    arguments = find_entry(program, None).function.arguments
    wanted = [getattr(value.type, "element_type", None) for value in arguments]
    inputs = [x.astype(t.dtype) if t else x for x, t in zip(given.inputs[0], wanted, strict=True)]
    for rounding in (None, RandomRounding(0)):
        run = Recording(program, Launch(given.grid, (tuple(inputs),)), rounding=rounding)
        assert run.record().kind in ("done", "failed", "paused")


def _in_f64(program: BoundProgram) -> BoundProgram | None:
    """The program with f64 instead of narrower floats; `None` if its meaning depends on types."""
    try:
        found = stablehlo_module(program.module) if program.module.language == "hlo" else program.module
    except NotStablehlo:
        return None
    text = widened_text(print_module(found, op_table(), "short"))
    return None if text is None else load(Source(text, "<f64>")).program


def _spectrum() -> tuple[str, list[Array]]:
    text, draft = drafted(FUNCTIONS["spectrum"], t="c128")
    return text, draft.inputs(0)


def test_a_function_of_f64_that_is_129_ulps_off_is_different() -> None:
    """XLA's log1p: jax-ml/jax#39707."""
    x = np.array([-0.4141892, -0.41, -0.2, 0.5])
    theirs = np.log1p(x)
    assert hloscope.compare(TEXT_OF_LOG, {"out_0": np.nextafter(theirs, 0)}, [x]).verdict == "same"
    theirs[0] += 129 * np.spacing(np.abs(theirs[0]))
    assert hloscope.compare(TEXT_OF_LOG, {"out_0": theirs}, [x]).verdict == "different"


def test_witnesses_of_f64_tell_forms_from_functions() -> None:
    """`(x + 1e12 + c) - (x + 1e12)`, whose rounding hides a small change of c."""
    text = """
func.func @main(%x: tensor<64xf64>) -> tensor<64xf64> {{
  %c = stablehlo.constant dense<{}> : tensor<64xf64>
  %large = stablehlo.constant dense<1.0e12> : tensor<64xf64>
  %a = stablehlo.add %x, %large : tensor<64xf64>
  %b = stablehlo.add %a, %c : tensor<64xf64>
  %d = stablehlo.subtract %b, %a : tensor<64xf64>
  return %d : tensor<64xf64>
}}
"""
    x = [np.random.default_rng(0).standard_normal(64)]
    found = hloscope.compare(text.format("0.7"), text.format("0.70003"), x)
    if EXTENDED is not None:
        assert (found.verdict, found.results[0].decided_by) == ("different", "witness")
    else:
        assert found.verdict != "different"


def test_an_infinity_is_no_rounding_where_more_digits_are_finite() -> None:
    text = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
  %a = stablehlo.multiply %x, %x : tensor<2xf32>
  %b = stablehlo.sqrt %a : tensor<2xf32>
  %c = stablehlo.abs %x : tensor<2xf32>
  return {} : tensor<2xf32>
}}
"""
    found = hloscope.compare(text.format("%b"), text.format("%c"), [np.array([1e20, 1.0], np.float32)])
    assert found.verdict == "different"


FOLDED = """
func.func @main(%x: tensor<64xbf16>) -> tensor<64xbf16> {{
  %one = stablehlo.constant dense<1.0> : tensor<bf16>
  %n = stablehlo.constant dense<{}> : tensor<bf16>
  %s = stablehlo.sqrt %n : tensor<bf16>
  %r = stablehlo.divide %one, %s : tensor<bf16>
  %c = stablehlo.constant dense<{}> : tensor<bf16>
  %b = stablehlo.broadcast_in_dim {}, dims = [] : (tensor<bf16>) -> tensor<64xbf16>
  %y = stablehlo.multiply %x, %b : tensor<64xbf16>
  return %y : tensor<64xbf16>
}}
"""
"""A factor that a compiler may compute, with two roundings."""


@pytest.mark.parametrize("n", [7.0, 57.0, 96.0, 154.0])
def test_a_folded_constant_may_be_rounded_more_than_once(n: float) -> None:
    x = [np.random.default_rng(0).standard_normal(64).astype(BF16)]
    root = np.sqrt(np.asarray(n, BF16))
    computed = FOLDED.format(n, 1.0, "%r")
    for folded in (1 / root.astype(np.float64), 1 / np.sqrt(n)):
        constant = float(np.asarray(folded).astype(BF16))
        assert hloscope.compare(computed, FOLDED.format(n, constant, "%c"), x).verdict == "same"
