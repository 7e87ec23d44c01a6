"""Ops that compute each element of the result from the elements at the same index."""

from __future__ import annotations

from ..core.registry import Family
from . import arithmetic, bitcast, bits, comparisons, complex_parts, floating_point, functions, quantize_ops

FAMILIES = (
    Family("Arithmetic and functions", "elementwise", (*arithmetic.OPS, *functions.OPS)),
    Family(
        "Comparing, choosing, converting",
        "elementwise",
        (
            *comparisons.OPS,
            *quantize_ops.OPS,
            *bitcast.OPS,
        ),
    ),
    Family(
        "Bits and rounding",
        "elementwise",
        (
            *bits.OPS,
            *floating_point.OPS,
        ),
    ),
    Family("Complex numbers", "elementwise", (*complex_parts.OPS,)),
)
