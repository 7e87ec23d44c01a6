"""`backend_config` and `frontend_attributes`: compiler settings as attributes.

A configuration is a string, JSON, or a dictionary in MLIR's notation:

    "text"        {"known_trip_count":{"n":"10"}}        {uplo = 76 : ui8}
"""

import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from ....errors import ParseError, ProgramError
from ....ir.attribute_values import integer, real
from ....ir.attributes import (
    ArrayAttribute,
    Attribute,
    BoolAttribute,
    DictionaryAttribute,
    IntegerAttribute,
    StringAttribute,
    UnitAttribute,
)
from ....ir.element_types import ELEMENT_TYPES, F64
from ....ir.types import ScalarType
from ....limits import DEFAULT_LIMITS, Limits
from ....source import Source, Span
from ...attributes.text_reader import TextReader, run_reader
from ..values.hlo_cursor import HloCursor, quote

_JSON = re.compile(r'\{\s*+(?:\}|"(?:[^"\\]++|\\.)*+"\s*+:)', re.DOTALL)
_NESTING = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[{]|[\]}]', re.DOTALL)
"""Brackets, and whole strings (closed or not), which may contain brackets."""
_KEY = re.compile(r"([A-Za-z_][A-Za-z0-9_.-]*+)\s*+=")
_NOT_BARE = re.compile(r"['\n]|//|/\*")


def read_config(text: str, limits: Limits = DEFAULT_LIMITS) -> Attribute | None:
    """Parse a string or a dictionary; `None` if it is neither."""
    try:
        return parse_config(text, limits)
    except ValueError:
        return None


def parse_config(text: str, limits: Limits = DEFAULT_LIMITS) -> Attribute:
    """Parse a string or a dictionary; `ValueError` states why it is neither."""
    text = text.strip()
    try:
        if text.startswith(("'", '"')):
            return StringAttribute(_read_string(text, limits))
        if not text.startswith("{"):
            raise ValueError("a configuration is a string or a dictionary")
        return _of_json(text, limits) if _JSON.match(text) else run_reader(text, limits, TextReader.attribute)
    except ProgramError as error:
        raise ValueError(error.message) from None


def _read_string(text: str, limits: Limits) -> str:
    cursor = HloCursor(Source(text), limits)
    found = cursor.string()
    return found if cursor.at_end else cursor.fail_expecting("the end of the configuration")


# Dictionaries of MLIR


# JSON


def _of_json(text: str, limits: Limits) -> Attribute:
    depth = 0
    for match in _NESTING.finditer(text):
        depth += (match[0] in "[{") - (match[0] in "]}")
        if depth > limits.max_nesting:
            raise ValueError(f"nested more than {limits.max_nesting} levels deep")
    try:
        found = json.loads(text, strict=False)
    except ValueError as error:
        raise ValueError(f"this is not JSON: {error}") from None
    return _attribute(found)


def _attribute(value: Any) -> Attribute:
    match value:
        case bool():
            return BoolAttribute(value)
        case int() if -(1 << 63) <= value < 1 << 63:
            return integer(value)
        case int() if 0 <= value < 1 << 64:
            return IntegerAttribute(value, ScalarType(ELEMENT_TYPES["ui64"]))
        case int():
            raise ValueError("a number does not fit in 64 bits")
        case float():
            return real(value, F64)
        case str():
            return StringAttribute(value)
        case list():
            return ArrayAttribute(tuple(map(_attribute, value)))
        case dict():
            return DictionaryAttribute({name: _attribute(found) for name, found in value.items()})
    return UnitAttribute()  # null


# frontend_attributes


def read_frontend_attributes(text: str) -> dict[str, str]:
    """Parse `{a="b",c={x = 1 : i32}}`, with dictionaries as text; empty if it is invalid."""
    try:
        return frontend_attributes(HloCursor(Source(text), DEFAULT_LIMITS))
    except ProgramError:
        return {}


def frontend_attributes(cursor: HloCursor) -> dict[str, str]:
    """Read `{a="b",c={x = 1 : i32}}`, with dictionaries as text."""
    found: dict[str, str] = {}
    for _ in cursor.each("{", ', as in {a="b"}'):
        match = _KEY.match(cursor.text, cursor.position) or _no_key(cursor)
        cursor.move(match.end())
        if match[1] in found:
            raise ParseError(f"'{match[1]}' is given twice", Span(match.start(1), match.end(1)))
        found[match[1]] = (
            cursor.read_balanced("{") if cursor.peek("{") else cursor.string("a string, or a dictionary")
        )
    return found


def _no_key(cursor: HloCursor) -> NoReturn:
    cursor.fail_expecting('a name and its text, such as a="b"')


def print_frontend_attributes(attributes: Mapping[str, str]) -> str:
    """Print attributes as XLA does: dictionaries without quotes."""
    parts = [f"{name}={text if _is_dictionary(text) else quote(text)}" for name, text in attributes.items()]
    return f"{{{','.join(parts)}}}"


def _is_dictionary(text: str) -> bool:
    """Whether the text is one bracketed group."""
    if not text.startswith("{") or _NOT_BARE.search(text):
        return False
    try:
        return HloCursor(Source(text), DEFAULT_LIMITS).read_balanced("{") == text
    except ProgramError:
        return False
