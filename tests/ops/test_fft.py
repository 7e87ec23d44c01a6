"""fft: edge lengths, both directions, and precision."""

from __future__ import annotations

import numpy as np
import pytest

from hloscope.engine.ops.transforms.fft import Fft, FftType

from .running import broken, run, tensor, type_of


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
