"""Operations that break a rule of reduce."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hloscope.engine.ir.attributes import Attribute
from hloscope.engine.ir.module import Operation, Region

from ..building import operation, region
from .stating import WRONG, Broken, numbers

UNBREAKABLE = {("reduce", "I4"): "a missing region is a rule of structure"}
"""Labels of ops that no operation of a text can break, and why."""

SUM = region(["f32"] * 2, ["f32"])
SUMS = region(["f32"] * 4, ["f32"] * 2)


def unbroken() -> Iterator[Operation]:
    """What the broken ones differ from in one place."""
    yield _reduce()
    yield _reduce(["2x3xf32", "2x3xf32", "f32", "f32"], ["2xf32", "2xf32"], SUMS)
    yield _reduce(["2x3xf16", "f16"])  # promoted
    yield _reduce(["2x3xq8", "q8"], ["2xq8"], region(["q8"] * 2, ["q8"]))
    yield _reduce(dimensions=numbers(), results=["2x3xf32"])


def broken() -> Iterator[tuple[str, Broken]]:
    for each in _reductions():
        yield "reduce", each


def _reduce(
    operands: Sequence[str] = ("2x3xf32", "f32"),
    results: Sequence[str] = ("2xf32",),
    body: Region = SUM,
    dimensions: Attribute | None = None,
) -> Operation:
    return operation("reduce", operands, results, (body,), dimensions=dimensions or numbers(1))


def _reductions() -> Iterator[Broken]:
    one, two = ["2x3xf32", "f32"], ["2x3xf32", "2x3xf32", "f32", "f32"]
    yield "I1", _reduce(["2x3xa8", "f32"])
    yield "I2", _reduce(["2x3xf32", "1xf32"])
    yield "I2", _reduce(["2x2xq8", "2x2xa8"])
    yield "I3", _reduce(dimensions=WRONG)
    yield "C1", _reduce(["2x3xf32", "3x2xf32", "f32", "f32"], ["2xf32"] * 2, SUMS)
    yield "C1", _reduce(["2x3xf32", "2x3x1xf32", "f32", "f32"], ["2xf32"] * 2, SUMS)
    yield "C2", _reduce(["2x3xf32", "f64"])
    yield "C2", _reduce(["2x3xf32", "2x3xf32", "f32", "i32"], ["2xf32"] * 2, SUMS)
    yield "C3", _reduce([], [])
    yield "C4", _reduce(dimensions=numbers(2))
    yield "C4", _reduce(dimensions=numbers(-1))
    yield "C5", _reduce(dimensions=numbers(1, 1))
    for body in (
        region(["f32"], ["f32"]),
        SUMS,
        region(["1xf32"] * 2, ["1xf32"]),
        region(["f32", "f64"], ["f32"]),
        region(["f32"] * 2, ["f64"]),
        region(["f16"] * 2, ["f16"]),
        region(["i32"] * 2, ["i32"]),
    ):
        yield "C6", _reduce(one, ["2xf32"], body)
    yield "C6", _reduce(two, ["2xf32", "2xf32"], region(["f32", "i32"] * 2, ["f32", "i32"]))
    yield "C7", _reduce(one, ["3xf32"])
    yield "C7", _reduce(one, ["2x3xf32"])
    yield "C7", _reduce(two, ["2xf32", "3xf32"], SUMS)
    yield "C8", _reduce(one, ["2xf64"])
