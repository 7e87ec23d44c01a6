"""Rewrite clamps of runtime variables as intervals of the variables, where both are equivalent.

min(max(rt0 + 2, 0), 6) is rt0 + 2 with rt0 clamped to [-2, 4], which is easier to read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ..core.expressions import (
    Constant,
    Expression,
    Maximum,
    Minimum,
    Runtime,
    maximum,
    minimum,
    rebuild,
    split_coefficient,
    terms_of,
    variables_of,
)
from ..core.index_map import RuntimeVariable
from ..core.interval import INT64_MAX, INT64_MIN, Interval


class ClampNarrower:
    """Rewrites clamps in and around `expression`; `runtimes` are its narrowed runtime variables.

    A variable that occurs twice is left unchanged, since its occurrences may need different intervals.
    """

    def __init__(self, expression: Expression, runtimes: Sequence[RuntimeVariable]) -> None:
        self._runtimes = list(runtimes)
        self._counts = Counter(variables_of(expression))

    @property
    def runtimes(self) -> tuple[RuntimeVariable, ...]:
        return tuple(self._runtimes)

    def narrow(self, expression: Expression) -> Expression:
        """An equal expression without minima and maxima of one runtime variable and a constant."""
        if not any(isinstance(met, Runtime) for met in variables_of(expression)):
            return expression
        found = (
            rebuild(expression, list(map(self.narrow, expression.children)))
            if expression.children
            else expression
        )
        match found:
            case Minimum(Constant(limit), value) | Minimum(value, Constant(limit)):
                return self.clamp(value, Interval(INT64_MIN, limit))
            case Maximum(Constant(limit), value) | Maximum(value, Constant(limit)):
                return self.clamp(value, Interval(limit, INT64_MAX))
        return found

    def clamp(self, value: Expression, limits: Interval) -> Expression:
        """The value clamped to `limits`."""
        if self._narrow_variable(value, limits):
            return value
        if limits.lower != INT64_MIN:
            value = maximum(value, Constant(limits.lower))
        return minimum(value, Constant(limits.upper)) if limits.upper != INT64_MAX else value

    def _narrow_variable(self, value: Expression, limits: Interval) -> bool:
        """Narrow the only runtime variable in the value, if that clamps the value."""
        first, *others = terms_of(value)
        atom, factor = split_coefficient(first)
        if not isinstance(atom, Runtime) or any(not isinstance(each, Constant) for each in others):
            return False
        variable = self._runtimes[atom.number]
        if not variable.clamped or self._counts[atom] != 1:
            return False
        constant = sum(each.value for each in others if isinstance(each, Constant))
        ends = [_solve(end, factor, constant) for end in (limits.lower, limits.upper)]
        lower, upper = ends if factor > 0 else reversed(ends)
        if lower is None or upper is None:
            return False
        interval = Interval(
            *(min(max(end, lower), upper) for end in (variable.interval.lower, variable.interval.upper))
        )
        self._runtimes[atom.number] = replace(variable, interval=interval)
        return True


def _solve(end: int, factor: int, constant: int) -> int | None:
    """The integer x with factor * x + constant = end, or `None`; unbounded ends stay unbounded."""
    if end in (INT64_MIN, INT64_MAX):
        return end if factor > 0 else INT64_MIN + INT64_MAX - end
    quotient, rest = divmod(end - constant, factor)
    return None if rest else quotient
