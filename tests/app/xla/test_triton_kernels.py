"""Kernels of Pallas, lowered for GPUs, run on our engine: results of a real GPU, and JAX's own of the same functions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hloscope
from hloscope.app.xla import kernels
from tests.each import for_each

pytestmark = pytest.mark.oracle

DATA = Path(__file__).parents[2] / "data" / "triton"
Array = np.ndarray[Any, np.dtype[Any]]
Function = Callable[..., Any]


def test_results_of_a_real_gpu() -> None:
    """`tanh(x) + 2 * y` as an H200 computed it; the kernel treats each element alone, the file has four rows."""
    text, x, y, known = _from_a_gpu()
    (found,) = _results(text, [x, y])
    np.testing.assert_allclose(found, known, rtol=2e-7, atol=3e-7)
    assert hloscope.compare(text, inputs=[x, y], against=lambda *_: known).verdict == "rounding"
    known[2, 5] += np.float32(1e-4)
    assert hloscope.compare(text, inputs=[x, y], against=lambda *_: known).verdict == "wrong"


def _from_a_gpu() -> tuple[str, Array, Array, Array]:
    """The program, operands and results, which are 0 in all but four rows."""
    rows = np.load(DATA / "tanh_plus_twice.h200.npz")
    x, y, known = (np.zeros((256, 128), np.float32) for _ in range(3))
    x[:4], y[:4], known[:4] = rows["x"], rows["y"], rows["result"]
    return (DATA / "tanh_plus_twice.hlo").read_text(), x, y, known


def _results(text: str, operands: list[Array]) -> list[Array]:
    recording = hloscope.record(text, operands)
    assert recording.state.kind == "done", recording.state.reason
    return list(map(np.asarray, recording.results() or ()))


def _lowered(function: Function, *operands: Any) -> str:
    """The StableHLO of a function for a GPU, which needs none to be lowered."""
    import jax

    return str(jax.jit(function).trace(*operands).lower(lowering_platforms=("cuda",)).as_text())


def _called(kernel: Function, interpret: bool, **how: Any) -> Function:
    from jax.experimental import pallas as pl
    from jax.experimental.pallas import triton

    given = {} if interpret else {"compiler_params": triton.CompilerParams()}
    return pl.pallas_call(kernel, interpret=interpret, **given, **how)  # type: ignore[no-any-return]


def _normal(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def product_of_blocks() -> tuple[Function, list[Array], Array]:
    """A loop over blocks of the inner dimension, on a grid of two dimensions."""
    import jax
    import jax.numpy as jnp
    from jax.experimental import pallas as pl

    def kernel(a: Any, b: Any, out: Any) -> None:
        def add(k: Any, total: Any) -> Any:
            rows = pl.ds(k * 16, 16)
            return total + a[:, rows] @ b[rows, :]

        out[:, :] = jax.lax.fori_loop(0, 3, add, jnp.zeros((16, 16), jnp.float32))

    a, b = _normal(32, 48), _normal(48, 32, seed=1)
    blocks = [pl.BlockSpec((16, 48), lambda i, j: (i, 0)), pl.BlockSpec((48, 16), lambda i, j: (0, j))]
    out = jax.ShapeDtypeStruct((32, 32), jnp.float32)
    spec = pl.BlockSpec((16, 16), lambda i, j: (i, j))
    return _called(kernel, False, out_shape=out, grid=(2, 2), in_specs=blocks, out_specs=spec), [a, b], a @ b


def masked_sum() -> tuple[Function, list[Array], Array]:
    """Loads with a mask and `other`, stores with a mask: 100 elements in blocks of 64."""
    import jax
    import jax.numpy as jnp
    from jax.experimental import pallas as pl
    from jax.experimental.pallas import triton

    def kernel(x: Any, y: Any, out: Any) -> None:
        places = pl.program_id(0) * 64 + jnp.arange(64)
        inside = places < 100
        one = triton.load(x.at[places], mask=inside, other=0.0)
        other = triton.load(y.at[places], mask=inside, other=0.0)
        triton.store(out.at[places], jnp.exp(one) + other, mask=inside)

    x, y = _normal(100), _normal(100, seed=1)
    out = jax.ShapeDtypeStruct((100,), jnp.float32)
    return _called(kernel, False, out_shape=out, grid=(2,)), [x, y], np.exp(x) + y


def softmax_of_rows() -> tuple[Function, list[Array], Array]:
    """Reductions with a maximum and a sum, in bf16 from the memory and f32 in the kernel."""
    import jax
    import jax.numpy as jnp
    from jax.experimental import pallas as pl

    def kernel(x: Any, out: Any) -> None:
        row = x[...].astype(jnp.float32)
        weights = jnp.exp(row - jnp.max(row, axis=1, keepdims=True))
        out[...] = weights / jnp.sum(weights, axis=1, keepdims=True)

    x = np.asarray(jnp.asarray(_normal(4, 32), jnp.bfloat16))
    spec = pl.BlockSpec((1, 32), lambda i: (i, 0))
    out = jax.ShapeDtypeStruct((4, 32), jnp.float32)
    call = _called(kernel, False, out_shape=out, grid=(4,), in_specs=[spec], out_specs=spec)
    return call, [x], np.asarray(jax.nn.softmax(x.astype(np.float32), axis=1))


def sum_by_atomics() -> tuple[Function, list[Array], Array]:
    """All programs add to the same elements, which share the memory of an operand."""
    import jax
    import jax.numpy as jnp
    from jax.experimental import pallas as pl
    from jax.experimental.pallas import triton

    def kernel(x: Any, _: Any, out: Any) -> None:
        triton.atomic_add(out, (jnp.arange(16),), x[...])

    x, start = _normal(64), _normal(16, seed=1)
    blocks = [pl.BlockSpec((16,), lambda i: (i,)), pl.BlockSpec(memory_space=pl.ANY)]
    out = jax.ShapeDtypeStruct((16,), jnp.float32)
    how: dict[str, Any] = {"out_shape": out, "grid": (4,), "in_specs": blocks, "input_output_aliases": {1: 0}}
    return _called(kernel, False, **how), [x, start], start + x.reshape(4, 16).sum(axis=0)


def steps_of_collatz() -> tuple[Function, list[Array], Array]:
    """A `while` with an `if` in it, of another length in each program."""
    import jax
    import jax.numpy as jnp
    from jax.experimental import pallas as pl

    def kernel(x: Any, out: Any) -> None:
        def step(carried: Any) -> Any:
            number, count = carried
            number = jax.lax.cond(number % 2 == 0, lambda n: n // 2, lambda n: 3 * n + 1, number)
            return number, count + 1

        out[0] = jax.lax.while_loop(lambda carried: carried[0] != 1, step, (x[0], jnp.int32(0)))[1]

    spec = pl.BlockSpec((1,), lambda i: (i,))
    out = jax.ShapeDtypeStruct((8,), jnp.int32)
    call = _called(kernel, False, out_shape=out, grid=(8,), in_specs=[spec], out_specs=spec)
    return call, [np.arange(1, 9, dtype=np.int32)], np.array([0, 1, 7, 2, 5, 8, 16, 3])


def attention_and_its_gradients() -> tuple[Function, list[Array], list[Array]]:
    """JAX's own kernels of causal attention, forward and backward, two calls."""
    import jax
    from jax.experimental.pallas.ops.gpu import attention

    def gradients(mha: Function) -> Function:
        return jax.grad(lambda *given: (mha(*given, None, causal=True) ** 2).sum(), argnums=(0, 1, 2))  # type: ignore[no-any-return]

    given = [_normal(1, 128, 1, 16, seed=seed) for seed in range(3)]
    wanted = list(map(np.asarray, gradients(attention.mha_reference)(*given)))
    return gradients(attention.mha), given, wanted


