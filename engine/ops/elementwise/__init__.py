"""Ops that compute each element of the result from the elements at the same index."""

from ..core.registry import Family, ops_in
from . import arithmetic, bitcast, bits, comparisons, complex_parts, floating_point, functions, quantize_ops

FAMILIES = (
    Family("Arithmetic and functions", "elementwise", ops_in(arithmetic, functions)),
    Family("Comparing, choosing, converting", "elementwise", ops_in(comparisons, quantize_ops, bitcast)),
    Family("Bits and rounding", "elementwise", ops_in(bits, floating_point)),
    Family("Complex numbers", "elementwise", ops_in(complex_parts)),
)
