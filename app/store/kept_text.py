"""Text columns that may hold every character; PostgreSQL's hold no NUL."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Dialect, Text
from sqlalchemy.types import TypeDecorator

ESCAPE, NUL, ITSELF = "\x01", "\x010", "\x011"
"""A character that texts hardly ever have, and what stands for NUL and for the character."""


class KeptText(TypeDecorator[Any]):
    """A text of a user: a program, a source file or a name."""

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
