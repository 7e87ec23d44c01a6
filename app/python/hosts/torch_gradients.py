"""Backward ops of ATen that torchax lacks, as JAX derivatives of its forward ops.

torchax 0.0.13 has an approximate backward of max pooling; its slopes differ from PyTorch's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from .jax_programs import import_jax

Forward = Callable[[str], Callable[..., Any]]
"""torchax's function for an op of ATen, by its name."""


def gradients(forward: Forward) -> Mapping[str, Callable[..., Any]]:
    """The backward ops by their names in ATen, with the same arguments."""
    return {
        "convolution_backward": partial(_convolution, forward),
        "max_pool2d_with_indices_backward": _max_pool,
        "avg_pool2d_backward": partial(_of_one, forward, "avg_pool2d"),
        "_adaptive_avg_pool2d_backward": partial(_adaptive, forward),
    }


def _convolution(
    forward: Forward, slope: Any, x: Any, weight: Any, bias_sizes: Any, *rest: Any
) -> Sequence[Any]:
    """Slopes of the input, the weight and the bias; `None` for those that the mask leaves out."""
    *geometry, mask = rest

    def convolved(x: Any, weight: Any) -> Any:
        return forward("convolution")(x, weight, None, *geometry)

    of_x, of_weight = import_jax().vjp(convolved, x, weight)[1](slope)
    of_bias = slope.sum(tuple(axis for axis in range(slope.ndim) if axis != 1))
    return tuple(
        part if wanted else None for part, wanted in zip((of_x, of_weight, of_bias), mask, strict=True)
    )


def _of_one(forward: Forward, name: str, slope: Any, x: Any, *rest: Any) -> Any:
    (found,) = import_jax().vjp(lambda x: forward(name)(x, *rest), x)[1](slope)
    return found


def _adaptive(forward: Forward, slope: Any, x: Any) -> Any:
    return _of_one(forward, "_adaptive_avg_pool2d", slope, x, slope.shape[-2:])


def _max_pool(slope: Any, x: Any, *rest: Any) -> Any:
    """Route each slope to the largest element; `rest` ends with its index in the image."""
    jnp = import_jax().numpy
    count = slope.shape[-2] * slope.shape[-1]
    flat, indices = slope.reshape(-1, count), rest[-1].reshape(-1, count)
    images = jnp.zeros((flat.shape[0], x.shape[-2] * x.shape[-1]), slope.dtype)
    rows = jnp.arange(flat.shape[0])[:, None]
    return images.at[rows, indices].add(flat).reshape(x.shape)
