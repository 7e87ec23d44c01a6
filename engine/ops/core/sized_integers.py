"""Integers of attributes whose width is part of what an op asks for."""

from __future__ import annotations

from ...ir.attributes import Attribute, IntegerAttribute


class Int32(int):
    """An integer that the text states as `1 : i32`."""

    @classmethod
    def from_attribute(cls, attribute: Attribute) -> Int32:
        """What the text states; `ValueError` says what it should."""
        if not isinstance(attribute, IntegerAttribute) or str(attribute.type) != "i32":
            raise ValueError("expected an integer of type i32")
        return cls(attribute.value)
