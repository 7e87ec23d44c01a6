"""Sums of products: dot_general, convolution and their relatives."""

from __future__ import annotations

from ..core.registry import Family
from . import convolution, dot_general, einsum, old_contractions, ragged_dot

FAMILIES = (
    Family(
        "Products and convolutions",
        "contraction",
        (
            *dot_general.OPS,
            *ragged_dot.OPS,
            *convolution.OPS,
            *old_contractions.OPS,
            *einsum.OPS,
        ),
    ),
)
