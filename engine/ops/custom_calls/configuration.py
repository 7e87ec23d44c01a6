"""What a target reads of its call's settings, as a record: which settings there are, and which values each may have."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from ...errors import RunError
from .settings import Settings

Metadata = Mapping[str, Callable[[Any, str], Any]]
"""Of a field of a record: `read` makes its value of what is stated at a place."""
_MOST_SHOWN = 60
"""How many characters of a wrong value an error shows."""


@dataclass(frozen=True)
class Configuration:
    """Settings of a call. Subclasses are frozen dataclasses; the metadata of their fields say how each is read."""

    key: ClassVar[str] = ""
    """The setting that holds all of these, as XLA for GPUs has it; older programs have them side by side."""

    @classmethod
    def of(cls, settings: Settings, target: str) -> Self:
        """The record of a call's settings; those that it does not state have their defaults, others are passed over.

        Raises `RunError` for a value that a setting may not have: where it is, and which values are allowed.
        """
        nested = bool(cls.key) and cls.key in settings
        place = f"@{target}: "
        return cls.read(settings[cls.key], place + cls.key) if nested else cls.read(settings, place)

    @classmethod
    def read(cls, stated: Any, place: str) -> Self:
        """The record that `stated` at `place` says: settings by name. Errors are those of `of`."""
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
    """Metadata of a field that `read` makes of what is stated; which raises `ValueError` or the like for wrong ones."""

    def read_or_fail(stated: Any, place: str) -> Any:
        try:
            return read(stated)
        except (OverflowError, TypeError, ValueError):
            raise RunError(f"{place} must be {allowed}, not {_spell(stated)}") from None

    return {"read": read_or_fail}


NUMBER = _reader(_number, "a number")
FLAG = _reader(_flag, "true or false")
DIMENSIONS = _reader(_dimensions, "a list of dimensions")
"""Each is stated as a number, or as the text of one."""


def one_of(values: Mapping[str, Any]) -> Metadata:
    """Of a field that is stated by one of the words in `values`; the record has what the word stands for."""

    def read(stated: Any) -> Any:
        if str(stated) not in values:
            raise ValueError
        return values[str(stated)]

    return _reader(read, f"one of {', '.join(values)}")


def record(kind: type[Configuration]) -> Metadata:
    """Of a field that is a record of settings itself."""
    return {"read": kind.read}
