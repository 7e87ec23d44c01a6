"""Sorts of every element type that jax offers, of many elements: what passes make of their comparators is another text each time.

They are dumped for `python -m tests.passes.proof sorts` alone.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from .registry import Argument, f32, of, program

SIZE = 100_000
TYPES = ("float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int32", "uint8")


def _sorted(x: Any) -> Any:
    return lax.sort(x)


for _name in TYPES:
    program(of(_name, SIZE), name=f"sorts_{_name}", asked_for=True)(_sorted)


@program(of("bfloat16", SIZE), f32(SIZE), asked_for=True)
def sorts_descending(x: Any, y: Any) -> Any:
    """The greatest first."""
    return jnp.sort(x, descending=True), jnp.argsort(y, descending=True)


@program(of("bfloat16", SIZE), Argument((SIZE,), "int32"), asked_for=True)
def sorts_of_pairs(x: Any, keys: Any) -> Any:
    """By two keys, the first of them with many that are equal."""
    return lax.sort((keys % 16, x, jnp.arange(SIZE)), num_keys=2)


@program(of("bfloat16", SIZE), asked_for=True)
def sorts_with_places(x: Any) -> Any:
    """Values and where they were."""
    return jnp.argsort(x), jnp.argsort(x, stable=False)


@program(of("bfloat16", 4, SIZE // 4), asked_for=True)
def top_k_bf16(x: Any) -> Any:
    """The greatest of narrow numbers."""
    return lax.top_k(x, 8)


@program(f32(4, SIZE // 4), asked_for=True)
def top_k_f32(x: Any) -> Any:
    """The greatest and their places."""
    return lax.top_k(x, 8)


@program(f32(SIZE), asked_for=True)
def medians(x: Any) -> Any:
    """Functions that sort within."""
    return jnp.median(x), jnp.quantile(x, 0.9), jnp.unique(jnp.round(x * 8), size=64)