@for_each(
    "made",
    (
        product_of_blocks,
        masked_sum,
        softmax_of_rows,
        sum_by_atomics,
        steps_of_collatz,
        attention_and_its_gradients,
    ),
    lambda made: str(made.__name__),
)
def test_kernels_of_pallas(made: Callable[[], tuple[Function, list[Array], Any]]) -> None:
    function, operands, wanted = made()
    found = _results(_lowered(function, *operands), operands)
    for one, other in zip(found, wanted if isinstance(wanted, list) else [wanted], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def test_operations_of_numbers() -> None:
    """Functions, integers with and without a sign, casts, scans and arg-reductions, as JAX's interpreter of kernels has them."""
    import jax
    import jax.numpy as jnp

    def kernel(x: Any, n: Any, u: Any, *out: Any) -> None:
        a, i, w = x[...], n[...], u[...]
        far = jnp.abs(a) + 1
        values = (
            jnp.exp(a) + jnp.exp2(a) + jnp.expm1(a) + jnp.log(far) + jnp.log1p(far) + jnp.sqrt(far),
            jax.lax.rsqrt(far) + jnp.sin(a) + jnp.cos(a) + jnp.tan(a) + jnp.arctan2(a, far) + jnp.cbrt(a),
            jnp.floor(a) + jnp.ceil(a) + a**3 + jnp.power(far, 1.5) + jnp.sign(a) + jax.lax.rem(a, far),
            jax.lax.div(i, jnp.int32(3)) + jax.lax.rem(i, jnp.int32(5)) + (i << 2) + (i >> 1) + (i & 5),
            jax.lax.shift_right_logical(i, jnp.int32(3)) + jax.lax.population_count(i) + jax.lax.clz(i),
            w // 3 + w % jnp.uint8(7) + jnp.maximum(w, 9) + (w >> 1) + jnp.where(w > 200, w, 1),
            (a > 0) & (i < 3) | ~(w == 4),
            a.astype(jnp.float16),
            a.astype(jnp.bfloat16).astype(jnp.float32),
            a.astype(jnp.int8),
            jnp.cumsum(a),
            jnp.argmax(a.reshape(4, 16), axis=1),
            a.reshape(4, 16).T,
        )
        for ref, value in zip(out, values, strict=True):
            ref[...] = value

    drawn = np.random.default_rng(0)
    given = [
        3 * _normal(64),
        drawn.integers(-100, 100, 64).astype(np.int32),
        drawn.integers(0, 256, 64).astype(np.uint8),
    ]
    names = ("f32", "f32", "f32", "i32", "i32", "u8", "b", "f16", "f32", "i8", "f32")
    types = {"f32": "float32", "i32": "int32", "u8": "uint8", "b": "bool", "f16": "float16", "i8": "int8"}
    out = [jax.ShapeDtypeStruct((64,), types[name]) for name in names]
    out += [jax.ShapeDtypeStruct((4,), jnp.int32), jax.ShapeDtypeStruct((16, 4), jnp.float32)]
    found = _results(_lowered(_called(kernel, False, out_shape=out), *given), given)
    wanted = _called(kernel, True, out_shape=out)(*given)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(
            one.astype(np.float64), np.asarray(other, np.float64), rtol=3e-6, atol=1e-5
        )


def test_bytecode_that_cannot_be_read() -> None:
    with pytest.raises(ValueError, match=r"in bytecode|parse"):
        kernels.read_kernel(b"ML\xefR\x0d")
    text, x, y, _ = _from_a_gpu()
    recording = hloscope.record(text.replace("project/kernels", "kernels"), [x, y])
    assert "runs a Triton kernel that cannot be computed here" in recording.state.reason


def test_without_jaxlib(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run stops at the call, as at any code outside of the program, and says what would read the kernel."""
    monkeypatch.setattr("hloscope.app.xla.kernels.find_spec", lambda name: None)
    text, x, y, _ = _from_a_gpu()
    kernels.find_target.cache_clear()
    try:
        recording = hloscope.record(text, [x, y])
    finally:
        kernels.find_target.cache_clear()
    found = recording.state.diagnostic
    assert found is not None
    assert "a Triton kernel, as Pallas makes them for GPUs" in found.message
    assert "install jaxlib" in (found.hint or "")
