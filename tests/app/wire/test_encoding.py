"""Wire types from the attributes of objects."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from typing_extensions import TypedDict

from hloscope.app.wire.encoding import encoded


class Shown(TypedDict):
    """A wire type."""

    kind: str
    perIndex: int
    index: list[int]
    line: int


@dataclass
class Found:
    """An object with fields of the same names."""

    index: tuple[int, ...]
    per_index: int
    kind: str


def test_fields_are_those_of_the_wire_type_in_its_order() -> None:
    encoding = encoded(Shown, Found((1, 2), 3, "sum"), line=4)
    assert list(encoding.items()) == [("kind", "sum"), ("perIndex", 3), ("index", [1, 2]), ("line", 4)]


def test_what_is_given_takes_precedence() -> None:
    assert encoded(Shown, Found((), 3, "sum"), line=4, kind="max")["kind"] == "max"


def test_a_field_without_a_value_is_an_error() -> None:
    with pytest.raises(AttributeError):
        encoded(Shown, Found((), 3, "sum"))
