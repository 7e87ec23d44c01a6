"""What the configuration of a call says: attributes, or text that is JSON, as plain values by name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ...ir.attributes import (
    ArrayAttribute,
    Attribute,
    BoolAttribute,
    DenseArrayAttribute,
    DictionaryAttribute,
    FloatAttribute,
    IntegerAttribute,
    StringAttribute,
)

Setting = bool | int | float | str | None
Settings = Mapping[str, Any]
"""Values, lists of them, and further settings, by name."""

_TYPED = re.compile(r'(\w+)\s*=\s*("(?:[^"\\]|\\.)*"|[-+.\w]+)')
"""A name and its value in settings as MLIR writes them: `lower = true, uplo = 76 : ui8`."""


def settings_of(configurations: Iterable[Attribute | None]) -> Settings:
    """All settings together; of equal names the last."""
    found: dict[str, Any] = {}
    for configuration in configurations:
        plain = _plain(configuration)
        found |= _read(plain) if isinstance(plain, str) else plain if isinstance(plain, dict) else {}
    return found | _wrapped_settings(found)


def _plain(attribute: Attribute | None) -> Any:
    match attribute:
        case DictionaryAttribute(entries):
            return {name: _plain(value) for name, value in entries.items()}
        case ArrayAttribute(elements):
            return list(map(_plain, elements))
        case DenseArrayAttribute(_, values):
            return list(values)
        case BoolAttribute() | IntegerAttribute() | FloatAttribute() | StringAttribute():
            return attribute.value
    return None


def _read(text: str) -> dict[str, Any]:
    """Settings in JSON; nothing if the text is something else."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _wrapped_settings(found: Settings) -> dict[str, Any]:
    """The settings of a foreign call, which XLA for GPUs has as text within its own settings."""
    inner = found.get("custom_call_backend_config")
    if not isinstance(inner, dict):
        return {}
    opaque, typed = inner.get("opaque"), inner.get("attributes")
    settings = _read(opaque) if isinstance(opaque, str) else {}
    if isinstance(typed, str):
        settings |= {name: _value(text) for name, text in _TYPED.findall(typed)}
    return settings


def _value(text: str) -> Setting:
    if text.startswith('"'):
        return text[1:-1]
    try:
        found = json.loads(text)
    except ValueError:
        return text
    return found if isinstance(found, bool | int | float) else text
