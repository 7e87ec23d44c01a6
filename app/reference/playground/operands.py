"""The operands of a form: parsed, with inferred shapes and element types, and values."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hloscope.engine.inputs import InputSpec
from hloscope.engine.ir.element_types import QuantizedType
from hloscope.engine.ir.types import TensorType
from hloscope.engine.limits import Limits
from hloscope.engine.ops.core.op import Array

from .attributes import read_integer
from .controls import MOST_ITEMS
from .derived_shapes import Unfit, derived_shape
from .forms import Form, OperandForm
from .problems import FormPlace, FormProblem, InvalidForm
from .tensors import TYPE_NAMES, FormTensor, element_type_of
from .values import arrays_of, specs_of

MOST_PROCESSES = 16
"""Maximum processes of a collective."""
MOST_VALUES = 1 << 20
"""Maximum values that a request lists for one operand; the request size has its own limit."""


@dataclass(frozen=True)
class PlaygroundLimits:
    """The limits of the playground, in addition to those of every run."""

    elements: int
    """Maximum elements of one tensor: the setting `playground_elements`."""

    @property
    def values(self) -> int:
        """Maximum elements of a tensor that are listed one by one, and sent."""
        return self.elements >> 10

    @property
    def run_elements(self) -> int:
        """Maximum elements of all tensors of an op that runs."""
        return self.elements >> 4


@dataclass(frozen=True)
class FilledOperand:
    """One operand of the operation."""

    name: str
    index: int
    """Its index in a group."""
    type: TensorType
    dynamic: bool
    alone: bool = True
    """Whether it is the only one in its group."""
    specs: list[InputSpec] = field(default_factory=list)
    arrays: list[Array] = field(default_factory=list)
    """One per process; empty for a tensor that is too large to show."""

    @property
    def value_name(self) -> str:
        """Its name in the program."""
        if self.alone:
            return f"%{self.name}"
        one = self.name.removesuffix("indices") + "index" if self.name.endswith("indices") else self.name
        return f"%{one.removesuffix('s')}{self.index}"


def groups_of(form: Form, given: Mapping[str, Any]) -> dict[str, list[FormTensor]]:
    """The tensors of each operand, several for a group; `InvalidForm` with the problems."""
    unknown = sorted({*given} - {*form.operands})
    if unknown:
        raise InvalidForm(
            [FormProblem(FormPlace(unknown[0][:80]), f"{form.op.name} has no operand of this name")]
        )
    try:
        found = {
            name: _group(name, operand, given[name]) if name in given else list(operand.at_first)
            for name, operand in form.operands.items()
        }
    except FormProblem as problem:
        raise InvalidForm([problem]) from None
    _check_counts({name: len(found[name]) for name in form.equally_many})
    return found


def _check_counts(counts: Mapping[str, int]) -> None:
    for name, count in counts.items():
        first, wanted = next(iter(counts.items()))
        if count != wanted:
            message = f"{first} has {wanted} tensors, {name} has {count}; there must be equally many"
            raise InvalidForm([FormProblem(FormPlace(name), message)])


def _group(name: str, operand: OperandForm, given: Any) -> list[FormTensor]:
    if not isinstance(given, list):
        raise FormProblem(FormPlace(name), f"{name} must be a list of tensors")
    if not given and not operand.scalars:
        raise FormProblem(FormPlace(name), f"{name} needs a tensor")
    if len(given) > (MOST_ITEMS if operand.many else 1):
        most = f"at most {MOST_ITEMS} tensors" if operand.many else "one tensor"
        raise FormProblem(FormPlace(name), f"{name} has {len(given):,} tensors; it takes {most}")
    return [_tensor(FormPlace(name, index), item) for index, item in enumerate(given)]


def _tensor(place: FormPlace, given: Any) -> FormTensor:
    if not isinstance(given, dict) or not {*given} <= {"shape", "type", "values"}:
        raise FormProblem(place, f"{place.name} must have a shape, a type and values")
    shape, type, values = given.get("shape"), given.get("type"), given.get("values", "iota")
    if type is not None and type not in TYPE_NAMES:
        raise FormProblem(FormPlace(place.name, place.index, "type"), "There is no such element type")
    if isinstance(values, list):
        here = FormPlace(place.name, place.index, "values")
        if len(values) > MOST_VALUES or not all(isinstance(value, str) for value in values):
            raise FormProblem(here, f"Values are texts, at most {MOST_VALUES:,}")
        values = tuple(values)
    elif not isinstance(values, str):
        raise FormProblem(FormPlace(place.name, place.index, "values"), "Values are generated, or a list")
    return FormTensor(sizes_of(place, shape), type, values)


def sizes_of(place: FormPlace, shape: Any) -> tuple[int, ...] | None:
    here = FormPlace(place.name, place.index, "shape")
    if shape is None:
        return None
    if not isinstance(shape, list) or len(shape) > MOST_ITEMS:
        raise FormProblem(here, "A shape is a list of sizes")
    sizes = tuple(read_integer(here, size) for size in shape)
    if any(size < 0 for size in sizes):
        raise FormProblem(here, "A size cannot be negative")
    return sizes


class Reader:
    """Give the tensors of a form their types and values, and collect problems."""

    def __init__(
        self,
        form: Form,
        groups: Mapping[str, list[FormTensor]],
        fields: Mapping[str, Any],
        allowed: PlaygroundLimits,
        limits: Limits,
    ) -> None:
        self.form, self.groups, self.fields = form, groups, fields
        self.allowed, self.limits = allowed, limits
        self.problems: list[FormProblem] = []
        self.unfit: list[FormProblem] = []
        """Shapes that cannot be inferred; the violated constraint is more precise."""
        self.notes: list[str] = []
        self._stated = {
            name: group[0].shape for name, group in groups.items() if group and group[0].shape is not None
        }

    def read_types(self) -> list[FilledOperand]:
        """The operands without values."""
        found = []
        for name, group in self.groups.items():
            for index, tensor in enumerate(group):
                try:
                    type = self._type(name, index, tensor)
                except FormProblem as problem:
                    self.problems.append(problem)
                else:
                    dynamic = self.form.operands[name].dynamic
                    found.append(FilledOperand(name, index, type, dynamic, alone=len(group) == 1))
        return found

    def _type(self, name: str, index: int, tensor: FormTensor) -> TensorType:
        element = element_type_of(self._element(name, index))
        type = TensorType(self._shape(name, index, tensor), element)
        check_size(FormPlace(name, index, "shape"), type, self.allowed, self.limits)
        return type

    def _shape(self, name: str, index: int, tensor: FormTensor) -> tuple[int, ...]:
        if tensor.shape is not None:
            return tensor.shape
        if index and name in self._stated:
            return self._stated[name]
        try:
            return derived_shape(self.form.op.name, name, self._stated, self.fields, self._partner(name))
        except Unfit:
            message = f"No other field determines the shape of {name}; enter one"
            self.unfit.append(FormProblem(FormPlace(name, index, "shape"), message))
            return ()

    def _partner(self, name: str) -> str:
        """The operand that supplies a missing type or shape."""
        return self.form.setup.goes_with.get(name, next(iter(self.form.operands)))

    def _element(self, name: str, index: int) -> str:
        """Its own element type; else that of its partner, or of the first in its group."""
        own, partner = self.groups[name], self.groups.get(self._partner(name), [])
        others = [own[index], *partner[index : index + 1], *partner[:1], *own[:1]]
        found = next((tensor.type for tensor in others if tensor.type is not None), None)
        if found is None:
            raise FormProblem(FormPlace(name, index, "type"), f"{name} needs an element type")
        return found

    def read_values(self, operands: list[FilledOperand], processes: int) -> list[FilledOperand]:
        """The same operands with their values."""
        numbers: dict[int, int] = {}
        for operand in operands:  # constants are not arguments of the program
            numbers[id(operand)] = (
                sum(number >= 0 for number in numbers.values()) if not operand.dynamic else -1
            )
        found = []
        for operand in operands:
            try:
                found.append(self._read_values(operand, processes, max(0, numbers[id(operand)])))
            except FormProblem as problem:
                self.problems.append(problem)
        return found

    def _read_values(self, operand: FilledOperand, processes: int, argument: int) -> FilledOperand:
        place = FormPlace(operand.name, operand.index, "values")
        most = self.allowed.values
        values = self._values(operand)
        specs = specs_of(values, operand.type, processes, place, most)
        shown = operand.dynamic or operand.type.element_count <= most
        arrays = arrays_of(specs, operand.type, argument, place, self.limits) if shown else []
        return replace(operand, specs=specs, arrays=arrays)

    def _values(self, operand: FilledOperand) -> str | tuple[str, ...]:
        """The stated values of an operand; zeros if they do not fit, random ones above the limit."""
        values = self.groups[operand.name][operand.index].values
        if any((operand.name, operand.index) == (at.place.name, at.place.index) for at in self.unfit):
            return "zeros"
        if values == "counting" and operand.type.element_count > self.allowed.values:
            self.notes.append(
                f"{operand.name} holds random numbers: only up to {self.allowed.values:,} elements are "
                "counted one by one."
            )
            return "random"
        return values


def check_size(place: FormPlace, type: TensorType, allowed: PlaygroundLimits, limits: Limits) -> None:
    """Raise `FormProblem` if a tensor exceeds the limit of the playground or of a program."""
    if type.rank > limits.max_rank:
        message = f"{place.name} has {type.rank} dimensions; max_rank allows {limits.max_rank}"
        raise FormProblem(place, message, "max_rank")
    if type.element_count > allowed.elements:
        message = f"{place.name} has {type.element_count:,} elements; playground_elements allows {allowed.elements:,}"
        raise FormProblem(place, message, "playground_elements")
    if type.byte_count > limits.max_tensor_bytes:
        message = f"{place.name} takes {type.byte_count:,} bytes; max_tensor_bytes allows {limits.max_tensor_bytes:,}"
        raise FormProblem(place, message, "max_tensor_bytes")
    element = type.element_type
    axis = element.quantization_dimension if isinstance(element, QuantizedType) else None
    if (
        isinstance(element, QuantizedType)
        and axis is not None
        and type.shape[axis : axis + 1] != (len(element.scales),)
    ):
        message = f"Elements quantized per axis need {len(element.scales)} of them along dimension {axis}"
        raise FormProblem(place, message)
