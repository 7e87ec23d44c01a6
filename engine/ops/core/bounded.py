"""What a debugger asks of an op to tell rounding from what is wrong: how far its results may be away in another run.

That other run does the same in the same element types, but rounds otherwise: it adds in another order, fuses a
multiplication with an addition, has other routines for functions, or flushes denormals. Errors are those of `rounding`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .nudging import shaken
from .ranks import Array
from .rounding import ANYTHING, NO_ERROR, UNKNOWN, Error, Errors, greatest, is_exact, is_known
from .values import is_tuple

Arrays = tuple[Array, ...]


class Bounded:
    """The questions, with answers for any op: `Op` inherits them."""

    @property
    def may_narrow_operands(self) -> bool:
        """Whether a device may round operands of f32 to fewer bits: those of products, where no precision is asked for."""
        return False

    def error_bound(self, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        """How far the elements of each result may be away, where those of the operands may be by `errors`.

        An op that moves elements moves their errors alike; of other ops it is found out by trying. An op that
        combines what processes bring is given the operands of all of them, process after process.
        """
        if self.reads_sizes_alone or (self.tells_place and not operands):  # type: ignore[attr-defined]
            return (NO_ERROR,) * len(results)
        deciding = set(self.findings.deciding_operands(self))  # type: ignore[attr-defined]
        if self.findings.moves_elements and hasattr(self, "evaluate"):  # type: ignore[attr-defined]
            return moved_errors(self.evaluate, deciding, operands, errors, len(results))
        if any(map(is_tuple, (*operands, *results))):
            return (UNKNOWN,) * len(results)
        return shaken(self._done_again, operands, errors, results)

    def _done_again(self, *operands: Array) -> Any:
        """The results; something else than a tuple or an array, where the op asks for something."""
        evaluate = getattr(self, "begin", None)
        return self.evaluate(*operands) if evaluate is None else evaluate(operands)  # type: ignore[attr-defined]

    def body_bound(
        self, operands: Arrays, errors: Errors, results: Arrays, answers: Arrays, answered: Errors
    ) -> Errors:
        """The same of an op that has run bodies: `answers` are what the last one returned, with their errors.

        That of results that are elements of operands or answers: the greatest.
        """
        return (greatest((*errors, *answered)),) * len(results)


def moved_errors(
    evaluate: object, deciding: Iterable[int], operands: Arrays, errors: Errors, results: int
) -> Errors:
    """The errors moved as the op moves elements; any number is right, where it may move others."""
    assert callable(evaluate)
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
    """The error with an element for each of the value, without copying any."""
    return error if is_tuple(value) else np.broadcast_to(error, value.shape)
