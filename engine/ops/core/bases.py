"""Base classes of ops in several families: forwarding, moving, selecting, stated sizes, partitioned bodies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from ...indexing import UNDEFINED, Dim, Expression, IndexMap, Kind, OperandMap, selection_maps, substitute
from ...ir.types import TensorType, Type, leaf_paths, leaf_types
from .facets import ElementFormula, Explanation, Findings, Folding, Form, OpenSizes, Part, Role
from .integer_folding import Index, OperandElements
from .op import AskingOp, Op, no_cost


class ForwardingOpenSizes(OpenSizes["Forwarding"]):
    def are_known(self, op: Forwarding) -> bool:
        """No map needs a size: each element of a result equals the element of the same index."""
        return True


class Forwarding(Op):
    """An op that forwards operands unchanged; `explanation.forwarded_operand` gives its index maps."""

    findings = Findings(moves_elements=True)
    open_sizes: ClassVar[OpenSizes[Any]] = ForwardingOpenSizes()

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """The identity from each leaf of a result to the leaf of the operands that it equals; its own inverse."""
        operands = {part: (number, found) for number, (part, found) in enumerate(_leaves(self.operand_types))}
        for result, (part, _) in enumerate(_leaves(self.known_results)):
            forwarded = self.explanation.forwarded_operand(self, *part)
            if forwarded is not None:
                number, found = operands[forwarded]
                yield from identity_map(found, number, result)

    cost = no_cost


class MovingFolding(Folding["Moving"]):
    def element(self, op: Moving, index: Index, operands: OperandElements) -> Expression | None:
        maps = [found.map for found in op.index_maps()]
        if len(maps) != 1 or maps[0].kind is not Kind.NORMAL or maps[0].ranges:
            return None
        places: dict[Expression, Expression] = {Dim(k): each for k, each in enumerate(index)}
        return operands.read(0, tuple(substitute(result, places) for result in maps[0].results))


class Moving(Op):
    """An op whose results hold elements of its first operand at other positions, by one index map per result."""

    findings = Findings(moves_elements=True)
    folding: ClassVar[Folding[Any]] = MovingFolding()


def identity_map(found: Type, operand: int = 0, result: int = 0) -> Iterator[OperandMap]:
    """The identity map of a leaf that is a tensor; undefined if its sizes are open."""
    if isinstance(found, TensorType):
        index_map = IndexMap.identity(found.sizes) if found.is_static else UNDEFINED
        yield OperandMap(operand, index_map, result)


def identity_maps(types: tuple[Type, ...]) -> Iterator[OperandMap]:
    """Identity maps between leaves of equal number of operands and results, which both start with `types`."""
    for number, (_, found) in enumerate(_leaves(types)):
        yield from identity_map(found, number, number)


def _leaves(types: tuple[Type, ...]) -> Iterator[tuple[Part, Type]]:
    """The leaves of values of `types`, in order: their parts and types. Tuples are no leaves."""
    for number, found in enumerate(types):
        for path, leaf in zip(leaf_paths(found), leaf_types(found), strict=True):
            yield (number, path), leaf


class SelectingExplanation(Explanation["Selecting"]):
    def formula(self, op: Selecting, reads: int) -> ElementFormula:
        roles = (Role("predicate", range(1)), Role("taken", range(1, op.first_auxiliary)))
        return ElementFormula("select", Form.FUNCTION, "select", roles)


@dataclass(frozen=True)
class Selecting(Op):
    """Takes each element of the result from one of several operands; operand 0 selects, per element or for all."""

    explanation: ClassVar[Explanation[Any]] = SelectingExplanation()
    findings: ClassVar[Findings[Any]] = Findings(deciding=(0,))

    @property
    def last_on_true(self) -> int:
        """The number of the last operand, tuples flattened, that is taken where operand 0 is true."""
        return 1

    def value_maps(self, *, inverse: bool = False) -> Iterator[OperandMap]:
        """The maps to the operand that was taken; with a known predicate a result does not depend on the other."""
        back = self.inverse_index_maps() if inverse else None
        return selection_maps(self.index_maps(), back, last_on_true=self.last_on_true)


class StatedSizesOpenSizes(OpenSizes["StatedSizes"]):
    def are_known(self, op: StatedSizes) -> bool:
        return op.result.is_static and super().are_known(op)


class StatedSizes(Op):
    """An op whose result has the sizes that the text states; with open sizes it cannot run and has no maps."""

    open_sizes: ClassVar[OpenSizes[Any]] = StatedSizesOpenSizes()

    result: TensorType

    def infer(self) -> TensorType:
        return self.result

    def unrunnable(self) -> str | None:
        if self.result.is_static:
            return None
        return (
            f"states the sizes of its result only by the type {self.result}, which leaves some of them open"
        )


class Partitioned(AskingOp):
    """An op that runs a body in each process on its parts of the operands, and joins the parts that the bodies return."""

    def cut_maps(self, *, inverse: bool = False) -> Iterator[OperandMap]:
        """Maps between operands and arguments of the body with the same numbers: a process takes its own parts."""
        raise NotImplementedError

    def join_maps(self, *, inverse: bool = False) -> Iterator[OperandMap]:
        """Maps between the body's results, numbered as operands, and the op's results."""
        raise NotImplementedError
