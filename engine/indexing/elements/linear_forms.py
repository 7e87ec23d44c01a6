"""Expressions as a constant and a factor for each variable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ..evaluation import or_one
from ..expressions import (
    CeilDivide,
    Constant,
    Expression,
    FloorDivide,
    Maximum,
    Minimum,
    Modulo,
    Product,
    QuotientBy,
    RemainderBy,
    Sum,
    Variable,
    split_coefficient,
    terms_of,
    variable_divisors,
)


@dataclass(frozen=True)
class Linear:
    """`constant` + sum of factor * variable."""

    factors: Mapping[Expression, int]
    constant: int


def linear_form(expression: Expression) -> Linear | None:
    """`expression` as a sum of multiples of variables; `None` if it is none."""
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


def value_of(expression: Expression, values: Mapping[Expression, Any]) -> Any:
    """The value of an expression, of arrays of its variables' values."""
    match expression:
        case Constant(value):
            return value
        case Sum(terms):
            return sum(value_of(term, values) for term in terms)
        case Product(factors):
            return prod(value_of(factor, values) for factor in factors)
        case FloorDivide(dividend, divisor):
            return value_of(dividend, values) // divisor
        case CeilDivide(dividend, divisor):
            return -(-value_of(dividend, values) // divisor)
        case Modulo(dividend, divisor):
            return value_of(dividend, values) % abs(divisor)
        case QuotientBy(dividend, by):
            return value_of(dividend, values) // or_one(value_of(by, values))
        case RemainderBy(dividend, by):
            return value_of(dividend, values) % or_one(abs(value_of(by, values)))
        case Minimum(left, right):
            return np.minimum(value_of(left, values), value_of(right, values))
        case Maximum(left, right):
            return np.maximum(value_of(left, values), value_of(right, values))
    return values[expression]


def divides(expression: Expression, values: Mapping[Expression, Any]) -> Any:
    """Whether no divisor in it is 0."""
    found: Any = True
    for divisor in variable_divisors(expression):
        found = found & (np.asarray(value_of(divisor, values)) != 0)
    return found
