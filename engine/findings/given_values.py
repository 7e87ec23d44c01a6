"""What a run is given: whether it holds NaN or infinities is found out when somebody wants to know."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from ..ops.core.op import Array
from ..ops.core.ranks import NAN, is_finite, is_inexact, ranks_of, worst_rank
from ..ops.core.values import leaves


class GivenValues:
    """Inputs, what is made outside of the program, and what is fed to it.

    They are looked at once, and not before they are asked about: the weights of a network are many times what it
    computes of them in a step, and a look at them takes a good part of the time of a run.
    """

    def __init__(self, given: Iterable[Array] = ()) -> None:
        self.values = tuple(given)

    @cached_property
    def count(self) -> int:
        """How many of the values hold something that is not finite."""
        return sum(any(id(leaf) in self._bad for leaf in leaves(value)) for value in self.values)

    @property
    def has_nan(self) -> bool:
        """Whether any element is NaN."""
        return NAN in self._bad.values()

    def is_finite(self, leaf: Array) -> bool:
        """Whether an array that the run is given, by itself or in a tuple, holds neither NaN nor infinities."""
        return id(leaf) not in self._bad

    @cached_property
    def _bad(self) -> dict[int, int]:
        """The arrays that are not finite, by `id`, with the worst rank in each; several processes may be given one array."""
        each = {id(leaf): leaf for value in self.values for leaf in leaves(value)}
        return {
            key: worst_rank([ranks_of(leaf)])
            for key, leaf in each.items()
            if is_inexact(leaf.dtype) and not is_finite(leaf)
        }
