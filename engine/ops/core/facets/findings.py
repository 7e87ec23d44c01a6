"""The facet for findings: what the rules of `engine/findings/` need of an op to see what went wrong in it.

The defaults are the answers of an op whose result elements each read all elements of all operands.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ....ir.element_types import ElementType
from ..ranks import Array, Arrays, OperandRanks, SeenRanks, Shape, is_inexact, worst_rank

OpType = TypeVar("OpType")


@dataclass(frozen=True, eq=False)
class ExactInteger:
    """A result of integers in f64, not rounded to its type."""

    number: int
    """The number of the result."""
    exact: Array
    element_type: ElementType
    words: str = ""
    """A noun phrase for its elements: `a sum of elements of {0}`; `{0}` stands for the name of operand 0."""
    error: float = 0
    """Maximum error of the elements of `exact`, besides the rounding to f64."""
    element: Callable[[Shape], int] | None = None
    """Computes the element at an index exactly, with integers of any size."""


@dataclass(frozen=True, eq=False)
class WindowStart:
    """The position in the operand where an op with one window wants that to start."""

    starts: Sequence[Array] | Array
    """One start for each dimension: operands from number `operand` on, or one vector."""
    sizes: Sequence[int]
    """The sizes of the operand."""
    windows: Sequence[int]
    """The sizes of the window."""
    operand: int
    """The number of the operand that holds the first start, or the vector of all."""


@dataclass(frozen=True, eq=False)
class OutsideStarts:
    """Starts of windows along one dimension of an operand, some of which leave a part of the window outside."""

    dimension: int
    window: int
    size: int
    starts: Array
    """All of them, over the batch."""
    outside: NDArray[np.bool_]
    """Mask of those that leave a part outside."""
    operand: int
    """The number of the operand that holds the starts."""
    index_of: Callable[[Shape], Shape]
    """The index in that operand of the start at a position of the batch."""

    @property
    def is_sentinel(self) -> bool:
        """Whether all that are outside are -1 or the size, by which programs say that nothing is meant."""
        outside = self.starts[self.outside]
        return self.window == 1 and bool(np.all((outside == self.size) | (outside == -1)))


@dataclass(frozen=True, eq=False)
class Updates:
    """The updates that a scatter applies in one step."""

    values: Arrays
    adds: bool
    """Whether its bodies do nothing but add."""
    is_unique: bool
    """Whether the program states that no two updates go to the same element."""
    drops_whole_windows: bool
    may_meet: Callable[[], bool]
    """Tells quickly of some updates that no two go to the same element."""
    find_cells: Callable[[], tuple[Array, NDArray[np.bool_] | None]]
    """Computes the flat positions of the updates inside, and the mask of these; `None` if all are inside."""


@dataclass(frozen=True)
class Findings(Generic[OpType]):
    """Properties of an op that rules of findings, and the searches for their harm, use."""

    moves_elements: bool = False
    """Whether its results consist of elements that existed before: nothing is born in it."""
    keeps_ranks: bool = False
    """Whether it computes elements that are never worse than what they read: a negative number, the greater of two."""
    raises_flags: bool = True
    """Whether the processor raises a flag when it makes something that is not finite."""
    awaits_outcomes: bool = False
    """Whether its results are those of ops that were only started: these are checked on its results."""
    sends_outside: bool = False
    """Whether it gives its operands to a consumer outside of the program."""
    converts: bool = False
    """Whether each element is an element of an operand in another type."""
    multiplies: bool = False
    """Whether each element is the product of two."""
    compresses: bool = False
    """Whether it makes elements of similar sizes of elements of very different ones, as roots and logarithms do."""
    magnifies: bool = False
    """Whether it is 0 where its operand is not, and so depends on the last digits of an operand nearby, as `log` at 1."""
    shifts_left: bool = False
    """Whether it multiplies by a power of two by moving bits up."""
    takes_remainder: bool = False
    """Whether it brings any integer into a range, as programs do in the end with a hash."""
    divisor: int | None = None
    """The number of the operand by which it divides integers."""
    gathers: bool = False
    """Whether it reads many windows, at the starts that an operand holds."""
    scatters: bool = False
    """Whether it writes many windows, at the starts that an operand holds."""
    deciding: tuple[int, ...] = ()
    """The numbers of the operands that decide where something is, how much there is or what runs."""
    deciding_regions: tuple[int, ...] = ()
    """The numbers of the regions whose results decide what runs."""

    def deciding_operands(self, op: OpType) -> Iterable[int]:
        """`deciding`, or those of this op where its fields decide."""
        return self.deciding

    def adds(self, op: OpType) -> bool:
        """Whether each element is the sum or the difference of two."""
        return False

    def outweighs(self, op: OpType) -> bool:
        """Whether it combines elements so that a small one may not count beside others: in sums and maxima."""
        return False

    def orders(self, op: OpType) -> bool:
        """Whether the order of some elements decides what becomes of others, or of positions; NaN has no order."""
        return False

    def accumulates(self, op: OpType) -> bool:
        """Whether it adds up integers in windows that overlap, as in a running total."""
        return False

    def mixes_bits(self, op: OpType) -> bool:
        """Whether it takes integers for bits, as hashes and random numbers do, which wrap around by design."""
        return False

    def tests_finiteness(self, op: OpType) -> bool:
        """Whether it tests for NaN or infinities, as a program does that expects them."""
        return False

    def loses_sizes(
        self, op: OpType, operand: int, operands: Arrays, result: Array, *, compressed: bool
    ) -> NDArray[np.bool_] | None:
        """Mask of the elements in which an infinite operand became a number that may be far from the right one.

        The infinity stands for a number too large for its type, or, if `compressed`, for a root of one. `None` if nowhere.
        """
        return None

    # NaN and infinities

    def failure(self, op: OpType) -> str:
        """What it means that its status, a result of integers, is not 0: `{0} is not positive definite`; empty without one."""
        return ""

    def ranks_read(self, op: OpType, operands: Arrays, ranks: OperandRanks, results: Arrays) -> SeenRanks:
        """For each result the greatest rank among the elements that each of its elements reads.

        `ranks` are those of the elements of each operand; `None` where all are finite. An op that moves elements moves
        their ranks in the same way.
        """
        evaluate = getattr(op, "evaluate", None)
        if not self.moves_elements or evaluate is None:
            return (worst_rank(ranks),) * len(results)
        as_ranks = [
            (np.zeros(operand.shape, np.uint8) if rank is None else rank)
            if is_inexact(operand.dtype)
            else operand
            for operand, rank in zip(operands, ranks, strict=True)
        ]
        moved: Any = evaluate(*as_ranks)
        return moved if isinstance(moved, tuple) else (moved,)

    def birth_cause(self, op: OpType, operands: Arrays, result: Array, number: int, index: Shape) -> str:
        """The reason why the element at `index` of result `number` is not finite: `where {0} is above 88.72`.

        `{0}` stands for the name of operand 0. Empty if there is no telling.
        """
        return ""

    # Lost numbers

    def may_underflow(self, op: OpType) -> bool:
        """Whether floats that are not 0 may become too small for a type that is wide enough to care."""
        return False

    def nan_becomes(self, op: OpType) -> str:
        """The state of a result without NaN where an operand is NaN: `is false`; empty if no NaN is lost."""
        return ""

    # Integers

    def may_wrap(self, op: OpType) -> bool:
        """Whether its integers may be beyond their type, which a rule can check."""
        return self.awaits_outcomes

    def exact_integers(self, op: OpType, operands: Arrays, results: Arrays) -> Iterator[ExactInteger]:
        """The results that may have wrapped around, in f64; results that the type is sure to hold may be left out."""
        return iter(())

    # Indices

    def may_clamp(self, op: OpType) -> bool:
        """Whether it moves windows inside that are smaller than the operand."""
        return False

    def window_start(self, op: OpType, operands: Arrays) -> WindowStart | None:
        """The start of its window, if it has one window; it raises `Signals.MOVED` itself when it moves that inside."""
        return None

    def outside_starts(self, op: OpType, operands: Arrays) -> OutsideStarts | None:
        """For an op with many windows, the first dimension along which some start outside, if any; sentinels come last."""
        return None

    def may_collide(self, op: OpType) -> bool:
        """Whether it matters that several updates of a scatter go to one element."""
        return False

    def updates(self, op: OpType, operands: Arrays) -> Updates | None:
        """The updates of a scatter."""
        return None

    # Ops that stand for another one

    def checked_op(self, op: OpType) -> Any:
        """The op whose answers count: the one that HLO text packs the results of, or that operands are broadcast for."""
        return op

    def checked_values(self, op: OpType, operands: Arrays, results: Arrays) -> tuple[Arrays, Arrays]:
        """The operands and results of `checked_op`."""
        return operands, results


def is_wide_float(element_type: object) -> bool:
    """Whether elements are real floats of 16 bits or more: shorter ones round to 0 all the time."""
    return isinstance(element_type, ElementType) and element_type.is_float and element_type.bits >= 16
