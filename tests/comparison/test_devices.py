"""What verdicts allow of a device: its functions, products and denormals, and no more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hloscope
from hloscope.app.comparing.budget import Budget
from hloscope.app.comparing.comparing import judge_results
from hloscope.app.comparing.our_runs import OurRun, run_ours
from hloscope.app.comparing.report import EngineComparison, as_json, verdict_sentence
from hloscope.app.runs.executed_values import KeptExecutor
from hloscope.app.runs.value_files import ABOUT, about_array
from hloscope.engine.comparison.runs import compare_recordings
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.limits import Limits
from hloscope.engine.ops.core.devices import (
    AMD,
    ANY,
    CPU,
    NVIDIA,
    PRECISIONS,
    TPU,
    TYPES,
    Device,
    device_of,
    devices_named,
    either,
)

F32 = np.float32
PRODUCT = """func.func @main(%a: tensor<8x64xf32>, %b: tensor<64x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]STATED
    : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}"""
ALGORITHM = """, algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32,
    lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = COUNT,
    allow_imprecise_accumulation = false>"""


def unary(name: str) -> str:
    return f"""func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {{
  %0 = {name} %x : tensor<64xf32>{" -> tensor<64xf32>" if name.startswith("chlo") else ""}
  return %0 : tensor<64xf32>
}}"""


def judged(text: str, inputs: list[Any], device: Device, change: Any) -> EngineComparison:
    """The verdict on our own results, changed."""
    run = OurRun(run_ours(text, inputs, Limits()).recording, device=device)
    theirs = [change(value) for value in run.results]
    return judge_results("XLA", run, theirs, Limits(), Budget(60))


def moved(ulps: float) -> Any:
    return lambda value: (value + ulps * np.spacing(value)).astype(F32)


def factors(bits: int) -> Any:
    """The factors of a product, and the product of those rounded to so many significant bits."""
    random = np.random.default_rng(0)
    pair = [random.normal(size=shape).astype(F32) for shape in ((8, 64), (64, 8))]
    fractions = [np.frexp(value) for value in pair]
    narrow = [np.ldexp(np.round(f * 2.0**bits), e - bits) for f, e in fractions]
    return pair, lambda _: (narrow[0] @ narrow[1]).astype(F32)


@pytest.mark.parametrize(
    ("platform", "name", "device"),
    [
        ("cpu", "cpu", CPU), ("gpu", "NVIDIA H200", NVIDIA), ("gpu", "", NVIDIA), ("tpu", "TPU v5", TPU),
        ("gpu", "AMD Instinct MI300X", AMD), ("plug-in", "", ANY),
    ],
)  # fmt: skip
def test_a_device_has_the_table_of_its_platform(platform: str, name: str, device: Device) -> None:
    assert device_of(platform, name) is device


def test_two_devices_round_as_far_as_either() -> None:
    both = either([CPU, NVIDIA])
    assert both.title == "a CPU or an NVIDIA GPU"
    assert both.functions["cosh"]["float32"] == CPU.functions["cosh"]["float32"]
    assert both.functions["tanh"]["float32"] == NVIDIA.functions["tanh"]["float32"]
    assert both.products == NVIDIA.products
    assert both.flushes_denormals
    assert either([NVIDIA, NVIDIA]) is NVIDIA


@pytest.mark.parametrize("device", [CPU, NVIDIA, AMD, TPU])
def test_tables_list_known_types_and_precisions(device: Device) -> None:
    assert {dtype for row in device.functions.values() for dtype in row} <= set(TYPES)
    assert set(device.products) <= set(PRECISIONS) - {"HIGHEST"}


def test_a_function_may_be_as_inaccurate_as_the_device_has_it() -> None:
    x = np.linspace(-0.9, 0.9, 64, dtype=F32)
    text = unary("chlo.erf_inv")
    found = judged(text, [x], NVIDIA, moved(60))
    assert found.verdict == "rounding"
    row = NVIDIA.function_text("erf_inv", "float32")
    assert list(found.rows) == as_json(found)["device_rounding"] == [row]
    assert verdict_sentence(found).endswith(f"; {row}")
    assert row.startswith("erf_inv of float32 may be ")
    assert judged(text, [x], NVIDIA, lambda value: value * F32(1.001)).verdict == "wrong"


def test_a_row_that_is_not_needed_is_not_named() -> None:
    x = np.linspace(-0.9, 0.9, 64, dtype=F32)
    found = judged(unary("stablehlo.tanh"), [x], NVIDIA, moved(1))
    assert (found.verdict, list(found.rows)) == ("rounding", [])


def test_a_function_near_its_zeros_has_an_absolute_error() -> None:
    x = np.linspace(1.999, 2.001, 64, dtype=F32)
    assert judged(unary("chlo.lgamma"), [x], CPU, lambda value: value + F32(1e-6)).is_fine
    assert not judged(unary("chlo.lgamma"), [x], CPU, lambda value: value + F32(1e-4)).is_fine


@pytest.mark.parametrize(
    ("precision", "bits", "verdict"),
    [
        ("DEFAULT", 11, "rounding"),
        ("HIGH", 11, "rounding"),
        ("HIGHEST", 11, "wrong"),
        ("DEFAULT", 6, "wrong"),
    ],
)
def test_products_have_the_factors_of_their_precision(precision: str, bits: int, verdict: str) -> None:
    pair, narrow = factors(bits)
    text = PRODUCT.replace("STATED", f", precision = [DEFAULT, {precision}]")
    found = judged(text, pair, NVIDIA, narrow)
    assert found.verdict == verdict
    assert len(found.rows) == (verdict == "rounding")


def test_products_of_complex_numbers_have_factors_as_narrow() -> None:
    (a, b), narrow = factors(11)
    text = PRODUCT.replace("STATED", "").replace("xf32", "xcomplex<f32>")
    pair = [(value * (1 + 0j)).astype(np.complex64) for value in (a, b)]
    found = judged(text, pair, NVIDIA, lambda value: (narrow(value) + value.imag * 1j).astype(np.complex64))
    assert (found.verdict, len(found.rows)) == ("rounding", 1)
    assert found.rows[0].startswith("dot_general rounds complex<f32> factors to 11 ")
    assert not judged(text, pair, NVIDIA, lambda value: (value * 1.02).astype(np.complex64)).is_fine


@pytest.mark.parametrize(("precision", "lost"), [("DEFAULT", 1.0), ("HIGHEST", 0.0)])
def test_denormals_of_factors_may_be_lost_where_they_are_rounded(precision: str, lost: float) -> None:
    pair = [np.full((8, 64), 1e-40, F32), np.full((64, 8), 1e10, F32)]
    run = run_ours(PRODUCT.replace("STATED", f", precision = [{precision}, {precision}]"), pair, Limits())
    (bound,) = OurRun(run.recording, device=NVIDIA).result_bounds
    assert float(np.max(bound)) / run.results[0].item(0) == pytest.approx(lost, abs=1e-2)


@pytest.mark.parametrize("device", [CPU, NVIDIA, TPU])
def test_a_factor_of_a_thousandth_is_wrong_at_the_highest_precision(device: Device) -> None:
    pair, _ = factors(24)
    text = PRODUCT.replace("STATED", ", precision = [HIGHEST, HIGHEST]")
    assert judged(text, pair, device, lambda value: value * F32(1.001)).verdict == "wrong"


@pytest.mark.parametrize(("count", "is_fine"), [(1, True), (3, False)])
def test_a_stated_algorithm_rounds_factors_on_any_device(count: int, is_fine: bool) -> None:
    pair, narrow = factors(11)
    text = PRODUCT.replace("STATED", ALGORITHM.replace("COUNT", str(count)))
    assert judged(text, pair, ANY, narrow).is_fine == is_fine


@pytest.mark.parametrize(("device", "error"), [(CPU, 1e-40), (NVIDIA, 0.0)])
def test_denormals_of_inputs_may_be_lost_where_the_device_flushes_them(device: Device, error: float) -> None:
    run = run_ours(unary("stablehlo.negate"), [np.full(64, 1e-40, F32)], Limits())
    (bound,) = OurRun(run.recording, device=device).result_bounds
    assert float(np.max(bound)) == pytest.approx(error, rel=1e-3)


@pytest.mark.parametrize(("device", "agrees"), [("gpu (NVIDIA H200)", True), ("cpu", False)])
def test_values_that_a_device_computed_may_have_its_rounding(device: str, agrees: bool) -> None:
    """As those of a recording with `--on`, and those of a file that names it."""
    pair, narrow = factors(11)
    text = PRODUCT.replace("STATED", "")
    before, result = hloscope.record(text, pair), narrow(None)
    title = f"XLA of jaxlib 0.11.2 on {device}"
    values = {"out_0": result, ABOUT: about_array({"engine": title})}
    assert hloscope.compare(before, values).agrees == agrees
    for scale in (1, 1.02):
        kept = {(0, 0): (before.tracks[0].op_of(0), ((result * scale).astype(F32),))}
        after = Recording(before.program, before.launch, executor=KeptExecutor(title, results=kept))
        assert after.record().kind == "done"
        assert compare_recordings(before, after).agrees == (agrees and scale == 1)
        assert compare_recordings(after, before).agrees == (agrees and scale == 1)


def test_devices_are_known_by_the_titles_of_engines() -> None:
    assert devices_named("XLA of jaxlib 0.11.2 on gpu (NVIDIA H200)") == NVIDIA
    assert (
        devices_named("XLA of jaxlib 0.11.2 on cpu (processes 0, 1) and XLA of jaxlib 0.11.2 on cpu, 2 hosts")
        == CPU
    )
    both = devices_named("XLA of jaxlib 0.11.2 on gpu (AMD Instinct MI300X) and XLA of jaxlib 0.11.2 on cpu")
    assert both.products == AMD.products
    assert devices_named("a device") == ANY


RECIPROCALS = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<[1e-38, 1.0, 1.0, 1.0]> : tensor<4xf32>
  %0 = stablehlo.multiply %x, %x : tensor<4xf32>
  %1 = stablehlo.divide %c, %x : tensor<4xf32>
  %2 = stablehlo.divide %0, %c : tensor<4xf32>
  %3 = stablehlo.add %1, %2 : tensor<4xf32>
  return %3 : tensor<4xf32>
}"""


