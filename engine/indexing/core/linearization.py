"""Build expressions using the bounds of their variables, and take them apart into linear forms.

`divide` and `remainder` use, for example, that 0 <= d2 < 4 makes (d1 * 4 + d2) floordiv 8 equal d1 floordiv
2, so that reshape's maps print as in XLA's document (docs/index-maps.md, "Reshape and bitcast"). They keep
the order of terms and constants, because ops' maps print as written.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from .division import split, split_multiples
from .expressions import (
    Constant,
    Expression,
    Variable,
    add,
    floor_divide,
    modulo,
    multiply,
    split_coefficient,
    terms_of,
)
from .interval_analysis import Bounds, interval_of, one_quotient

__all__ = ["Bounds", "delinearize", "divide", "interval_of", "linearize", "matching_groups", "remainder"]


def divide(dividend: Expression, divisor: int, bounds: Bounds) -> Expression:
    """dividend floordiv divisor, for a positive divisor, without irrelevant terms."""
    multiples = split_multiples(dividend, divisor, reduce_constant=False)
    whole, rest = multiples or (Constant(0), dividend)
    quotient = one_quotient(interval_of(rest, bounds), divisor)
    if quotient is not None:
        return add(whole, quotient)
    parts = split(rest, divisor, lambda part: interval_of(part, bounds))
    if parts is None:
        return add(whole, floor_divide(rest, divisor))
    return add(whole, floor_divide(parts.large, divisor // parts.divisor))


def remainder(dividend: Expression, divisor: int, bounds: Bounds) -> Expression:
    """dividend mod divisor, for a positive divisor, without irrelevant terms."""
    multiples = split_multiples(dividend, divisor, reduce_constant=False)
    rest = multiples.rest if multiples else dividend
    quotient = one_quotient(interval_of(rest, bounds), divisor)
    if quotient is not None:
        return rest - quotient * divisor
    parts = split(rest, divisor, lambda part: interval_of(part, bounds))
    if parts is None:
        return modulo(rest, divisor)
    return add(multiply(modulo(parts.large, divisor // parts.divisor), parts.divisor), parts.small)


def linearize(index: Sequence[Expression], shape: Sequence[int]) -> Expression:
    """The row-major position of `index`; dimensions of size 1 contribute nothing."""
    strides = (prod(shape[number + 1 :]) for number in range(len(shape)))
    terms = (i * stride for i, size, stride in zip(index, shape, strides, strict=True) if size != 1)
    return add(0, *terms)


def delinearize(position: Expression, shape: Sequence[int], bounds: Bounds) -> tuple[Expression, ...]:
    """The index at row-major `position`, which lies within `shape`."""
    index = []
    for number, size in enumerate(shape):
        stride = prod(shape[number + 1 :])
        coordinate = divide(position, stride, bounds) if size != 1 else Constant(0)
        # The outermost coordinate needs no mod: the position is within the shape.
        outermost = prod(shape[:number]) == 1
        index.append(coordinate if outermost else remainder(coordinate, size, bounds))
    return tuple(index)


def matching_groups(left: Sequence[int], right: Sequence[int]) -> Iterator[tuple[range, range]]:
    """Cut two shapes of equal, nonzero size into the shortest runs of dimensions of equal products."""
    i = j = 0
    while i < len(left) or j < len(right):
        # Take one dimension of each side if there is one, so that matching 1s stay together.
        end_i, end_j = min(i + 1, len(left)), min(j + 1, len(right))
        while (here := prod(left[i:end_i])) != (there := prod(right[j:end_j])):
            if here < there:
                end_i += 1
            else:
                end_j += 1
        yield range(i, end_i), range(j, end_j)
        i, j = end_i, end_j


# Linear forms: expressions as a constant and a factor for each variable.


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
