"""Asks an op for its constraints, the result's type included, and says which is broken."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from ..errors import ConstraintError, LimitError
from ..ir.attributes import literals_in
from ..ir.element_types import INDEX
from ..ir.module import Operation
from ..ir.types import TensorType, Type, parts
from ..limits import Limits
from .core.dynamic_op import DynamicOp
from .core.field_plans import attribute_plans, field_plans
from .core.kinds import same_baseline
from .core.op import Constraint, Op, shapes_agree
from .core.rules import spelled_shape


@dataclass(frozen=True)
class Checked:
    """One label of an op: whether everything that it asks for holds, and what is wrong if not."""

    label: str
    """Empty for a rule to which the specification gives no label."""
    holds: bool
    message: str


def check(op: Op, operation: Operation) -> None:
    """Raises `ConstraintError` for the first constraint that `operation`, bound as `op`, breaks."""
    types = tuple(value.type for value in operation.results)
    broken = _missing_size_problem(op, types) or first_broken_constraint(op, types)
    if broken is not None:
        label, message = broken
        raise ConstraintError(message, operation.name_span, op=operation.spelled, label=label or None)


def check_lists(op_class: type[Op], operation: Operation, limits: Limits) -> None:
    """Raises `LimitError` for a list that is too long, before its numbers are made.

    A literal of one value claims any count in a few characters; tensors of values stay such literals.
    """
    for plan in attribute_plans(op_class, op_class.attribute_records(operation)):
        attribute = operation.attribute(plan.attribute)
        if attribute is None or plan.holds_values:
            continue
        longest = max((found.data.size for found in literals_in(attribute)), default=0)
        if longest > limits.max_listed_numbers:
            most = f"max_listed_numbers allows {limits.max_listed_numbers:,}"
            message = f"attribute '{plan.attribute}' lists {longest:,} numbers; {most}"
            raise LimitError(message, operation.name_span, op=operation.spelled, label="max_listed_numbers")


def _missing_size_problem(op: Op, result_types: Sequence[Type]) -> tuple[str, str] | None:
    """The error for an unknown size of an op that has a `dynamic_twin`."""
    if op.open_sizes.dynamic_twin is None:
        return None
    for found in result_types:
        sizes = found.shape if isinstance(found, TensorType) else ()
        bounds = getattr(found, "bounds", None) or (None,) * len(sizes)
        if any(size is bound is None for size, bound in zip(sizes, bounds, strict=True)):
            return (
                "",
                f"the result has a size that is neither known nor bounded; {op.open_sizes.dynamic_twin} takes it as an operand",
            )
    return None


def warnings(op: Op, operation: Operation) -> Iterator[ConstraintError]:
    """Warnings about `operation`, bound as `op`, which do not keep it from running."""
    for label, holds, message in op.cautions():
        if not holds:
            yield ConstraintError(message, operation.name_span, op=operation.spelled, label=label or None)


def first_broken_constraint(op: Op, result_types: Sequence[Type] | None = None) -> tuple[str, str] | None:
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
        plan.label: Checked(plan.label, True, "") for plan in field_plans(type(op)) if plan.label
    }
    for label, holds, message in _all_constraints(op, result_types):
        found[label] = Checked(label, holds, "" if holds else message)
        if not holds:
            break
    return [checked for label, checked in found.items() if label or not checked.holds]


def _all_constraints(op: Op, result_types: Sequence[Type] | None) -> Iterator[Constraint]:
    yield from op.constraints()
    if op.unpacked.name.startswith("stablehlo.") and not op.traits.is_constant:
        yield _without_index(op, result_types or ())
    if op.traits.has_one_shape:
        yield _bounds_hold(_result_label(op, "shape", None), *op.operand_types, *(result_types or ()))
    if op.unpacked is not op:
        op, result_types = op.unpacked, result_types and parts(result_types[0])
    inferred = op.infer()
    if inferred is None or result_types is None:
        return
    wanted = inferred if isinstance(inferred, tuple) else (inferred,)
    count = f"has {len(wanted)} results, not {len(result_types)}"
    yield "", len(wanted) == len(result_types), count
    for number, (expected, stated) in enumerate(zip(wanted, result_types, strict=True)):
        yield from _result_constraints(op, number if len(wanted) > 1 else None, expected, stated)
    for number, (greatest, stated) in enumerate(zip(_greatest(op), result_types, strict=False)):
        label = _result_label(op, "shape", number if len(wanted) > 1 else None)
        yield from _within_bounds(label, greatest, stated)


def _without_index(op: Op, result_types: Sequence[Type]) -> Constraint:
    """The constraint that only constants and operands that state sizes have elements of type `index`."""
    sizes = op.dynamic_operands if isinstance(op, DynamicOp) else ()
    types = [found for number, found in enumerate(op.operand_types) if number not in sizes]
    tensors = (found for found in (*types, *result_types) if isinstance(found, TensorType))
    holds = not any(found.element_type == INDEX for found in tensors)
    return (
        "",
        holds,
        "index is not an element type of StableHLO except in operands that state sizes: use i32 or i64",
    )


def _bounds_hold(label: str, *types: Type) -> Constraint:
    """Constraint: no size is above the bound that another type of the same shape has for it."""
    tensors = [found for found in types if isinstance(found, TensorType) and found.rank]
    for bounded in tensors:
        for dimension, bound in enumerate(bounded.bounds or ()):
            sizes = [found.shape[dimension] for found in tensors if found.rank == bounded.rank]
            size = max((size for size in sizes if size is not None), default=0)
            if bound is not None and size > bound:
                sentence = f"dimension {dimension} has size {size}, above its bound in {bounded}"
                return label, False, sentence
    return label, True, ""


def _greatest(op: Op) -> tuple[Type, ...]:
    """The result types at the bounds of all sizes that have one; nothing where that says nothing."""
    if all(getattr(found, "bounds", None) is None for found in op.operand_types):
        return ()
    plans = [plan for plan in field_plans(type(op)) if plan.source in ("operand", "operands")]
    given = {plan.name: getattr(op, plan.name) for plan in plans}
    filled = {
        name: tuple(map(_fill_with_bounds, found)) if isinstance(found, tuple) else _fill_with_bounds(found)
        for name, found in given.items()
    }
    largest: Op = replace(cast(Any, op), **filled)
    if any(not holds for _, holds, _ in largest.constraints()):
        return ()
    found = largest.infer()
    return found if isinstance(found, tuple) else (found,) if found is not None else ()


def _within_bounds(label: str, greatest: Type, stated: Type) -> Iterator[Constraint]:
    if isinstance(greatest, TensorType) and isinstance(stated, TensorType) and greatest.rank == stated.rank:
        for dimension, (most, size) in enumerate(zip(greatest.shape, stated.shape, strict=True)):
            sentence = f"dimension {dimension} of {stated} is above {most}, which follows from bounds"
            yield label, most is None or size is None or size <= most, sentence


def _fill_with_bounds(found: Type) -> Type:
    if not isinstance(found, TensorType) or found.bounds is None:
        return found
    return found.with_shape(found.greatest_shape)


def _result_constraints(op: Op, number: int | None, expected: Type, stated: Type) -> Iterator[Constraint]:
    name = "the result" if number is None else f"result {number}"
    shape_label = _result_label(op, "shape", number)
    if not isinstance(expected, TensorType) or not isinstance(stated, TensorType):
        yield shape_label, expected == stated, f"{name} must be {expected}, not {stated}"
        return
    same_elements = expected.element_type == stated.element_type or (
        op.section.result_is_requantized and same_baseline(expected.element_type, stated.element_type)
    )
    message = f"{name} must hold {expected.element_type}, not {stated.element_type}"
    yield _result_label(op, "element_type", number), same_elements, message
    message = f"{name} must have shape {spelled_shape(expected)}, not {spelled_shape(stated)}"
    yield shape_label, shapes_agree(expected.shape, stated.shape), message
    yield _bounds_hold(shape_label, expected, stated)


def _result_label(op: Op, part: str, number: int | None) -> str:
    labels = op.section.result_labels
    return labels.get(f"{part} {number}", labels.get(part, ""))
