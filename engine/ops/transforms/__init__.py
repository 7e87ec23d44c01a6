"""Normalization, Fourier transforms and the factorizations of matrices."""

from __future__ import annotations

from ..core.registry import Family
from . import batch_norm, fft, linear_algebra

FAMILIES = (
    Family("Normalizing, transforming, solving", "reduction", (*batch_norm.OPS,)),
    Family(
        "Normalizing, transforming, solving",
        "contraction",
        (
            *fft.OPS,
            *linear_algebra.OPS,
        ),
    ),
)
