"""Error bounds of whole runs: loops, calls, branches, ties, processes; and what amplified an error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hloscope
from hloscope.engine.comparison.bounds import RunBounds
from hloscope.engine.debugger.address import Address
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ops.core.rounding import denormal_limit

F32 = np.float32


def bounds(text: str, *inputs: Any, **options: Any) -> tuple[hloscope.Recording, RunBounds]:
    recording = hloscope.record(text, inputs, **options)
    assert recording.state.kind == "done", recording.state
    return recording, RunBounds(recording)


def of_op(text: str, op: str, *inputs: Any) -> Any:
    """The bound of the first result of the first execution of an op."""
    recording, found = bounds(text, *inputs)
    steps = enumerate(recording.tracks[0].op_column.tolist())
    step = next(at for at, number in steps if recording.program.ops[number].operation.name.endswith(op))
    return np.asarray(found.of(Address(0, "s", step, 0)))


TF32_OPS = {
    "add": "stablehlo.add %x, %y : tensor<4xtf32>",
    "dot_general": "stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [] x [] : "
    "(tensor<4xtf32>, tensor<4xtf32>) -> tensor<4xtf32>",
    "convert": "stablehlo.convert %z : (tensor<4xf32>) -> tensor<4xtf32>",
}


@pytest.mark.parametrize("op", TF32_OPS)
def test_results_of_tf32_are_rounded_to_its_ten_bits(op: str) -> None:
    text = f"""func.func @main(%x: tensor<4xtf32>, %y: tensor<4xtf32>, %z: tensor<4xf32>) -> tensor<4xtf32> {{
  %r = {TF32_OPS[op]}
  return %r : tensor<4xtf32>
}}"""
    x, y = np.full(4, 1 + 2**-10, F32), np.full(4, 2**-6 + 2**-16, F32)
    assert (of_op(text, op, x, y, x / 3) >= 2**-12).all()
    assert of_op(text.replace("tf32", "f32"), op, x, y, x / 3).max() < 2**-20


def hlo(*lines: str, head: str = "") -> str:
    return "HloModule m\n" + head + "ENTRY main {\n" + "\n".join(lines) + "\n}\n"


def test_what_is_given_is_exact() -> None:
    text = hlo("x = f32[3] parameter(0)", "ROOT y = f32[3] negate(x)")
    assert of_op(text, "negate", np.ones(3, F32)).max() == 0


def test_the_number_of_a_process_is_exact() -> None:
    text = hlo("p = u32[] partition-id()", "ROOT y = f32[] convert(p)")
    assert of_op(text, "convert") == 0


def test_an_exact_sum_has_no_error() -> None:
    text = hlo("x = f32[3] parameter(0)", "ROOT y = f32[3] add(x, x)")
    assert of_op(text, "add", np.arange(3, dtype=F32)).max() == 0
    inexact = hlo("x = f32[2] parameter(0)", "c = f32[2] constant({1e-9, 1})", "ROOT y = f32[2] add(x, c)")
    found = of_op(inexact, "add", np.ones(2, F32))
    assert 0 < found[0] < 2e-7
    assert found[1] == 0


@pytest.mark.parametrize(
    "product",
    [
        "ROOT y = {0}[] dot(x, w), lhs_contracting_dims={{0}}, rhs_contracting_dims={{0}}",
        "a = {0}[1,1,3] reshape(x)\nb = {0}[1,1,3] reshape(w)\n"
        "ROOT y = {0}[1,1,1] convolution(a, b), window={{size=3}}, dim_labels=bf0_oi0->bf0",
    ],
    ids=["dot", "convolution"],
)
@pytest.mark.parametrize(("name", "tiny"), [("bf16", 1.5e-36), ("f32", 1.5e-36), ("f64", 1.5e-200)])
def test_squares_of_tiny_factors_do_not_vanish_from_the_bound(product: str, name: str, tiny: float) -> None:
    dtype = ELEMENT_TYPES[name].dtype
    text = hlo(
        f"x = {name}[3] parameter(0)", f"w = {name}[3] parameter(1)", *product.format(name).split("\n")
    )
    x, w = np.array([-2, 1, 1], dtype), np.full(3, tiny, dtype)
    found = float(of_op(text, "convolution" if "convolution" in text else "dot_general", x, w).max())
    unit = 2.0**-24 if name != "f64" else 2.0**-53
    assert unit * tiny < found < 100 * unit * tiny + denormal_limit(x.dtype)


def test_constants_that_are_given_to_the_run_are_exact() -> None:
    text = hlo("x = f32[2] parameter(0)", "c = f32[2] constant({...})", "ROOT m = f32[2] multiply(x, c)")
    _, found = bounds(text, np.ones(2, F32), bindings={"%c": np.full(2, 3, F32)})
    (result,) = found.of_results(0)  # type: ignore[misc]
    assert result.max() == 0


ANY_NUMBER = (
    "x = f32[2,2] parameter(0)",
    "c = f32[2,2] constant({{1e8, 1e8}, {1e8, 1e8}})",
    "s = f32[2,2] add(x, c)",
    "d = f32[2,2] subtract(s, c)",  # 0, but for rounding
    "t = f32[2,2] add(d, x)",  # perhaps 0
    "e = f32[2,2] divide(x, t)",
)


@pytest.mark.parametrize(
    "op", ["multiply(d, e)", "dot(d, e), lhs_contracting_dims={1}, rhs_contracting_dims={0}"]
)
def test_what_may_be_any_number_is_not_unknown(op: str) -> None:
    """Where the first factor is 0, and the second may be anything, so may the product."""
    _, found = bounds(hlo(*ANY_NUMBER, f"ROOT m = f32[2,2] {op}"), np.ones((2, 2), F32))
    (result,) = found.of_results(0)  # type: ignore[misc]
    assert np.isinf(result).all()


def test_a_factorization_of_hlo_text_has_bounds() -> None:
    """It gives one tuple, unlike that of StableHLO."""
    text = hlo(
        "x = f32[2,2]{0,1} parameter(0)",
        'c = (f32[2,2]{0,1}, s32[]) custom-call(x), custom_call_target="lapack_spotrf_ffi", api_version=API_VERSION_TYPED_FFI, backend_config={uplo = 76 : ui8}',
        "ROOT r = f32[2,2]{0,1} get-tuple-element(c), index=0",
    )
    _, found = bounds(text, np.array([[3, 1], [1, 5]], F32))
    factor, info = found.of(Address(0, "s", 0, 0)).tolist()
    assert 0 < factor.max() < 1e-4
    assert info.max() == 0
    assert np.isfinite(found.of_results(0)[0]).all()  # type: ignore[index]


def test_cancellation_is_amplified() -> None:
    text = hlo(
        "x = f32[] parameter(0)",
        "c = f32[] constant(1e8)",
        "s = f32[] add(x, c)",
        "ROOT d = f32[] subtract(s, c)",
    )
    recording, found = bounds(text, F32(1))
    assert float(found.of(Address(0, "s", 2, 0))) > 1
    worst = found.amplification(Address(0, "s", 2, 0))
    assert worst is not None
    assert recording.program.ops[worst.op].operation.name == "stablehlo.subtract"
    assert worst.growth > 1e6


LOOP = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %n = stablehlo.constant dense<5> : tensor<i32>
      %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %w = stablehlo.multiply %v, %v : tensor<4xf32>
      stablehlo.return %j, %w : tensor<i32>, tensor<4xf32>
    }
  %y = stablehlo.negate %r#1 : tensor<4xf32>
  return %y : tensor<4xf32>
}
"""


