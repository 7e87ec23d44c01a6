"""Operations that break a rule of constant or iota."""

from __future__ import annotations

from collections.abc import Iterator

from hloscope.engine.ir.attributes import StringAttribute

from ..building import operation
from .stating import Broken, constant, number


def broken() -> Iterator[tuple[str, Broken]]:
    yield "constant", ("I1", operation("constant", [], ["2xi32"], value=StringAttribute("2")))
    yield "constant", ("C1", operation("constant", [], ["2xi32"], value=constant([1, 2], "2xi64")))
    yield "constant", ("C1", operation("constant", [], ["3xi32"], value=constant([1, 2], "2xi32")))
    yield "iota", ("I1", operation("iota", [], ["2xi32"], iota_dimension=StringAttribute("0")))
    yield "iota", ("C1", operation("iota", [], ["2xi32"], iota_dimension=number(1)))
    yield "iota", ("C1", operation("iota", [], ["2xi32"], iota_dimension=number(-1)))
    yield "iota", ("C1", operation("iota", [], ["i32"], iota_dimension=number(0)))
    yield "iota", ("", operation("iota", [], ["2xi1"], iota_dimension=number(0)))
