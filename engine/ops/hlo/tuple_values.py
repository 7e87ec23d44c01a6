"""Constants that are tuples, and the choice between two tuples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ...indexing import IndexMap, OperandMap
from ...ir.attributes import ArrayAttribute, Attribute, DenseAttribute, ElementsAttribute, ResourceAttribute
from ...ir.element_types import I1
from ...ir.module import Module
from ...ir.types import TensorType, TupleType, Type, leaf_types
from ..core.bases import Selecting
from ..core.elided import ELIDED, framework_of, left_out
from ..core.facets import HloSpelling, Section
from ..core.facets.findings import Findings
from ..core.kinds import is_scalar
from ..core.op import Array, Constraint, Op, no_cost
from ..core.regions import type_agrees
from ..core.values import tuple_of


@dataclass(frozen=True)
class TupleConstant(Op):
    """The literals in `value`, lists of lists where the result is a tuple of tuples.

    Text that was printed without its large constants has `{...}` where a literal was: a run stops there, unless
    it is given a value. XLA operation semantics: ConstantLiteral.
    """

    name = "hlo.constant"
    findings = Findings(moves_elements=True)
    hlo = HloSpelling("constant", "ConstantLiteral")
    section = Section(
        rules=("The literals are nested as the result's type is, and have the sizes that it states.",),
    )

    value: ArrayAttribute = field(metadata={"holds_values": True})
    result: TupleType
    framework: str = field(default="", metadata={"settled": True}, compare=False, repr=False)

    def link(self, module: Module) -> TupleConstant:
        return self if self.outside is None else replace(self, framework=framework_of(module))

    def constraints(self) -> Iterator[Constraint]:
        found = _type_of(self.value)
        sentence = f"value is {found or 'no list of literals'}, but the result {self.result}"
        yield "", found is not None and type_agrees(found, self.result), sentence

    @property
    def outside(self) -> str | None:
        return ELIDED if _is_elided(self.value) else None

    def evaluate(self, *operands: Array) -> Array:
        if self.outside is not None:
            raise left_out(self.framework)
        return _value_of(self.value)

    cost = no_cost


def _type_of(value: Attribute) -> Type | None:
    """The type of a literal, or of a list of such; `None` of anything else."""
    if isinstance(value, ElementsAttribute):
        return value.type
    if not isinstance(value, ArrayAttribute):
        return None
    types = tuple(map(_type_of, value.elements))
    known = tuple(found for found in types if found is not None)
    return TupleType(known) if len(known) == len(types) else None


def _is_elided(value: Attribute) -> bool:
    """Whether the text does not hold all of it."""
    if isinstance(value, ArrayAttribute):
        return any(map(_is_elided, value.elements))
    return isinstance(value, ResourceAttribute)


def _value_of(value: Attribute) -> Array:
    if isinstance(value, ArrayAttribute):
        return tuple_of([_value_of(item) for item in value.elements])
    assert isinstance(value, DenseAttribute)
    return value.data


@dataclass(frozen=True)
class TupleSelect(Selecting):
    """Gives the whole tuple `on_true` if `pred` is true, and `on_false` if not.

    Today's XLA chooses between tensors only. XLA operation semantics: Select.
    """

    name = "hlo.tuple_select"
    findings = Findings(moves_elements=True, deciding=(0,))
    hlo = HloSpelling("select", "Select")
    section = Section(
        rules=(
            "`pred` is a scalar of pred.",
            "`on_true` and `on_false` are of one type, which is the result's.",
        ),
    )

    pred: TensorType
    on_true: TupleType
    on_false: TupleType

    def constraints(self) -> Iterator[Constraint]:
        yield is_scalar("", "pred", self.pred, I1)
        sentence = f"on_true is {self.on_true}, but on_false {self.on_false}"
        yield "", type_agrees(self.on_true, self.on_false), sentence

    def infer(self) -> Type:
        return self.on_true

    def evaluate(self, *operands: Array) -> Array:
        return operands[1] if operands[0] else operands[2]

    @property
    def last_on_true(self) -> int:
        return len(list(leaf_types(self.on_true)))

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """The maps of the leaves of both tuples, in order; all leaves of the result read the predicate."""
        leaves = list(leaf_types(self.on_true))
        for number, found in enumerate(leaves):
            if isinstance(found, TensorType) and found.is_static:
                sizes = found.sizes
                yield OperandMap(0, IndexMap.everything(sizes) if inverse else IndexMap.scalar(sizes), number)
                yield OperandMap(1 + number, IndexMap.identity(sizes), number)
                yield OperandMap(1 + len(leaves) + number, IndexMap.identity(sizes), number)

    cost = no_cost
