"""check.…: what exported test programs demand of their results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import CheckFailed
from ...ir.types import TensorType
from ..core.op import Array, shapes_agree
from ..dialects.agreement import (
    Measure,
    Sides,
    close,
    equal,
    require,
    within,
)
from .target import Answer, Run, Target, need

if TYPE_CHECKING:
    from .custom_call import CustomCall

_GOT_FIRST = Sides("the value", "the expected value")
_EXPECTED_FIRST = Sides("the expected value", "the value")
_MOST_ULPS = 3
_TOLERANCE = 1e-3
_TOLERANCE_OF_EQ = 1e-4


def _compare(
    call: CustomCall, operands: tuple[Array, ...], measure: Measure, demand: str, sides: Sides
) -> None:
    types = call.inputs
    need(len(types) == 2, f"@{call.call_target_name} takes 2 operands, not {len(types)}")
    left, right = types
    assert isinstance(left, TensorType)
    assert isinstance(right, TensorType)
    alike = left.element_type == right.element_type and shapes_agree(left.shape, right.shape)
    need(alike, f"@{call.call_target_name} compares tensors of one type, not {left} and {right}")
    require(operands[0], operands[1], left.element_type, measure, demand, sides)


def _expectation(measure: Measure, demand: str) -> Run:
    def run(call: CustomCall, operands: tuple[Array, ...]) -> Answer:
        _compare(call, operands, measure, demand, _GOT_FIRST)
        return ()

    return run


def _eq(call: CustomCall, operands: tuple[Array, ...]) -> Answer:
    """Whether the second equals the first: exactly where they are whole numbers, else almost."""
    found = call.inputs[0] if call.inputs else None
    whole = isinstance(found, TensorType) and found.element_type.kind in ("boolean", "signed", "unsigned")
    measure = equal if whole else within(_TOLERANCE_OF_EQ)
    try:
        _compare(call, operands, measure, "must be equal", _EXPECTED_FIRST)
    except CheckFailed:
        return (np.array(False),)
    return (np.array(True),)


TARGETS: dict[str, Target] = {
    "check.expect_eq": Target(_expectation(equal, "must be equal"), (0, 0)),
    "check.expect_almost_eq": Target(
        _expectation(within(_TOLERANCE), f"may differ by at most {_TOLERANCE:g}"), (0, 0)
    ),
    "check.expect_close": Target(
        _expectation(close(0, _MOST_ULPS), f"may be {_MOST_ULPS} ULPs apart"), (0, 0)
    ),
    "check.eq": Target(_eq, (0, 0)),
}
