"""The form of an op: the operands, regions and attributes that an instruction of the op states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ..ir.attributes import Attribute, BoolAttribute
from ..ir.types import TensorType, Type
from ..ops import op_table
from ..ops.core.field_plans import field_plans, without_none
from ..ops.core.op import Op
from .builder_error import BuilderError
from .handles import Operand, XlaOp

_HLO_RULES = (
    *("drops_init_of_one", "drops_whole_windows", "limits_exponents", "replicas_first", "skips_padding"),
    "takes_tuples",
)
"""Fields that select the meaning of HLO where StableHLO's differs."""
_FURTHER = ("result", "element_type", "properties", "attributes")
"""Further arguments of `Recorder._emit`."""


@dataclass(frozen=True)
class Form:
    """The fields of an op class that an instruction states."""

    op_class: type[Op]
    opcode: str
    operands: Mapping[str, bool]
    """Operand fields, in order, and whether they hold several operands."""
    regions: tuple[str, ...]
    attributes: Mapping[str, Any]
    """Types of attribute fields, by the names of the attributes."""
    hlo_rules: Mapping[str, Attribute]
    """Properties of every instruction of the op: HLO's rules."""
    has_result_field: bool
    inferred: Mapping[str, Any]
    """Defaults of the result fields that text need not state."""
    arguments: frozenset[str]
    """Names that `Recorder._emit` takes for the op."""

    def stated(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The entries of `fields` that `Recorder._emit` takes."""
        return {name: value for name, value in fields.items() if name in self.arguments}

    def take_operands(self, fields: dict[str, Any]) -> list[Operand]:
        """Remove the operands from `fields` and return them in order."""
        groups = {field: listed(fields.pop(field)) for field in self.operands if field in fields}
        lengths = {field: len(group) for field, group in groups.items() if self.operands[field]}
        for field, length in lengths.items():
            first = next(iter(lengths.values()))
            if length != first:
                raise BuilderError(f"there are {first} operands, but {length} {field}", op=self.opcode)
        return [operand for group in groups.values() for operand in group]

    def first_count(self, count: int) -> int:
        """The number of operands in the first operand field, of `count` operands in all."""
        groups = [*self.operands.values()]
        return (count - groups.count(False)) // groups.count(True) if groups and groups[0] else 1

    def region_arguments(self, field: str, operands: Sequence[XlaOp]) -> tuple[list[Type], str]:
        """The types of the arguments of a computation in a region field, and its name if it has none."""
        if not operands:
            raise BuilderError("needs at least one operand", op=self.opcode)
        if self.opcode == "while":
            return [operands[0].type], {"cond": "condition"}.get(field, field)
        first = operands[: self.first_count(len(operands))]
        scalars: list[Type] = [TensorType((), operand.element_type) for operand in first]
        match self.opcode:
            case "map":
                return scalars, "region"
            case "sort":
                return [scalar for scalar in scalars for _ in range(2)], "compare"
            case "select-and-scatter":
                return scalars * 2, field
            case "all-reduce" | "all-reduce-start" | "reduce-scatter":
                return scalars[:1] * 2, "region"
        return scalars * 2, "region"


@cache
def form_of(name: str) -> Form:
    """The form of the op `name`."""
    op_class = op_table()[name]
    plans = field_plans(op_class)
    results = [plan for plan in plans if plan.source in ("result", "results")]
    operands = {plan.name: plan.source == "operands" for plan in plans if plan.source.startswith("operand")}
    regions = tuple(plan.name for plan in plans if plan.source.startswith("region"))
    attributes = {
        plan.attribute: without_none(plan.annotation) for plan in plans if plan.source == "attribute"
    }
    return Form(
        op_class,
        op_class.hlo.opcode or name.rpartition(".")[2],
        operands,
        regions,
        attributes,
        {plan.name: BoolAttribute(True) for plan in plans if plan.name in _HLO_RULES},
        any(plan.source == "result" for plan in results),
        {plan.name: plan.default for plan in results if not plan.required},
        frozenset((*operands, *regions, *attributes, *_FURTHER)),
    )


def listed(operands: Any) -> list[Any]:
    """One operand or several, as a list."""
    is_one = isinstance(operands, XlaOp | np.ndarray) or not isinstance(operands, Iterable)
    return [operands] if is_one else list(operands)
