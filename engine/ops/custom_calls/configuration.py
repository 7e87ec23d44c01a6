"""Settings of a call as records: the names of settings, and the values that each may have."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from ...errors import RunError
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
"""A name and its value in MLIR's settings: `lower = true, uplo = 76 : ui8`."""
Metadata = Mapping[str, Callable[[Any, str], Any]]
"""Metadata of a record's field: `read` converts the value stated at a path of settings."""
_MOST_SHOWN = 60
"""Maximum characters of a wrong value in an error message."""


@dataclass(frozen=True)
class Configuration:
    """Settings of a call. Subclasses are frozen dataclasses whose field metadata have the readers."""

    key: ClassVar[str] = ""
    """The setting that contains all of these in XLA for GPUs; older programs have them at the top level."""

    @classmethod
    def of(cls, settings: Settings, target: str) -> Self:
        """The record of a call's settings. Missing settings have their defaults; unknown settings are skipped.

        Raises `RunError` for an invalid value, with its path and the allowed values.
        """
        nested = bool(cls.key) and cls.key in settings
        place = f"@{target}: "
        return cls.read(settings[cls.key], place + cls.key) if nested else cls.read(settings, place)

    @classmethod
    def read(cls, stated: Any, place: str) -> Self:
        """The record in `stated`, settings by name, at the path `place`. It raises the errors of `of`."""
        if not isinstance(stated, Mapping):
            raise RunError(f"{place} must be settings by name, not {_spell(stated)}")
        prefix = place if place.endswith(" ") else f"{place}."
        return cls(
            **{
                each.name: each.metadata["read"](stated[each.name], prefix + each.name)
                for each in fields(cls)
                if stated.get(each.name) is not None
            }
        )


def _spell(stated: Any) -> str:
    try:
        text = json.dumps(stated)
    except RecursionError:
        return "settings that are nested too deeply"
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def _number(stated: Any) -> float:
    if isinstance(stated, bool) or not isinstance(stated, int | float):
        raise TypeError
    return float(stated)


def _flag(stated: Any) -> bool:
    if not isinstance(stated, bool):
        raise TypeError
    return stated


def _dimensions(stated: Any) -> tuple[int, ...]:
    if not isinstance(stated, list):
        raise TypeError
    return tuple(int(item) for item in stated)


def _reader(read: Callable[[Any], Any], allowed: str) -> Metadata:
    """Metadata of a field that `read` converts; `read` raises `ValueError`, `TypeError` or `OverflowError` if it cannot."""

    def read_or_fail(stated: Any, place: str) -> Any:
        try:
            return read(stated)
        except (OverflowError, TypeError, ValueError):
            raise RunError(f"{place} must be {allowed}, not {_spell(stated)}") from None

    return {"read": read_or_fail}


NUMBER = _reader(_number, "a number")
FLAG = _reader(_flag, "true or false")
DIMENSIONS = _reader(_dimensions, "a list of dimensions")
"""A list of dimensions, each a number or the text of one."""


def one_of(values: Mapping[str, Any]) -> Metadata:
    """Metadata of a field that is stated by one of the words in `values`; the record has the word's value."""

    def read(stated: Any) -> Any:
        if str(stated) not in values:
            raise ValueError
        return values[str(stated)]

    return _reader(read, f"one of {', '.join(values)}")


def record(kind: type[Configuration]) -> Metadata:
    """Metadata of a field that is a nested record."""
    return {"read": kind.read}


def settings_of(configurations: Iterable[Attribute | None]) -> Settings:
    """All settings; the last of equal names wins."""
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
    """Settings in JSON; empty if the text is not JSON."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _wrapped_settings(found: Settings) -> dict[str, Any]:
    """The settings of a foreign call, which XLA for GPUs stores as text inside its own settings."""
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
