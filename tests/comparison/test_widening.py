"""Programs in f64."""

from __future__ import annotations

import numpy as np
import pytest

import hloscope
from hloscope.engine.comparison.widening import exact_results, is_as_near, nearer, widened, widened_text
from hloscope.engine.limits import DEFAULT_LIMITS

from .programs import PROGRAMS, emit, inputs_of


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_programs_run_in_f64(name: str) -> None:
    recording = hloscope.record(emit(name)[0], inputs_of(name))
    exact = exact_results(recording, DEFAULT_LIMITS)
    results = recording.results()
    assert exact is not None
    assert results is not None
    found = list(results[0])
    assert [value.dtype for value in exact] == [np.float64] * len(found)
    for one, other in zip(exact, found, strict=True):
        assert 0 < np.abs(one - other).max() < 1e-3 * np.abs(one).max()


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


def test_shapes_that_end_in_0_are_no_bits() -> None:
    assert widened_text("dense<1.0> : tensor<10x128xf32>, tensor<0xf32>") == (
        "dense<1.0> : tensor<10x128xf64>, tensor<0xf64>"
    )
