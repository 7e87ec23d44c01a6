"""Operations that break a rule of an op that is told a shape or a window by operands."""

from __future__ import annotations

from collections.abc import Iterator

from hloscope.engine.ir.attributes import Attribute, StringAttribute, StructAttribute
from hloscope.engine.ir.module import Operation

from ..building import operation
from .stating import Broken, number, numbers, of_token

UNBREAKABLE = {
    ("dynamic_gather", "C8"): "no operation of a text states slice sizes: a run does",
    ("dynamic_gather", "C12"): "no operation of a text states slice sizes: a run does",
    ("dynamic_pad", "C3"): "no operation of a text states paddings: a run does",
}
"""Labels of ops that no operation of a text can break, and why."""


def _broadcast(
    operands: list[str], result: str, dimensions: Attribute | None = None, **known: Attribute
) -> Operation:
    found = numbers(2, 1) if dimensions is None else dimensions
    return operation("dynamic_broadcast_in_dim", operands, [result], (), broadcast_dimensions=found, **known)


def broadcasts() -> Iterator[Broken]:
    usual, result = ["1x3xi64", "3xi64"], "2x3x2xi64"
    text = StringAttribute("no numbers")
    yield "I1", of_token(_broadcast(usual, result))
    yield "I2", _broadcast(["1x3xi64", "3xf32"], result)
    yield "I2", _broadcast(["1x3xi64", "3x1xi64"], result)
    yield "I3", _broadcast(usual, result, text)
    yield "I4", _broadcast(usual, result, known_expanding_dimensions=text)
    yield "I5", _broadcast(usual, result, known_nonexpanding_dimensions=text)
    yield "C1", _broadcast(usual, "2x3x2xi32")
    yield "C2", _broadcast(usual, result, numbers(2))
    yield "C3", _broadcast(usual, result, numbers(3, 1))
    yield "C3", _broadcast(usual, result, numbers(-1, 1))
    yield "C4", _broadcast(["1x1xi64", "3xi64"], result, numbers(1, 1))
    yield "C5", _broadcast(usual, "2x4x2xi64")
    yield "C5", _broadcast(["?x3xi64", "3xi64"], "?x4x?xi64")
    yield "C6", _broadcast(["2x2xa8", "2xi64"], "2x2xb8", numbers(0, 1))
    yield "C7", _broadcast(["1x3xi64", "2xi64"], result)
    expanding = {"known_expanding_dimensions": numbers(0)}
    yield "C8", _broadcast(usual, result, **expanding, known_nonexpanding_dimensions=numbers(0))
    yield "C9", _broadcast(usual, result, known_expanding_dimensions=numbers(2))
    yield "C10", _broadcast(usual, result, known_nonexpanding_dimensions=numbers(-1))


def _gather(operands: list[str], result: str, **changed: Attribute) -> Operation:
    parameters: dict[str, Attribute] = {
        "offset_dims": numbers(2, 3),
        "collapsed_slice_dims": numbers(0),
        "start_index_map": numbers(1, 0),
        "index_vector_dim": number(2),
    }
    sorted_indices = (
        {"indices_are_sorted": changed.pop("indices_are_sorted")} if "indices_are_sorted" in changed else {}
    )
    dimension_numbers = StructAttribute("stablehlo", "gather", parameters | changed)
    return operation(
        "dynamic_gather", operands, [result], (), dimension_numbers=dimension_numbers, **sorted_indices
    )


def gathers() -> Iterator[Broken]:
    usual, result = ["3x4x2xi64", "2x3x2xi64", "3xi64"], "2x3x2x2xi64"
    text = StringAttribute("no numbers")
    yield "I1", _gather(["2x2x2xa8", *usual[1:]], result)
    yield "I2", _gather([usual[0], "2x3x2xf32", usual[2]], result)
    yield "I3", _gather([*usual[:2], "3xf32"], result)
    yield "I3", _gather([*usual[:2], "3x1xi64"], result)
    yield "I4", _gather(usual, result, offset_dims=text)
    yield "I5", _gather(usual, result, collapsed_slice_dims=text)
    yield "I6", _gather(usual, result, start_index_map=text)
    yield "I7", _gather(usual, result, index_vector_dim=text)
    yield "I8", _gather(usual, result, indices_are_sorted=text)
    yield "C1", _gather(usual, result, offset_dims=numbers(2))
    yield "C2", _gather(usual, result, index_vector_dim=number(4))
    yield "C3", _gather(usual, result, start_index_map=numbers(0))
    yield "C4", _gather(usual, result, offset_dims=numbers(3, 2))
    yield "C4", _gather(usual, result, offset_dims=numbers(2, 2))
    yield "C5", _gather(usual, result, offset_dims=numbers(2, 4))
    twice = {"collapsed_slice_dims": numbers(0, 0), "offset_dims": numbers(2)}
    yield "C6", _gather(usual, "2x3x2xi64", **twice)
    turned = {"collapsed_slice_dims": numbers(1, 0), "offset_dims": numbers(2)}
    yield "C6", _gather(usual, "2x3x2xi64", **turned)
    yield "C7", _gather(usual, result, collapsed_slice_dims=numbers(3))
    yield "C9", _gather(usual, result, start_index_map=numbers(1, 1))
    yield "C10", _gather(usual, result, start_index_map=numbers(1, 3))
    yield "C11", _gather([*usual[:2], "2xi64"], result)
    yield "C13", _gather(usual, "2x4x2x2xi64")
    yield "C13", _gather(usual, "2x3x2xi64")
    yield "C14", _gather(usual, "2x3x2x2xi32")


