"""Integers that wrap around while elements are added up or multiplied by a recognised body."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ...ir.element_types import ElementType
from .bodies import Combiner
from .faults import Fault
from .integer_wraps import Array, wrap_faults

FoldExactly = Callable[[int, Combiner], Array]
"""Of the number of a result, and how its elements are combined: the result in f64."""
_WORDS: Mapping[Combiner, str] = {Combiner.ADD: "a sum", Combiner.MULTIPLY: "a product"}


def may_wrap(combiners: Sequence[Combiner] | None, types: Sequence[ElementType]) -> bool:
    """Whether any of the recognised bodies, of results of these types, makes integers that may be beyond their type."""
    return any(True for _ in _wrapping(combiners, types))


def fold_wraps(
    combiners: Sequence[Combiner] | None,
    types: Sequence[ElementType],
    results: Sequence[Array],
    fold: FoldExactly,
    of_what: str,
) -> Iterator[Fault]:
    """The elements of results that have wrapped; `of_what` they are sums, with `{}` for the number of the result.

    Only the end counts: what wraps on the way and comes back is right.
    """
    for number, combiner in _wrapping(combiners, types):
        what = f"{_WORDS[combiner]} of {of_what.format(f'{{{number}}}')}"
        yield from wrap_faults(fold(number, combiner), results[number], types[number], what, number)


def _wrapping(
    combiners: Sequence[Combiner] | None, types: Sequence[ElementType]
) -> Iterator[tuple[int, Combiner]]:
    for number, (combiner, found) in enumerate(zip(combiners or (), types, strict=False)):
        if combiner in _WORDS and found.is_integer:
            yield number, combiner
