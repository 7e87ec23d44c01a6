"""A completed form: fields validated, shapes and element types inferred, values made."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hloscope.engine.ir.element_types import QuantizedType
from hloscope.engine.ir.types import TensorType
from hloscope.engine.limits import Limits

from .attributes import check_value
from .derived_shapes import result_shape
from .forms import Form
from .operands import MOST_PROCESSES, FilledOperand, PlaygroundLimits, Reader, check_size, groups_of, sizes_of
from .problems import FormPlace, FormProblem, InvalidForm
from .tensors import element_type_of


@dataclass(frozen=True)
class FormValues:
    """A form that is valid on its own; the op's constraints may still be violated."""

    form: Form
    operands: list[FilledOperand]
    fields: Mapping[str, Any]
    replicas: int
    partitions: int
    result: TensorType | None
    """The result's type, if a field states it or determines it."""
    unfit: Sequence[FormProblem] = ()
    """Operands without an inferable shape; the violated constraint is more precise."""
    notes: Sequence[str] = ()
    """Deviations from the form."""

    @property
    def processes(self) -> int:
        """The number of processes of the run."""
        return self.replicas * self.partitions

    def names(self) -> tuple[list[str], list[str]]:
        """The names of the operands and of the fields."""
        return list(self.form.operands), list(self.form.controls)


def fill_form(form: Form, state: Mapping[str, Any], allowed: PlaygroundLimits, limits: Limits) -> FormValues:
    """Complete a form from `state`; `InvalidForm` with its problems."""
    problems: list[FormProblem] = []
    fields = dict(_fields(form, state.get("fields", {}), problems))
    if problems:
        raise InvalidForm(problems)
    replicas, partitions = fields.get("grid", (1, 1))
    processes = replicas * partitions
    if processes > MOST_PROCESSES:
        message = f"{processes:,} processes; the playground runs at most {MOST_PROCESSES}"
        raise InvalidForm([FormProblem(FormPlace("grid"), message)])
    groups = groups_of(form, state.get("operands", {}))
    reader = Reader(form, groups, fields, allowed, limits)
    operands = reader.read_types()
    if not reader.problems:
        operands = reader.read_values(operands, processes)
    if reader.problems:
        raise InvalidForm(reader.problems)
    result = _result(form, operands, fields, allowed, limits)
    return FormValues(form, operands, fields, replicas, partitions, result, reader.unfit, reader.notes)


def _fields(form: Form, given: Mapping[str, Any], problems: list[FormProblem]) -> Iterator[tuple[str, Any]]:
    unknown = sorted({*given} - {*form.controls})
    if unknown:
        problems.append(FormProblem(FormPlace(unknown[0][:80]), f"{form.op.name} has no field of this name"))
    for name, control in form.controls.items():
        try:
            yield name, check_value(name, control, given.get(name, form.at_first[name]))
        except FormProblem as problem:
            problems.append(problem)


def _result(
    form: Form,
    operands: Sequence[FilledOperand],
    fields: Mapping[str, Any],
    allowed: PlaygroundLimits,
    limits: Limits,
) -> TensorType | None:
    """The form's part of the result type: its element type and, for most such ops, its shape."""
    stated = fields.get("result")
    if stated is None:
        return None
    first = operands[0].type if operands else None
    place = FormPlace("result", 0, "shape")
    try:
        own = sizes_of(place, stated["shape"])
        element = first.element_type if first else None
        if stated["type"] is not None:
            element = element_type_of(stated["type"])
        if element is None:
            raise FormProblem(FormPlace("result", 0, "type"), "The result needs an element type")
        bits = element.storage.bits if isinstance(element, QuantizedType) else element.bits
        shape = result_shape(form.op.name, first, own, bits)
        found = TensorType(() if shape is None else shape, element)
        check_size(place, found, allowed, limits)
    except FormProblem as problem:
        raise InvalidForm([problem]) from None
    return found
