"""Ops that compute nothing: their results are parts of their operands, or elements of them, unchanged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from ...indexing import UNDEFINED, Dim, Expression, IndexMap, Kind, OperandMap, substitute
from ...ir.types import TensorType, Type, leaf_paths, leaf_types
from .facets import Folding, OpenSizes
from .facets.findings import Findings
from .integer_folding import Index, OperandElements
from .op import Cost, Op, Part


class ForwardingOpenSizes(OpenSizes["Forwarding"]):
    def are_known(self, op: Forwarding) -> bool:
        """No map needs a size: each element of a result equals the element of the same index."""
        return True


class Forwarding(Op):
    """An op that answers `forwarded_operand`, mostly for all of its results. Its index maps follow from that."""

    findings = Findings(moves_elements=True)

    open_sizes: ClassVar[OpenSizes[Any]] = ForwardingOpenSizes()

    def index_maps(self) -> Iterator[OperandMap]:
        """The identity from each leaf of a result to the leaf of the operands that it is; its own inverse."""
        operands = {part: (number, found) for number, (part, found) in enumerate(_leaves(self.operand_types))}
        for result, (part, _) in enumerate(_leaves(self.known_results)):
            forwarded = self.explanation.forwarded_operand(self, *part)
            if forwarded is not None:
                number, found = operands[forwarded]
                yield from identity_map(found, number, result)

    def inverse_index_maps(self) -> Iterator[OperandMap]:
        return Forwarding.index_maps(self)

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """Nothing is copied."""
        return Cost(0, 0)


class MovingFolding(Folding["Moving"]):
    def element(self, op: Moving, index: Index, operands: OperandElements) -> Expression | None:
        maps = [found.map for found in op.index_maps()]
        if len(maps) != 1 or maps[0].kind is not Kind.NORMAL or maps[0].ranges:
            return None
        places: dict[Expression, Expression] = {Dim(k): each for k, each in enumerate(index)}
        return operands.read(0, tuple(substitute(result, places) for result in maps[0].results))


class Moving(Op):
    """An op whose results hold elements of its first operand in other places, each one by one index map."""

    findings = Findings(moves_elements=True)
    folding: ClassVar[Folding[Any]] = MovingFolding()


def identity_map(found: Type, operand: int = 0, result: int = 0) -> Iterator[OperandMap]:
    """Each element is read by that of its own index, if the leaf is a tensor; unknown if its sizes are open."""
    if isinstance(found, TensorType):
        index_map = IndexMap.identity(found.sizes) if found.is_static else UNDEFINED
        yield OperandMap(operand, index_map, result)


def identity_maps(types: tuple[Type, ...]) -> Iterator[OperandMap]:
    """Each leaf of the results is the leaf of the operands of its number; both begin with values of `types`."""
    for number, (_, found) in enumerate(_leaves(types)):
        yield from identity_map(found, number, number)


def _leaves(types: tuple[Type, ...]) -> Iterator[tuple[Part, Type]]:
    """What is no tuple in values of some types, in order: the part that it is, and its type."""
    for number, found in enumerate(types):
        for path, leaf in zip(leaf_paths(found), leaf_types(found), strict=True):
            yield (number, path), leaf
