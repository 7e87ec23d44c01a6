"""Convert index maps to exact integer relations of isl (docs/index-maps.md, "Exact sets").

isl runs only in workers, with an operation limit: beyond it, `SetTooHard` is raised. The package does not
import this module, because loading isl takes a fifth of a second.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import reduce
from typing import TypeVar

import islpy as isl

from ..core.expressions import Dim, Expression, Operations, Range, Runtime, apply
from ..core.index_map import IndexMap
from ..core.interval import INT64_MAX, INT64_MIN, Interval
from ..texts.map_printing import print_expression

T = TypeVar("T")
MAX_OPERATIONS = 10_000_000  # about a second of isl


class SetTooHard(Exception):
    """The computation exceeds isl's operation limit, or isl cannot represent the map.

    isl represents no products of variables and no quotients by variables.
    """


def new_context(max_operations: int = MAX_OPERATIONS) -> isl.Context:
    """A new context with its own operation count."""
    context = isl.Context()
    context.set_max_operations(max_operations)
    return context


@contextmanager
def limit(purpose: str) -> Iterator[None]:
    """Convert isl's limit error to SetTooHard; `purpose` names the computation."""
    try:
        yield
    except isl.Error as error:
        raise SetTooHard(f"isl cannot {purpose}: {error}") from error


def within_limit(question: Callable[[], T]) -> T | None:
    """The result of `question`; `None` beyond isl's operation limit."""
    try:
        return question()
    except isl.Error:
        return None


def relation_of(index_map: IndexMap, context: isl.Context | None = None) -> isl.Map:
    """The pairs (index, element) of the map, with runtime variables as parameters rt0, rt1, …

    Raises SetTooHard, and ValueError for an UNDEFINED map.
    """
    if index_map.is_undefined:
        raise ValueError("an unknown map has no relation")
    with limit("build the relation"):
        return isl.Map.read_from_str(context or new_context(), _relation_text(index_map))


def union_of(maps: Iterable[IndexMap], context: isl.Context) -> isl.Map:
    """The union of the relations of one or more maps of equal ranks."""
    with limit("unite the relations"):
        return reduce(lambda left, right: left.union(right), (relation_of(each, context) for each in maps))


def _relation_text(index_map: IndexMap) -> str:
    domain = [_text(Dim(k)) for k in range(len(index_map.dimensions))]
    image = [f"o{k}" for k in range(len(index_map.results))]
    bound = [_text(Range(k)) for k in range(len(index_map.ranges))]
    parameters = [_text(Runtime(k)) for k in range(len(index_map.runtimes))]
    facts = [_bound_text(variable, interval) for variable, interval in index_map.bounds.items()]
    facts += [_bound_text(expression, interval) for expression, interval in index_map.constraints]
    facts += [f"{name} = {_text(e)}" for name, e in zip(image, index_map.results, strict=True)]
    condition = " and ".join(fact for fact in facts if fact) or "true"
    exists = f"exists {', '.join(bound)} : " if bound else ""
    arrow = f"[{', '.join(domain)}] -> [{', '.join(image)}]"
    if index_map.is_known_empty:
        condition, exists = "false", ""
    return f"[{', '.join(parameters)}] -> {{ {arrow} : {exists}{condition} }}"


def _bound_text(expression: Expression, interval: Interval) -> str:
    if interval.is_empty:
        return "1 = 0"
    text = _text(expression)
    # A saturated end is no bound.
    ends = [f"{interval.lower} <= {text}"] if interval.lower != INT64_MIN else []
    ends += [f"{text} <= {interval.upper}"] if interval.upper != INT64_MAX else []
    return " and ".join(ends)


def _text(expression: Expression) -> str:
    """An expression in isl's syntax, whose floor and mod need positive divisors."""
    if expression.children:
        return apply(expression, [_text(child) for child in expression.children], _TEXTS)
    return print_expression(expression)


def _refuse_divisor(_: str, divisor: str) -> str:
    raise SetTooHard(f"isl cannot divide by {divisor}, which is not a number")


def _quotient_text(dividend: str, divisor: int) -> str:
    sign = "-" if divisor < 0 else ""
    return f"({sign}{dividend}) / {abs(divisor)}"


_TEXTS = Operations[str](
    add=lambda terms: f"({' + '.join(terms)})",
    multiply=lambda factors: f"({' * '.join(reversed(factors))})",
    floor_divide=lambda dividend, divisor: f"floor({_quotient_text(dividend, divisor)})",
    ceil_divide=lambda dividend, divisor: f"ceil({_quotient_text(dividend, divisor)})",
    modulo=lambda dividend, divisor: f"(({dividend}) mod {abs(divisor)})",
    quotient_by=_refuse_divisor,
    remainder_by=_refuse_divisor,
    minimum=lambda left, right: f"min({left}, {right})",
    maximum=lambda left, right: f"max({left}, {right})",
)