@pytest.mark.parametrize(("device", "verdict"), [(CPU, "unknown"), (NVIDIA, "wrong")])
def test_a_quotient_by_a_denormal_may_be_infinite_where_the_device_flushes_it(
    device: Device, verdict: str
) -> None:
    """One divisor is an input and another one a constant."""
    x = np.array([1, 1e-38, 2, 1], F32)
    found = judged(RECIPROCALS, [x], device, lambda value: np.array([np.inf, np.inf, *value[2:]], F32))
    assert found.verdict == verdict


CENTRED = """func.func @main(%x: tensor<64x8xf32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %count = stablehlo.constant dense<64.0> : tensor<8xf32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64x8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = stablehlo.divide %0, %count : tensor<8xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<8xf32>) -> tensor<64x8xf32>
  %3 = stablehlo.subtract %x, %2 : tensor<64x8xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %4 : tensor<8xf32>
}"""


@pytest.mark.parametrize(("added", "verdict"), [(0.0, "amplified"), (1e-4, "wrong")])
def test_a_result_that_is_0_but_for_rounding_may_be_another_such_number(added: float, verdict: str) -> None:
    """As the gradient of a bias that a normalization subtracts."""
    x = (1 / 3 + np.random.default_rng(0).normal(size=(64, 8))).astype(F32)
    found = judged(CENTRED, [x], CPU, lambda value: (value[::-1] + added).astype(F32))
    assert found.verdict == verdict


def test_ops_that_add_in_any_order_are_named() -> None:
    text = """func.func @main(%x: tensor<4xf32>, %i: tensor<9x1xi32>, %u: tensor<9xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
    scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<9x1xi32>, tensor<9xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}"""
    inputs = [np.zeros(4, F32), np.zeros((9, 1), np.int32), np.ones(9, F32)]
    recording = run_ours(text, inputs, Limits()).recording
    told = OurRun(recording, device=NVIDIA).unordered_text
    assert told.startswith("scatter adds in any order on an NVIDIA GPU, ")
    assert OurRun(recording, device=CPU).unordered_text == ""
