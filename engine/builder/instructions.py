"""Methods of the builder that follow from an op class: its name, its fields and its documentation."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from inspect import Parameter, Signature, getdoc, signature
from keyword import iskeyword
from typing import Any, Concatenate, ParamSpec, get_args, get_origin

from ..ir.attribute_values import enum, integer, real, struct
from ..ir.attributes import Attribute
from ..ir.element_types import F64
from ..ops import op_table
from ..ops.core.field_plans import FieldPlan, field_plans, without_none
from ..ops.core.op import Op
from .broadcasting import Broadcasting, Dimensions
from .builder_error import BuilderError
from .forms import form_of
from .handles import Operand, XlaOp
from .recorder import Recorder

P = ParamSpec("P")
Fields = Mapping[str, Any]
"""Values of the fields of an op, operands among them, by name."""

_SHOWN = {
    "operand": "XlaOp",
    "operands": "XlaOp | Sequence[XlaOp]",
    "region": "Computation",
    "result": "ShapeLike",
    "element_type": "ElementTypeLike | None",
    "ReplicaGroups": "Sequence[Sequence[int]]",
    "IdTable": "Sequence[Sequence[int]]",
    "ChannelHandle": "int | None",
    "Int32": "int",
}
"""Annotations of arguments, by what fills their field or by the class of the attribute."""


def instruction(
    op: str, arguments: str = "", prepare: Callable[[Any, Fields], Fields] | None = None, **fixed: Any
) -> Callable[..., XlaOp]:
    """The method of an op: each argument fills the field that has its name.

    `arguments` lists them in Python's syntax if they differ from the fields; where another field is meant, it stands
    in the place of the annotation: `operands: inputs`. The type of the result is the field `result`, its element type
    `element_type`. `prepare` returns fields that depend on arguments, `fixed` are fields without an argument.
    """
    op_class = op_table()[op]
    listed = arguments or ", ".join(_field_arguments(op_class))
    parsed = ast.parse(f"def method(self, {listed}): ...").body[0].args  # type: ignore[attr-defined]
    fields = {one.arg: one.annotation.id if one.annotation else one.arg for one in parsed.args}
    shape = _signature(op_class, fields, [ast.literal_eval(default) for default in parsed.defaults])

    def call(self: Recorder, *args: Any, **kwargs: Any) -> XlaOp:
        try:
            bound = shape.bind(self, *args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{call.__name__}(): {error}") from None
        bound.apply_defaults()
        stated = {**fixed, **{fields[name]: value for name, value in bound.arguments.items()}}
        if prepare is not None:
            stated |= prepare(self, stated)
        name = stated.pop("op", op)
        return self._emit(name, **form_of(name).stated(stated))

    call.__name__, call.__doc__ = function_name(op_class), getdoc(op_class)
    call.__signature__ = shape  # type: ignore[attr-defined]
    return call


def _field_arguments(op_class: type[Op]) -> list[str]:
    """The fields of an op that are arguments by default, in Python's syntax."""
    plans = [plan for plan in field_plans(op_class) if plan.source not in ("result", "results", "place")]
    return [plan.name if plan.required else f"{plan.name}={plan.default!r}" for plan in plans]


def _signature(op_class: type[Op], fields: Mapping[str, str], defaults: list[Any]) -> Signature:
    """The signature of a method, whose annotations follow from the fields of its arguments."""
    plans = {plan.attribute or plan.name: plan for plan in field_plans(op_class)}
    values = [Parameter.empty] * (len(fields) - len(defaults)) + defaults
    parameters = [
        Parameter(
            name,
            Parameter.POSITIONAL_OR_KEYWORD,
            default=default,
            annotation=_annotation(plans[field]) if field in plans else _SHOWN.get(field, Parameter.empty),
        )
        for (name, field), default in zip(fields.items(), values, strict=True)
    ]
    return Signature(parameters, return_annotation="XlaOp")


def _annotation(plan: FieldPlan) -> str:
    return _type_text(plan.annotation) if plan.source == "attribute" else _SHOWN[plan.source]


def _type_text(annotation: Any) -> str:
    wanted = without_none(annotation)
    if get_origin(wanted) is tuple:
        return f"Sequence[{_type_text(get_args(wanted)[0])}]"
    return "str" if issubclass(wanted, StrEnum) else _SHOWN.get(wanted.__name__, wanted.__name__)


@dataclass(frozen=True)
class ResultAccuracy:
    """The accuracy of a transcendental function; results here are always as accurate as possible.

    `mode` is `default`, `highest` or, if a result may differ by `atol`, `rtol` or `ulps`, `tolerance`.
    """

    mode: str = "default"
    atol: float = 0.0
    rtol: float = 0.0
    ulps: int = 0

    def attribute(self) -> Attribute:
        """The property of the op."""
        if self.mode not in ("default", "highest", "tolerance"):
            raise BuilderError(
                f"result_accuracy: mode must be default, highest or tolerance, not {self.mode!r}"
            )
        parameters: dict[str, Attribute] = {
            "atol": real(self.atol, F64),
            "rtol": real(self.rtol, F64),
            "ulps": integer(self.ulps),
            "mode": enum("result_accuracy_mode", self.mode.upper()),
        }
        return struct("result_accuracy", parameters)


def function_name(op_class: type[Op]) -> str:
    """XLA's name of the op in snake case, with a trailing `_` if it is a keyword of Python."""
    words = re.findall(r"[A-Z]+[a-z0-9]*", op_class.hlo.xla_name or op_class.__name__)
    found = "_".join(words).lower()
    return f"{found}_" if iskeyword(found) else found


def row(
    describe: Callable[[str], tuple[str, str]],
) -> Callable[[Callable[Concatenate[str, P], XlaOp]], Callable[[str], Callable[P, XlaOp]]]:
    """A decorator that makes a factory of methods: the method of a key calls the function with the key first.

    `describe` gives the name and the documentation of the method of a key.
    """

    def make_factory(form: Callable[Concatenate[str, P], XlaOp]) -> Callable[[str], Callable[P, XlaOp]]:
        _, *parameters = signature(form).parameters.values()

        def make_method(key: str) -> Callable[P, XlaOp]:
            def call(*args: P.args, **kwargs: P.kwargs) -> XlaOp:
                return form(key, *args, **kwargs)

            call.__name__, call.__doc__ = describe(key)
            call.__signature__ = signature(form).replace(parameters=parameters)  # type: ignore[attr-defined]
            return call

        return make_method

    return make_factory


def _of_op(op: str) -> tuple[str, str]:
    op_class = op_table()[op]
    return function_name(op_class), getdoc(op_class) or ""


@row(_of_op)
def unary(op: str, self: Recorder, operand: XlaOp) -> XlaOp:
    """An op of one operand."""
    return self._emit(op, operand)


@row(_of_op)
def transcendental(
    op: str, self: Recorder, operand: XlaOp, result_accuracy: ResultAccuracy | None = None
) -> XlaOp:
    """As `unary`, with an accuracy; the ops of CHLO have no field for it."""
    accuracy = None if result_accuracy is None else result_accuracy.attribute()
    return self._emit(op, operand, **({} if op.startswith("chlo.") else {"result_accuracy": accuracy}))


@row(_of_op)
def binary(
    op: str, self: Broadcasting, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None
) -> XlaOp:
    """An elementwise op of two operands, which are broadcast to a common shape first."""
    return self._binary(op, lhs, rhs, broadcast_dimensions)
