"""Operations that break a rule of reduce_window or select_and_scatter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.ir.attributes import Attribute, DenseArrayAttribute, StringAttribute
from engine.ir.element_types import I64
from engine.ir.module import Operation, Region

from ..building import operation, region
from .stating import Broken, constant

UNBREAKABLE = {("reduce_window", "I8"): "a missing region is a rule of structure"}
"""Labels of ops that no operation of a text can break, and why."""

WRONG = StringAttribute("wrong")
SUM = region(["f32"] * 2, ["f32"])
SUMS = region(["f32"] * 4, ["f32"] * 2)


def broken() -> Iterator[tuple[str, Broken]]:
    yield from (("reduce_window", found) for found in _reductions())


def _list(*numbers: int) -> DenseArrayAttribute:
    return DenseArrayAttribute(I64, numbers)


def _reduce(
    operands: Sequence[str], results: Sequence[str], body: Region = SUM, /, **changed: Attribute
) -> Operation:
    properties: dict[str, Attribute] = {"window_dimensions": _list(2, 1)}
    return operation("reduce_window", operands, results, (body,), **(properties | changed))


def _numbers(
    label: str, counted: str, positive: str, name: str, one: list[str], result: list[str]
) -> Iterator[Broken]:
    """`name` of the wrong kind, of the wrong length, and with numbers that are not positive."""
    attributes = ((label, WRONG), (counted, _list(1)), (positive, _list(1, 0)), (positive, _list(-1, 1)))
    for broken_label, attribute in attributes:
        yield broken_label, _reduce(one, result, **{name: attribute})


def _reductions() -> Iterator[Broken]:
    one, result = ["3x2xf32", "f32"], ["2x2xf32"]
    two, results = ["3x2xf32", "3x2xf32", "f32", "f32"], ["2x2xf32", "2x2xf32"]
    yield "I1", _reduce(["3x2xa8", "f32"], result)
    yield "I2", _reduce(["3x2xf32", "1xf32"], result)
    yield from _numbers("I3", "C4", "C5", "window_dimensions", one, result)
    yield from _numbers("I4", "C6", "C7", "window_strides", one, result)
    yield from _numbers("I5", "C8", "C9", "base_dilations", one, result)
    yield from _numbers("I6", "C10", "C11", "window_dilations", one, result)
    yield "I7", _reduce(one, result, padding=WRONG)
    yield "C1", _reduce([], [])
    yield "C2", _reduce(["3x2xf32", "2x3xf32", "f32", "f32"], results, SUMS)
    yield "C3", _reduce(["3x2xf32", "f64"], result)
    yield "C12", _reduce(one, result, padding=constant([[0, 0]], "1x2xi64"))
    yield "C12", _reduce(one, result, padding=constant([[0, 0, 0], [0, 0, 0]], "2x3xi64"))
    bodies = (
        region(["f32"], ["f32"]),
        SUMS,
        region(["1xf32"] * 2, ["1xf32"]),
        region(["f32", "f64"], ["f32"]),
        region(["f32"] * 2, ["f64"]),
        region(["f16"] * 2, ["f16"]),
        region(["i32"] * 2, ["i32"]),
    )
    for body in bodies:
        yield "C13", _reduce(one, result, body)
    yield "C14", _reduce(two, ["2x2xf32", "3x2xf32"], SUMS)
    yield "C15", _reduce(one, ["3x2xf32"])
    yield "C15", _reduce(one, ["1x2xf32"], padding=constant([[0, 0], [0, -3]], "2x2xi64"))
    yield "C16", _reduce(one, ["2x2xf64"])
