"""Terms combined again, in the orders that libraries use, and what each combination loses."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...ir.element_types import ElementType, of_dtype
from ...ops.contractions.matrix_products import Arithmetic
from ...ops.core.bodies import UFUNCS, Combiner
from ...ops.core.numeric import maximum, minimum, ordered_bits
from ...ops.core.op import Array, Op
from .derivation import cancelled_bits, exact, fused_multiply_add, fused_multiply_add_f64
from .orders import Join, Method, Order, Tree, axis_orders, fold_orders, product_orders, sequence

MOST_PRODUCT = 1 << 9
"""Maximum number of terms whose exact product is computed: it grows with each."""
_EXTREMES = {Combiner.MAXIMUM: maximum, Combiner.MINIMUM: minimum}

Attempt = tuple[Order, Tree, Sequence[int]]
"""An order, the tree to build, and the number of each of its terms in the op's own order."""


@dataclass(frozen=True)
class Recomputed:
    """Terms combined in one order."""

    order: Order
    tree: Tree
    numbers: Sequence[int]
    total: Array
    """In the type in which terms are combined."""
    final: Array
    """Rounded to the element type of the result."""
    confirmed: int | None = None
    """The number of other elements to which this order gives the recorded bits too; `None` if it failed one of them."""


def first_that_agrees(
    attempts: Iterable[Sequence[Attempt]], finish: Callable[[Array], Array], recorded: Sequence[Any]
) -> Recomputed:
    """The first order that gives the recorded bits, preferably of some other elements as well; else the first of all.

    Each item of `attempts` has one order for the element and for each of the others, whose recorded values follow its
    own in `recorded`. One element often comes out right by chance.
    """
    first: Recomputed | None = None
    for own, *others in attempts:
        found = _recompute(own, finish)
        if is_same(found.final, recorded[0]):
            tried = (_recompute(each, finish).final for each in others)
            if all(map(is_same, tried, recorded[1:])):
                return replace(found, confirmed=len(others))
            if first is None or not is_same(first.final, recorded[0]):
                first = found
        first = first or found
    assert first is not None
    return first


def _recompute(attempt: Attempt, finish: Callable[[Array], Array]) -> Recomputed:
    order, tree, numbers = attempt
    root = order.method(range(len(tree.terms)), tree.join)
    total = np.asarray(rounded_value(tree, root))
    return Recomputed(order, tree, numbers, total, finish(total))


# Folds


def fold_attempts(
    combiner: Combiner, values: Sequence[Any], initial: int, sizes: Sequence[int], *, in_order: bool
) -> Iterator[Attempt]:
    """A fold from left to right; unless it must be `in_order`, then others, to which the `initial` values come last."""
    numbers = range(len(values))

    def tree() -> Tree:
        return Tree(values, lambda tree, left, right: _combine(combiner, tree.value(left), tree.value(right)))

    yield Order("from left to right", sequence, True), tree(), numbers
    if in_order:
        return
    grid = sizes if prod(sizes) == len(values) - initial else (len(values) - initial,)
    for order in fold_orders(grid):
        words = f"{order.words}, then with the initial value" if initial else order.words
        yield Order(words, partial(_before_initial, order.method, initial)), tree(), numbers


def _before_initial(method: Method, initial: int, nodes: Sequence[int], join: Join) -> int:
    """All but the `initial` nodes combined by a method; then these come in from the left."""
    return sequence([*nodes[:initial], method(nodes[initial:], join)], join)


def _combine(combiner: Combiner, left: Any, right: Any) -> Any:
    if combiner is Combiner.REPLACE:
        return right
    if combiner in _EXTREMES:
        return _EXTREMES[combiner](np.asarray(left), np.asarray(right))
    return UFUNCS[combiner](left, right)


# Sums of products


@dataclass(frozen=True)
class Product:
    """A product of two elements that is not rounded yet."""

    left: Any
    right: Any


def product_attempts(
    coordinates: NDArray[np.int64], left: Array, right: Array, how: Arithmetic
) -> Iterator[Attempt]:
    """Sums of products with one rounding for each, or with two, along the axes in any order."""
    fused = {np.dtype(np.float32): fused_multiply_add, np.dtype(np.float64): fused_multiply_add_f64}
    steps = (
        [_rounded]
        if how.is_whole or how.dtype not in fused
        else [_fused(fused[how.dtype], how.dtype), _rounded]
    )
    names = (", by fused multiply-add", ", each product rounded first") if len(steps) > 1 else ("",)
    turned = []
    for axes, numbers in axis_orders(coordinates):
        terms = [Product(a, b) for a, b in zip(left[numbers], right[numbers], strict=True)]
        is_turned = list(axes) != sorted(axes)
        words = f", along the dimensions {', '.join(map(str, axes))} of the window" if is_turned else ""
        turned.append((words, numbers.tolist(), terms))
    for order in product_orders(len(left)):
        for words, numbers, terms in turned:
            for step, name in zip(steps, names, strict=True):
                named = replace(order, words=order.words + words + name)
                yield named, Tree(terms, step), numbers


def _rounded(tree: Tree, left: int, right: int) -> Any:
    return rounded_value(tree, left) + rounded_value(tree, right)


