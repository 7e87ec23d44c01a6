"""The facet for rounding: how far results may differ in another run of the same op, to tell rounding from errors.

The other run uses the same element types but rounds differently: it adds in another order, fuses a multiplication with an
addition, has other routines for functions, or flushes denormals. `core/rounding.py` has the arithmetic of errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic

import numpy as np

from ..devices import Device, current_device
from ..nudging import shaken
from ..ranks import Array
from ..rounding import ANYTHING, NO_ERROR, UNKNOWN, Error, Errors, given_error, greatest, is_exact, is_known
from ..values import is_tuple
from .any_op import OpType

Arrays = tuple[Array, ...]


@dataclass(frozen=True)
class Rounding(Generic[OpType]):
    """Bounds of rounding errors; the defaults suit any op."""

    def factor_roundoff(self, op: OpType, device: Device) -> float:
        """The unit roundoff of f32 operands that a device rounds before it multiplies; 0 if it does not."""
        return 0.0

    def row_of(self, op: OpType, device: Device) -> str:
        """The row of a device's table by which the op may round more than elsewhere, as a sentence; empty without one."""
        return ""

    def error_bound(self, op: OpType, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        """The largest difference of each element of each result, where the operands differ by at most `errors`.

        An op that moves elements moves their errors likewise; for other ops the bound is found by trying. An op that
        combines the operands of several processes receives all of them, process after process.
        """
        if op.traits.reads_sizes_alone or (op.traits.returns_process_id and not operands):
            return (NO_ERROR,) * len(results)
        deciding = set(op.findings.deciding_operands(op))
        if op.findings.moves_elements:
            return moved_errors(op.evaluate, deciding, operands, errors, len(results))
        if any(map(is_tuple, (*operands, *results))):
            return (UNKNOWN,) * len(results)
        return shaken(_evaluation(op), operands, errors, results)

    def unrounded(self, op: OpType, operands: Arrays) -> Any:
        """The results on operands in f64; in narrower types, or no results, where the op does not compute them in f64."""
        return _evaluation(op)(*operands)

    def body_bound(
        self, op: OpType, operands: Arrays, errors: Errors, results: Arrays, answers: Arrays, answered: Errors
    ) -> Errors:
        """`error_bound` of an op that has run bodies; `answers` are the last body's results, `answered` their errors.

        By default the greatest error, for results that are elements of operands or answers.
        """
        return (greatest((*errors, *answered)),) * len(results)


class GreatestErrorRounding(Rounding[Any]):
    """The rounding of an op that passes values between processes."""

    def error_bound(self, op: Any, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        """The greatest error of all that processes contribute; what the user supplies is exact."""
        return (greatest(errors),) * len(results)


class RandomRounding(Rounding[Any]):
    """The rounding of random numbers."""

    def error_bound(self, op: Any, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        """Implementations draw different numbers."""
        return (UNKNOWN,)

    def unrounded(self, op: Any, operands: Arrays) -> Any:
        """Random numbers of the run stay what they are."""
        return ()


def _evaluation(op: Any) -> Callable[..., Any]:
    """The op as a function of its operands. It returns neither a tuple nor an array where the op makes a request."""
    begin = getattr(op, "begin", None)
    return op.evaluate if begin is None else lambda *operands: begin(operands)


def moved_errors(
    evaluate: Callable[..., Any], deciding: Iterable[int], operands: Arrays, errors: Errors, results: int
) -> Errors:
    """The errors moved as the op moves elements; infinite where an uncertain deciding operand may move others."""
    chosen = [errors[number] for number in deciding if number < len(errors)]
    if not is_exact(tuple(chosen)):
        return ((ANYTHING if is_known(tuple(chosen)) else UNKNOWN),) * results
    if is_exact(errors):
        return (NO_ERROR,) * results
    given = [
        operand if number in deciding else full_error(operand, error)
        for number, (operand, error) in enumerate(zip(operands, errors, strict=True))
    ]
    made = evaluate(*given)
    return tuple(made) if isinstance(made, tuple) else (made,)


def full_error(value: Array, error: Error) -> Error:
    """The error broadcast to the shape of the value, without a copy."""
    return error if is_tuple(value) else np.broadcast_to(error, value.shape)


def reinterpreted_error(error: Error, result: Array) -> Error:
    """The error of elements whose bits an op reads as another type: infinite where an error may change the bits.

    Denormals that appear this way may be flushed by the ops that read them.
    """
    uncertain = np.where(error > 0, np.inf, error)
    if uncertain.shape != result.shape:
        uncertain = greatest((uncertain,))
    return uncertain + given_error(result) if current_device().flushes_denormals else uncertain
