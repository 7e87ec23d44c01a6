"""The places of windows that pictures draw: those that hold an element are what the maps read, whatever lies between."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hloscope.app.present.index_maps import parts_json
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.data_movement.pad import Pad
from hloscope.engine.ops.indexed.dynamic_indexing import DynamicPad
from tests.ops.cases import CASES
from tests.ops.cases.convolutions import convolutions
from tests.ops.cases.drawing import Case
from tests.ops.cases.windowed import reductions
from tests.ops.mapping import Table, table_of
from tests.ops.running import tensor

JSON = dict[str, Any]
OPERATIONS: dict[str, Callable[..., int]] = {
    "+": lambda *parts: sum(parts),
    "*": lambda *parts: prod(parts),
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
}


def value_of(expression: Any, variables: Mapping[str, int]) -> int:
    if isinstance(expression, int):
        return expression
    if isinstance(expression, str):
        return variables[expression]
    kind, *parts = expression
    return OPERATIONS[kind](*(value_of(part, variables) for part in parts))


def places(windows: JSON, shape: Sequence[int]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Each element of the tensor that has windows with each place of its window."""
    if windows["map"]["kind"] == "empty":
        return
    assert [high + 1 for _, high in windows["map"]["dimensions"]] == list(shape)
    steps = [range(low, high + 1) for low, high in windows["map"]["ranges"]]
    for at in product(*map(range, shape)):
        for s in product(*steps):
            variables = {f"d{k}": value for k, value in enumerate(at)}
            variables |= {f"s{k}": value for k, value in enumerate(s)}
            yield at, tuple(value_of(result, variables) for result in windows["map"]["results"])


def under(windows: JSON, shape: Sequence[int], base: Sequence[int]) -> Table:
    """Which elements lie at the places of each window."""
    found = np.zeros((prod(shape), prod(base)), np.bool_)
    for at, place in places(windows, shape):
        steps = list(zip(place, windows["base"], base, strict=True))
        if all(here % apart == 0 and 0 <= here // apart < size for here, apart, size in steps):
            element = tuple(here // apart for here, apart, _ in steps)
            one = np.ravel_multi_index(at, tuple(shape)) if shape else 0
            other = np.ravel_multi_index(element, tuple(base)) if base else 0
            found[one, other] = True
    return found


@given(st.one_of(reductions(), convolutions(), CASES[Pad.name]))
def test_places_that_hold_an_element_are_what_is_read(case: Case) -> None:
    op = case.op
    operand, result = op.operand_types[0], op.infer()
    assert isinstance(operand, TensorType)
    result = result[0] if isinstance(result, tuple) else result
    assert isinstance(result, TensorType)
    windows: Any = parts_json(op)["windowPositions"]
    assert windows["of"] == {"side": "result", "number": 0}
    assert {"side": "operand", "number": 0} in windows["over"]
    read = next(found.map for found in op.index_maps() if found.operand == 0)
    expected = table_of(read, result.sizes, operand.sizes, case.operands)
    assert np.array_equal(under(windows, result.sizes, operand.sizes), expected)


@given(convolutions())
def test_a_kernel_goes_with_the_places(case: Case) -> None:
    """Its map has the range variables of the places."""
    windows = parts_json(case.op)["windowPositions"]
    assert windows["partner"]["map"]["ranges"] == windows["map"]["ranges"]


def test_padding_that_a_run_has_shown_is_drawn() -> None:
    kinds = [tensor((3,), "i64")] * 3
    op = DynamicPad(tensor((2, 2, 2)), tensor(()), *kinds, result=tensor((4, 2, 3)))
    assert parts_json(op) == {"kind": "other"}
    shown = [np.array(numbers) for numbers in ((1, 0, 0), (1, 0, 0), (0, 0, 1))]
    settled = op.with_numbers(dict(enumerate(shown, 2)))
    twin = Pad(tensor((2, 2, 2)), tensor(()), (1, 0, 0), (1, 0, 0), (0, 0, 1))
    assert parts_json(settled) == parts_json(twin)
    assert parts_json(twin)["windowPositions"]["base"] == [1, 1, 2]
