"""fft: the definition as a double loop, one dimension after another; edge lengths and precision."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.transforms.fft import Fft, FftType

from .cases import CASES, Case
from .running import broken, run, tensor, type_of


def _transform(operand: Array, axis: int, sign: int) -> Array:
    n = operand.shape[axis]
    at = np.arange(n)
    matrix = np.exp(sign * 2j * np.pi * np.outer(at, at) / n) / (n if sign > 0 else 1)
    return np.moveaxis(np.tensordot(matrix, operand.astype(np.complex128), (1, axis)), 0, axis)


def _slow(op: Fft, operand: Array) -> Array:
    axes = list(range(operand.ndim - len(op.fft_length), operand.ndim))
    match op.fft_type:
        case FftType.FFT | FftType.IFFT:
            for axis in axes:
                operand = _transform(operand, axis, -1 if op.fft_type is FftType.FFT else 1)
            return operand
        case FftType.RFFT:
            half = _transform(operand, axes[-1], -1)[..., : operand.shape[-1] // 2 + 1]
            for axis in axes[:-1]:
                half = _transform(half, axis, -1)
            return half
        case FftType.IRFFT:
            for axis in axes[:-1]:
                operand = _transform(operand, axis, 1)
            return _real_line(operand, op.fft_length[-1])


def _real_line(half: Array, length: int) -> Array:
    """The real signals that have these transforms: the other half is the conjugate, mirrored."""
    whole = np.zeros((*half.shape[:-1], length), np.complex128)
    whole[..., : half.shape[-1]] = half
    for k in range(half.shape[-1], length):
        whole[..., k] = np.conjugate(half[..., length - k])
    whole[..., 0] = whole[..., 0].real
    if length % 2 == 0:
        whole[..., length // 2] = whole[..., length // 2].real
    return _transform(whole, half.ndim - 1, 1).real


@given(CASES[Fft.name])
def test_any_transform_follows_the_definition(case: Case) -> None:
    op, (operand,) = case.op, case.operands
    assert isinstance(op, Fft)
    (found,) = run(op, operand)
    if found.size == 0 or not np.isfinite(operand).all() or np.max(np.abs(operand)) > 1e6:
        return
    precision = 1e-6 if operand.dtype in (np.float32, np.complex64) else 1e-13
    scale = max(1.0, float(np.sum(np.abs(operand))))
    np.testing.assert_allclose(found, _slow(op, operand), atol=precision * scale, rtol=precision)


@pytest.mark.parametrize(
    ("kind", "shape", "lengths", "result"),
    [
        (FftType.RFFT, (0,), (0,), (0,)),
        (FftType.RFFT, (1,), (1,), (1,)),
        (FftType.RFFT, (2, 17), (17,), (2, 9)),
        (FftType.RFFT, (2, 16), (16,), (2, 9)),
        (FftType.IRFFT, (0,), (0,), (0,)),
        (FftType.IRFFT, (1,), (1,), (1,)),
        (FftType.IRFFT, (9,), (17,), (17,)),
        (FftType.IRFFT, (9,), (16,), (16,)),
        (FftType.IRFFT, (0, 3), (0, 4), (0, 4)),
        (FftType.FFT, (3, 0), (0,), (3, 0)),
        (FftType.FFT, (0, 3), (3,), (0, 3)),
    ],
)
def test_lengths_of_zero_one_odd_and_even(
    kind: FftType, shape: tuple[int, ...], lengths: tuple[int, ...], result: tuple[int, ...]
) -> None:
    element_type = "f32" if kind is FftType.RFFT else "complex<f32>"
    op = Fft(tensor(shape, element_type), kind, lengths)
    assert broken(op) is None
    (found,) = run(op, np.ones(shape, op.operand.element_type.dtype))
    assert op.infer().shape == found.shape == result


def test_there_and_back_again() -> None:
    signal = np.random.default_rng(0).standard_normal((2, 3, 5)).astype(np.float32)
    forward = Fft(type_of(signal), FftType.RFFT, (3, 5))
    (half,) = run(forward, signal)
    (again,) = run(Fft(type_of(half), FftType.IRFFT, (3, 5)), half)
    np.testing.assert_allclose(again, signal, atol=1e-6)
    assert again.dtype == np.float32


def test_the_inverse_ignores_what_no_real_signal_has() -> None:
    op = Fft(tensor((3,), "complex<f64>"), FftType.IRFFT, (4,))
    given = np.array([15 + 3j, -2.5 + 3.4j, -2.5 + 0.8j])
    np.testing.assert_allclose(run(op, given)[0], [1.875, 2.675, 4.375, 6.075])


def test_f32_is_as_exact_as_it_can_be() -> None:
    signal = np.random.default_rng(1).standard_normal(1000).astype(np.float32)
    (found,) = run(Fft(type_of(signal), FftType.RFFT, (1000,)), signal)
    np.testing.assert_array_equal(found, np.fft.rfft(signal.astype(np.float64)).astype(np.complex64))


def test_sizes_that_are_not_known_yet() -> None:
    known = tensor((None, None), "f64")
    assert broken(Fft(known, FftType.RFFT, (6,)), tensor((2, 4), "complex<f64>")) is None
    assert Fft(known, FftType.RFFT, (6,)).infer() == tensor((None, 4), "complex<f64>")
    inverse = Fft(tensor((None, None), "complex<f64>"), FftType.IRFFT, (6,))
    assert inverse.infer() == tensor((None, 6), "f64")
