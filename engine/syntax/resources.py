"""Read `dense_resource<name> : tensor<…>`; its data is in `{-# dialect_resources: … #-}`.

A file that was printed without its large constants has resource names without data.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..ir.attributes import Attribute, OpaqueAttribute, ResourceAttribute
from ..ir.types import TensorType
from .dense import Literal, dense_attribute

if TYPE_CHECKING:
    from .reader import Reader

_DATA = re.compile(r'([A-Za-z_][A-Za-z0-9_$.]*+|"(?:[^"\\\n]++|\\.)++")\s*+:\s*+"0x([0-9A-Fa-f]*+)"')
_USE = re.compile(r'dense_resource\s*+<\s*+([A-Za-z_][A-Za-z0-9_$.]*+|"(?:[^"\\\n]++|\\.)++")\s*+>')
_ALIGNMENT = 8
"""Number of leading hexadecimal digits that state the alignment of the data."""


def all_resources(text: str) -> dict[str, str]:
    """Name and hexadecimal digits of each resource in a program's text."""
    start = text.rfind("{-#")
    return {} if start < 0 else {_name(match[1]): match[2] for match in _DATA.finditer(text, start)}


def _name(text: str) -> str:
    return text[1:-1] if text[0] == '"' else text


def read_resource(reader: Reader) -> Attribute:
    """Read `dense_resource<name> : tensor<…>`."""
    start = reader.position
    match = reader.match(_USE)
    if not match:
        reader.accept("dense_resource")
        reader.expect("<", " and the resource's name")
        reader.fail_expecting("the resource's name")
    reader.expect(":", " and the resource's type")
    found = reader.read_type()
    if not isinstance(found, TensorType) or not found.is_static:
        return OpaqueAttribute(reader.text[start : reader.end])
    digits = reader.resources.get(_name(match[1]))
    if digits is None:
        return ResourceAttribute(_name(match[1]), found)
    if len(digits) % 2 or len(digits) < _ALIGNMENT:
        reader.fail(
            f"the data of {match[1]} has {len(digits)} hexadecimal digits, which is not a valid blob", start
        )
    return dense_attribute(Literal(start, reader.end, raw=bytes.fromhex(digits[_ALIGNMENT:])), found)
