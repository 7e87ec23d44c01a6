"""Functions of the builder that are one op each: the op's class has their names and what they say of themselves."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from inspect import getdoc, signature
from keyword import iskeyword
from typing import Concatenate, ParamSpec

from ..ir.attributes import Attribute
from ..ops import op_table
from ..ops.core.op import Op
from .broadcasting import Broadcasting, Dimensions
from .builder_error import BuilderError
from .handles import Operand, XlaOp
from .property_attributes import result_accuracy as accuracy_attribute
from .recorder import Recorder

P = ParamSpec("P")


@dataclass(frozen=True)
class ResultAccuracy:
    """How exact a transcendental function is to be; it changes nothing here, where the best is always computed.

    `mode` is `default`, `highest` or, if a result may differ by `atol`, `rtol` or `ulps`, `tolerance`.
    """

    mode: str = "default"
    atol: float = 0.0
    rtol: float = 0.0
    ulps: int = 0

    def attribute(self) -> Attribute:
        """The property of the op."""
        if self.mode not in ("default", "highest", "tolerance"):
            message = f"result_accuracy: mode is default, highest or tolerance, not {self.mode!r}"
            raise BuilderError(message)
        return accuracy_attribute(self.mode.upper(), (self.atol, self.rtol, self.ulps))


def function_name(op_class: type[Op]) -> str:
    """XLA's name of the op in snake case; with a `_` behind it where Python has a keyword of this name."""
    words = re.findall(r"[A-Z]+[a-z0-9]*", op_class.hlo.xla_name or op_class.__name__)
    found = "_".join(words).lower()
    return f"{found}_" if iskeyword(found) else found


def method(
    form: Callable[Concatenate[str, P], XlaOp], given: str, name: str, text: str
) -> Callable[P, XlaOp]:
    """A method that calls `form` with `given`, then as it was called; `text` is its documentation."""

    def call(*args: P.args, **kwargs: P.kwargs) -> XlaOp:
        return form(given, *args, **kwargs)

    _, *parameters = signature(form).parameters.values()
    call.__name__ = call.__qualname__ = name
    call.__doc__ = text
    call.__signature__ = signature(form).replace(parameters=parameters)  # type: ignore[attr-defined]
    return call


def _of_op(form: Callable[Concatenate[str, P], XlaOp]) -> Callable[[str], Callable[P, XlaOp]]:
    """A decorator: `form`, as a function that makes the method of an op from its name."""

    def make(op: str) -> Callable[P, XlaOp]:
        op_class = op_table()[op]
        return method(form, op, function_name(op_class), getdoc(op_class) or "")

    return make


@_of_op
def unary(op: str, self: Recorder, operand: XlaOp) -> XlaOp:
    """A function of each element of one operand."""
    return self.emit(op, (operand,))


@_of_op
def transcendental(
    op: str, self: Recorder, operand: XlaOp, result_accuracy: ResultAccuracy | None = None
) -> XlaOp:
    """As `unary`; an accuracy that the op has no field for changes nothing."""
    properties = {} if result_accuracy is None else {"result_accuracy": result_accuracy.attribute()}
    known = {field.name for field in fields(op_table()[op])}  # type: ignore[arg-type]
    return self.emit(op, (operand,), {name: found for name, found in properties.items() if name in known})


@_of_op
def binary(
    op: str, self: Broadcasting, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None
) -> XlaOp:
    """A function of the elements of two operands, which are broadcast to one shape first."""
    return self.binary(op, lhs, rhs, broadcast_dimensions)
