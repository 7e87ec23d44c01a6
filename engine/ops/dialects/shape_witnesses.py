"""Ops of MLIR's dialect shape that change a size's type, and those that promise and assume something."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...errors import RunError
from ...indexing import IndexMap, OperandMap
from ...ir.module import Region
from ...ir.types import Type
from ..core.facets import Explanation, Traits
from ..core.op import Array, Ask, AskingOp, Constraint, Op, RunRegion
from ..core.rules import format_list
from ..core.scalars import INDEX_TYPE, SIZE, WITNESS, integers, is_index, is_shape, is_size
from .shape_dialect import broadcast_shape, whole_shapes


class OneSize(Op):
    """One number, of another type."""

    def evaluate(self, *operands: Array) -> Array:
        return operands[0]

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return iter([OperandMap(0, IndexMap.scalar(()))])


@dataclass(frozen=True)
class IndexToSize(OneSize):
    """An index as a size. MLIR: shape.index_to_size."""

    name = "shape.index_to_size"
    short_form = "operands attr-dict result:size"

    arg: Type

    def constraints(self) -> Iterator[Constraint]:
        yield is_index("the operand", self.arg)

    def infer(self) -> Type:
        return SIZE


@dataclass(frozen=True)
class SizeToIndex(OneSize):
    """A size as an index. MLIR: shape.size_to_index."""

    name = "shape.size_to_index"
    short_form = "operands attr-dict : operand-type result:index"

    arg: Type

    def constraints(self) -> Iterator[Constraint]:
        yield is_size("the operand", self.arg)

    def infer(self) -> Type:
        return INDEX_TYPE


@dataclass(frozen=True)
class CstrBroadcastable(Op):
    """A witness that tensors of the shapes `shapes` broadcast each other; if they do not the run ends.

    MLIR: shape.cstr_broadcastable.
    """

    name = "shape.cstr_broadcastable"
    short_form = "operands attr-dict : operand-types result:witness"

    shapes: tuple[Type, ...]

    def constraints(self) -> Iterator[Constraint]:
        yield "", len(self.shapes) > 1, "needs at least two shapes"
        for place, found in enumerate(self.shapes):
            yield is_shape(f"shape {place}", found)

    def infer(self) -> Type:
        return WITNESS

    def evaluate(self, *operands: Array) -> Array:
        if broadcast_shape(operands) is None:
            shapes = ", ".join(format_list(integers(shape)) for shape in operands)
            raise RunError(f"the shapes {shapes} do not broadcast")
        return np.array(True)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """The witness is there because of all sizes."""
        return iter(whole_shapes(self.shapes, (), inverse=inverse))


@dataclass(frozen=True)
class Assuming(AskingOp):
    """Runs its region, which may rely on what `witness` promises, and gives what it yields.

    MLIR: shape.assuming.
    """

    name = "shape.assuming"
    short_form = "custom assuming"
    explanation = Explanation(passes_values=True)

    witness: Type
    region: Region
    results: tuple[Type, ...]

    def constraints(self) -> Iterator[Constraint]:
        yield "", self.witness == WITNESS, f"witness must be {WITNESS}, not {self.witness}"
        blocks = self.region.blocks
        last = blocks[0].operations[-1] if len(blocks) == 1 and blocks[0].operations else None
        yields = last is not None and last.name == AssumingYield.name
        yield "", yields, f"the region must end with {AssumingYield.name}"
        assert last is not None
        found = tuple(value.type for value in last.operands)
        sentence = f"the region yields {format_list(found)}, but the results are {format_list(self.results)}"
        yield "", found == self.results, sentence
        yield "", not blocks[0].arguments, "the region takes no arguments"

    def infer(self) -> tuple[Type, ...]:
        return self.results

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return Ask(None, RunRegion(0, ()))


@dataclass(frozen=True)
class AssumingYield(Op):
    """Ends the region of `shape.assuming` with `operands`. MLIR: shape.assuming_yield."""

    name = "shape.assuming_yield"
    short_form = "operands? attr-dict (: operand-types)?"
    traits = Traits(is_terminator=True)

    operands: tuple[Type, ...]
