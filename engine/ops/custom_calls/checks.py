"""Calls that check values of a run: shape_assertion of exported programs, and `check.…` of test programs."""

from dataclasses import dataclass

import numpy as np

from ...errors import CheckFailed, RunError
from ...ir.attributes import Attribute, StringAttribute
from ...ir.types import TensorType
from ..core.op import Array, shapes_agree
from ..dialects.agreement import Measure, Sides, close, equal, require, within
from .call import Call
from .target import Answer, Run, Target, need

_GOT_FIRST = Sides("the value", "the expected value")
_EXPECTED_FIRST = Sides("the expected value", "the value")
_MOST_ULPS = 3
_TOLERANCE = 1e-3
_TOLERANCE_OF_EQ = 1e-4


def _compare(call: Call, operands: tuple[Array, ...], measure: Measure, demand: str, sides: Sides) -> None:
    types = call.inputs
    need(len(types) == 2, f"@{call.call_target_name} takes 2 operands, not {len(types)}")
    left, right = types
    assert isinstance(left, TensorType)
    assert isinstance(right, TensorType)
    alike = left.element_type == right.element_type and shapes_agree(left.shape, right.shape)
    need(alike, f"@{call.call_target_name} compares tensors of one type, not {left} and {right}")
    require(operands[0], operands[1], left.element_type, measure, demand, sides)


def _expectation(measure: Measure, demand: str) -> Run:
    def run(call: Call, operands: tuple[Array, ...]) -> Answer:
        _compare(call, operands, measure, demand, _GOT_FIRST)
        return ()

    return run


def _eq(call: Call, operands: tuple[Array, ...]) -> Answer:
    """Whether the operands are equal: exactly for whole numbers, within a tolerance otherwise."""
    found = call.inputs[0] if call.inputs else None
    whole = isinstance(found, TensorType) and found.element_type.kind in ("boolean", "signed", "unsigned")
    measure = equal if whole else within(_TOLERANCE_OF_EQ)
    try:
        _compare(call, operands, measure, "must be equal", _EXPECTED_FIRST)
    except CheckFailed:
        return (np.array(False),)
    return (np.array(True),)


@dataclass(frozen=True)
class ShapeAssertion:
    """The record of shape_assertion."""

    error_message: Attribute | None = None


def _assert(call: Call, operands: tuple[Array, ...]) -> Answer:
    """Fail unless operand 0 is true; the message shows the other operands as {0}, {1}, …"""
    need(bool(operands) and operands[0].size == 1, "@shape_assertion takes a truth value first")
    if operands[0]:
        return ()
    stated = call.record(ShapeAssertion).error_message
    message = stated.value if isinstance(stated, StringAttribute) else "a shape is not as it must be"
    for number, value in enumerate(operands[1:]):
        message = message.replace(f"{{{number}}}", str(value))
    raise RunError(f"the program's assertion fails: {message}")


TARGETS: dict[str, Target] = {
    "shape_assertion": Target(_assert, record=ShapeAssertion),
    "check.expect_eq": Target(_expectation(equal, "must be equal"), (0, 0)),
    "check.expect_almost_eq": Target(
        _expectation(within(_TOLERANCE), f"may differ by at most {_TOLERANCE:g}"), (0, 0)
    ),
    "check.expect_close": Target(
        _expectation(close(0, _MOST_ULPS), f"may be {_MOST_ULPS} ULPs apart"), (0, 0)
    ),
    "check.eq": Target(_eq, (0, 0)),
}
