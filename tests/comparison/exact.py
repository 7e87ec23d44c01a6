"""A program of elementwise ops and sums in 60 digits, op by op: what a shadow run is measured with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, localcontext
from typing import Any

import numpy as np

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ops.core.op import Array

DIGITS = 60


def _sine(x: Decimal) -> Decimal:
    """Its Taylor series within a period, with digits to spare."""
    with localcontext() as context:
        context.prec = DIGITS + 30
        term = total = x = x % (2 * _pi())
        number = 1
        while abs(term) > Decimal(10) ** -context.prec:
            number += 2
            term *= -x * x / (number * (number - 1))
            total += term
        return total


def _pi() -> Decimal:
    """By Gauss and Legendre, in the digits of the context."""
    a, b, t, p = Decimal(1), Decimal("0.5").sqrt(), Decimal("0.25"), Decimal(1)
    while abs(a - b) > Decimal(10) ** -DIGITS:  # each turn doubles the digits
        mean = (a + b) / 2
        a, b, t, p = mean, (a * b).sqrt(), t - p * (a - mean) ** 2, 2 * p
    return (a + b) ** 2 / (4 * t)


FUNCTIONS: Mapping[str, Callable[..., Decimal]] = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
    "power": lambda x, y: x**y,
    "sqrt": Decimal.sqrt,
    "exponential": Decimal.exp,
    "log": Decimal.ln,
    "tanh": lambda x: 1 - 2 / ((2 * x).exp() + 1),
    "sine": _sine,
    "cosine": lambda x: 1 - 2 * _sine(x / 2) ** 2,
}


def exact_result(recording: Recording, inputs: Sequence[Array]) -> Array:
    """The result, an array of `Decimal`, for the inputs and constants of a run."""
    program = recording.program
    assert program.entry is not None
    block = program.blocks[program.entry.block]
    values = dict(zip(block.arguments, map(_decimals, inputs), strict=True))
    with localcontext() as context:
        context.prec = DIGITS
        for bound in block.operations:
            operands = [values[each] for each in bound.operands]
            kind = bound.operation.name.rpartition(".")[2]
            if kind == "return":
                return operands[0]
            values[bound.results[0]] = _computed(kind, bound.op, operands)
    raise AssertionError("no return")


def _computed(kind: str, op: Any, operands: Sequence[Array]) -> Array:
    if kind == "constant":
        return _decimals(op.evaluate())
    if kind == "reduce":
        return np.asarray(sum(operands[0].ravel(), operands[1].item()), object)
    if kind == "broadcast_in_dim":
        return np.broadcast_to(operands[0], op.result.shape)
    return np.asarray(np.frompyfunc(FUNCTIONS[kind], len(operands), 1)(*operands), object)


def exact_error(run: Array, exact: Array) -> float:
    """The distance of a result from the exact one, relative to the whole of it; infinite where it is not finite."""
    if not np.isfinite(np.asarray(run, np.float64)).all():
        return float("inf")
    with localcontext() as context:
        context.prec = DIGITS
        return float(_norm(_decimals(run) - exact) / _norm(exact))


def _norm(value: Array) -> Decimal:
    return sum((each * each for each in np.ravel(value)), Decimal(0)).sqrt()


def _decimals(value: Any) -> Array:
    """Each element as a `Decimal`, exactly."""
    return np.asarray(np.frompyfunc(lambda x: Decimal(float(x)), 1, 1)(np.asarray(value)), object)
