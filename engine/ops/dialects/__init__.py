"""Ops of other dialects that programs in StableHLO contain: MLIR's shape, tensor and arith, and the test dialects."""

from __future__ import annotations

from ..core.registry import Family
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
        "Shape, tensor and arith dialects",
        "other",
        (
            *shape_dialect.OPS,
            *shape_witnesses.OPS,
            *tensor_dialect.OPS,
        ),
    ),
    Family("Shape, tensor and arith dialects", "elementwise", (*arith_dialect.OPS,)),
    Family(
        "Checking and observing",
        "other",
        (
            *check_dialect.OPS,
            *interpreter_dialect.OPS,
        ),
    ),
)
