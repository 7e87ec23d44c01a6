"""The order of terms, factors and constraints in print (docs/index-maps.md, "Printed forms")."""

from functools import lru_cache

from ..core.division import Part
from ..core.expressions import (
    CACHE_SIZE,
    CeilDivide,
    Constant,
    Dim,
    Expression,
    FloorDivide,
    Maximum,
    Minimum,
    Modulo,
    Product,
    QuotientBy,
    Range,
    RemainderBy,
    Runtime,
    Sum,
)

Key = tuple[object, ...]

_ORDER: tuple[type[Expression], ...] = (
    *(Sum, Product, Modulo, RemainderBy, FloorDivide, QuotientBy, CeilDivide, Maximum, Minimum),
    *(Dim, Range, Runtime, Constant),
)
_KINDS = {kind: number for number, kind in enumerate(_ORDER)}


@lru_cache(CACHE_SIZE)
def order_key(expression: Expression) -> Key:
    """Sort key of an expression: its kind, then its parts from left to right."""
    kind = _KINDS[type(expression)]
    match expression:
        case Constant(value):
            return kind, value
        case Dim(number) | Range(number) | Runtime(number):
            return kind, number
        case Modulo(dividend, divisor) | FloorDivide(dividend, divisor) | CeilDivide(dividend, divisor):
            return kind, order_key(dividend), divisor
    return kind, *map(order_key, expression.children)


def variables_first(part: Part) -> tuple[bool, Key]:
    """Sort key of a term: variables before quotients and other compound atoms."""
    return bool(part[0].children), order_key(part[0])
