"""Ops of other dialects that programs in StableHLO contain: MLIR's shape, tensor and arith, and the test dialects."""

from ..core.registry import Family, ops_in
from . import (
    arith_dialect,
    check_dialect,
    interpreter_dialect,
    shape_dialect,
    shape_witnesses,
    tensor_dialect,
)

FAMILIES = (
    Family(
        "Shape, tensor and arith dialects", "other", ops_in(shape_dialect, shape_witnesses, tensor_dialect)
    ),
    Family("Shape, tensor and arith dialects", "elementwise", ops_in(arith_dialect)),
    Family("Checking and observing", "other", ops_in(check_dialect, interpreter_dialect)),
)
