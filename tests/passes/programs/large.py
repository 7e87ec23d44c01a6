"""A program of more than 500 operations, alone and in two parts: what the time of the microscope is measured on."""

from __future__ import annotations

from typing import Any

import jax

from .registry import cut, f32, program
from .single import block

MATRICES = (f32(2, 64, 192), f32(2, 64, 128), f32(2, 128, 64))


def _trained(x: Any, w: Any, up: Any, down: Any, scale: Any) -> Any:
    """A step of training for two blocks of a transformer."""

    def loss(weights: Any) -> Any:
        y = x
        for number in range(2):
            y = block(y, weights[0][number], weights[1][number], weights[2][number], weights[3])
        return (y**2).mean()

    weights = (w * 0.1, up * 0.1, down * 0.1, scale)
    value, slopes = jax.value_and_grad(loss)(weights)
    return value, [weight - 0.1 * slope for weight, slope in zip(weights, slopes, strict=True)]


@program(f32(4, 32, 64), *MATRICES, f32(64), asked_for=True)
def five_hundred(x: Any, w: Any, up: Any, down: Any, scale: Any) -> Any:
    """On one device."""
    return _trained(x, w, up, down, scale)


@program(cut(4, 32, 64, axes=("a", None, None)), *MATRICES, f32(64), mesh=(2,), asked_for=True)
def five_hundred_in_two(x: Any, w: Any, up: Any, down: Any, scale: Any) -> Any:
    """On two, each with half of the batch."""
    return _trained(x, w, up, down, scale)
