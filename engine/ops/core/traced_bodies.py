"""What a debugger asks of ops whose bodies see single elements: reduce, sort, scatter, select_and_scatter and their like.

It runs such an op a second time, on operands that hold the numbers of their elements instead of values: what the op then
hands to its body, and gives in the end, tells which elements went where.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ...indexing import IndexMap
from ...indexing.evaluation.array_values import Int64Array

if TYPE_CHECKING:
    from .op import Op

Shape = tuple[int, ...]
Maps = tuple[IndexMap, ...]


@dataclass(frozen=True, eq=False)
class Decision:
    """What the answers of a body decide: each is about an element of some tensor, or about a window."""

    shape: Shape
    """That of the tensor, or of the windows."""
    positions: Int64Array | None = None
    """For each lane of the answers, what it is about, in row-major order; `None`: of the same indices as the lane."""
    back: Maps = ()
    """From an element that comes out to what decides about it, in `shape`; none: elements of the same index."""
    onward: Maps = ()
    """The other way."""


@dataclass(frozen=True, eq=False)
class Placing:
    """An operand that decides, without the body, to which elements values go."""

    operand: int
    read: Shape
    """The operand's shape."""
    shape: Shape
    """That of the tensor whose elements the values go to."""
    back: Maps
    """From such an element to all elements of the operand that could have sent a value to it, or away from it."""
    onward: Maps


class TracedBodies:
    """The questions, with the answers of an op whose bodies only compute new values."""

    def over_body_types(self) -> Op:
        """The op on operands of the element types that its body works in: nothing is converted on the way."""
        return self  # type: ignore[return-value]

    def traced_op(self, operands: Callable[[], tuple[Any, ...]]) -> Op | None:
        """The op to run on numbers of elements; `None` if its body sees none. `operands` gives the real values."""
        return self.over_body_types()

    def operands_read(self, first_region: int | None) -> frozenset[int]:
        """The operands whose values the op itself needs, in a run whose first frame is of region `first_region`."""
        return frozenset()

    def chooses(self, region: int) -> bool:
        """Whether a body is only asked which element to take, or comes first, rather than for a new value."""
        return False

    only_chooses: ClassVar[bool] = False
    """Whether its results are elements of its operands, and each request of its body follows from the answers before."""

    @property
    def folds_answers(self) -> bool:
        """Whether the body is run on all elements at once, and its answers are then combined without it."""
        return False

    def lane_positions(self, state: Any) -> Int64Array | None:
        """In a state of the op, the result elements that the lanes of its request are about; `None` if that is
        not fixed.
        """
        return None

    def compared_positions(self, iteration: int, argument: int, elements: Int64Array) -> Int64Array | None:
        """What the lanes of an argument of a choosing body are about; `None` if it is the same each time.

        `elements` are the positions of the elements that the argument holds.
        """
        return elements

    def answer_decision(self, iteration: int, elements: Int64Array, lanes: Shape) -> Decision:
        """What an answer decides about the results: one of a body that chooses, or one that is folded without the body.

        `elements` are the positions of the elements in the first argument of a body that chooses. `lanes` is the
        answer's shape.
        """
        raise NotImplementedError

    def next_choice_decision(self, iteration: int, elements: Int64Array, lanes: Shape) -> Decision:
        """What an answer decides about the elements that later requests of a choosing body are about."""
        return self.answer_decision(iteration, elements, lanes)

    def placement(self) -> Placing | None:
        """The operand that says where values go, if there is one."""
        return None

    places_apart: ClassVar[bool] = False
    """Whether links follow `value_maps`, and what `placement` says is a link of its own."""
