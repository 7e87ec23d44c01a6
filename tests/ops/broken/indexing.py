"""Operations that break a rule of gather or scatter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hloscope.engine.ir.attributes import Attribute, BoolAttribute
from hloscope.engine.ir.module import Operation, Region

from ..building import operation, region
from .stating import WRONG, Broken, number, numbers, struct

UNBREAKABLE = {("scatter", "I12"): "a missing region is a rule of structure"}
"""Labels of ops that no operation of a text can break, and why."""

INDICES = "2x2x3x2xi64"
"""Vectors of two indices in the last dimension; dimension 1 is batched with dimension 0 of the operand."""
SUM = region(["i32"] * 2, ["i32"])
SUMS = region(["i32"] * 4, ["i32"] * 2)


def unbroken() -> Iterator[Operation]:
    """What the broken ones differ from in one place."""
    yield _gather()
    yield _gather("2x3x4x2xq8", INDICES, "2x2x3x2x2xq8", indices_are_sorted=BoolAttribute(True))
    yield _gathered(operand_batching_dims=numbers(), start_indices_batching_dims=numbers(), **_WITHOUT_BATCH)
    yield _scatter()
    two = ["2x3x4x2xi32"] * 2, INDICES, ["2x2x3x2x2xi32"] * 2
    yield _scatter(*two, ["2x3x4x2xi32"] * 2, SUMS, unique_indices=BoolAttribute(True))


def broken() -> Iterator[tuple[str, Broken]]:
    for name, found in (
        ("gather", _gathers()),
        ("gather", _gathers_of_batches()),
        ("scatter", _scatters()),
        ("scatter", _scatters_of_windows()),
        ("scatter", _scatters_of_batches()),
    ):
        for each in found:
            yield name, each


_WITHOUT_BATCH = {"collapsed_slice_dims": numbers(0, 1)}


def _gather(
    operand: str = "2x3x4x2xi32",
    start_indices: str = INDICES,
    result: str = "2x2x3x2x2xi32",
    /,
    **changed: Attribute,
) -> Operation:
    properties: dict[str, Attribute] = {
        "dimension_numbers": _gather_numbers(),
        "slice_sizes": numbers(1, 1, 2, 2),
    }
    return operation("gather", [operand, start_indices], [result], (), **properties | changed)


def _gather_numbers(**changed: Attribute) -> Attribute:
    parameters: dict[str, Attribute] = {
        "offset_dims": numbers(3, 4),
        "collapsed_slice_dims": numbers(1),
        "operand_batching_dims": numbers(0),
        "start_indices_batching_dims": numbers(1),
        "start_index_map": numbers(2, 1),
        "index_vector_dim": number(3),
    }
    return struct("gather", parameters | changed)


def _gathered(**changed: Attribute) -> Operation:
    return _gather(dimension_numbers=_gather_numbers(**changed))


def _gathers() -> Iterator[Broken]:
    yield "I1", _gather("2x3x4x2xa8", INDICES, "2x2x3x2x2xq8")
    yield "I2", _gather("2x3x4x2xi32", "2x2x3x2xf32")
    for label, name in (
        ("I3", "offset_dims"),
        ("I4", "collapsed_slice_dims"),
        ("I5", "operand_batching_dims"),
        ("I6", "start_indices_batching_dims"),
        ("I7", "start_index_map"),
        ("I8", "index_vector_dim"),
    ):
        yield label, _gathered(**{name: WRONG})
    yield "I9", _gather(slice_sizes=WRONG)
    yield "I10", _gather(indices_are_sorted=WRONG)
    yield "C1", _gathered(collapsed_slice_dims=numbers(1, 2))
    yield "C2", _gathered(index_vector_dim=number(5))
    yield "C2", _gathered(index_vector_dim=number(-1))
    yield "C3", _gathered(start_index_map=numbers(2))
    yield "C3", _gathered(index_vector_dim=number(4))
    yield "C4", _gathered(offset_dims=numbers(4, 3))
    yield "C4", _gathered(offset_dims=numbers(3, 3))
    yield "C5", _gathered(offset_dims=numbers(3, 5))
    yield "C5", _gathered(offset_dims=numbers(-1, 3))
    yield "C6", _gathered(collapsed_slice_dims=numbers(0))
    yield "C7", _gathered(collapsed_slice_dims=numbers(2, 1), offset_dims=numbers(3))
    yield "C8", _gathered(collapsed_slice_dims=numbers(4))
    yield "C8", _gathered(collapsed_slice_dims=numbers(-1))
    yield "C9", _gather(slice_sizes=numbers(1, 2, 2, 2))
    yield "C20", _gather(slice_sizes=numbers(1, 1, 2))
    yield "C21", _gather(slice_sizes=numbers(1, 1, 5, 2))
    yield "C21", _gather(slice_sizes=numbers(1, 1, -1, 2))
    yield "C22", _gather("2x3x4x2xi32", INDICES, "2x2x3x2x3xi32")
    yield "C22", _gather("2x3x4x2xi32", INDICES, "2x2x3x2xi32")
    yield "C23", _gather("2x3x4x2xi32", INDICES, "2x2x3x2x2xi64")
    yield "C23", _gather("2x3x4x2xq8", INDICES, "2x2x3x2x2xq8b")


def _gathers_of_batches() -> Iterator[Broken]:
    batches = {
        "operand_batching_dims": numbers(2, 0),
        "start_indices_batching_dims": numbers(0, 1),
        "start_index_map": numbers(3, 1),
        "offset_dims": numbers(3),
    }
    yield "C10", _gathered(**batches)
    yield "C11", _gathered(operand_batching_dims=numbers(4))
    yield "C11", _gathered(operand_batching_dims=numbers(-1))
    yield "C12", _gather(slice_sizes=numbers(2, 1, 2, 2))
    twice = {"operand_batching_dims": numbers(0, 2), "start_indices_batching_dims": numbers(1, 1)}
    yield "C13", _gathered(**twice, offset_dims=numbers(3))
    yield "C14", _gathered(start_indices_batching_dims=numbers(4))
    yield "C14", _gathered(start_indices_batching_dims=numbers(-1))
    yield "C15", _gathered(start_indices_batching_dims=numbers(3))
    yield "C16", _gathered(start_indices_batching_dims=numbers(0, 1))
    yield "C17", _gathered(start_indices_batching_dims=numbers(2))
    yield "C18", _gathered(start_index_map=numbers(2, 2))
    yield "C18", _gathered(start_index_map=numbers(2, 0))
    yield "C19", _gathered(start_index_map=numbers(2, 4))
    yield "C19", _gathered(start_index_map=numbers(-1, 2))


def _scatter(
    inputs: Sequence[str] = ("2x3x4x2xi32",),
    scatter_indices: str = INDICES,
    updates: Sequence[str] = ("2x2x3x2x2xi32",),
    results: Sequence[str] = ("2x3x4x2xi32",),
    body: Region = SUM,
    /,
    **changed: Attribute,
) -> Operation:
    properties = {"scatter_dimension_numbers": _scatter_numbers(), **changed}
    return operation("scatter", [*inputs, scatter_indices, *updates], results, (body,), **properties)


def _scatter_numbers(**changed: Attribute) -> Attribute:
    parameters: dict[str, Attribute] = {
        "update_window_dims": numbers(3, 4),
        "inserted_window_dims": numbers(1),
        "input_batching_dims": numbers(0),
        "scatter_indices_batching_dims": numbers(1),
        "scatter_dims_to_operand_dims": numbers(2, 1),
        "index_vector_dim": number(3),
    }
    return struct("scatter", parameters | changed)


def _scattered(**changed: Attribute) -> Operation:
    return _scatter(scatter_dimension_numbers=_scatter_numbers(**changed))


def _narrow(**changed: Attribute) -> Operation:
    """With windows that have one dimension less in the updates."""
    found = _scatter_numbers(update_window_dims=numbers(3), **changed)
    inputs = ["2x3x4x2xi32"]
    return _scatter(inputs, INDICES, ["2x2x3x2xi32"], inputs, SUM, scatter_dimension_numbers=found)


def _scatters() -> Iterator[Broken]:
    inputs, updates = ["2x3x4x2xi32"], ["2x2x3x2x2xi32"]
    yield "I1", _scatter(["2x3x4x2xa8"], INDICES, ["2x2x3x2x2xq8"], ["2x3x4x2xa8"])
    yield "I2", _scatter(inputs, "2x2x3x2xi1")
    yield "I3", _scatter(["2x3x4x2xq8"], INDICES, ["2x2x3x2x2xa8"], ["2x3x4x2xq8"])
    for label, name in (
        ("I4", "update_window_dims"),
        ("I5", "inserted_window_dims"),
        ("I6", "input_batching_dims"),
        ("I7", "scatter_indices_batching_dims"),
        ("I8", "scatter_dims_to_operand_dims"),
        ("I9", "index_vector_dim"),
    ):
        yield label, _scattered(**{name: WRONG})
    yield "I10", _scatter(indices_are_sorted=WRONG)
    yield "I11", _scatter(unique_indices=WRONG)
    yield "C1", _scatter([*inputs, "2x3x4x3xi32"], INDICES, updates * 2, [*inputs, "2x3x4x3xi32"], SUMS)
    yield "C3", _scatter(inputs * 2, INDICES, [*updates, "2x2x3x2x1xi32"], inputs * 2, SUMS)
    yield "C4", _scatter(inputs, INDICES, ["2x2x4x2x2xi32"])
    yield "C4", _scatter(inputs, INDICES, ["2x2x3x5x2xi32"])
    yield "C4", _scatter(inputs, INDICES, ["2x2x3x2x2x1xi32"])
    yield "C5", _scatter([], INDICES, [], [])
    yield "C6", _scatter(inputs, INDICES, ["2x2x3x2x2xi64"])
    for body in (
        region(["i32"], ["i32"]),
        SUMS,
        region(["1xi32"] * 2, ["1xi32"]),
        region(["i32", "i64"], ["i32"]),
        region(["i32"] * 2, ["i64"]),
        region(["i16"] * 2, ["i16"]),
        region(["f32"] * 2, ["f32"]),
    ):
        yield "C23", _scatter(inputs, INDICES, updates, inputs, body)
    yield "C24", _scatter(inputs, INDICES, updates, ["2x3x4x3xi32"])
    yield "C24", _scatter(inputs, INDICES, updates, ["24x2xi32"])
    yield "C25", _scatter(inputs, INDICES, updates, ["2x3x4x2xi64"])


def _scatters_of_windows() -> Iterator[Broken]:
    yield "C2", _scattered(inserted_window_dims=numbers(1, 2))
    yield "C7", _scattered(update_window_dims=numbers(4, 3))
    yield "C7", _scattered(update_window_dims=numbers(3, 3))
    yield "C8", _scattered(update_window_dims=numbers(3, 5))
    yield "C8", _scattered(update_window_dims=numbers(-1, 3))
    yield "C9", _scattered(inserted_window_dims=numbers(0))
    yield "C10", _narrow(inserted_window_dims=numbers(2, 1))
    yield "C11", _scattered(inserted_window_dims=numbers(4))
    yield "C11", _scattered(inserted_window_dims=numbers(-1))
    yield "C19", _scattered(scatter_dims_to_operand_dims=numbers(2))
    yield "C19", _scattered(index_vector_dim=number(4))
    yield "C20", _scattered(scatter_dims_to_operand_dims=numbers(2, 2))
    yield "C20", _scattered(scatter_dims_to_operand_dims=numbers(2, 0))
    yield "C21", _scattered(scatter_dims_to_operand_dims=numbers(2, 4))
    yield "C21", _scattered(scatter_dims_to_operand_dims=numbers(-1, 2))
    yield "C22", _scattered(index_vector_dim=number(5))
    yield "C22", _scattered(index_vector_dim=number(-1))


def _scatters_of_batches() -> Iterator[Broken]:
    yield "C12", _narrow(input_batching_dims=numbers(2, 0), scatter_indices_batching_dims=numbers(0, 1))
    yield "C13", _scattered(input_batching_dims=numbers(4))
    yield "C13", _scattered(input_batching_dims=numbers(-1))
    twice = {"input_batching_dims": numbers(0, 2), "scatter_indices_batching_dims": numbers(1, 1)}
    yield "C14", _narrow(**twice)
    yield "C15", _scattered(scatter_indices_batching_dims=numbers(4))
    yield "C15", _scattered(scatter_indices_batching_dims=numbers(-1))
    yield "C16", _scattered(scatter_indices_batching_dims=numbers(3))
    yield "C17", _scattered(scatter_indices_batching_dims=numbers(0, 1))
    yield "C18", _scattered(scatter_indices_batching_dims=numbers(2))
