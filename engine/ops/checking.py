"""Asks an op for its constraints, the result's type included, and says which is broken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..errors import ConstraintError, LimitError
from ..ir.attributes import literals_in
from ..ir.module import Operation
from ..ir.types import TensorType, Type, parts
from ..limits import Limits
from .field_plans import field_plans
from .kinds import same_baseline
from .op import Constraint, Op, shapes_agree
from .packed import Packed


@dataclass(frozen=True)
class Checked:
    """One label of an op: whether everything that it asks for holds, and what is wrong if not."""

    label: str
    """Empty for a rule to which the specification gives no label."""
    holds: bool
    message: str


def check(op: Op, operation: Operation) -> None:
    """Raises `ConstraintError` for the first constraint that `operation`, bound as `op`, breaks."""
    broken = first_broken(op, tuple(value.type for value in operation.results))
    if broken is not None:
        label, message = broken
        raise ConstraintError(message, operation.name_span, op=operation.spelled, label=label or None)


def check_lists(op_class: type[Op], operation: Operation, limits: Limits) -> None:
    """Raises `LimitError` for a list that is too long, before anybody makes numbers of it.

    A literal of one value claims any count in a few characters; tensors of values stay such literals.
    """
    for plan in field_plans(op_class):
        attribute = operation.attribute(plan.attribute) if plan.source == "attribute" else None
        if attribute is None or plan.holds_values:
            continue
        longest = max((found.data.size for found in literals_in(attribute)), default=0)
        if longest > limits.max_listed_numbers:
            most = f"max_listed_numbers allows {limits.max_listed_numbers:,}"
            message = f"attribute '{plan.attribute}' lists {longest:,} numbers; {most}"
            raise LimitError(message, operation.name_span, op=operation.spelled, label="max_listed_numbers")


def first_broken(op: Op, result_types: Sequence[Type] | None = None) -> tuple[str, str] | None:
    """Label and message of the first broken constraint, `None` if all hold.

    `result_types` are those that the text states; without them only the operands are checked.
    """
    for label, holds, message in _all_constraints(op, result_types):
        if not holds:
            return label, message
    return None


def checklist(op: Op, result_types: Sequence[Type] | None = None) -> list[Checked]:
    """Every label once, in order, up to the first that is broken: a later one may assume it."""
    found: dict[str, Checked] = {
        plan.label: _holds(plan.label) for plan in field_plans(type(op)) if plan.label
    }
    for label, holds, message in _all_constraints(op, result_types):
        found[label] = Checked(label, holds, "" if holds else message)
        if not holds:
            break
    return [checked for label, checked in found.items() if label or not checked.holds]


def _holds(label: str) -> Checked:
    return Checked(label, True, "")


def _all_constraints(op: Op, result_types: Sequence[Type] | None) -> Iterator[Constraint]:
    yield from op.constraints()
    if isinstance(op, Packed):
        op, result_types = op.twin, result_types and parts(result_types[0])
    inferred = op.infer()
    if inferred is None or result_types is None:
        return
    wanted = inferred if isinstance(inferred, tuple) else (inferred,)
    count = f"has {len(wanted)} results, not {len(result_types)}"
    yield "", len(wanted) == len(result_types), count
    for number, (expected, stated) in enumerate(zip(wanted, result_types, strict=True)):
        yield from _result_constraints(op, number if len(wanted) > 1 else None, expected, stated)


def _result_constraints(op: Op, number: int | None, expected: Type, stated: Type) -> Iterator[Constraint]:
    name = "the result" if number is None else f"result {number}"
    shape_label = _result_label(op, "shape", number)
    if not isinstance(expected, TensorType) or not isinstance(stated, TensorType):
        yield shape_label, expected == stated, f"{name} must be {expected}, not {stated}"
        return
    same_elements = expected.element_type == stated.element_type or (
        op.result_is_requantized and same_baseline(expected.element_type, stated.element_type)
    )
    message = f"{name} must hold {expected.element_type}, not {stated.element_type}"
    yield _result_label(op, "element_type", number), same_elements, message
    message = f"{name} must have shape {spelled(expected)}, not {spelled(stated)}"
    yield shape_label, shapes_agree(expected.shape, stated.shape), message


def _result_label(op: Op, part: str, number: int | None) -> str:
    labels = op.result_labels
    return labels.get(f"{part} {number}", labels.get(part, ""))


def spelled(value_type: TensorType) -> str:
    """`[2, ?]`."""
    return f"[{', '.join('?' if size is None else str(size) for size in value_type.shape)}]"
