"""Normalization, Fourier transforms and the factorizations of matrices."""

from ..core.registry import Family, ops_in
from . import batch_norm, fft, linear_algebra

FAMILIES = (
    Family("Normalizing, transforming, solving", "reduction", ops_in(batch_norm)),
    Family("Normalizing, transforming, solving", "contraction", ops_in(fft, linear_algebra)),
)