def test_errors_grow_from_iteration_to_iteration() -> None:
    x = np.array([1.1, 0.9, 1.01, 1.3], F32)
    found = of_op(LOOP, "negate", x)
    exact = x.astype(np.float64) ** 32
    wrong = np.abs(hloscope.run(LOOP, [x])[0] + exact)
    assert (wrong <= found).all()
    assert (found < 1e-4 * exact).all()


def test_a_loop_that_may_end_otherwise_may_give_anything() -> None:
    text = """
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %third = stablehlo.constant dense<0.1> : tensor<f32>
  %limit = stablehlo.constant dense<LIMIT> : tensor<f32>
  %r = stablehlo.while(%v = %x) : tensor<f32>
    cond {
      %go = stablehlo.compare LT, %v, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %w = stablehlo.add %v, %third : tensor<f32>
      stablehlo.return %w : tensor<f32>
    }
  return %r : tensor<f32>
}
"""
    # 0.1 eight times is 0.8 but for roundings.
    assert of_op(text.replace("LIMIT", "0.8"), "while", F32(0)) == np.inf
    assert of_op(text.replace("LIMIT", "0.75"), "while", F32(0)) < 1e-6


def test_a_comparison_at_a_tie_may_go_either_way() -> None:
    text = hlo(
        "x = f32[3] parameter(0)",
        "e = f32[3] exponential(x)",
        "c = f32[3] constant({1, 2, 2.7182817})",
        "p = pred[3] compare(e, c), direction=GT",
        "ROOT s = f32[3] select(p, x, e)",
    )
    x = np.array([0, 0, 1], F32)
    assert of_op(text, "compare", x).tolist() == [1, 0, 1]
    assert of_op(text, "select", x)[2] > 1.7  # how far e is from x


