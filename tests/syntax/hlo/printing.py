"""Print metadata and configurations as XLA does, for texts to read."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from hloscope.engine.ir.attributes import (
    ArrayAttribute,
    Attribute,
    BoolAttribute,
    DictionaryAttribute,
    FloatAttribute,
    IntegerAttribute,
    StringAttribute,
    UnitAttribute,
)
from hloscope.engine.syntax.attributes.print_attributes import print_dictionary
from hloscope.engine.syntax.hlo.metadata import Metadata
from hloscope.engine.syntax.hlo.values.hlo_cursor import quote


def print_metadata(metadata: Metadata) -> str:
    """Print metadata as XLA does, without absent fields."""
    parts = []
    for found in fields(metadata):
        match getattr(metadata, found.name):
            case str(text) if text:
                parts.append(f"{found.name}={quote(text)}")
            case int(number) if number:
                parts.append(f"{found.name}={number}")
            case tuple(numbers) if numbers:
                parts.append(f"{found.name}={{{','.join(map(str, numbers))}}}")
    parts += [f"{name}={text}" for name, text in metadata.others.items()]
    return f"{{{' '.join(parts)}}}"


def print_config(attribute: Attribute, *, as_json: bool = False) -> str:
    """Print a string or a dictionary, in MLIR's notation or as JSON; `ValueError` for other attributes."""
    match attribute:
        case StringAttribute(value):
            return quote(value)
        case DictionaryAttribute() if as_json:
            return json.dumps(_to_json(attribute), separators=(",", ":"), ensure_ascii=False)
        case DictionaryAttribute(entries):
            return print_dictionary(entries)
    raise ValueError("a configuration is a string or a dictionary")


def _to_json(attribute: Attribute) -> Any:
    match attribute:
        case BoolAttribute() | IntegerAttribute() | FloatAttribute() | StringAttribute():
            return attribute.value
        case ArrayAttribute(elements):
            return list(map(_to_json, elements))
        case DictionaryAttribute(entries):
            return {name: _to_json(value) for name, value in entries.items()}
        case UnitAttribute():
            return None
    raise ValueError("JSON has numbers, strings, booleans, null, lists and dictionaries")
