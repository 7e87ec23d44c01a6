"""Sums of products: dot_general, convolution and their relatives."""

from ..core.registry import Family, ops_in
from . import convolution, dot_general, einsum, old_contractions, ragged_dot

FAMILIES = (
    Family(
        "Products and convolutions",
        "contraction",
        ops_in(dot_general, ragged_dot, convolution, old_contractions, einsum),
    ),
)
