"""Validate a field's value, and convert it to an attribute of the operation."""

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

from hloscope.engine.ir.attribute_values import booleans, enum, enums, integer, integers, real, struct, table
from hloscope.engine.ir.attributes import Attribute, BoolAttribute, StringAttribute, StructAttribute
from hloscope.engine.ir.element_types import I32

from .controls import LARGEST, LONGEST_TEXT, MOST_ITEMS, Control, enum_kind
from .forms import Form
from .problems import FormPlace, FormProblem
from .tensors import TYPE_NAMES

_MNEMONICS = {
    "stablehlo.gather": "gather",
    "stablehlo.dynamic_gather": "gather",
    "stablehlo.scatter": "scatter",
    "stablehlo.dot_general": "dot",
    "stablehlo.convolution": "conv",
    "stablehlo.dynamic_conv": "conv",
}


def check_value(name: str, control: Control, value: Any) -> Any:
    """Validate a value for its control; `FormProblem` describes the expected value."""
    return _CHECKS[control.kind](FormPlace(name), control, value)


def _form_problem(place: FormPlace, wanted: str) -> FormProblem:
    return FormProblem(place, f"{place.name} must be {wanted}")


def _flag(place: FormPlace, control: Control, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _form_problem(place, "true or false")
    return value


def read_integer(place: FormPlace, value: Any) -> int:
    """A whole number that the browser represents exactly."""
    if type(value) is not int:
        raise _form_problem(place, "a whole number")
    if abs(value) > LARGEST:
        raise _form_problem(place, f"a whole number of at most {LARGEST:,}")
    return value


def _integer(place: FormPlace, control: Control, value: Any) -> int:
    return read_integer(place, value)


def _number(place: FormPlace, control: Control, value: Any) -> float:
    if type(value) not in (int, float) or not isfinite(value) or abs(value) > 1e30:
        raise _form_problem(place, "a number")
    return float(value)


def _list(place: FormPlace, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise _form_problem(place, "a list")
    if len(value) > MOST_ITEMS:
        raise FormProblem(
            place, f"{place.name} has {len(value):,} entries; a list of a form has at most {MOST_ITEMS}"
        )
    return value


def _integers(place: FormPlace, control: Control, value: Any) -> list[int]:
    return [read_integer(place, item) for item in _list(place, value)]


def _rows(place: FormPlace, control: Control, value: Any) -> list[list[int]]:
    rows = [_integers(place, control, row) for row in _list(place, value)]
    if control.kind != "groups" and any(len(row) != 2 for row in rows):
        raise _form_problem(place, "a list of pairs")
    return rows


def _choice(place: FormPlace, control: Control, value: Any) -> str:
    if value not in control.choices:
        raise _form_problem(place, f"one of {', '.join(choice or 'none' for choice in control.choices)}")
    return str(value)


def _text(place: FormPlace, control: Control, value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise _form_problem(place, f"a text of at most {LONGEST_TEXT} characters")
    return value


def _tensor(place: FormPlace, control: Control, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or {*value} != {"shape", "type"}:
        raise _form_problem(place, "a shape and an element type")
    if value["type"] is not None and value["type"] not in TYPE_NAMES:
        raise FormProblem(FormPlace(place.name, 0, "type"), "There is no such element type")
    return value


def _grid(place: FormPlace, control: Control, value: Any) -> list[int]:
    sizes = _integers(place, control, value)
    if len(sizes) != 2 or min(sizes) < 1:
        raise _form_problem(place, "a number of replicas and one of partitions, each at least 1")
    return sizes


_CHECKS: Mapping[str, Callable[[FormPlace, Control, Any], Any]] = {
    "flag": _flag,
    "integer": _integer,
    "number": _number,
    "dimension": _integer,
    "dimensions": _integers,
    "sizes": _integers,
    "flags": lambda place, control, value: [_flag(place, control, item) for item in _list(place, value)],
    "pairs": _rows,
    "choice": _choice,
    "pick": lambda place, control, value: [_choice(place, control, item) for item in _list(place, value)],
    "groups": _rows,
    "routes": _rows,
    "text": _text,
    "body": _choice,
    "tensor": _tensor,
    "grid": _grid,
}


# As attributes.


def properties_of(form: Form, fields: Mapping[str, Any]) -> dict[str, Attribute]:
    """The operation's properties."""
    found: dict[str, Attribute] = {}
    structs: dict[str, dict[str, Attribute]] = {}
    for name, value in fields.items():
        control = form.controls[name]
        attribute = _attribute(name, control, value)
        if attribute is None:
            continue
        if control.struct:
            structs.setdefault(control.struct, {})[name] = attribute
        else:
            found[control.attribute or name] = attribute
    mnemonic = _MNEMONICS.get(form.op.name, "")
    return found | {
        name: StructAttribute("stablehlo", mnemonic, parameters) for name, parameters in structs.items()
    }


def _attribute(name: str, control: Control, value: Any) -> Attribute | None:
    match control.kind:
        case "flag":
            return BoolAttribute(value)
        case "integer" | "dimension":
            return _channel(value) if name == "channel_id" else integer(value, *_width(name))
        case "number":
            return real(value)
        case "dimensions" | "sizes":
            return integers(value)
        case "flags":
            return booleans(value)
        case "pairs" | "routes":
            return table(value, 2)
        case "groups":
            return table(value)
        case "choice":
            return enum(enum_kind(name), value) if value else None
        case "pick":
            return enums(enum_kind(name), value)
        case "text":
            return StringAttribute(value)
    return None  # a region, the result's type or the grid: not attributes


def _width(name: str) -> tuple[Any, ...]:
    return (I32,) if name in ("exponent_bits", "mantissa_bits") else ()


def _channel(channel: int) -> Attribute | None:
    if not channel:
        return None
    parameters: dict[str, Attribute] = {"handle": integer(channel), "type": integer(0)}
    return struct("channel_handle", parameters)
