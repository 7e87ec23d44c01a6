"""What a debugger asks of an op to find faults in what it has computed: values that are not finite, above all.

Values have ranks: finite 0, infinite 1, NaN 2. An element of a result is *born* bad where its rank is above that of every
element that it was computed from; one of the same rank is carried on, and where the rank falls the badness is absorbed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...ir.types import TensorType, Type
from .faults import Fault, Signals, Watch
from .ranks import (
    Array,
    Arrays,
    OperandRanks,
    SeenRanks,
    Shape,
    born_elements,
    is_inexact,
    raises_flags,
    ranks_of,
    worst_rank,
)


class Watched:
    """The questions, with the answers of an op whose result elements each read all elements of all operands."""

    moves_elements: ClassVar[bool] = False
    """Whether the elements of its results were there before: nothing is born in it."""
    keeps_ranks: ClassVar[bool] = False
    """Whether it computes, and an element is never worse than what it reads: a negative number, the greater of two."""
    hands_out: ClassVar[bool] = False
    """Whether it gives its operands to somebody outside of the program."""
    awaits_outcomes: ClassVar[bool] = False
    """Whether it gives what other ops have only started: these are asked about its results."""
    converts: ClassVar[bool] = False
    """Whether each element is one that it is given, as another type has it."""
    multiplies: ClassVar[bool] = False
    """Whether each element is the product of two."""
    flattens: ClassVar[bool] = False
    """Whether it makes something of very different sizes that is of similar ones, as roots and logarithms do."""
    shifts_up: ClassVar[bool] = False
    """Whether it moves bits up, which multiplies by a power of two."""
    brings_into_range: ClassVar[bool] = False
    """Whether it makes any integer one of a range, as is done with a hash in the end: a remainder."""
    raises_flags: ClassVar[bool] = True
    """Whether the processor's flags tell that it has made something that is not finite."""

    deciding_regions: ClassVar[tuple[int, ...]] = ()
    """The numbers of the regions whose results say what runs."""

    def deciding_operands(self) -> Iterable[int]:
        """The numbers of the operands that say where something lies, how much there is or what runs."""
        return ()

    @property
    def outweighs(self) -> bool:
        """Whether elements are combined with others, so that what is small beside these may not count: sums, maxima."""
        return False

    def loses_sizes(
        self, operand: int, operands: Arrays, result: Array, *, flattened: bool
    ) -> NDArray[np.bool_] | None:
        """Where an infinity of an operand has become a number that may be far from the right one; `None` if nowhere.

        The infinity stands for a number that is too large for its type, or, if it was `flattened`, for a root of one.
        """
        return None

    @property
    def orders(self) -> bool:
        """Whether the order of elements says what becomes of others, or where they are: there is no place in it for NaN."""
        return False

    @property
    def counts_on(self) -> bool:
        """Whether integers are added up in windows that overlap, as in a running total."""
        return False

    @property
    def mixes_bits(self) -> bool:
        """Whether it takes integers for bits, as hashes and random numbers do, which wrap around by design."""
        return False

    @property
    def asks_for_badness(self) -> bool:
        """Whether it asks of elements if they are finite: what a program does that knows of such elements."""
        return False

    @property
    def may_wrap(self) -> bool:
        """Whether it gives integers that may be beyond their type, and it is known when they are."""
        return self.awaits_outcomes

    def watch(self, results: Sequence[Type]) -> Watch:
        """When an op with results of these types is asked for its faults."""
        if self.awaits_outcomes:
            return Watch.ALWAYS
        moves = self.moves_elements or self.keeps_ranks
        if not moves and not (self.raises_flags and all(map(_raises_flags, results))):
            return Watch.ALWAYS
        if self.may_wrap:
            return Watch.DECISIVE
        return Watch.NEVER if moves else Watch.SIGNALLED

    def faults(self, operands: Arrays, results: Arrays, signals: Signals) -> Iterable[Fault]:
        """What the op did wrong in a step, in which the processor raised the flags `signals`.

        An op that has more to say yields that too, besides `super().faults(…)`. NumPy gives no warnings meanwhile.
        """
        if self.moves_elements or self.keeps_ranks:
            return
        blind = not self.raises_flags or any(not raises_flags(result.dtype) for result in results)
        if blind or signals.tells_birth:
            yield from self.births(operands, results)

    def births(self, operands: Arrays, results: Arrays) -> Iterator[Fault]:
        """NaN and infinities that are worse than all that they were computed from."""
        ranks = [ranks_of(result) for result in results]
        if all(found is None for found in ranks):
            return
        read = self.ranks_read(operands, tuple(map(ranks_of, operands)), results)
        for number, (result, made, given) in enumerate(zip(results, ranks, read, strict=True)):
            if made is not None:
                for birth in born_elements(made, given):
                    cause = self.birth_cause(operands, result, number, birth.index)
                    yield birth.fault(result, number, cause)

    def ranks_read(self, operands: Arrays, ranks: OperandRanks, results: Arrays) -> SeenRanks:
        """For each result the greatest rank among the elements that each of its elements reads.

        `ranks` are those of the elements of each operand; `None` where all are finite. An op that moves elements moves
        their ranks alike.
        """
        if self.moves_elements and hasattr(self, "evaluate"):
            return self._moved(operands, ranks)
        return (worst_rank(ranks),) * len(results)

    def _moved(self, operands: Arrays, ranks: OperandRanks) -> SeenRanks:
        """What the op makes of ranks in the place of floats."""
        given = [
            (np.zeros(operand.shape, np.uint8) if rank is None else rank)
            if is_inexact(operand.dtype)
            else operand
            for operand, rank in zip(operands, ranks, strict=True)
        ]
        made = self.evaluate(*given)  # type: ignore[attr-defined]
        return made if isinstance(made, tuple) else (made,)

    def birth_cause(self, operands: Arrays, result: Array, number: int, index: Shape) -> str:
        """Why the element at `index` of a result is not finite, in the words of `Fault.cause`; empty if there is no saying."""
        return ""


def _raises_flags(found: Type) -> bool:
    return not isinstance(found, TensorType) or raises_flags(found.element_type.dtype)
