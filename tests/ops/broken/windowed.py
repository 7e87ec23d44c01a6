"""Operations that break a rule of reduce_window or select_and_scatter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hloscope.engine.ir.attributes import Attribute, DenseArrayAttribute, StringAttribute
from hloscope.engine.ir.element_types import I64
from hloscope.engine.ir.module import Operation, Region

from ..building import operation, region
from .stating import Broken, constant

UNBREAKABLE = dict.fromkeys(
    (("reduce_window", "I8"), ("select_and_scatter", "I7"), ("select_and_scatter", "I8")),
    "a missing region is a rule of structure",
)
"""Labels of ops that no operation of a text can break, and why."""

WRONG = StringAttribute("wrong")
SUM = region(["f32"] * 2, ["f32"])
COMPARISON = region(["f32"] * 2, ["i1"])
SUMS = region(["f32"] * 4, ["f32"] * 2)


def broken() -> Iterator[tuple[str, Broken]]:
    yield from (("reduce_window", found) for found in _reductions())
    yield from (("select_and_scatter", found) for found in _selections())


def _list(*numbers: int) -> DenseArrayAttribute:
    return DenseArrayAttribute(I64, numbers)


def _reduce(
    operands: Sequence[str], results: Sequence[str], body: Region = SUM, /, **changed: Attribute
) -> Operation:
    properties: dict[str, Attribute] = {"window_dimensions": _list(2, 1)}
    return operation("reduce_window", operands, results, (body,), **(properties | changed))


def _wrong_numbers(label: str, counted: str, positive: str) -> Iterator[tuple[str, Attribute]]:
    """What is no list, of the wrong length, or not positive."""
    yield label, WRONG
    yield counted, _list(1)
    yield positive, _list(1, 0)
    yield positive, _list(-1, 1)


def _reductions() -> Iterator[Broken]:
    one, result = ["3x2xf32", "f32"], ["2x2xf32"]
    two, results = ["3x2xf32", "3x2xf32", "f32", "f32"], ["2x2xf32", "2x2xf32"]
    yield "I1", _reduce(["3x2xa8", "f32"], result)
    yield "I2", _reduce(["3x2xf32", "1xf32"], result)
    for label, counted, positive, name in (
        ("I3", "C4", "C5", "window_dimensions"),
        ("I4", "C6", "C7", "window_strides"),
        ("I5", "C8", "C9", "base_dilations"),
        ("I6", "C10", "C11", "window_dilations"),
    ):
        for broken_label, attribute in _wrong_numbers(label, counted, positive):
            yield broken_label, _reduce(one, result, **{name: attribute})
    yield "I7", _reduce(one, result, padding=WRONG)
    yield "C1", _reduce([], [])
    yield "C2", _reduce(["3x2xf32", "2x3xf32", "f32", "f32"], results, SUMS)
    yield "C3", _reduce(["3x2xf32", "f64"], result)
    yield "C12", _reduce(one, result, padding=constant([[0, 0]], "1x2xi64"))
    yield "C12", _reduce(one, result, padding=constant([[0, 0, 0], [0, 0, 0]], "2x3xi64"))
    for body in _wrong_bodies():
        yield "C13", _reduce(one, result, body)
    yield "C14", _reduce(two, ["2x2xf32", "3x2xf32"], SUMS)
    yield "C15", _reduce(one, ["3x2xf32"])
    yield "C15", _reduce(one, ["1x2xf32"], padding=constant([[0, 0], [0, -3]], "2x2xi64"))
    yield "C16", _reduce(one, ["2x2xf64"])


def _wrong_bodies() -> Iterator[Region]:
    """That combine nothing of f32."""
    yield from (
        region(["f32"], ["f32"]),
        SUMS,
        region(["1xf32"] * 2, ["1xf32"]),
        region(["f32", "f64"], ["f32"]),
        region(["f32"] * 2, ["f64"]),
        region(["f16"] * 2, ["f16"]),
        region(["i32"] * 2, ["i32"]),
    )


def _select(
    operands: Sequence[str],
    result: str = "3x2xf32",
    select: Region = COMPARISON,
    scatter: Region = SUM,
    /,
    **changed: Attribute,
) -> Operation:
    properties: dict[str, Attribute] = {"window_dimensions": _list(2, 1)}
    return operation("select_and_scatter", operands, [result], (select, scatter), **(properties | changed))


def _selections() -> Iterator[Broken]:
    three = ["3x2xf32", "2x2xf32", "f32"]
    yield "I1", _select(["3x2xa8", "2x2xf32", "f32"])
    yield "I2", _select(["3x2xf32", "2x2xa8", "f32"])
    yield "I3", _select(["3x2xf32", "2x2xf32", "1xf32"])
    for label, counted, positive, name in (
        ("I4", "C4", "C5", "window_dimensions"),
        ("I5", "C6", "C7", "window_strides"),
    ):
        for broken_label, attribute in _wrong_numbers(label, counted, positive):
            yield broken_label, _select(three, **{name: attribute})
    yield "I6", _select(three, padding=WRONG)
    yield "C1", _select(["3x2xf32", "2x2xf64", "f32"])
    yield "C2", _select(["3x2xf32", "3x2xf32", "f32"])
    yield "C2", _select(["3x2xf32", "1x2xf32", "f32"], window_strides=_list(1, 1))
    yield "C2", _select(three, padding=constant([[0, -2], [0, 0]], "2x2xi64"))
    yield "C3", _select(["3x2xf32", "2x2xf32", "f64"])
    yield "C8", _select(three, padding=constant([[0, 0]], "1x2xi64"))
    yield "C8", _select(three, padding=constant([[0, 0, 0], [0, 0, 0]], "2x3xi64"))
    for select in (
        region(["f32"], ["i1"]),
        region(["f32"] * 4, ["i1"]),
        region(["f64"] * 2, ["i1"]),
        region(["1xf32"] * 2, ["i1"]),
        region(["f32"] * 2, ["f32"]),
        region(["f32"] * 2, ["1xi1"]),
        region(["f32"] * 2, ["i1", "i1"]),
    ):
        yield "C9", _select(three, "3x2xf32", select)
    for scatter in _wrong_bodies():
        yield "C10", _select(three, "3x2xf32", COMPARISON, scatter)
    yield "C11", _select(three, "2x3xf32")
    yield "C12", _select(three, "3x2xf64")
