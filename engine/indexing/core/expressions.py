"""Immutable integer expressions over the variables of an index map.

Dimension variables print as d0, range variables as s0, runtime variables as rt0 (docs/index-maps.md,
"Variables and domain"). Python's operators build expressions; construction folds constants, drops +0 and *1,
flattens sums and products, distributes a constant factor over a sum and collects equal terms. Everything that
needs the variables' bounds is left to `linearization.py` and the simplifier. Terms keep the order of
construction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any, ClassVar, Generic, TypeVar

MAX_INTERNED = 1 << 18
"""Maximum number of interned expressions; the table is cleared when it is full."""

CACHE_SIZE = 1 << 16
"""Size of the caches for properties of an expression alone: order, variables, divisors."""

T = TypeVar("T")
_ORDINALS = {
    name: number
    for number, name in enumerate(
        (
            *("Sum", "Product", "Modulo", "FloorDivide", "CeilDivide", "Maximum", "Minimum"),
            *("Dim", "Range", "Runtime", "Constant", "QuotientBy", "RemainderBy"),
        ),
        1,
    )
}
"""Distinguishes the hashes of equal parts; numbers keep the order of sets reproducible."""


class _Interned(type):
    """Interns expressions, so that equal ones are usually the same object.

    Caches keyed by expression are then fast. Correctness does not depend on it: expressions compare by value.
    """

    _known: ClassVar[dict[tuple[Any, ...], Expression]] = {}

    def __call__(cls: type[T], *parts: Any) -> T:
        key = (cls, *parts)
        found = _Interned._known.get(key)
        if found is None:
            found = type.__call__(cls, *parts)
            found._set_parts(key)
            if len(_Interned._known) >= MAX_INTERNED:
                _Interned._known.clear()
            _Interned._known[key] = found
        return found  # type: ignore[return-value]


def _expressions(parts: tuple[Any, ...]) -> tuple[Expression, ...]:
    return tuple(part for part in parts if isinstance(part, Expression))


class Expression(metaclass=_Interned):
    """Base class of expressions, with the operators."""

    __slots__ = ("_hash", "_key", "children")

    _key: tuple[Any, ...]
    _hash: int
    children: tuple[Expression, ...]

    def _set_parts(self, key: tuple[Any, ...]) -> None:
        """Store the key to compare, its hash and the child expressions."""
        set_once = object.__setattr__  # the classes are frozen
        first = key[1]
        set_once(self, "_key", key)
        set_once(self, "_hash", hash((_ORDINALS[type(self).__name__], *key[1:])))
        set_once(self, "children", first if isinstance(first, tuple) else _expressions(key[1:]))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Expression) and self._hash == other._hash and self._key == other._key

    def __reduce__(self) -> tuple[Any, ...]:
        return self._key[0], self._key[1:]

    def __add__(self, other: Operand) -> Expression:
        return add(self, other)

    def __radd__(self, other: int) -> Expression:
        return add(other, self)

    def __sub__(self, other: Operand) -> Expression:
        return add(self, multiply(other, -1))

    def __rsub__(self, other: int) -> Expression:
        return add(other, multiply(self, -1))

    def __neg__(self) -> Expression:
        return multiply(self, -1)

    def __mul__(self, other: Operand) -> Expression:
        return multiply(self, other)

    def __rmul__(self, other: int) -> Expression:
        return multiply(self, other)

    def __floordiv__(self, divisor: int) -> Expression:
        return floor_divide(self, divisor)

    def __mod__(self, divisor: int) -> Expression:
        return modulo(self, divisor)


Operand = Expression | int


@dataclass(frozen=True, slots=True, eq=False)
class Constant(Expression):
    value: int


@dataclass(frozen=True, slots=True, eq=False)
class Dim(Expression):
    """Dimension variable: a coordinate of the given element."""

    number: int


@dataclass(frozen=True, slots=True, eq=False)
class Range(Expression):
    """Range variable: takes every value of its interval."""

    number: int


@dataclass(frozen=True, slots=True, eq=False)
class Runtime(Expression):
    """Runtime variable: one value, known when the program runs."""

    number: int


Variable = (Dim, Range, Runtime)


@dataclass(frozen=True, slots=True, eq=False)
class Sum(Expression):
    """At least two terms, none of them a sum; a constant comes last. Built by `add`."""

    terms: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Product(Expression):
    """At least two factors, none of them a product or a sum times a constant; a constant comes last."""

    factors: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class FloorDivide(Expression):
    """Quotient rounded towards minus infinity. The divisor is neither 0 nor 1."""

    dividend: Expression
    divisor: int


@dataclass(frozen=True, slots=True, eq=False)
class CeilDivide(Expression):
    """Quotient rounded towards plus infinity, by neither 0 nor 1; simplified to floordiv."""

    dividend: Expression
    divisor: int


@dataclass(frozen=True, slots=True, eq=False)
class Modulo(Expression):
    """Remainder in [0, |divisor| - 1], unlike Python's for a negative divisor, which is not 0."""

    dividend: Expression
    divisor: int


