"""batch_norm: the specification's examples and formulas, element by element; quantized types; features alone."""

from __future__ import annotations

import numpy as np
import pytest

from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.transforms.batch_norm import BatchNormGrad, BatchNormInference, BatchNormTraining

from .building import QUANTIZED
from .running import broken, run, tensor, type_of

OPERAND = np.array([[[1.0, 2.0], [3.0, 4.0]], [[3.0, 4.0], [1.0, 2.0]]])
ONES, MEAN = np.array([1.0, 1.0]), np.array([2.0, 3.0])
CUBE, PAIR = type_of(OPERAND), type_of(ONES)


def _inference(operand: TensorType, vector: TensorType, epsilon: float, feature: int) -> BatchNormInference:
    return BatchNormInference(operand, vector, vector, vector, vector, epsilon, feature)


@pytest.mark.parametrize("feature", range(3))
def test_gradients_are_derivatives(feature: int) -> None:
    random = np.random.default_rng(feature)
    operand, output_gradient = random.standard_normal((2, 2, 3, 4))
    scale, offset = random.standard_normal((2, operand.shape[feature]))
    training = BatchNormTraining(type_of(operand), type_of(scale), type_of(scale), 1e-3, feature)
    _, mean, variance = run(training, operand, scale, offset)
    vector = type_of(scale)
    op = BatchNormGrad(type_of(operand), vector, vector, vector, type_of(operand), 1e-3, feature)
    found = run(op, operand, scale, mean, variance, output_gradient)

    def weighted_output(*operands: Array) -> float:
        return float(np.sum(run(training, *operands)[0] * output_gradient))

    for number, value in enumerate((operand, scale, offset)):
        step = 1e-6 * random.standard_normal(value.shape)
        ahead, behind = (
            [x + sign * step if k == number else x for k, x in enumerate((operand, scale, offset))]
            for sign in (1, -1)
        )
        difference = (weighted_output(*ahead) - weighted_output(*behind)) / 2
        assert difference == pytest.approx(float(np.sum(found[number] * step)), rel=1e-4, abs=1e-12)


def test_epsilon_is_an_f32_whatever_the_elements_are() -> None:
    zero = np.zeros((1, 1))
    op = _inference(type_of(zero), tensor((1,), "f64"), 0.1, 1)
    (found,) = run(op, np.ones((1, 1)), *[np.ones(1)] + [np.zeros(1)] * 3)
    assert found[0, 0] == 1 / np.sqrt(np.float64(np.float32(0.1)))


def test_features_without_elements_have_no_mean() -> None:
    empty = np.zeros((0, 2), np.float32)
    vector = np.ones(2, np.float32)
    output, mean, variance = run(
        BatchNormTraining(type_of(empty), type_of(vector), type_of(vector), 0.0, 1), empty, vector, vector
    )
    assert output.shape == (0, 2)
    assert np.isnan(mean).all()
    assert np.isnan(variance).all()


def test_means_of_small_floats_are_rounded_once() -> None:
    """A sum in f16 would stop growing at 2048."""
    found = tensor((4096, 1), "f16")
    vector = tensor((1,), "f16")
    ones = np.ones((4096, 1), np.float16)
    _, mean, variance = run(BatchNormTraining(found, vector, vector, 0.0, 1), ones, ones[0], ones[0])
    assert (mean.tolist(), variance.tolist()) == ([1], [0])


def test_quantized_values_are_computed_as_floats() -> None:
    q8, vector = tensor((2, 1), QUANTIZED["q8"]), tensor((1,), QUANTIZED["q8b"])
    results = (tensor((2, 1), QUANTIZED["q8b"]), vector, vector)
    op = BatchNormTraining(q8, vector, vector, 0.0, 1, results)
    assert broken(op, *results) is None
    stored = np.array([[2], [6]], np.int8)  # 1 and 3: mean 2, variance 1
    one = np.array([7], np.int8)  # 1, as (7 - 3) * 0.25
    output, mean, variance = run(op, stored, one, one)
    assert output.tolist() == [[3], [11]]  # -1 + 1 = 0 and 1 + 1 = 2
    assert (mean.tolist(), variance.tolist()) == ([11], [7])
    assert output.dtype == np.int8


def test_sizes_that_are_not_known_yet() -> None:
    operand, vector = tensor((None, 3, None)), tensor((None,))
    training = BatchNormTraining(operand, vector, vector, 0.0, 1)
    assert training.infer() == (operand, tensor((3,)), tensor((3,)))
    assert broken(training, tensor((5, 3, 2)), tensor((3,)), tensor((3,))) is None
    gradient = BatchNormGrad(operand, vector, tensor((3,)), vector, tensor((2, None, None)), 0.0, 1)
    assert gradient.infer() == (tensor((2, 3, None)), tensor((3,)), tensor((3,)))
    assert broken(_inference(operand, vector, 0.0, 0), tensor((2, 3, 4))) is None
