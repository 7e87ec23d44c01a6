"""Activation functions that GPU libraries apply after a product or a convolution."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..chlo.special_functions import erf
from ..core.numeric import Compute, logistic, maximum, minimum
from ..core.op import Array


def relu(x: Array) -> Any:
    """`max(x, 0)`; NaN stays NaN."""
    return maximum(x, x.dtype.type(0))


def relu6(x: Array) -> Any:
    """`min(max(x, 0), 6)`."""
    return minimum(relu(x), x.dtype.type(6))


def gelu(x: Array) -> Any:
    """`x / 2 * (1 + tanh(√(2/π) * (x + 0.044715 x³)))`, the approximation."""
    wide = x.astype(np.float64)
    inner = np.sqrt(2 / np.pi) * (wide + 0.044715 * wide**3)
    return (wide / 2 * (1 + np.tanh(inner))).astype(x.dtype)


def exact_gelu(x: Array) -> Any:
    """`x / 2 * (1 + erf(x / √2))`."""
    wide = x.astype(np.float64)
    return (wide / 2 * (1 + erf(wide / np.sqrt(2)))).astype(x.dtype)


def silu(x: Array) -> Any:
    """`x * logistic(x)`."""
    return x * logistic(x)


def elu(x: Array) -> Any:
    """`x`, or `e^x - 1` where `x` is negative."""
    return np.where(x > 0, x, np.expm1(x))


def leaky_relu(slope: float) -> Compute:
    """`x`, or `slope * x` where `x` is negative."""
    return lambda x: np.where(x > 0, x, x * x.dtype.type(slope))


ACTIVATIONS: Mapping[str, Compute] = {
    "RELU": relu,
    "RELU6": relu6,
    "GELU": gelu,
    "GELUEXACT": exact_gelu,
    "SILU": silu,
    "ELU": elu,
    "SIGMOID": logistic,
    "TANH": np.tanh,
}
"""Activation functions by their names in cuBLAS epilogues."""
