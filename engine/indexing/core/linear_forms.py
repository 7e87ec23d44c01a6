"""Linear forms: expressions as a constant and a factor for each variable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .expressions import Constant, Expression, Variable, split_coefficient, terms_of


@dataclass(frozen=True)
class Linear:
    """`constant` + sum of factor * variable."""

    factors: Mapping[Expression, int]
    constant: int


def linear_form(expression: Expression) -> Linear | None:
    """`expression` as a sum of multiples of variables; `None` if it is nonlinear."""
    factors: dict[Expression, int] = {}
    constant = 0
    for term in terms_of(expression):
        if isinstance(term, Constant):
            constant += term.value
            continue
        atom, factor = split_coefficient(term)
        if not isinstance(atom, Variable):
            return None
        factors[atom] = factors.get(atom, 0) + factor
    return Linear(factors, constant)
