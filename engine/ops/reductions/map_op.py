"""map: a function of scalars over the elements of tensors."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...indexing import OperandMap, elementwise_maps
from ...ir.module import Region
from ...ir.types import TensorType, Type
from ..core.bodies import operation_count
from ..core.body_reads import arguments_read
from ..core.facets import HloSpelling, Section, Traits
from ..core.kinds import TENSOR_OR_PER_TENSOR, holds
from ..core.op import Array, Ask, AskingOp, Constraint, Cost, RunRegion, merged_shape, shapes_agree
from ..core.regions import region_type, types_agree
from ..core.rules import format_list

Arrays = tuple[Array, ...]


@dataclass(frozen=True)
class Map(AskingOp):
    """Applies `computation` to the elements of all `inputs` at the same index, for each index.

    `dimensions` has to list all dimensions in order. The computation is run once, on all elements together, or
    once for each element where it holds ops that are not elementwise. Specification: map.
    """

    name = "stablehlo.map"
    traits = Traits(category="control", computes_alone=True)
    hlo = HloSpelling("map", "Map")
    section = Section(
        input_labels={"inputs": "I1", "dimensions": "I2", "computation": "I3"},
        result_labels={"shape": "C1", "element_type": "C4"},
    )

    inputs: tuple[TensorType, ...]
    dimensions: tuple[int, ...]
    computation: Region

    def constraints(self) -> Iterator[Constraint]:
        yield "C2", len(self.inputs) > 0, "needs at least one input"
        for number, tensor in enumerate(self.inputs):
            yield holds("I1", f"input {number}", tensor, TENSOR_OR_PER_TENSOR)
        shapes = ", ".join(format_list(x.shape) for x in self.inputs)
        yield "C1", shapes_agree(*(x.shape for x in self.inputs)), f"inputs differ in shape: {shapes}"
        every = tuple(range(self.inputs[0].rank))
        sentence = f"dimensions must be {format_list(every)}, all of the inputs' in order, not {format_list(self.dimensions)}"
        yield "C3", self.dimensions == every, sentence
        yield from self._computation_constraints()

    def _computation_constraints(self) -> Iterator[Constraint]:
        found = region_type(self.computation)
        scalars = tuple(x.with_shape(()) for x in self.inputs)
        sentence = f"computation must take {format_list(scalars)}, not {format_list(found.inputs)}"
        yield "C4", types_agree(found.inputs, scalars), sentence
        result = found.results[0] if len(found.results) == 1 else None
        sentence = f"computation must return one tensor of rank 0, not {format_list(found.results)}"
        yield "C4", isinstance(result, TensorType) and result.rank == 0, sentence

    def infer(self) -> TensorType:
        (result,) = region_type(self.computation).results
        assert isinstance(result, TensorType)
        return result.with_shape(merged_shape(*(x.shape for x in self.inputs)))

    def begin(self, operands: Arrays) -> Ask | Arrays:
        shape = operands[0].shape
        if operands[0].size == 0:
            return (np.zeros(shape, self.infer().element_type.dtype),)
        return Ask(shape, RunRegion(0, operands, 0, shape))

    def resume(self, state: Any, answer: Arrays) -> Ask | Arrays:
        return (np.broadcast_to(answer[0], state),)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """The identity to each input that the computation reads."""
        return self._read(
            elementwise_maps(self.infer().sizes, [x.sizes for x in self.inputs], inverse=inverse)
        )

    def _read(self, maps: Iterator[OperandMap]) -> Iterator[OperandMap]:
        (read,) = arguments_read(self.computation)
        return (found for found in maps if found.operand in read)

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """One run of the computation for each element; its values besides."""
        operations, elements = operation_count(self.computation), self.inputs[0].element_count
        base = super().cost(operand_types, result_types)
        return Cost(operations * elements, base.result_bytes, 8 * elements * operations)
