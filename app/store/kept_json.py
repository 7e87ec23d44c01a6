"""Columns of JSON, whose damage loses only their own field so that every session still opens, and of text."""

import json
from types import UnionType
from typing import Any

from sqlalchemy import Dialect, Text
from sqlalchemy.types import TypeDecorator

from ..wire.surrogates import all_text

ESCAPE, NUL, ITSELF = "\x01", "\x010", "\x011"
"""A rare character that introduces escapes, and the escapes of NUL and of the character itself."""


class KeptText(TypeDecorator[Any]):
    """A text of a user, with any character: a program, a source file or a name. Texts of PostgreSQL hold no NUL."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """The text to write."""
        if value is None or dialect.name != "postgresql":
            return value
        return value.replace(ESCAPE, ITSELF).replace("\0", NUL)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """The text that was written."""
        if value is None or dialect.name != "postgresql":
            return value
        return value.replace(NUL, "\0").replace(ITSELF, ESCAPE)


class Damaged:
    """Type of the placeholder for unreadable JSON."""


DAMAGED = Damaged()


class KeptJson(TypeDecorator[Any]):
    """A JSON column; reads `DAMAGED` if the JSON or its text is invalid. NULL is None."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """The JSON text to write."""
        return None if value is None else json.dumps(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """The value read, or `DAMAGED`."""
        if value is None:
            return None
        try:
            found = json.loads(value)
        except (TypeError, ValueError, RecursionError):
            return DAMAGED
        return found if all_text(found) else DAMAGED


def is_path(value: Any) -> bool:
    """Whether the value is a list of pairs of op and iteration."""
    return isinstance(value, list) and all(_is_pair(item) and _are_numbers(item) for item in value)


def are_breakpoints(value: Any) -> bool:
    """Whether the value is a list of lines, of pairs of a line and processes, and of other breakpoints."""
    return isinstance(value, list) and all(map(_is_breakpoint, value))


def are_inputs(value: Any) -> bool:
    """Whether the value is a list of input specifications."""
    return _are_dicts(value)


def is_grid(value: Any) -> bool:
    """Whether the value has numbers of replicas and partitions, or is None."""
    return value is None or (_has(value, "replicas", int) and _has(value, "partitions", int))


def are_feeds(value: Any) -> bool:
    """Whether the value is the queue items of a run, or None."""
    return value is None or (
        _has(value, "mark", str) and all(_are_dicts(value.get(name)) for name in ("given", "later"))
    )


def is_info(value: Any) -> bool:
    """Whether the value has the facts about a run that a page gets."""
    if not isinstance(value, dict) or not isinstance(value.get("results"), list):
        return False
    return _are_dicts(value.get("arguments")) and _are_dicts(value.get("diagnostics"))


def _is_breakpoint(item: Any) -> bool:
    if _is_pair(item):
        return isinstance(item[0], int) and isinstance(item[1], list) and _are_numbers(item[1])
    return isinstance(item, int) or (_has(item, "kind", str) and _has(item, "at", int | str))


def _is_pair(item: Any) -> bool:
    return isinstance(item, list) and len(item) == 2


def _are_numbers(items: list[Any]) -> bool:
    return all(isinstance(item, int) for item in items)


def _are_dicts(items: Any) -> bool:
    return isinstance(items, list) and all(isinstance(item, dict) for item in items)


def _has(item: Any, name: str, type: type | UnionType) -> bool:
    return isinstance(item, dict) and isinstance(item.get(name), type)
