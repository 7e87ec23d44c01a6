"""Operations that break a rule of an op that moves elements: broadcast_in_dim, pad, slice, transpose and their like."""

from __future__ import annotations

from collections.abc import Iterator

from hloscope.engine.ir.attributes import Attribute
from hloscope.engine.ir.module import Operation

from ..building import operation
from .stating import WRONG, Broken, number, numbers, of_token


def unbroken() -> Iterator[Operation]:
    """What the broken ones differ from in one place."""
    yield _broadcast()
    yield _broadcast("2x3xa8", "3x2xb8", numbers(1, 0))
    yield _broadcast("1x3xa1", "2x3xa8")
    yield _broadcast("1x3xa1", "3x2xb8", numbers(1, 0))
    yield _concatenate()
    yield _pad()
    yield _reshape("2x3xf32", "3x2xf32")
    yield _reshape("2x3xa8", "1x2x3xb8")
    yield _reverse()
    yield _slice()
    yield _transpose()
    yield _transpose("2x3xa8", "3x2xb8")
    yield _dynamic_slice()
    yield _dynamic_update_slice()


def _broadcast(
    operand: str = "2x3xf32", result: str = "2x3xf32", dimensions: Attribute | None = None
) -> Operation:
    return operation(
        "broadcast_in_dim", [operand], [result], (), broadcast_dimensions=dimensions or numbers(0, 1)
    )


def _broadcasts() -> Iterator[Broken]:
    yield "I1", of_token(_broadcast())
    yield "I2", _broadcast(dimensions=WRONG)
    yield "C1", _broadcast(result="2x3xf64")
    yield "C1", _broadcast(result="2x3xq8")
    yield "C1", _broadcast("2x3xq8", "2x3xq8b")
    yield "C6", _broadcast("2x3xa8", "2x3xq8")
    yield "C2", _broadcast(dimensions=numbers(0))
    yield "C3", _broadcast(dimensions=numbers(0, 2))
    yield "C3", _broadcast(dimensions=numbers(-1, 1))
    yield "C4", _broadcast("1x1xf32", dimensions=numbers(1, 1))
    yield "C5", _broadcast(result="2x4xf32")
    yield "C5", _broadcast("?x3xf32", "2x4xf32")
    yield "C6", _broadcast("2x3xa8", "2x2x3xa8", numbers(1, 2))
    yield "C6", _broadcast("1x3xa1", "2x3xa8b")


def _concatenate(
    *inputs: str, result: str = "2x7xf32", dimension: Attribute | None = None, empty: bool = False
) -> Operation:
    found = () if empty else inputs or ("2x3xf32", "2x4xf32")
    return operation("concatenate", found, [result], (), dimension=dimension or number(1))


def _concatenations() -> Iterator[Broken]:
    yield "I1", _concatenate("2x3xa8", "2x4xa8", result="2x7xa8")
    yield "I2", _concatenate(dimension=WRONG)
    yield "C1", _concatenate("2x3xf32", "2x4xf64")
    yield "C2", _concatenate(dimension=number(0))
    yield "C2", _concatenate("2x3xf32", "2x4x1xf32")
    yield "C3", _concatenate(empty=True)
    yield "C4", _concatenate(dimension=number(2))
    yield "C4", _concatenate(dimension=number(-1))
    yield "C5", _concatenate(result="2x7xf64")
    yield "C6", _concatenate(result="2x6xf32")
    yield "C6", _concatenate(result="14xf32")


def _pad(
    operand: str = "2x3xi32", value: str = "i32", result: str = "5x9xi32", /, **changed: Attribute
) -> Operation:
    properties: dict[str, Attribute] = {
        "edge_padding_low": numbers(0, 1),
        "edge_padding_high": numbers(2, 1),
        "interior_padding": numbers(1, 2),
    }
    return operation("pad", [operand, value], [result], (), **properties | changed)


