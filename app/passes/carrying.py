"""JSON encoding of numbers, between our process and the one that runs stages."""

from __future__ import annotations

from typing import Any

OUT_OF_MEMORY = 71
"""Exit status of a task that ran out of memory."""


def number_json(value: Any) -> Any:
    """A number as JSON: floats as their hexadecimal text, complex numbers as two."""
    if isinstance(value, complex):
        return {"complex": [value.real.hex(), value.imag.hex()]}
    return {"float": value.hex()} if isinstance(value, float) else value


def number_of(found: Any) -> Any:
    """Decode a number that `number_json` encoded."""
    if not isinstance(found, dict):
        return found
    if "complex" in found:
        return complex(*map(float.fromhex, found["complex"]))
    return float.fromhex(found["float"])