@dataclass(frozen=True, slots=True, eq=False)
class QuotientBy(Expression):
    """Quotient by an expression, rounded towards minus infinity; a divisor of 0 is outside the domain.

    No op has such maps, but texts of maps may. Rules that need the divisor's value do not apply to it.
    """

    dividend: Expression
    divisor: Expression


@dataclass(frozen=True, slots=True, eq=False)
class RemainderBy(Expression):
    """Nonnegative remainder by an expression; a divisor of 0 is outside the domain."""

    dividend: Expression
    divisor: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Minimum(Expression):
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Maximum(Expression):
    left: Expression
    right: Expression


def dims(count: int) -> tuple[Dim, ...]:
    return tuple(Dim(number) for number in range(count))


def as_expression(value: Operand) -> Expression:
    return Constant(value) if isinstance(value, int) else value


@lru_cache(CACHE_SIZE)
def split_coefficient(term: Expression) -> tuple[Expression, int]:
    """`term` as (atom, coefficient): d0 * 4 is (d0, 4), d0 is (d0, 1). A constant c is (1, c)."""
    if isinstance(term, Constant):
        return Constant(1), term.value
    if isinstance(term, Product) and isinstance(term.factors[-1], Constant):
        return _product(term.factors[:-1]), term.factors[-1].value
    return term, 1


def terms_of(expression: Expression) -> tuple[Expression, ...]:
    """The terms of a sum; any other expression alone."""
    return expression.terms if isinstance(expression, Sum) else (expression,)


@lru_cache(CACHE_SIZE)
def add(*values: Operand) -> Expression:
    coefficients: dict[Expression, int] = {}
    for value in values:
        for term in terms_of(as_expression(value)):
            atom, coefficient = split_coefficient(term)
            coefficients[atom] = coefficients.get(atom, 0) + coefficient
    constant = coefficients.pop(Constant(1), 0)
    terms = [multiply(atom, coefficient) for atom, coefficient in coefficients.items() if coefficient]
    if constant or not terms:
        terms.append(Constant(constant))
    return terms[0] if len(terms) == 1 else Sum(tuple(terms))


@lru_cache(CACHE_SIZE)
def multiply(left: Operand, right: Operand) -> Expression:
    factors = _factors_of(as_expression(left)) + _factors_of(as_expression(right))
    constant = 1
    others: list[Expression] = []
    for factor in factors:
        if isinstance(factor, Constant):
            constant *= factor.value
        else:
            others.append(factor)
    return _scale(others, constant)


def _scale(factors: list[Expression], constant: int) -> Expression:
    if constant == 0 or not factors:
        return Constant(constant)
    if len(factors) == 1 and isinstance(factors[0], Sum) and constant != 1:
        return add(*(multiply(term, constant) for term in factors[0].terms))
    return _product(tuple(factors) if constant == 1 else (*factors, Constant(constant)))


def _product(factors: tuple[Expression, ...]) -> Expression:
    return factors[0] if len(factors) == 1 else Product(factors)


def _factors_of(expression: Expression) -> tuple[Expression, ...]:
    return expression.factors if isinstance(expression, Product) else (expression,)


