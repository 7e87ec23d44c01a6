"""XLA in its own process: it answers, it refuses, and what kills it does not kill us."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hloscope.app.xla.engine import XlaEngine
from hloscope.app.xla.failures import XlaCrashed, XlaMissing, XlaOutOfMemory, XlaRefused, XlaTimedOut

pytestmark = pytest.mark.oracle

SQUARE = """func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.multiply %a, %a : tensor<3xf32>
  return %0 : tensor<3xf32>
}"""
SUM_OF_RANK_7 = """func.func @main(%a: tensor<3x1x2x2x8x8x8xf32>, %b: tensor<3x1x2x2x8x8x8xf32>) -> tensor<3x1x2x8x8x8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %a, %b : tensor<3x1x2x2x8x8x8xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [3]
    : (tensor<3x1x2x2x8x8x8xf32>, tensor<f32>) -> tensor<3x1x2x8x8x8xf32>
  return %1 : tensor<3x1x2x8x8x8xf32>
}"""
"""jax-ml/jax#40412: jaxlib 0.10.2 dies of it."""
ENDLESS = """func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.while(%x = %a) : tensor<i32>
    cond { %true = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %true : tensor<i1> }
    do { %one = stablehlo.add %x, %x : tensor<i32>
      stablehlo.return %one : tensor<i32> }
  return %0 : tensor<i32>
}"""
NUMBERS = np.array([1, 2, 3], np.float32)


@pytest.fixture(scope="module")
def xla() -> Iterator[XlaEngine]:
    with XlaEngine() as engine:
        yield engine


def test_a_program_and_its_optimised_text_compute_the_same(xla: XlaEngine) -> None:
    (result,) = xla.run(SQUARE, [NUMBERS])
    assert result.tolist() == [1, 4, 9]
    (emitted,) = xla.run_emitted(xla.optimize(SQUARE), [NUMBERS])
    assert emitted.tobytes() == result.tobytes()


def test_text_is_emitted_as_it_is_written(xla: XlaEngine) -> None:
    changed = xla.optimize(SQUARE).replace("multiply(%param_0, %param_0)", "subtract(%param_0, %param_0)")
    assert xla.run_emitted(changed, [NUMBERS])[0].tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "dtype", ["bool", "int4", "uint8", "bfloat16", "float8_e4m3fn", "complex64", "float64"]
)
def test_arrays_of_all_widths_come_back(xla: XlaEngine, dtype: str) -> None:
    import jax.numpy as jnp

    element = {"bool": "i1", "int4": "i4", "uint8": "ui8", "bfloat16": "bf16", "float8_e4m3fn": "f8E4M3FN"}
    name = {**element, "complex64": "complex<f32>", "float64": "f64"}[dtype]
    array = np.array([[0, 1, 1]]).astype(jnp.dtype(dtype))
    text = (
        f"func.func @main(%a: tensor<1x3x{name}>) -> tensor<1x3x{name}> {{ return %a : tensor<1x3x{name}> }}"
    )
    (result,) = xla.run(text, [array])
    assert (result.dtype, result.shape, result.tobytes()) == (array.dtype, array.shape, array.tobytes())


def test_the_text_after_each_pass_is_written(xla: XlaEngine, tmp_path: Path) -> None:
    xla.dump(SQUARE, tmp_path)
    names = sorted(path.name for path in tmp_path.glob("module_*.txt"))
    assert any("before_optimizations" in name for name in names)
    assert any(".after_fusion" in name for name in names)


def test_what_xla_does_not_like_is_said(xla: XlaEngine) -> None:
    with pytest.raises(XlaRefused, match="unknown"):
        xla.run("nonsense")
    with pytest.raises(XlaRefused, match="xla_nope"):
        xla.run(SQUARE, [NUMBERS], {"xla_nope": 1})


def test_a_crash_is_an_answer(xla: XlaEngine) -> None:
    array = np.ones((3, 1, 2, 2, 8, 8, 8), np.float32)
    if xla.versions().jaxlib == "0.10.2":
        with pytest.raises((XlaCrashed, XlaTimedOut)) as crash:  # on some processors it hangs
            xla.run(SUM_OF_RANK_7, [array, array])
        if isinstance(crash.value, XlaCrashed):
            assert (crash.value.code, str(crash.value)) == (-11, "XLA crashed (signal 11, SIGSEGV).")
    with pytest.raises(XlaCrashed, match="exit status 1") as ended:
        XlaEngine(flags=["--xla_no_such_flag=1"]).run(SQUARE, [NUMBERS])
    assert "xla_no_such_flag" in ended.value.last_words
    assert xla.run(SQUARE, [NUMBERS])[0].tolist() == [1, 4, 9]


def test_who_takes_too_long_is_ended() -> None:
    with XlaEngine(seconds=20) as xla:
        with pytest.raises(XlaTimedOut, match="within 20 s"):
            xla.run(ENDLESS, [np.array(1, np.int32)])
        assert xla.run(SQUARE, [NUMBERS])[0].tolist() == [1, 4, 9]


def test_memory_has_a_limit() -> None:
    text = """func.func @main(%a: tensor<f32>) -> tensor<4000000000xf32> {
      %0 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<4000000000xf32>
      return %0 : tensor<4000000000xf32>
    }"""
    with XlaEngine(address_space=8 << 30) as xla, pytest.raises(XlaOutOfMemory, match="8,192 MiB"):
        xla.run(text, [np.array(1, np.float32)])


def test_without_jaxlib_it_says_what_to_type(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho \"ModuleNotFoundError: No module named 'jax'\" >&2\nexit 1\n")
    python.chmod(0o755)
    with pytest.raises(XlaMissing, match=r"pip install 'hloscope\[xla\]'"):
        XlaEngine(python=str(python)).run(SQUARE, [NUMBERS])
