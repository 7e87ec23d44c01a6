"""XLA in its own process: it answers, it refuses, and what kills it does not kill us."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hloscope.app.processes.framing import MAX_BUFFERS, Channel
from hloscope.app.xla.engine import XlaEngine
from hloscope.app.xla.failures import (
    XlaCrashed,
    XlaFlagRefused,
    XlaMissing,
    XlaOutOfMemory,
    XlaRefused,
    XlaTimedOut,
)

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
    (emitted,) = xla.run(xla.optimize(SQUARE), [NUMBERS], as_written=True)
    assert emitted.tobytes() == result.tobytes()


CHOLESKY = """func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {
    backend_config = "", mhlo.backend_config = {uplo = 76 : ui8},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
    output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]
  } : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
  return %0#0 : tensor<2x2xf32>
}"""
"""What jax makes of `lax.linalg.cholesky` on a CPU, where SciPy has the routine."""


def test_a_factorization_finds_its_routine(xla: XlaEngine) -> None:
    (result,) = xla.run(CHOLESKY, [np.array([[4, 0], [2, 5]], np.float32)])
    assert np.tril(result).tolist() == [[2, 0], [1, 2]]


def test_hlo_text_may_begin_with_a_comment_or_with_its_entry(xla: XlaEngine) -> None:
    entry = "ENTRY main {\n  a = f32[3] parameter(0)\n  ROOT r = f32[3] multiply(a, a)\n}\n"
    for text in ("// squares\nHloModule m\n\n" + entry, entry):
        assert xla.run(text, [NUMBERS])[0].tolist() == [1, 4, 9]


def test_indexed_operands_of_a_newer_xla_are_written_out(xla: XlaEngine) -> None:
    text = """HloModule m
ENTRY e {
  a = f32[3] parameter(0)
  t = (f32[3], s32[3]) topk(a), k=3, largest=true
  ROOT r = f32[3] negate(t#0)
}
"""
    assert xla.run(text, [NUMBERS])[0].tolist() == [-3, -2, -1]


def test_text_is_emitted_as_it_is_written(xla: XlaEngine) -> None:
    changed = xla.optimize(SQUARE).replace("multiply(%param_0, %param_0)", "subtract(%param_0, %param_0)")
    assert xla.run(changed, [NUMBERS], as_written=True)[0].tolist() == [0, 0, 0]


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


def test_a_program_may_have_more_results_than_a_frame_has_buffers(xla: XlaEngine) -> None:
    count = MAX_BUFFERS + 44
    names = ", ".join(f"%{number}" for number in range(count))
    types = ", ".join(["tensor<3xf32>"] * count)
    lines = ["%0 = stablehlo.add %a, %a : tensor<3xf32>"]
    lines += [f"%{k} = stablehlo.add %{k - 1}, %a : tensor<3xf32>" for k in range(1, count)]
    body = "\n  ".join([*lines, f"return {names} : {types}"])
    results = xla.run(f"func.func @main(%a: tensor<3xf32>) -> ({types}) {{\n  {body}\n}}", [NUMBERS])
    assert [result.tolist() for result in results] == [
        (NUMBERS * (number + 2)).tolist() for number in range(count)
    ]


def test_the_text_after_each_pass_is_written(xla: XlaEngine, tmp_path: Path) -> None:
    xla.dump(SQUARE, tmp_path)
    names = sorted(path.name for path in tmp_path.glob("module_*.txt"))
    assert any("before_optimizations" in name for name in names)
    assert any(".after_fusion" in name for name in names)


def test_what_xla_does_not_like_is_said(xla: XlaEngine) -> None:
    with pytest.raises(XlaRefused, match="unknown"):
        xla.run("nonsense")


@pytest.mark.parametrize(
    ("flag", "value", "said"),
    [
        ("xla_nope", 1, "XLA has no flag .*xla_nope"),
        ("xla_cpu_enable_fast_math", "maybe", "XLA's flag xla_cpu_enable_fast_math takes no value 'maybe'"),
    ],
)
def test_flags_that_xla_does_not_take_are_named(
    xla: XlaEngine, flag: str, value: str | int, said: str
) -> None:
    """When it compiles, and when it starts: that is no crash."""
    with pytest.raises(XlaFlagRefused, match=said):
        xla.run(SQUARE, [NUMBERS], {flag: value})
    with pytest.raises(XlaFlagRefused, match=said) as refused:
        XlaEngine(flags=[f"--{flag}={value}"]).versions()
    assert flag in refused.value.flag
    assert xla.run(SQUARE, [NUMBERS])[0].tolist() == [1, 4, 9]


def test_a_crash_is_an_answer(xla: XlaEngine) -> None:
    array = np.ones((3, 1, 2, 2, 8, 8, 8), np.float32)
    if xla.versions().jaxlib == "0.10.2":
        with pytest.raises((XlaCrashed, XlaTimedOut)) as crash:  # on some processors it hangs
            xla.run(SUM_OF_RANK_7, [array, array])
        if isinstance(crash.value, XlaCrashed):
            assert (crash.value.code, str(crash.value)) == (-11, "XLA crashed (signal 11, SIGSEGV).")
    assert xla.run(SQUARE, [NUMBERS])[0].tolist() == [1, 4, 9]


def test_who_takes_too_long_is_ended() -> None:
    with XlaEngine() as xla:
        xla.versions()  # XLA has started
        patience, xla.seconds = xla.seconds, 1.0
        with pytest.raises(XlaTimedOut, match="within 1 s"):
            xla.run(ENDLESS, [np.array(1, np.int32)])
        xla.seconds = patience
        assert xla.run(SQUARE, [NUMBERS])[0].tolist() == [1, 4, 9]


def test_memory_has_a_limit() -> None:
    text = """func.func @main(%a: tensor<f32>) -> tensor<4000000000xf32> {
      %0 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<4000000000xf32>
      return %0 : tensor<4000000000xf32>
    }"""
    with XlaEngine(address_space=8 << 30) as xla, pytest.raises(XlaOutOfMemory, match="8,192 MiB"):
        xla.run(text, [np.array(1, np.float32)])


def test_the_users_folder_may_hold_a_package_of_our_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_process: None
) -> None:
    (tmp_path / "hloscope").mkdir()
    (tmp_path / "hloscope" / "__init__.py").write_text("raise SystemExit('not ours')\n")
    monkeypatch.chdir(tmp_path)
    with XlaEngine() as xla:
        assert xla.run(SQUARE, [NUMBERS])[0].tolist() == [1, 4, 9]


def test_the_answer_to_a_question_that_was_interrupted_is_not_taken_for_the_next(
    xla: XlaEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(channel: Channel) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Channel, "receive", interrupted)
        with pytest.raises(KeyboardInterrupt):
            xla.run(SQUARE, [NUMBERS])
    assert xla.run(SQUARE, [2 * NUMBERS])[0].tolist() == [4, 16, 36]


def test_without_jaxlib_it_says_what_to_type(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho \"ModuleNotFoundError: No module named 'jax'\" >&2\nexit 1\n")
    python.chmod(0o755)
    with pytest.raises(XlaMissing, match=r"pip install 'hloscope\[xla\]'"):
        XlaEngine(python=str(python)).run(SQUARE, [NUMBERS])
