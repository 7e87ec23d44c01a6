"""The recorder: adds instructions to a computation and checks each by the class of its op."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, cast

import numpy as np

from ..errors import ProgramError
from ..ir.attributes import Attribute, DenseAttribute
from ..ir.element_types import F32, I1, ElementType
from ..ir.locations import FileLocation, Location
from ..ir.module import Block, Function, Operation, Region, Value
from ..ir.types import TensorType, TupleType, Type
from ..ops.checking import check, first_broken_constraint
from ..ops.control_flow.functions import Return
from ..ops.core.binding import bind
from ..ops.core.rules import format_list
from ..ops.packed import bind_packed, flatten
from .builder_error import BuilderError
from .computation import Embedded, XlaComputation, identifier, position_of, region_of
from .forms import Form, form_of, listed
from .handles import Operand, XlaOp
from .properties import properties_of
from .shape_text import ShapeLike, element_type_of, spell, type_of

Computation = XlaComputation | Callable[..., Any]
"""The result of another builder's `build()`, or a function of handles, which is traced."""
_HERE = str(Path(__file__).parent)
_NOT_FRACTIONAL = ("boolean", "signed", "unsigned")
_PLACEHOLDER = TensorType((), F32)


class Recorder:
    """The instructions of the computation under construction."""

    def __init__(self, name: str = "computation") -> None:
        self.name = identifier(name)
        self._numbers = count(1)
        self._parameters: dict[int, Value] = {}
        self._operations: list[Operation] = []
        self._embedded = Embedded(self.name, self._fresh)
        self._last: XlaOp | None = None

    # Instructions

    def _emit(self, name: str, /, *operands: Operand, **fields: Any) -> XlaOp:
        """Add an instruction of the op `name`, after checking the constraints of the op.

        `fields` are regions and attributes of the op by name, and its operands, unless `operands` has them in order;
        a field that is `None` keeps its default. Entries besides: `result`, the type of the result where the op does
        not infer it; `element_type`, that of its elements; `properties` and `attributes`, added as they are.
        """
        form = form_of(name)
        handles = self._handles(form, operands or form.take_operands(fields))
        regions = self._regions(form, handles, fields)
        result, element_type = fields.pop("result", None), fields.pop("element_type", None)
        properties, attributes = fields.pop("properties", {}), fields.pop("attributes", {})
        draft = Operation(
            name,
            tuple(handle.value for handle in handles),
            (),
            {**properties, **properties_of(form.attributes, fields), **form.hlo_rules},
            attributes,
            regions,
            location=_caller(),
            opcode=form.opcode,
        )
        try:
            found = _infer(form, draft) if result is None else type_of(result)
            if element_type is not None and isinstance(found, TensorType):
                found = found.with_element_type(element_type_of(element_type))
            value = Value(self._fresh(form.opcode), found, location=draft.location)
            operation = replace(draft, results=(value,), name_span=position_of(value))
            check(bind_packed(form.op_class, operation), operation)
        except ProgramError as error:
            raise BuilderError(error.message, op=draft.opcode, label=error.label) from None
        self._operations.append(operation)
        return self._handle(value)

    def _handles(self, form: Form, operands: Sequence[Operand]) -> list[XlaOp]:
        """The operands as handles; a number takes the element type of its partner in the first operand field."""
        if all(isinstance(operand, XlaOp) for operand in operands):
            return [self._own(operand, form.opcode) for operand in operands]
        first = next((operand for operand in operands if isinstance(operand, XlaOp)), None)
        first = self._own(operands[0] if first is None else first, form.opcode)
        count = form.first_count(len(operands)) or 1
        partners = [operands[number % count] for number in range(len(operands))]
        types = [(found if isinstance(found, XlaOp) else first).element_type for found in partners]
        return [self._like(*pair, form.opcode) for pair in zip(operands, types, strict=True)]

    def _regions(self, form: Form, operands: Sequence[XlaOp], fields: dict[str, Any]) -> tuple[Region, ...]:
        """The regions in `fields`, from which they are removed; computations become regions."""
        regions: list[Region] = []
        for field in form.regions:
            value = fields.pop(field, ())
            if not isinstance(value, Region | list | tuple):
                value = self._region(value, *form.region_arguments(field, operands))
            regions += [value] if isinstance(value, Region) else value
        return tuple(regions)

    def _handle(self, value: Value) -> XlaOp:
        """A handle of `value`, which the last instruction or parameter defines."""
        self._last = XlaOp(self, value)
        return self._last

    def _own(self, operand: Any, op: str = "") -> XlaOp:
        """`operand`; `BuilderError` unless it is a handle of this builder."""
        if not isinstance(operand, XlaOp):
            raise BuilderError(f"an operand must be a handle of this builder, not {operand!r}", op=op)
        if operand.builder is not cast("Any", self):
            message = (
                f"{operand} belongs to the computation '{operand.builder.name}', not to '{self.name}': "
                "pass it as an operand"
            )
            raise BuilderError(message, op=op)
        return operand

    def _several(self, operands: XlaOp | Sequence[XlaOp], op: str) -> list[XlaOp]:
        """One or more arrays, as a list."""
        handles = listed(operands)
        if not handles:
            raise BuilderError("needs at least one operand", op=op)
        for handle in handles:
            self._own(handle, op).tensor  # noqa: B018 - raises for a tuple
        return handles

    def _fresh(self, base: str) -> str:
        return f"%{base}.{next(self._numbers)}"

    # Parameters and constants

    def parameter(self, number: int, shape: ShapeLike, name: str = "") -> XlaOp:
        """Parameter `number` of the computation, a value of `shape`.

        Parameters are numbered from 0 without gaps, and may be added in any order.
        """
        if number in self._parameters or number < 0:
            problem = "exists already" if number >= 0 else "is negative"
            raise BuilderError(f"parameter number {number} {problem}", op="parameter")
        value = Value(self._fresh(identifier(name or "parameter")), type_of(shape), location=_caller())
        self._parameters[number] = value
        return self._handle(value)

    def _literal(self, array: Any, element_type: ElementType) -> XlaOp:
        """A constant of an element type."""
        data = np.array(array).astype(element_type.dtype)
        data.setflags(write=False)
        found = TensorType(data.shape, element_type)
        return self._emit("stablehlo.constant", value=DenseAttribute(found, data), result=found)

    def _like(self, given: Operand, element_type: ElementType, op: str = "") -> XlaOp:
        """A handle unchanged; a number as a constant of an element type."""
        if isinstance(given, XlaOp):
            return self._own(given, op)
        if not isinstance(given, bool | int | float | complex | np.generic | np.ndarray):
            raise BuilderError(f"an operand must be a handle or a number, not {given!r}", op=op)
        kind = np.asarray(given).dtype.kind
        if (kind == "c" and not element_type.is_complex) or (
            kind == "f" and element_type.kind in _NOT_FRACTIONAL
        ):
            message = f"{given!r} is not a number of type {element_type}; convert the handle"
            raise BuilderError(message, op=op)
        return self._literal(given, element_type)

    # Computations

    def _embed(self, computation: Computation, types: Sequence[Type], name: str = "region") -> Function:
        """The function of `computation` in this program; tracing passes parameters of `types`."""
        if not isinstance(computation, XlaComputation):
            computation = self._trace(computation, types, name)
        return self._embedded.function(computation.functions)

    def _region(self, computation: Computation, types: Sequence[Type], name: str = "region") -> Region:
        """A region with the body of the function of `computation`."""
        return region_of(self._embed(computation, types, name))

    def _callee(self, computation: Computation, operands: Sequence[XlaOp], op: str) -> Function:
        """The function of a computation; `BuilderError` unless it takes the operands."""
        types = [self._own(operand, op).type for operand in operands]
        function = self._embed(computation, types, op)
        parameters = [argument.type for argument in function.arguments]
        if parameters != types:
            taken, given = (format_list(map(spell, found)) for found in (parameters, types))
            message = f"the computation '{function.name}' takes {taken}, but the operands are {given}"
            raise BuilderError(message, op=op)
        return function

    def _trace(self, traced: Any, types: Sequence[Type], name: str) -> XlaComputation:
        if not callable(traced):
            message = f"a computation must be the result of build(), or a function, not {traced!r}"
            raise BuilderError(message)
        own = getattr(traced, "__name__", "")
        inner = type(self)(own if own.isidentifier() else name)
        parameters = [inner.parameter(number, found) for number, found in enumerate(types)]
        return inner.build(_root(inner, traced(*parameters), types))

    def build(self, root: XlaOp | None = None) -> XlaComputation:
        """The computation whose result is `root`, by default the last instruction."""
        found = self._last if root is None else self._own(root, "build")
        if found is None:
            raise BuilderError("the computation has no instructions", op="build")
        numbers = sorted(self._parameters)
        if numbers != list(range(len(numbers))):
            raise BuilderError(f"parameters are numbered {numbers}: one is missing", op="build")
        arguments = tuple(self._parameters[number] for number in numbers)
        end = Operation(Return.name, (found.value,), (), opcode="return")
        body = Region((Block(arguments, (*self._operations, end)),))
        attributes: tuple[dict[str, Attribute], ...] = ({},) * len(arguments)
        function = Function(self.name, arguments, (found.type,), body, "private", attributes)
        return XlaComputation((*self._embedded.functions, function))