def _fused(
    step: Callable[[float, float, float], float], dtype: np.dtype[Any]
) -> Callable[[Tree, int, int], Any]:
    def combine(tree: Tree, left: int, right: int) -> Any:
        second = tree.value(right)
        if isinstance(second, Product):
            total = rounded_value(tree, left)
            return dtype.type(step(float(total), float(second.left), float(second.right)))
        return rounded_value(tree, left) + second

    return combine


def rounded_value(tree: Tree, node: int) -> Any:
    """The value of a node; of a product rounded, as the sum of it and 0, with which sums begin."""
    found = tree.value(node)
    return found.left * found.right + type(found.left)(0) if isinstance(found, Product) else found


# Bits and losses


def is_nan(element: Any) -> bool:
    """Whether an element of any type is NaN, or has a part that is."""
    return not bool(np.equal(element, element))


def is_same(found: Any, recorded: Any) -> bool:
    """Whether two elements have the same bits, or are both NaN."""
    left, right = np.asarray(found), np.asarray(recorded)
    if left.dtype != right.dtype:
        return False
    return left.tobytes() == right.tobytes() or (is_nan(left) and is_nan(right))


def units_apart(found: Any, recorded: Any) -> int | None:
    """The distance of two real floats in units in the last place; `None` of other elements, and of NaN."""
    left, right = np.asarray(found), np.asarray(recorded)
    element_type = of_dtype(left.dtype)
    if (
        left.dtype != right.dtype
        or element_type is None
        or not element_type.is_float
        or is_nan(left)
        or is_nan(right)
    ):
        return None
    ranks = [int(ordered_bits(each.reshape(1))[0]) for each in (left, right)]
    # Ordered bits count -0 as one below +0.
    first, second = (rank + (rank < 0) for rank in ranks)
    return abs(first - second)


@dataclass(frozen=True)
class Losses:
    """What each combination of a tree loses."""

    exact: Sequence[Fraction | None]
    """For each node, the exact combination of its terms."""
    lost: Sequence[Fraction | None]
    """For each combination, its result minus the exact combination of the two values that came in."""
    cancelled: Sequence[float]


def losses(found: Recomputed, combiner: Combiner) -> Losses:
    """The losses of each combination: exact sums and products as fractions; others lose nothing."""
    tree, count = found.tree, len(found.tree.terms)
    operation = _EXACT.get(combiner)
    if operation is None or (combiner is Combiner.MULTIPLY and count > MOST_PRODUCT):
        return Losses([None] * (count + len(tree.pairs)), [None] * len(tree.pairs), [0.0] * len(tree.pairs))
    precision = np.finfo(found.total.dtype).nmant + 1 if found.total.dtype.kind == "f" else 0
    whole: list[Fraction | None] = [_exact_term(term) for term in tree.terms]
    values = list(whole)
    lost, cancelled = [], []
    for (left, right), value in zip(tree.pairs, tree.values, strict=True):
        whole.append(_apply(operation, whole[left], whole[right]))
        values.append(exact(value))
        came = _apply(operation, values[left], values[right])
        lost.append(_apply(operator.sub, values[-1], came))
        both = values[left], values[right]
        is_sum = combiner is Combiner.ADD and precision and None not in both
        cancelled.append(cancelled_bits(*both, precision) if is_sum else 0.0)  # type: ignore[arg-type]
    return Losses(whole, lost, cancelled)


def _exact_term(term: Any) -> Fraction | None:
    if isinstance(term, Product):
        return _apply(operator.mul, exact(term.left), exact(term.right))
    return exact(term)


_EXACT: Mapping[Combiner, Callable[[Fraction, Fraction], Fraction]] = {
    Combiner.ADD: operator.add, Combiner.MULTIPLY: operator.mul, Combiner.MAXIMUM: max, Combiner.MINIMUM: min,
}  # fmt: skip


def _apply(
    operation: Callable[[Fraction, Fraction], Fraction], left: Fraction | None, right: Fraction | None
) -> Fraction | None:
    return None if left is None or right is None else operation(left, right)


# Functions


def exact_function(op: Op, operands: Sequence[Array], result: ElementType) -> tuple[Fraction | None, str]:
    """The exact value of an elementwise op; else its value in f64, with that name, if `result` is narrower."""
    fractions = [exact(operand) for operand in operands]
    if None in fractions or not (result.is_float or result.is_integer):
        return None, ""
    try:
        found = op.rounding.unrounded(op, tuple(np.asarray(each, object) for each in fractions))
        value = found.item() if isinstance(found, np.ndarray) else found
        if isinstance(value, int | Fraction):
            return Fraction(value), ""
    except (TypeError, AttributeError, ValueError, ArithmeticError):
        pass  # no function of fractions
    given = [of_dtype(operand.dtype) for operand in operands]
    if result.name == "f64" or not all(found is not None and found.is_float for found in (result, *given)):
        return None, ""
    wide = np.asarray(op.rounding.unrounded(op, tuple(np.asarray(float(each or 0)) for each in fractions)))
    return (exact(wide), "f64") if wide.dtype == np.float64 else (None, "")
