"""Attributes of custom calls, made from plain values."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any

from hloscope.engine.ir.attribute_values import booleans, dimension_numbers, integer, integers, table
from hloscope.engine.ir.attributes import Attribute


def attributes_of(**stated: Any) -> dict[str, Attribute]:
    """The attributes as programs have them; `None` is left out."""
    return {name: _attribute(name, value) for name, value in stated.items() if value is not None}


def _attribute(name: str, value: Any) -> Attribute:
    if isinstance(value, Attribute):
        return value
    if is_dataclass(value):
        return dimension_numbers(value)
    if isinstance(value, int):
        return integer(value)
    if name == "padding":
        return table(value, 2)
    return booleans(value) if name == "window_reversal" else integers(value)
