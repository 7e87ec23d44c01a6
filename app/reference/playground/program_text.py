"""Convert a completed form to the program: its operation with result types, printed."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from hloscope.engine.errors import ConstraintError, ProgramError
from hloscope.engine.inputs import InputSpec as ValueSource
from hloscope.engine.ir.attributes import DenseAttribute
from hloscope.engine.ir.module import Block, Function, Module, Operation, Region, Value
from hloscope.engine.ir.types import TensorType, Type
from hloscope.engine.ops import op_table
from hloscope.engine.ops.checking import first_broken_constraint
from hloscope.engine.ops.core.binding import bind
from hloscope.engine.ops.core.dynamic_op import DynamicForm, DynamicOp
from hloscope.engine.ops.core.field_plans import field_plans
from hloscope.engine.ops.core.op import Op
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.syntax.modules.printer import print_module

from ...present.input_specs import input_spec_json
from ...runs.run_inputs import HEADER_CHARACTERS
from ...wire.sessions import InputSpec, ValueSpec
from .attributes import properties_of
from .bodies import region_of
from .form_values import FormValues
from .operands import FilledOperand


@dataclass(frozen=True)
class FormProgram:
    """The program of a form."""

    text: str
    inputs: list[InputSpec]
    """The input specification of each argument of `@main`."""
    result_types: tuple[Type, ...]


def form_program(filled: FormValues) -> FormProgram:
    """The program; `ProgramError` with the label of the first violated constraint."""
    draft = _draft(filled)
    types = result_types(filled, draft)
    names = ["%result"] if len(types) == 1 else [f"%result{k}" for k in range(len(types))]
    operation = replace(draft, results=tuple(map(Value, names, types)))
    arguments = [operand for operand in filled.operands if not operand.dynamic]
    constants = [_constant(operand) for operand in filled.operands if operand.dynamic]
    ending = Operation("func.return", operation.results, ())
    body = Block(tuple(map(_value, arguments)), (*constants, operation, ending))
    main = Function("main", body.arguments, types, Region((body,)))
    text = print_module(Module((main,)), op_table())
    return FormProgram(
        _header(arguments) + text, [_input_json(operand.specs) for operand in arguments], types
    )


def _draft(filled: FormValues) -> Operation:
    """The operation without its results."""
    return Operation(
        filled.form.op.name,
        tuple(map(_value, filled.operands)),
        (),
        properties_of(filled.form, filled.fields),
        regions=tuple(_regions(filled)),
    )


def _value(operand: FilledOperand) -> Value:
    return Value(operand.value_name, operand.type)


def _constant(operand: FilledOperand) -> Operation:
    value = DenseAttribute(operand.type, operand.arrays[0])
    return Operation("stablehlo.constant", (), (_value(operand),), {"value": value})


def _regions(filled: FormValues) -> list[Region]:
    """The bodies, over scalars of what the op combines."""
    form = filled.form
    first = next(iter(form.operands), "")
    elements = [operand.type.element_type for operand in filled.operands if operand.name == first]
    plans = (plan for plan in field_plans(form.op) if plan.source == "region")
    return [region_of(form.op, plan.name, filled.fields[plan.name], elements) for plan in plans]


# Results.


def result_types(filled: FormValues, draft: Operation) -> tuple[Type, ...]:
    """The inferred result types; `ConstraintError` for the first violated constraint."""
    op_class = filled.form.op
    stated = filled.result or _placeholder(filled, op_class)
    if op_class.name == "stablehlo.rng_bit_generator":
        return (filled.operands[0].type, stated)
    op = _without_result_types(bind(op_class, replace(draft, results=(Value("%result", stated),))), filled)
    if isinstance(op, DynamicOp):
        op = _resolve(op, filled)
    op = op.on_grid(Grid(filled.replicas, filled.partitions))
    broken = first_broken_constraint(op)
    if broken is not None:
        label, message = broken
        raise ConstraintError(message, op=op_class.name, label=label or None)
    found = op.infer()
    if found is None:
        return (stated,)
    return found if isinstance(found, tuple) else (found,)


def _placeholder(filled: FormValues, op: type[Op]) -> TensorType:
    """A result that the form does not describe."""
    first = filled.operands[0].type
    if op.name != "stablehlo.set_dimension_size":
        return TensorType((), first.element_type)
    cut = filled.fields["dimension"]
    sizes = [None if d == cut else size for d, size in enumerate(first.sizes)]
    bounds = [size if d == cut else None for d, size in enumerate(first.sizes)]
    return TensorType(tuple(sizes), first.element_type, tuple(bounds))


def _without_result_types(op: Op, filled: FormValues) -> Op:
    """`op` without the result types that are not stated."""
    if filled.result is not None:
        return op
    optional = {
        plan.name: plan.default
        for plan in field_plans(type(op))
        if plan.source in ("result", "results") and not plan.required
    }
    known = {found.name for found in fields(op)}  # type: ignore[arg-type]
    return replace(op, **{name: value for name, value in optional.items() if name in known})  # type: ignore[type-var]


def _resolve(op: DynamicOp, filled: FormValues) -> Op:
    """The op with its dynamic operands' numbers and, if they determine it, its result type."""
    dynamic = [operand for operand in filled.operands if operand.dynamic]
    if filled.form.op.name == "stablehlo.set_dimension_size" or not all(map(_is_whole, dynamic)):
        return op
    op = op.with_numbers({k: operand.arrays[0] for k, operand in enumerate(filled.operands)})
    if not isinstance(op, DynamicForm):
        return op
    try:
        found = op.twin.infer()
    except (ProgramError, ArithmeticError, LookupError, ValueError, TypeError, AssertionError, RuntimeError):
        # The numbers violate the op's rules: its constraints report that, for a result of the right rank.
        return replace(op, result=op.result.with_shape(filled.operands[0].type.shape))
    return replace(op, result=found) if isinstance(found, TensorType) else op


def _is_whole(operand: FilledOperand) -> bool:
    return operand.type.element_type.is_integer


# Inputs.


def _input_json(specs: Sequence[ValueSource]) -> InputSpec:
    """The input specification of an argument."""
    values: list[ValueSpec] = [input_spec_json(spec) for spec in specs]
    return values[0] if len(values) == 1 else {"kind": "each", "specs": values}


def _header(arguments: Sequence[FilledOperand]) -> str:
    """The program's line with its inputs, unless it is too long to read."""
    each = [
        str(operand.specs[0]) if len(operand.specs) == 1 else f"each {' | '.join(map(str, operand.specs))}"
        for operand in arguments
    ]
    line = f"// inputs: {'; '.join(each)}\n" if each else ""
    return line if len(line) < HEADER_CHARACTERS else ""