def floor_divide(dividend: Operand, divisor: int) -> Expression:
    """Quotient rounded down; raises ZeroDivisionError if `divisor` is 0."""
    expression = as_expression(dividend)
    if divisor == 0:
        raise ZeroDivisionError("an expression cannot be divided by 0")
    if divisor == 1:
        return expression
    if isinstance(expression, Constant):
        return Constant(expression.value // divisor)
    return FloorDivide(expression, divisor)


def modulo(dividend: Operand, divisor: int) -> Expression:
    """Nonnegative remainder; raises ZeroDivisionError if `divisor` is 0."""
    expression = as_expression(dividend)
    if divisor == 0:
        raise ZeroDivisionError("there is no remainder modulo 0")
    if abs(divisor) == 1:
        return Constant(0)
    if isinstance(expression, Constant):
        return Constant(expression.value % abs(divisor))
    return Modulo(expression, divisor)


def ceil_divide(dividend: Operand, divisor: int) -> Expression:
    """Quotient rounded up; raises ZeroDivisionError if `divisor` is 0."""
    expression = as_expression(dividend)
    if divisor == 0:
        raise ZeroDivisionError("an expression cannot be divided by 0")
    if divisor == 1:
        return expression
    if isinstance(expression, Constant):
        return Constant(-(-expression.value // divisor))
    return CeilDivide(expression, divisor)


def quotient_by(dividend: Operand, divisor: Expression) -> Expression:
    """The quotient by an expression, rounded down; undefined for the constant 0."""
    if isinstance(divisor, Constant) and divisor.value:
        return floor_divide(dividend, divisor.value)
    return QuotientBy(as_expression(dividend), divisor)


def remainder_by(dividend: Operand, divisor: Expression) -> Expression:
    """The nonnegative remainder by an expression; undefined for the constant 0."""
    if isinstance(divisor, Constant) and divisor.value:
        return modulo(dividend, divisor.value)
    return RemainderBy(as_expression(dividend), divisor)


def variable_divisors(expression: Expression) -> tuple[Expression, ...]:
    """The divisors in an expression that may be 0."""
    own = (expression.divisor,) if isinstance(expression, (QuotientBy, RemainderBy)) else ()
    return (*own, *(found for child in expression.children for found in variable_divisors(child)))


def ceil_as_floor(node: CeilDivide) -> Expression:
    """The same quotient, written with floordiv and a positive divisor."""
    sign, divisor = (1 if node.divisor > 0 else -1), abs(node.divisor)
    return floor_divide(multiply(node.dividend, sign) + (divisor - 1), divisor)


def minimum(left: Operand, right: Operand) -> Expression:
    return _extreme(as_expression(left), as_expression(right), least=True)


def maximum(left: Operand, right: Operand) -> Expression:
    return _extreme(as_expression(left), as_expression(right), least=False)


def _extreme(left: Expression, right: Expression, least: bool) -> Expression:
    if left == right:
        return left
    if isinstance(left, Constant) and isinstance(right, Constant):
        pick = min if least else max
        return Constant(pick(left.value, right.value))
    return Minimum(left, right) if least else Maximum(left, right)


@lru_cache(CACHE_SIZE)
def variables_of(expression: Expression) -> tuple[Dim | Range | Runtime, ...]:
    """Every occurrence of a variable, left to right."""
    found: list[Dim | Range | Runtime] = []
    pending: list[Expression] = [expression]
    while pending:
        node = pending.pop()
        if isinstance(node, Variable):
            found.append(node)
        pending.extend(reversed(node.children))
    return tuple(found)


def substitute(expression: Expression, replacements: dict[Expression, Expression]) -> Expression:
    """Replace all variables that are keys, simultaneously, and fold."""
    return substitute_into(expression, dict(replacements))


def substitute_into(expression: Expression, known: dict[Expression, Expression]) -> Expression:
    """As `substitute`; results for subexpressions are added to `known` for reuse."""
    found = known.get(expression)
    if found is None:
        children = expression.children
        found = (
            rebuild(expression, [substitute_into(child, known) for child in children])
            if children
            else expression
        )
        known[expression] = found
    return found


@dataclass(frozen=True)
class Operations(Generic[T]):
    """The operations of expressions on operands of another type: expressions, intervals, arrays, texts."""

    add: Callable[[Sequence[T]], T]
    multiply: Callable[[Sequence[T]], T]
    floor_divide: Callable[[T, int], T]
    ceil_divide: Callable[[T, int], T]
    modulo: Callable[[T, int], T]
    quotient_by: Callable[[T, T], T]
    remainder_by: Callable[[T, T], T]
    minimum: Callable[[T, T], T]
    maximum: Callable[[T, T], T]


def apply(node: Expression, operands: Sequence[T], operations: Operations[T]) -> T:
    """Apply the operation of `node`, which has children, to `operands` in place of them."""
    match node:
        case Sum():
            return operations.add(operands)
        case Product():
            return operations.multiply(operands)
        case FloorDivide():
            return operations.floor_divide(operands[0], node.divisor)
        case CeilDivide():
            return operations.ceil_divide(operands[0], node.divisor)
        case Modulo():
            return operations.modulo(operands[0], node.divisor)
        case QuotientBy():
            return operations.quotient_by(operands[0], operands[1])
        case RemainderBy():
            return operations.remainder_by(operands[0], operands[1])
        case Minimum():
            return operations.minimum(operands[0], operands[1])
        case Maximum():
            return operations.maximum(operands[0], operands[1])
    raise TypeError(f"it has no children: {node!r}")


FOLDED = Operations[Expression](
    add=lambda terms: add(*terms),
    multiply=lambda factors: reduce(multiply, factors),
    floor_divide=floor_divide,
    ceil_divide=ceil_divide,
    modulo=modulo,
    quotient_by=quotient_by,
    remainder_by=remainder_by,
    minimum=minimum,
    maximum=maximum,
)


def rebuild(node: Expression, children: Sequence[Expression]) -> Expression:
    """`node` with other children, folded."""
    return apply(node, children, FOLDED)