def _pads() -> Iterator[Broken]:
    yield "I1", _pad("2x3xa8", "q8", "5x9xq8")
    yield "I2", _pad("2x3xi32", "2x2xa8")
    yield "I2", _pad("2x3xi32", "1xi32")
    yield "C1", _pad("2x3xi32", "i64")
    yield "C1", _pad("2x3xi32", "i32", "5x9xi64")
    yield "C1", _pad("2x3xq8", "q8b", "5x9xq8")
    for label, name in (("I3", "edge_padding_low"), ("I4", "edge_padding_high"), ("I5", "interior_padding")):
        yield label, _pad(**{name: WRONG})
        yield "C2", _pad(**{name: numbers(0)})
        yield "C2", _pad(**{name: numbers(0, 0, 0)})
    yield "C3", _pad(interior_padding=numbers(0, -1))
    yield "C4", _pad("2x3xi32", "i32", "5x8xi32")
    yield "C4", _pad("2x3xi32", "i32", "45xi32")
    yield "C4", _pad(edge_padding_low=numbers(-6, 0))


def _reshape(operand: str, result: str) -> Operation:
    return operation("reshape", [operand], [result])


def _reshapes() -> Iterator[Broken]:
    yield "I1", of_token(_reshape("2x3xf32", "3x2xf32"))
    yield "C1", _reshape("2x3xf32", "3x2xf64")
    yield "C1", _reshape("2x3xa8", "2x3xq8")
    yield "C1", _reshape("2x3xa8", "2x3xa8b")
    yield "C2", _reshape("2x3xf32", "5xf32")
    yield "C2", _reshape("2x3xf32", "0xf32")
    yield "C3", _reshape("2x3xa8", "3x2xb8")
    yield "C3", _reshape("2x2x3xa8", "2x2x3xb8")


def _reverse(
    operand: str = "2x3xf32", result: str = "2x3xf32", dimensions: Attribute | None = None
) -> Operation:
    return operation("reverse", [operand], [result], (), dimensions=dimensions or numbers(1))


def _reverses() -> Iterator[Broken]:
    yield "I1", _reverse("2x3xa8", "2x3xa8")
    yield "I2", _reverse(dimensions=WRONG)
    yield "C1", _reverse(result="2x3xf64")
    yield "C1", _reverse(result="3x2xf32")
    yield "C2", _reverse(dimensions=numbers(1, 1))
    yield "C3", _reverse(dimensions=numbers(2))
    yield "C3", _reverse(dimensions=numbers(-1))


def _slice(operand: str = "2x3xf32", result: str = "2x2xf32", /, **changed: Attribute) -> Operation:
    properties: dict[str, Attribute] = {
        "start_indices": numbers(0, 1),
        "limit_indices": numbers(2, 3),
        "strides": numbers(1, 1),
    }
    return operation("slice", [operand], [result], (), **properties | changed)


def _slices() -> Iterator[Broken]:
    yield "I1", _slice("2x3xa8", "2x2xa8")
    for label, name in (("I2", "start_indices"), ("I3", "limit_indices"), ("I4", "strides")):
        yield label, _slice(**{name: WRONG})
        yield "C2", _slice(**{name: numbers(1)})
    yield "C2", _slice("2x3x4xf32")
    yield "C1", _slice("2x3xf32", "2x2xf64")
    yield "C3", _slice(limit_indices=numbers(2, 4))
    yield "C3", _slice(start_indices=numbers(-1, 1))
    yield "C3", _slice(start_indices=numbers(0, 4))
    yield "C4", _slice(strides=numbers(1, 0))
    yield "C4", _slice(strides=numbers(-1, 1))
    yield "C5", _slice("2x3xf32", "2x3xf32")
    yield "C5", _slice("2x3xf32", "4xf32")


def _transpose(
    operand: str = "2x3xf32", result: str = "3x2xf32", permutation: Attribute | None = None
) -> Operation:
    return operation("transpose", [operand], [result], (), permutation=permutation or numbers(1, 0))


