"""Accuracy of ops: `operand_precision`, `algorithm` and `result_accuracy`."""

import math
import re
from collections.abc import Callable, Mapping
from typing import TypeVar

from ....ir.attribute_values import integer, real
from ....ir.attributes import (
    ArrayAttribute,
    Attribute,
    BoolAttribute,
    EnumAttribute,
    FloatAttribute,
    IntegerAttribute,
    StructAttribute,
    TypeAttribute,
)
from ....ir.dot_algorithms import ALGORITHMS, ANY_F8, Algorithm
from ....ir.element_types import ELEMENT_TYPES, F64
from ....ir.types import ScalarType
from ...text.suggestions import nearest
from ..values.hlo_cursor import HloCursor

Found = TypeVar("Found")

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+")
_REAL = re.compile(r"(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?+|inf")


def _word(cursor: HloCursor, what: str, known: Mapping[str, Found]) -> Found:
    """Read one of the known words, case-insensitively."""
    start = cursor.position
    match = cursor.match(_WORD) or cursor.fail_expecting(f"{what}: {', '.join(known)}")
    word = match[0].lower()
    if word not in known:
        hint = nearest(word, known) or f"valid words are {', '.join(known)}"
        cursor.fail(f"{match[0][:60]} is not a valid {what}", start, hint)
    return known[word]


def _word_of(value: object, known: Mapping[str, object], what: str) -> str:
    for word, found in known.items():
        if found == value:
            return word
    raise ValueError(f"HLO text has no word for this {what}")


# operand_precision

_PRECISIONS = {
    word: EnumAttribute("stablehlo", "precision", word.upper()) for word in ("default", "high", "highest")
}


def read_precision(cursor: HloCursor) -> ArrayAttribute:
    """Read `{default,highest}`."""
    return ArrayAttribute(tuple(cursor.list_of("{", lambda: _word(cursor, "precision", _PRECISIONS))))


def print_precision(attribute: Attribute) -> str:
    """`{default,highest}` for a precision_config; `ValueError` for any other attribute."""
    if not isinstance(attribute, ArrayAttribute):
        raise ValueError("expected [#stablehlo<precision DEFAULT>, …]")
    words = [_word_of(element, _PRECISIONS, "precision") for element in attribute.elements]
    return f"{{{','.join(words)}}}"


def is_default_precision(attribute: Attribute) -> bool:
    """Whether XLA omits it."""
    default = _PRECISIONS["default"]
    return isinstance(attribute, ArrayAttribute) and all(element == default for element in attribute.elements)


# algorithm


_ALGORITHMS: dict[str, Algorithm | None] = {"unset": None, **ALGORITHMS}
_F8 = "f8E5M2"
"""The type that XLA writes in StableHLO for any 8-bit type."""


def read_algorithm(cursor: HloCursor) -> StructAttribute | None:
    """Read `dot_bf16_bf16_f32_x3` as `#stablehlo.dot_algorithm<…>`; `None` for `unset`."""
    found = _word(cursor, "algorithm", _ALGORITHMS)
    return None if found is None else _struct(found)


def _struct(algorithm: Algorithm) -> StructAttribute:
    operands = _F8 if algorithm.operands == ANY_F8 else algorithm.operands
    parameters = {
        "lhs_precision_type": _type(operands),
        "rhs_precision_type": _type(operands),
        "accumulation_type": _type(algorithm.accumulation),
        "lhs_component_count": integer(1),
        "rhs_component_count": integer(1),
        "num_primitive_operations": integer(algorithm.primitive_operations),
        "allow_imprecise_accumulation": BoolAttribute(algorithm.imprecise),
    }
    return StructAttribute("stablehlo", "dot_algorithm", parameters)


def _type(name: str) -> TypeAttribute:
    return TypeAttribute(ScalarType(ELEMENT_TYPES[name]))