def _infer(form: Form, draft: Operation) -> Type:
    """The type of the result, from operands, properties and regions alone."""
    packs = form.op_class.hlo.packs_results
    results = (Value("%", _PLACEHOLDER if form.has_result_field or not packs else TupleType(())),)
    stated = replace(draft, results=results)
    op = bind(form.op_class, flatten(stated) if packs and not form.has_result_field else stated)
    if form.inferred:
        op = replace(op, **form.inferred)  # type: ignore[type-var]
    broken = first_broken_constraint(op)
    if broken is not None:
        raise BuilderError(broken[1], op=draft.opcode, label=broken[0] or None)
    found = op.infer()
    assert found is not None, f"{draft.name} states its type"
    if isinstance(found, Type):
        return found
    return found[0] if len(found) == 1 else TupleType(found)


def _root(inner: Recorder, returned: Any, types: Sequence[Type]) -> XlaOp:
    """The return value of a traced function as one handle."""
    if isinstance(returned, XlaOp):
        return returned
    if isinstance(returned, tuple | list):
        return inner._emit("stablehlo.tuple", *[_root(inner, item, types) for item in returned])
    if isinstance(returned, bool):
        return inner._literal(returned, I1)
    first = next((found for found in types if isinstance(found, TensorType)), None)
    if first is None:
        raise BuilderError(f"a traced computation must return handles, not {returned!r}")
    return inner._like(returned, first.element_type)


def _caller() -> Location | None:
    """The line outside the builder that adds an instruction."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back  # type: ignore[assignment]
    return FileLocation(frame.f_code.co_filename, frame.f_lineno, 1) if frame is not None else None
