"""The configurations of einsum: a letter for each dimension, `ab,bc->ac`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ...ir.types import Dimension
from ..core.rules import agree

Labels = tuple[str, ...]
Shape = tuple[Dimension, ...]

_PART = re.compile(r"[A-Za-z]*(?:\.\.\.)?[A-Za-z]*")


@dataclass(frozen=True)
class Equation:
    """A label for each dimension of each operand and of the result.

    `...` stands for the dimensions that have no letter; their labels count from the last, so that operands with
    more and with fewer of them agree. Without `->` the result has these and, in alphabetical order, the letters
    that occur once.
    """

    operands: tuple[Labels, ...]
    result: Labels

    @classmethod
    def read(cls, config: str, ranks: Sequence[int]) -> Equation:
        """Raise `ValueError` with a sentence if `config` does not fit operands of `ranks`."""
        left, arrow, right = config.partition("->")
        parts = left.split(",")
        if not all(map(_PART.fullmatch, [*parts, right])):
            raise ValueError(f"'{config}' is not letters, commas, '...' and one '->', like 'ab,bc->ac'")
        if len(parts) != len(ranks):
            raise ValueError(f"'{config}' has labels for {len(parts)} operands, not {len(ranks)}")
        unnamed = [_ellipsis_rank(part, rank) for part, rank in zip(parts, ranks, strict=True)]
        operands = tuple(_expand_ellipsis(part, count) for part, count in zip(parts, unnamed, strict=True))
        most = max(unnamed)
        result = _expand_ellipsis(right, most) if arrow else _implied_result(operands, most)
        if len(set(result)) < len(result):
            raise ValueError(f"'{config}' names a dimension of the result twice")
        unknown = sorted(set(result).difference(*operands))
        if unknown:
            raise ValueError(f"'{config}' has the label '{unknown[0]}' in the result but in no operand")
        return cls(operands, result)

    def sizes(self, shapes: Sequence[Shape]) -> dict[str, Dimension]:
        """The size of each label; `ValueError` where operands differ in it. A size of 1 is repeated."""
        found: dict[str, Dimension] = {}
        for labels, shape in zip(self.operands, shapes, strict=True):
            own: dict[str, Dimension] = {}
            for label, size in zip(labels, shape, strict=True):
                if not agree(own.get(label), size):
                    raise ValueError(_size_difference(label, own[label], size))
                own[label] = size if own.get(label) is None else own[label]
            for label, size in own.items():
                found[label] = _common(label, found[label], size) if label in found else size
        return found


def _common(label: str, left: Dimension, right: Dimension) -> Dimension:
    if left == 1 or right == 1:
        return right if left == 1 else left
    if not agree(left, right):
        raise ValueError(_size_difference(label, left, right))
    return right if left is None else left


def _size_difference(label: str, left: Dimension, right: Dimension) -> str:
    return f"dimensions with the label '{label}' have sizes {left} and {right}"


def _ellipsis_rank(part: str, rank: int) -> int:
    """The number of dimensions that `...` stands for."""
    letters = len(part.replace("...", ""))
    if rank < letters or (rank > letters and "..." not in part):
        raise ValueError(f"'{part}' has {letters} labels for rank {rank}")
    return rank - letters


def _expand_ellipsis(part: str, unnamed: int) -> Labels:
    before, dots, after = part.partition("...")
    return (*before, *(f"...{count}" for count in reversed(range(unnamed)) if dots), *after)


def _implied_result(operands: tuple[Labels, ...], unnamed: int) -> Labels:
    counts = Counter(label for labels in operands for label in labels if len(label) == 1)
    return (
        *_expand_ellipsis("...", unnamed),
        *sorted(label for label, count in counts.items() if count == 1),
    )
