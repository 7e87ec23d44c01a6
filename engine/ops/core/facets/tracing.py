"""The facet for tracing: how elements move through the bodies of reduce, sort, scatter and similar ops.

The debugger runs such an op again on numbers of elements in place of their values, with the results that the bodies
returned, and learns from that which elements went where.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic

from ....indexing import IndexMap
from ....indexing.evaluation.array_values import Int64Array
from .any_op import AnyOp, OpType

Shape = tuple[int, ...]
Maps = tuple[IndexMap, ...]


@dataclass(frozen=True, eq=False)
class Decision:
    """The decisions of a body's results: each concerns an element of some tensor, or a window."""

    shape: Shape
    """The shape of the tensor, or of the windows."""
    positions: Int64Array | None = None
    """For each lane of the results, the element it is about, in row-major order; `None`: the lane's own indices."""
    back: Maps = ()
    """From an element of the op's result to what decides about it, in `shape`; empty: elements of the same index."""
    onward: Maps = ()
    """The inverse of `back`."""


@dataclass(frozen=True, eq=False)
class Placing:
    """An operand that decides, without the body, to which elements values go."""

    operand: int
    read: Shape
    """The operand's shape."""
    shape: Shape
    """The shape of the tensor that receives the values."""
    back: Maps
    """From such an element to all elements of the operand that can direct a value to it, or away from it."""
    onward: Maps
    """The inverse of `back`."""


@dataclass(frozen=True)
class Tracing(Generic[OpType]):
    """Tracing of the op's bodies; the defaults are for an op whose bodies only compute new values."""

    only_chooses: bool = False
    """Whether its results are elements of its operands, and each request of its body follows from earlier results."""
    places_apart: bool = False
    """Whether links follow `value_maps`, with a separate link for the operand of `placement`."""

    def over_body_types(self, op: OpType) -> OpType:
        """The op on operands of the element types of its body, so that nothing is converted in between."""
        return op

    def traced_op(self, op: OpType, operands: Callable[[], tuple[Any, ...]]) -> AnyOp | None:
        """The op to run on numbers of elements; `None` if its body reads none. `operands` returns the real values."""
        return self.over_body_types(op)

    def operands_read(self, op: OpType, first_region: int | None) -> frozenset[int]:
        """The operands whose values the op itself reads, in a run whose first frame is of region `first_region`."""
        return frozenset()

    def chooses(self, op: OpType, region: int) -> bool:
        """Whether a body only decides which element to take, or which comes first, and returns no new value."""
        return False

    def folds_answers(self, op: OpType) -> bool:
        """Whether the body runs once on all elements, and its results are then combined without it."""
        return False

    def lane_positions(self, op: OpType, state: Any) -> Int64Array | None:
        """The result elements of the lanes of the request in `state`; `None` if they are not fixed."""
        return None

    def compared_positions(
        self, op: OpType, iteration: int, argument: int, elements: Int64Array
    ) -> Int64Array | None:
        """The elements that the lanes of an argument of a choosing body compare; `None` if always the same.

        `elements` are the positions of the elements that the argument holds.
        """
        return elements

    def answer_decision(self, op: OpType, iteration: int, elements: Int64Array, lanes: Shape) -> Decision:
        """The decision about the op's results that a result of a choosing or folded body makes.

        `elements` are the positions of the elements in the first argument of a body that chooses, `lanes` is the
        shape of the body's result.
        """
        raise NotImplementedError

    def next_choice_decision(
        self, op: OpType, iteration: int, elements: Int64Array, lanes: Shape
    ) -> Decision:
        """The decision of a choosing body's result about the elements of its later requests."""
        return self.answer_decision(op, iteration, elements, lanes)

    def placement(self, op: OpType) -> Placing | None:
        """The operand that decides where values go, if there is one."""
        return None