def _transposes() -> Iterator[Broken]:
    yield "I1", of_token(_transpose())
    yield "I2", _transpose(permutation=WRONG)
    yield "C1", _transpose(result="3x2xf64")
    yield "C1", _transpose("2x3xa8", "3x2xb8b")
    yield "C1", _transpose("2x3xa8", "3x2xq8")
    yield "C2", _transpose(permutation=numbers(1, 1))
    yield "C2", _transpose(permutation=numbers(0))
    yield "C2", _transpose(permutation=numbers(0, -1))
    yield "C2", _transpose(permutation=numbers(0, 1, 2))
    yield "C3", _transpose(result="2x3xf32")
    yield "C3", _transpose(result="6xf32")
    yield "C4", _transpose("2x2xa8", "2x2xa8")


def _dynamic_slice(
    operand: str = "4x4xi32",
    starts: tuple[str, ...] = ("i64", "i64"),
    result: str = "2x3xi32",
    sizes: Attribute | None = None,
) -> Operation:
    return operation("dynamic_slice", [operand, *starts], [result], (), slice_sizes=sizes or numbers(2, 3))


def _dynamic_slices() -> Iterator[Broken]:
    yield "I1", _dynamic_slice("2x4xa8", result="2x3xa8")
    yield "I2", _dynamic_slice(starts=("i64", "f32"))
    yield "I2", _dynamic_slice(starts=("i64", "1xi64"))
    yield "I3", _dynamic_slice(sizes=WRONG)
    yield "C1", _dynamic_slice(result="2x3xi64")
    yield "C2", _dynamic_slice(starts=("i64",))
    yield "C2", _dynamic_slice("4xi32")
    yield "C2", _dynamic_slice(sizes=numbers(2, 3, 2))
    yield "C3", _dynamic_slice(starts=("i64", "i32"))
    yield "C4", _dynamic_slice(sizes=numbers(2, 5))
    yield "C4", _dynamic_slice(sizes=numbers(2, -1))
    yield "C5", _dynamic_slice(result="2x2xi32")
    yield "C5", _dynamic_slice(result="6xi32")


def _dynamic_update_slice(
    operand: str = "4x4xi32",
    update: str = "2x3xi32",
    starts: tuple[str, ...] = ("i64", "i64"),
    result: str = "4x4xi32",
) -> Operation:
    return operation("dynamic_update_slice", [operand, update, *starts], [result])


def _dynamic_update_slices() -> Iterator[Broken]:
    yield "I1", _dynamic_update_slice("2x4xa8", "2x3xa8", result="2x4xa8")
    yield "I2", _dynamic_update_slice("2x4xq8", "2x3xa8", result="2x4xq8")
    yield "I3", _dynamic_update_slice(starts=("i1", "i64"))
    yield "I3", _dynamic_update_slice(starts=("2xi64", "i64"))
    yield "C1", _dynamic_update_slice(result="4x4xi64")
    yield "C1", _dynamic_update_slice(result="2x3xi32")
    yield "C2", _dynamic_update_slice(update="2x3xi64")
    yield "C3", _dynamic_update_slice(update="2xi32")
    yield "C4", _dynamic_update_slice(starts=("i64",))
    yield "C5", _dynamic_update_slice(starts=("i64", "i32"))
    yield "C6", _dynamic_update_slice(update="2x5xi32")


def broken() -> Iterator[tuple[str, Broken]]:
    for name, found in (
        ("broadcast_in_dim", _broadcasts()),
        ("concatenate", _concatenations()),
        ("pad", _pads()),
        ("reshape", _reshapes()),
        ("reverse", _reverses()),
        ("slice", _slices()),
        ("transpose", _transposes()),
        ("dynamic_slice", _dynamic_slices()),
        ("dynamic_update_slice", _dynamic_update_slices()),
    ):
        for each in found:
            yield name, each
