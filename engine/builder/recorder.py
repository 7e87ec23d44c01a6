"""What records the instructions of one computation, and checks each by the class of its op."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..errors import ProgramError
from ..ir.attributes import Attribute, DenseAttribute
from ..ir.element_types import F32, I1, ElementType
from ..ir.locations import FileLocation, Location
from ..ir.module import Block, Function, Operation, Region, Value
from ..ir.types import TensorType, TupleType, Type
from ..ops import op_table
from ..ops.checking import check, first_broken_constraint
from ..ops.control_flow.functions import Return
from ..ops.core.binding import bind
from ..ops.core.field_plans import field_plans
from ..ops.core.op import Op
from ..ops.packed import bind_packed, flatten
from .builder_error import BuilderError
from .computation import XlaComputation
from .embedding import Embedded, identifier, place_of
from .handles import Operand, XlaOp
from .property_attributes import properties_of
from .shape_text import ShapeLike, type_of

if TYPE_CHECKING:
    from .builder import XlaBuilder

_HERE = str(Path(__file__).parent)
_WHOLE = ("boolean", "signed", "unsigned")
_PLACEHOLDER = TensorType((), F32)


class Recorder:
    """The instructions of one computation, as far as it has been built."""

    def __init__(self, name: str = "computation") -> None:
        self.name = identifier(name)
        self._numbers = count(1)
        self._parameters: dict[int, Value] = {}
        self._operations: list[Operation] = []
        self._embedded = Embedded(self.name, self._fresh)
        self._last: XlaOp | None = None

    # Instructions

    def emit(
        self,
        name: str,
        operands: Sequence[XlaOp],
        properties: Mapping[str, Attribute] | None = None,
        /,
        *,
        result: Type | None = None,
        element_type: ElementType | None = None,
        regions: Sequence[Region] = (),
        attributes: Mapping[str, Attribute] | None = None,
        opcode: str | None = None,
        **stated: Any,
    ) -> XlaOp:
        """Adds one instruction; the constraints of its op are checked.

        `properties` are attributes, `stated` values of fields of the op, which its class says how to write.

        Its type is `result` or else what the op infers, with elements of `element_type` where that is given.
        """
        op_class = op_table()[name]
        opcode = opcode or op_class.hlo.opcode or name.rpartition(".")[2]
        draft = Operation(
            name,
            tuple(self.own(operand, opcode).value for operand in operands),
            (),
            {**(properties or {}), **properties_of(name, stated)},
            dict(attributes or {}),
            tuple(regions),
            location=_caller(),
            opcode=opcode,
        )
        return self._add(op_class, draft, result, element_type)

    def _add(
        self, op_class: type[Op], draft: Operation, result: Type | None, element_type: ElementType | None
    ) -> XlaOp:
        try:
            found = result or infer_type(op_class, draft)
            if element_type is not None and isinstance(found, TensorType):
                found = found.with_element_type(element_type)
            value = Value(self._fresh(draft.opcode), found, location=draft.location)
            operation = replace(draft, results=(value,), name_span=place_of(value))
            check(bind_packed(op_class, operation), operation)
        except ProgramError as error:
            raise BuilderError(error.message, op=draft.opcode, label=error.label) from None
        self._operations.append(operation)
        return self._handle(value)

    def _handle(self, value: Value) -> XlaOp:
        """The handle of the instruction or parameter that was added last."""
        # This class is part of XlaBuilder, and only whole builders are made.
        self._last = XlaOp(cast("XlaBuilder", self), value)
        return self._last

    def own(self, operand: Any, op: str = "") -> XlaOp:
        """`operand`, which must be a handle of this builder."""
        if not isinstance(operand, XlaOp):
            raise BuilderError(f"an operand must be a handle of this builder, not {operand!r}", op=op)
        if operand.builder is not self:
            message = (
                f"{operand} belongs to the computation '{operand.builder.name}', not to '{self.name}': "
                "hand it over as an operand"
            )
            raise BuilderError(message, op=op)
        return operand

    def _fresh(self, base: str) -> str:
        return f"%{base}.{next(self._numbers)}"

    # Parameters and constants

    def parameter(self, number: int, shape: ShapeLike, name: str = "") -> XlaOp:
        """Parameter `number` of the computation: a value of `shape` that its caller hands over.

        Parameters are numbered from 0 without gaps; the order of the calls does not matter.
        """
        if number in self._parameters or number < 0:
            taken = "is there already" if number >= 0 else "is negative"
            raise BuilderError(f"parameter number {number} {taken}", op="parameter")
        value = Value(self._fresh(identifier(name or "parameter")), type_of(shape), location=_caller())
        self._parameters[number] = value
        return self._handle(value)

    def literal(self, array: Any, element_type: ElementType) -> XlaOp:
        """A constant of an element type."""
        data = np.array(array).astype(element_type.dtype)
        data.setflags(write=False)
        found = TensorType(data.shape, element_type)
        return self.emit("stablehlo.constant", (), {"value": DenseAttribute(found, data)}, result=found)

    def like(self, given: Operand, element_type: ElementType, op: str = "") -> XlaOp:
        """A handle as it is; a number as a constant of an element type."""
        if isinstance(given, XlaOp):
            return self.own(given, op)
        if not isinstance(given, bool | int | float | complex | np.generic | np.ndarray):
            raise BuilderError(f"an operand must be a handle or a number, not {given!r}", op=op)
        kind = np.asarray(given).dtype.kind
        if (kind == "c" and not element_type.is_complex) or (kind == "f" and element_type.kind in _WHOLE):
            raise BuilderError(f"{given!r} is no number of type {element_type}; convert the handle", op=op)
        return self.literal(given, element_type)

    # Computations

    def embed(
        self, computation: XlaComputation | Callable[..., Any], types: Sequence[Type], name: str = "region"
    ) -> Function:
        """The function of this program that `computation` becomes; one that is traced takes values of `types`."""
        if not isinstance(computation, XlaComputation):
            computation = self._trace(computation, types, name)
        return self._embedded.function(computation.functions)

    def region(
        self, computation: XlaComputation | Callable[..., Any], types: Sequence[Type], name: str = "region"
    ) -> Region:
        """A region that is the body of the function that `computation` becomes."""
        return region_of(self.embed(computation, types, name))

    def _trace(self, given: Callable[..., Any], types: Sequence[Type], name: str) -> XlaComputation:
        if not callable(given):
            raise BuilderError(f"a computation is what build() gives, or a function, not {given!r}")
        own = getattr(given, "__name__", "")
        inner = type(self)(own if own.isidentifier() else name)
        parameters = [inner.parameter(number, found) for number, found in enumerate(types)]
        return inner.build(_root(inner, given(*parameters), types))

    def build(self, root: XlaOp | None = None) -> XlaComputation:
        """The computation that ends with `root`, by default the last instruction that was added."""
        found = self._last if root is None else self.own(root, "build")
        if found is None:
            raise BuilderError("the computation has no instructions", op="build")
        numbers = sorted(self._parameters)
        if numbers != list(range(len(numbers))):
            raise BuilderError(f"parameters are numbered {numbers}: one is missing", op="build")
        arguments = tuple(self._parameters[number] for number in numbers)
        end = Operation(Return.name, (found.value,), (), opcode="ROOT")
        body = Region((Block(arguments, (*self._operations, end)),))
        attributes: tuple[dict[str, Attribute], ...] = ({},) * len(arguments)
        function = Function(self.name, arguments, (found.type,), body, "private", attributes)
        return XlaComputation((*self._embedded.functions, function))


def infer_type(op_class: type[Op], draft: Operation) -> Type:
    """The type of the result, from operands, properties and regions alone."""
    packs = op_class.hlo.packs_results
    states_one = any(plan.source == "result" for plan in field_plans(op_class))
    results = (Value("%", _PLACEHOLDER if states_one or not packs else TupleType(())),)
    stated = replace(draft, results=results)
    op = _without_results(bind(op_class, flatten(stated) if packs and not states_one else stated))
    broken = first_broken_constraint(op)
    if broken is not None:
        raise BuilderError(broken[1], op=draft.opcode, label=broken[0] or None)
    found = op.infer()
    assert found is not None, f"{draft.name} states its type"
    if isinstance(found, Type):
        return found
    return found[0] if len(found) == 1 else TupleType(found)


def _without_results(op: Op) -> Op:
    """`op` without the result types that its text need not state."""
    optional = {
        plan.name: plan.default
        for plan in field_plans(type(op))
        if plan.source in ("result", "results") and not plan.required
    }
    known = {field.name for field in fields(op)}  # type: ignore[arg-type]
    return replace(op, **{name: value for name, value in optional.items() if name in known})  # type: ignore[type-var]


def region_of(function: Function) -> Region:
    """A region that is a function's body."""
    assert function.body is not None
    return Region(function.body.blocks, function=function.name)


def _root(inner: Recorder, given: Any, types: Sequence[Type]) -> XlaOp:
    """What a traced function has returned, as one handle."""
    if isinstance(given, XlaOp):
        return given
    if isinstance(given, tuple | list):
        return inner.emit("stablehlo.tuple", [_root(inner, item, types) for item in given])
    if isinstance(given, bool):
        return inner.literal(given, I1)
    first = next((found for found in types if isinstance(found, TensorType)), None)
    if first is None:
        raise BuilderError(f"a traced computation returns handles, not {given!r}")
    return inner.like(given, first.element_type)


def _caller() -> Location | None:
    """Where the code outside of the builder is that adds an instruction."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back  # type: ignore[assignment]
    return FileLocation(frame.f_code.co_filename, frame.f_lineno, 1) if frame is not None else None
