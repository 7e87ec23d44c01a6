"""Operations that break a rule of sort or map."""

from __future__ import annotations

from collections.abc import Iterator

from hloscope.engine.ir.attributes import DenseArrayAttribute, StringAttribute
from hloscope.engine.ir.element_types import I64
from hloscope.engine.ir.module import Operation, Region

from ..building import operation, region
from .stating import Broken, number

UNBREAKABLE = {
    ("sort", "I4"): "a missing region is a rule of structure",
    ("map", "I3"): "a missing region is a rule of structure",
}
"""Labels of ops that no operation of a text can break, and why."""

TEXT = StringAttribute("0")
LESS = region(["f32", "f32", "i32", "i32"], ["i1"])
PAIR = ["2x3xf32", "2x3xi32"]


def _sort(
    operands: list[str] = PAIR,
    results: list[str] | None = None,
    comparator: Region = LESS,
    dimension: int = 1,
) -> Operation:
    return operation("sort", operands, results or operands, [comparator], dimension=number(dimension))


def _sorts() -> Iterator[Broken]:
    alone = region(["f32", "f32"], ["i1"])
    yield "I1", operation("sort", ["2x3xa8"], ["2x3xa8"], [alone])
    yield "I2", operation("sort", PAIR, PAIR, [LESS], dimension=TEXT)
    yield "I3", operation("sort", PAIR, PAIR, [LESS], is_stable=TEXT)
    yield "C1", operation("sort", [], [], [region([], ["i1"])])
    yield "C2", _sort(results=["2x3xf32", "2x3xi64"])
    yield "C3", _sort(results=["2x3xf32", "3x2xi32"])
    yield "C3", _sort(operands=["2x3xf32", "2x4xi32"])
    yield "C3", _sort(operands=["2x3xf32", "6xi32"])
    yield "C4", _sort(dimension=2)
    yield "C4", _sort(dimension=-3)
    yield "C4", operation("sort", ["f32"], ["f32"], [alone])
    yield "C5", _sort(comparator=alone)
    yield "C5", _sort(comparator=region(["f32", "i32", "f32", "i32"], ["i1"]))
    yield "C5", _sort(comparator=region(["f32", "f32", "i32", "i32"], ["i32"]))
    yield "C5", _sort(comparator=region(["f32", "f32", "i32", "i32"], ["i1", "i1"]))
    yield "C5", _sort(comparator=region(["1xf32", "1xf32", "i32", "i32"], ["i1"]))


BOTH = region(["f32", "i32"], ["f64"])


def _map(
    operands: list[str] = PAIR,
    result: str = "2x3xf64",
    computation: Region = BOTH,
    dimensions: tuple[int, ...] = (0, 1),
) -> Operation:
    listed = DenseArrayAttribute(I64, dimensions)
    return operation("map", operands, [result], [computation], dimensions=listed)


def _maps() -> Iterator[Broken]:
    yield "I1", _map(["2x3xa8", "2x3xi32"])
    yield "I2", operation("map", PAIR, ["2x3xf64"], [BOTH], dimensions=TEXT)
    yield "C1", _map(["2x3xf32", "2x4xi32"])
    yield "C1", _map(result="3x2xf64")
    yield "C2", _map([], computation=region([], ["f64"]))
    yield "C3", _map(dimensions=(0,))
    yield "C3", _map(dimensions=(1, 0))
    yield "C3", _map(dimensions=(0, 1, 2))
    yield "C4", _map(computation=region(["f32"], ["f64"]))
    yield "C4", _map(computation=region(["f32", "f32"], ["f64"]))
    yield "C4", _map(computation=region(["f32", "i32"], ["f64", "f64"]))
    yield "C4", _map(computation=region(["f32", "i32"], ["1xf64"]))
    yield "C4", _map(result="2x3xf32")


def broken() -> Iterator[tuple[str, Broken]]:
    yield from (("sort", found) for found in _sorts())
    yield from (("map", found) for found in _maps())
