"""constant and iota: tensors out of nothing. Both stay lazy: what repeats is kept once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from ...indexing import Expression
from ...ir.attributes import DenseAttribute, ElementsAttribute, ResourceAttribute
from ...ir.element_types import I64, QuantizedType
from ...ir.module import Module
from ...ir.types import TensorType, Type
from ..core.elided import ELIDED, framework_of, left_out
from ..core.facets import Drawing, Folding, HloSpelling, Roles, Traits, name_dimensions
from ..core.facets.findings import Findings
from ..core.integer_folding import Index, OperandElements, fold_literal
from ..core.kinds import COMPLEX, FLOAT, INTEGER, PER_TENSOR, holds
from ..core.numeric import convert
from ..core.op import Array, Constraint, Cost, Op, no_cost, shapes_agree
from ..core.quantization import quantize


class ConstantFolding(Folding["Constant"]):
    def element(self, op: Constant, index: Index, operands: OperandElements) -> Expression | None:
        return fold_literal(op.value.data, index) if isinstance(op.value, DenseAttribute) else None


@dataclass(frozen=True)
class Constant(Op):
    """The literal `value`.

    Text that was printed without its large constants has the name of a resource where the literal was
    (`dense_resource<__elided__>`), in HLO `{...}`: a run stops there, unless it is given a value.
    """

    name = "stablehlo.constant"
    findings = Findings(moves_elements=True)
    traits = Traits(is_constant=True)
    short_form = "custom constant"
    hlo = HloSpelling(
        "constant",
        "ConstantLiteral",
        note="Elements stand between braces in the order of their indices, whatever the layout. `{...}` stands "
        "for elements that were left out in printing: such a program cannot run until they are there.",
    )
    folding = ConstantFolding()

    value: ElementsAttribute
    result: TensorType
    framework: str = field(default="", metadata={"settled": True}, compare=False, repr=False)
    """The printer of the program, if it left out the values and is known."""

    def link(self, module: Module) -> Constant:
        return self if self.outside is None else replace(self, framework=framework_of(module))

    def constraints(self) -> Iterator[Constraint]:
        stated = self.result.element_type
        # A literal cannot be written as quantized: it holds what is stored.
        wanted = stated.storage if isinstance(stated, QuantizedType) else stated
        same = wanted == self.value.type.element_type and shapes_agree(
            self.value.type.shape, self.result.shape
        )
        yield "C1", same, f"value is {self.value.type} but the result {self.result}"

    def infer(self) -> TensorType:
        return self.result

    @property
    def outside(self) -> str | None:
        found = self.value
        if not isinstance(found, ResourceAttribute):
            return None
        return found.name if found.name == ELIDED else f"dense_resource<{found.name}>"

    def evaluate(self, *operands: Array) -> Array:
        if isinstance(self.value, DenseAttribute):
            return self.value.data
        raise left_out(self.framework, self.outside or ELIDED)

    cost = no_cost


class IotaDrawing(Drawing["Iota"]):
    def dimension_roles(self, op: Iota) -> Roles:
        return (), (name_dimensions(op.result.rank, {"iota_dimension": [op.iota_dimension]}),)


class IotaFolding(Folding["Iota"]):
    def element(self, op: Iota, index: Index, operands: OperandElements) -> Expression | None:
        return index[op.iota_dimension]


@dataclass(frozen=True)
class Iota(Op):
    """Counts from 0 along `iota_dimension`; integers wrap, floats are rounded."""

    name = "stablehlo.iota"
    findings = Findings(moves_elements=True)
    traits = Traits(category="movement")
    short_form = "dim = $iota_dimension attr-dict : result-type"
    hlo = HloSpelling("iota", "Iota")
    drawing = IotaDrawing()
    folding = IotaFolding()

    iota_dimension: int
    result: TensorType

    def constraints(self) -> Iterator[Constraint]:
        sentence = "the result has an unknown size; dynamic_iota takes it as an operand"
        yield "", self.result.is_static, sentence
        yield holds("", "the result", self.result, (*INTEGER, *FLOAT, *COMPLEX, *PER_TENSOR))
        rank = self.result.rank
        inside = 0 <= self.iota_dimension < rank
        yield "C1", inside, f"iota_dimension {self.iota_dimension} is outside rank {rank}"

    def infer(self) -> TensorType:
        return self.result

    def evaluate(self, *operands: Array) -> Array:
        sizes, element_type = self.result.sizes, self.result.element_type
        counted = np.arange(sizes[self.iota_dimension], dtype=np.int64)
        if isinstance(element_type, QuantizedType):
            counted = quantize(convert(counted, I64, element_type.expressed), element_type)
        else:
            counted = convert(counted, I64, element_type)
        along = [1] * len(sizes)
        along[self.iota_dimension] = -1
        return np.broadcast_to(counted.reshape(along), sizes)

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        size = self.result.shape[self.iota_dimension] or 0
        return Cost(size, size * self.result.element_type.dtype.itemsize)