def _iota(shape: str, result: str, dimension: Attribute | None = None) -> Operation:
    return operation("dynamic_iota", [shape], [result], iota_dimension=dimension or number(0))


def iotas() -> Iterator[Broken]:
    yield "", _iota("2xi64", "4x5xi1")
    yield "I1", _iota("2xf32", "4x5xi64")
    yield "I1", _iota("1x2xi64", "4x5xi64")
    yield "I2", _iota("2xi64", "4x5xi64", StringAttribute("0"))
    yield "C1", _iota("2xi64", "4x5xi64", number(2))
    yield "C1", _iota("2xi64", "4x5xi64", number(-1))
    yield "C2", _iota("3xi64", "4x5xi64")
    yield "C2", _iota("1xi64", "?x?xi64")


def _pad(*operands: str, result: str = "5x9xi64") -> Operation:
    return operation("dynamic_pad", operands, [result])


def pads() -> Iterator[Broken]:
    operand, value, low, high, interior = "2x3xi64", "i64", "2xi64", "2xi64", "2xi64"
    yield "I1", _pad("2x2xa8", value, low, high, interior)
    yield "I2", _pad(operand, "2x2xa8", low, high, interior)
    yield "I2", _pad(operand, "1xi64", low, high, interior)
    yield "I3", _pad(operand, value, "2xf32", high, interior)
    yield "I4", _pad(operand, value, low, "2x1xi64", interior)
    yield "I5", _pad(operand, value, low, high, "i64")
    yield "C1", _pad(operand, "i32", low, high, interior)
    yield "C1", _pad(operand, value, low, high, interior, result="5x9xi32")
    yield "C2", _pad(operand, value, *["1xi64"] * 3)
    yield "C4", _pad(operand, value, low, high, interior, result="5xi64")


def _reshape(operand: str, shape: str, result: str) -> Operation:
    return operation("dynamic_reshape", [operand, shape], [result])


def reshapes() -> Iterator[Broken]:
    yield "I1", of_token(_reshape("2x3xi64", "2xi64", "3x2xi64"))
    yield "I2", _reshape("2x3xi64", "2xf32", "3x2xi64")
    yield "I2", _reshape("2x3xi64", "2x1xi64", "3x2xi64")
    yield "C1", _reshape("2x3xi64", "2xi64", "3x2xi32")
    yield "C2", _reshape("2x3xi64", "2xi64", "3x3xi64")
    yield "C3", _reshape("2x2xa8", "2xi64", "2x2xb8")
    yield "C4", _reshape("2x3xi64", "3xi64", "3x2xi64")


def sizes() -> Iterator[tuple[str, Broken]]:
    stated = operation("get_dimension_size", ["2x3xi64"], ["i32"], dimension=number(1))
    yield "get_dimension_size", ("I1", of_token(stated))
    for label, stating in (("I2", StringAttribute("1")), ("C1", number(2)), ("C1", number(-1))):
        broken = operation("get_dimension_size", ["2x3xi64"], ["i32"], dimension=stating)
        yield "get_dimension_size", (label, broken)
    yield (
        "get_dimension_size",
        (
            "",
            operation("get_dimension_size", ["2x3xi64"], ["i64"], dimension=number(1)),
        ),
    )
    for operand, size, result, dimension in (
        ("4x3xf32", "i64", "?x3xf32", 0),
        ("4x3xf32", "1xi32", "?x3xf32", 0),
        ("4x3xf32", "i32", "?x3xf32", 2),
        ("4x3xf32", "i32", "?x4xf32", 0),
        ("4x3xf32", "i32", "?x3xf64", 0),
        ("4x3xf32", "i32", "?xf32", 0),
    ):
        stated = operation("set_dimension_size", [operand, size], [result], dimension=number(dimension))
        yield "set_dimension_size", ("", stated)


def slices() -> Iterator[Broken]:
    for operands, result in (
        (["2x2xa8", "2xi64", "2xi64", "2xi64"], "?x?xf32"),
        (["2x3xf32", "2xf32", "2xf32", "2xf32"], "?x?xf32"),
        (["2x3xf32", "2x1xi64", "2xi64", "2xi64"], "?x?xf32"),
        (["2x3xf32", "3xi64", "3xi64", "3xi64"], "?x?xf32"),
        (["2x3xf32", "2xi64", "2xi32", "2xi64"], "?x?xf32"),
        (["2x3xf32", "2xi64", "2xi64", "2xi64"], "?xf32"),
        (["2x3xf32", "2xi64", "2xi64", "2xi64"], "?x?xf64"),
    ):
        yield "", operation("real_dynamic_slice", operands, [result])


def broken() -> Iterator[tuple[str, Broken]]:
    for name, found in (
        ("dynamic_broadcast_in_dim", broadcasts()),
        ("dynamic_gather", gathers()),
        ("dynamic_iota", iotas()),
        ("dynamic_pad", pads()),
        ("dynamic_reshape", reshapes()),
        ("real_dynamic_slice", slices()),
    ):
        for each in found:
            yield name, each
    yield from sizes()
