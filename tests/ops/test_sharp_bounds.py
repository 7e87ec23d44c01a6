"""Bounds of elementwise ops: as wide as another rounding of operands that are off by all of their errors needs, no wider."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops import OPS
from hloscope.engine.ops.checking import first_broken_constraint
from hloscope.engine.ops.core.field_plans import field_plans
from hloscope.engine.ops.core.integer_folding import ComparisonDirection
from hloscope.engine.ops.core.nudging import widest
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.rounding import magnitude, unit_roundoff
from hloscope.engine.ops.elementwise.elementwise import Elementwise
from hloscope.engine.ops.elementwise.quantize_ops import UniformQuantize
from tests.each import for_each

from .running import run
from .test_error_bounds import widened

COUNT = 9
FIELDS: dict[str, dict[str, Any]] = {
    "stablehlo.compare": {"comparison_direction": ComparisonDirection.LT},
    "stablehlo.convert": {"result": TensorType((COUNT,), ELEMENT_TYPES["bf16"])},
    "stablehlo.reduce_precision": {"exponent_bits": 5, "mantissa_bits": 10},
}
ABOVE_ONE = {"chlo.acosh", "chlo.zeta"}


def calls() -> Iterator[tuple[Elementwise, tuple[Array, ...]]]:
    """Each op on f32 and on complex values, where it takes them."""
    for op_class, name in product(OPS, ("f32", "complex<f32>")):
        if not issubclass(op_class, Elementwise) or op_class is UniformQuantize:
            continue
        found = TensorType((COUNT,), ELEMENT_TYPES[name])
        count = sum(plan.source == "operand" for plan in field_plans(op_class))
        op = op_class(*[found] * count, **FIELDS.get(op_class.name, {}))
        if first_broken_constraint(op) is None and op.unrunnable() is None:
            yield op, tuple(operand(op, number) for number in range(count))


def operand(op: Elementwise, number: int) -> Array:
    """Numbers around 1/2, or above 1; those of every other operand in the opposite order."""
    steps = np.linspace(0.1, 0.9, COUNT)[:: (-1) ** number] + 1.3 * (op.name in ABOVE_ONE)
    dtype = op.inputs[number].element_type.dtype
    return (steps + 0.3j * steps[::-1] if dtype.kind == "c" else steps).astype(dtype)


def named(call: tuple[Elementwise, tuple[Array, ...]]) -> str:
    return f"{call[0].name} of {call[0].inputs[0].element_type}"


@pytest.mark.parametrize(
    ("relative", "absolute", "least"),
    [(0, 0, 0.99), (2**-12, 0, 0.75), (0, 0.25, 0.5)],
    ids=["own", "near", "far"],
)
@for_each(("op", "operands"), calls(), ids=named)
def test_bounds_are_reached_and_not_exceeded(
    op: Elementwise, operands: tuple[Array, ...], relative: float, absolute: float, least: float
) -> None:
    """Some element comes as close as `least` of its bound."""
    errors = tuple(relative * magnitude(value) + absolute for value in operands)
    with np.errstate(all="ignore"):
        (result,) = run(op, *operands)
        (bound,) = op.rounding.error_bound(op, operands, errors, (result,))
        moved = np.max([apart(op, corner, result) for corner in corners(operands, errors)], axis=0)
        found = moved + rounded(op, operands, moved, result)
        share = found / bound
    known = np.isfinite(found) & np.isfinite(bound)
    assert (found <= (1 + 1e-6) * bound)[known].all()
    bounded = known & (bound > 0)
    if bounded.any() and (relative or absolute or op.roundings):
        assert np.max(share[bounded]) >= least


def corners(operands: tuple[Array, ...], errors: tuple[Any, ...]) -> Iterator[tuple[Array, ...]]:
    """The operands, each off by all of its error one way or another."""
    for steps in product(*([1, -1, 1j, -1j] if value.dtype.kind == "c" else [1, -1] for value in operands)):
        yield tuple(
            widest(value) + step * error for value, step, error in zip(operands, steps, errors, strict=True)
        )


def apart(op: Elementwise, operands: tuple[Array, ...], result: Array) -> Array:
    """How far the results are from those of f64 operands."""
    (exact,) = run(widened(op) or op, *operands)
    return np.asarray(np.abs(widest(exact).astype(complex) - widest(result).astype(complex)))


def rounded(op: Elementwise, operands: tuple[Array, ...], moved: Array, result: Array) -> Array:
    """How far another implementation may be from exact results; operations that are exact here, are so there.

    Results that other operands moved are rounded all the same.
    """
    rounds = not op.is_correct or apart(op, tuple(map(widest, operands)), result) > 0
    rounds = rounds | ((moved > 0) & (not op.never_rounds))
    return op.roundings * unit_roundoff(result.dtype) * magnitude(result) * rounds
