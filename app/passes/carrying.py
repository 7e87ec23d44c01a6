"""Numbers between the process that runs stages and ours, as JSON can carry them."""

from __future__ import annotations

from typing import Any

OUT_OF_MEMORY = 71
"""The status with which a task ends that could not have the memory that it asked for."""


def number_json(value: Any) -> Any:
    """A number as JSON can carry it: floats as their hexadecimal text, complex numbers as two."""
    if isinstance(value, complex):
        return {"complex": [value.real.hex(), value.imag.hex()]}
    return {"float": value.hex()} if isinstance(value, float) else value


def number_of(found: Any) -> Any:
    """The number that `number_json` wrote."""
    if not isinstance(found, dict):
        return found
    if "complex" in found:
        return complex(*map(float.fromhex, found["complex"]))
    return float.fromhex(found["float"])