def test_a_reduction_of_many_terms() -> None:
    text = hlo(
        "x = f32[100000] parameter(0)",
        "z = f32[] constant(0)",
        "ROOT s = f32[] reduce(x, z), dimensions={0}, to_apply=add",
        head="add {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b)\n}\n",
    )
    x = np.full(100000, 0.1, F32)
    found = float(of_op(text, "reduce", x))
    sequential = float(np.cumsum(x)[-1])
    assert abs(sequential - x.astype(np.float64).sum()) < found < 100
    assert float(of_op(text, "reduce", np.ones(100000, F32))) == 0  # whole numbers are exact in any order


@pytest.mark.parametrize("body", ["add(m, b)", "maximum(m, b)"])
def test_bodies_that_are_run(body: str) -> None:
    text = hlo(
        "x = f32[100] parameter(0)",
        "z = f32[] constant(0)",
        "ROOT s = f32[] reduce(x, z), dimensions={0}, to_apply=f",
        head=f"f {{\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n k = f32[] constant(0.3)\n"
        f" m = f32[] multiply(a, k)\n ROOT c = f32[] {body}\n}}\n",
    )
    found = float(of_op(text, "reduce", np.linspace(0, 1, 100, dtype=F32)))
    assert 0 < found < 1e-2


def test_processes_that_sum() -> None:
    text = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %e = stablehlo.exponential %x : tensor<2xf32>
  %s = "stablehlo.all_reduce"(%e) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %s : tensor<2xf32>
}
"""
    inputs = hloscope.Each([np.ones(2, F32), np.full(2, 2, F32)])
    _, found = bounds(text, inputs, replicas=2)
    single = [found.of(Address(process, "s", 0, 0)) for process in (0, 1)]
    joined = found.of(Address(0, "s", 1, 0))
    assert (joined > single[0] + single[1]).all()
    assert (joined == found.of(Address(1, "s", 1, 0))).all()


def test_a_started_computation_has_the_bounds_of_its_operands_and_its_output() -> None:
    body = "body {\n  p = f32[3] parameter(0)\n  ROOT q = f32[3] sine(p)\n}\n"
    text = hlo(
        "x = f32[3] parameter(0)",
        "e = f32[3] exponential(x)",
        "s = ((f32[3]), f32[3], s32[]) async-start(e), calls=body",
        "u = ((f32[3]), f32[3], s32[]) async-update(s)",
        "ROOT y = f32[3] async-done(u)",
        head=body,
    )
    x = np.linspace(0.1, 1, 3, dtype=F32)
    recording, found = bounds(text, x)
    names = [recording.program.ops[k].operation.opcode for k in recording.tracks[0].op_column.tolist()]
    (given,), output, context = found.of(Address(0, "s", names.index("async-update"), 0))
    assert np.array_equal(given, of_op(text, "exponential", x))
    assert np.array_equal(output, of_op(text, "sine", x))
    assert output.min() > 0
    assert context == 0
    assert np.array_equal(output, of_op(text, "async_done", x))