def print_algorithm(attribute: Attribute) -> str:
    """The algorithm's name; `ValueError` if XLA has none for it."""
    if not isinstance(attribute, StructAttribute) or attribute.name != "dot_algorithm":
        raise ValueError("expected #stablehlo.dot_algorithm<…>")
    sides = [attribute.parameters.get(f"{side}_precision_type") for side in ("lhs", "rhs")]
    parameters = dict(attribute.parameters)
    if all(isinstance(side, TypeAttribute) and str(side.type).startswith("f8") for side in sides):
        parameters |= {"lhs_precision_type": _type(_F8), "rhs_precision_type": _type(_F8)}
    wanted = StructAttribute("stablehlo", "dot_algorithm", parameters)
    structs = {word: found and _struct(found) for word, found in _ALGORITHMS.items()}
    return _word_of(wanted, structs, "algorithm")


# result_accuracy

_MODES = {
    mode: EnumAttribute("stablehlo", "result_accuracy_mode", mode.upper()) for mode in ("default", "highest")
}
_TOLERANCE = EnumAttribute("stablehlo", "result_accuracy_mode", "TOLERANCE")


def read_result_accuracy(cursor: HloCursor) -> StructAttribute:
    """Read `{mode=highest}` or `{tolerance={atol=0,rtol=0.1,ulps=2}}`."""
    cursor.enter("{", ", as in {mode=highest}")
    if cursor.accept_word("mode"):
        cursor.expect("=", " after 'mode'")
        parameters: dict[str, Attribute] = {"mode": _word(cursor, "mode", _MODES)}
    else:
        cursor.expect_word("tolerance", " or 'mode'")
        cursor.expect("=", " after 'tolerance'")
        parameters = _read_tolerance(cursor)
    cursor.leave()
    return StructAttribute("stablehlo", "result_accuracy", parameters)


def _read_tolerance(cursor: HloCursor) -> dict[str, Attribute]:
    parameters = {"atol": real(0.0, F64), "rtol": real(0.0, F64), "ulps": integer(0), "mode": _TOLERANCE}
    readers: dict[str, Callable[[HloCursor], Attribute]] = {"atol": _real, "rtol": _real, "ulps": _ulps}
    for _ in cursor.each("{", ", as in {atol=0,rtol=0.1,ulps=2}"):
        start = cursor.position
        key = cursor.word("atol, rtol or ulps")
        if key not in readers:
            twice = key in parameters and key != "mode"
            cursor.fail(
                f"'{key}' is given twice" if twice else f"{key} is none of atol, rtol and ulps", start
            )
        cursor.expect("=", f" after '{key}'")
        parameters[key] = readers.pop(key)(cursor)
    return parameters


def _real(cursor: HloCursor) -> FloatAttribute:
    match = cursor.match(_REAL) or cursor.fail_expecting("a number that is not negative")
    return real(float(match[0]), F64)


def _ulps(cursor: HloCursor) -> IntegerAttribute:
    start = cursor.position
    found = cursor.integer("a whole number")
    if not 0 <= found < 1 << 63:
        cursor.fail("ulps is a nonnegative number within 64 bits", start)
    return integer(found)


def print_result_accuracy(attribute: Attribute) -> str:
    """`{mode=highest}` or `{tolerance={…}}`; `ValueError` for any other attribute."""
    if not isinstance(attribute, StructAttribute) or attribute.name != "result_accuracy":
        raise ValueError("expected #stablehlo.result_accuracy<…>")
    parameters = attribute.parameters
    mode = parameters.get("mode", _MODES["default"])
    if mode != _TOLERANCE:
        return f"{{mode={_word_of(mode, _MODES, 'mode')}}}"
    values = ",".join(f"{key}={_number(parameters.get(key))}" for key in ("atol", "rtol", "ulps"))
    return f"{{tolerance={{{values}}}}}"


def _number(attribute: Attribute | None) -> str:
    match attribute:
        case IntegerAttribute(value):
            return str(value)
        case FloatAttribute(_, _, value):
            return f"{value:g}" if math.isinf(value) or float(f"{value:g}") == value else repr(value)
    return "0"


def is_default_accuracy(attribute: Attribute) -> bool:
    """Whether XLA omits it."""
    mode = attribute.parameters.get("mode") if isinstance(attribute, StructAttribute) else None
    return mode in (None, _MODES["default"])
