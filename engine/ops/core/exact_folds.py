"""Exact results of integers that a recognised body adds up or multiplies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ...ir.element_types import ElementType
from .bodies import Combiner
from .facets.findings import ExactInteger
from .ranks import Array

FoldExactly = Callable[[int, Combiner], Array]
"""Computes a result in f64, from its number and its combiner."""
_WORDS: Mapping[Combiner, str] = {Combiner.ADD: "a sum", Combiner.MULTIPLY: "a product"}


def may_fold_wrap(combiners: Sequence[Combiner] | None, types: Sequence[ElementType]) -> bool:
    """Whether any of the recognised bodies, of results of these types, makes integers that may be beyond their type."""
    return any(True for _ in _wrapping(combiners, types))


def exact_folds(
    combiners: Sequence[Combiner] | None, types: Sequence[ElementType], fold: FoldExactly, of_what: str
) -> Iterator[ExactInteger]:
    """The sums and products of integers; `of_what` names their terms, with `{}` for the number of the result."""
    for number, combiner in _wrapping(combiners, types):
        words = f"{_WORDS[combiner]} of {of_what.format(f'{{{number}}}')}"
        yield ExactInteger(number, fold(number, combiner), types[number], words)


def _wrapping(
    combiners: Sequence[Combiner] | None, types: Sequence[ElementType]
) -> Iterator[tuple[int, Combiner]]:
    for number, (combiner, element_type) in enumerate(zip(combiners or (), types, strict=False)):
        if combiner in _WORDS and element_type.is_integer:
            yield number, combiner
