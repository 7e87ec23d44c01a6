"""reduce: recognised bodies against the same body run lifted; order, types, rounding. Values are those of the oracles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.reductions.reduce import Reduce

from .building import same_bits
from .running import (
    BodyBuilder,
    argument_of_extreme,
    asks,
    body_of,
    broken,
    disguised,
    doubled_sum,
    run,
    second_of,
    tensor,
    type_of,
)


def reducing(body: Any, element_type: str, shape: tuple[int, ...], *dimensions: int) -> Reduce:
    """A reduce of one tensor."""
    return Reduce((tensor(shape, element_type),), (tensor((), element_type),), dimensions, body)


BODIES = ("add", "multiply", "maximum", "minimum", "and", "or", "xor")


@st.composite
def reductions(draw: Any) -> tuple[str, Array, int, tuple[int, ...]]:
    shape = tuple(draw(st.lists(st.integers(0, 4), max_size=3)))
    count = int(np.prod(shape))
    values = draw(st.lists(st.integers(-2, 3), min_size=count, max_size=count))
    dimensions = tuple(draw(st.permutations(range(len(shape))))[: draw(st.integers(0, len(shape)))])
    name = draw(st.sampled_from(BODIES))
    return name, np.array(values, np.int64).reshape(shape), draw(st.integers(-2, 3)), dimensions


@given(reductions())
def test_a_recognised_body_does_what_it_does_when_it_is_run(
    case: tuple[str, Array, int, tuple[int, ...]],
) -> None:
    name, values, initial, dimensions = case
    known, unknown = (
        reducing(make(f"stablehlo.{name}", "i64"), "i64", values.shape, *dimensions)
        for make in (body_of, disguised)
    )
    assert broken(known) is None
    (found,), (expected,) = run(known, values, initial), run(unknown, values, initial)
    assert found.shape == known.infer()[0].sizes == expected.shape
    assert found.tolist() == expected.tolist()


def test_order_is_kept_where_the_body_looks_at_it() -> None:
    values = np.arange(24).reshape(2, 3, 4)
    last = reducing(second_of("i64"), "i64", (2, 3, 4), 2, 0)
    assert run(last, values, 7)[0].tolist() == values[1, :, 3].tolist()


@pytest.mark.parametrize("count", [1, 2, 5, 64])
def test_an_unknown_body_runs_once_for_each_of_few_elements(count: int) -> None:
    op = reducing(doubled_sum(), "i64", (count, 3), 0)
    requests = asks(op, np.ones((count, 3), int), 0)
    assert [request.iteration for request in requests] == list(range(count))
    assert all(request.lanes == (3,) for request in requests)


@pytest.mark.parametrize(("count", "levels"), [(65, 8), (128, 8), (129, 9)])
def test_an_unknown_body_runs_once_a_level_and_once_for_the_initial_value(count: int, levels: int) -> None:
    op = reducing(doubled_sum(), "i64", (count, 3), 0)
    requests = asks(op, np.ones((count, 3), int), 0)
    assert [request.iteration for request in requests] == list(range(levels))
    assert requests[-1].lanes == (3,)


def test_few_elements_come_from_the_left() -> None:
    op = reducing(doubled_sum(), "i64", (4,), 0)
    assert run(op, [1, 2, 3, 4], 100)[0].tolist() == 1626


def test_neighbours_are_paired_and_the_initial_value_comes_first() -> None:
    op = reducing(doubled_sum(), "i64", (67,), 0)
    nodes = list(range(67))
    while len(nodes) > 1:
        pairs = [2 * left + right for left, right in zip(nodes[::2], nodes[1::2], strict=False)]
        nodes = pairs + nodes[len(pairs) * 2 :]
    assert run(op, list(range(67)), 100)[0].tolist() == 2 * 100 + nodes[0]


def test_sums_of_booleans_and_small_integers_stay_in_their_type() -> None:
    op = reducing(body_of("stablehlo.add", "i1"), "i1", (3,), 0)
    assert run(op, [True, True, False], False)[0].tolist() is True
    op = reducing(body_of("stablehlo.add", "i8"), "i8", (2,), 0)
    assert run(op, np.array([100, 100], np.int8), np.int8(0))[0].tolist() == -56
    op = reducing(body_of("stablehlo.add", "i4"), "i4", (3,), 0)
    (found,) = run(op, np.array([7, 7, 0], ml_dtypes.int4), np.array(0, ml_dtypes.int4))
    assert found.dtype == ml_dtypes.int4
    assert int(found) == -2


def test_small_floats_accumulate_wide_and_round_once() -> None:
    bf16 = ml_dtypes.bfloat16
    op = reducing(body_of("stablehlo.add", "bf16"), "bf16", (1024,), 0)
    (found,) = run(op, np.ones(1024, bf16), np.array(0, bf16))
    assert found.dtype == bf16
    assert float(found) == 1024.0


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_nan_wins_and_zeros_have_an_order(name: str) -> None:
    values = np.array([[0.0, -0.0], [-0.0, 0.0], [-0.0, -0.0], [np.nan, 1.0]], np.float32)
    found = [
        run(reducing(make(f"stablehlo.{name}", "f32"), "f32", (4, 2), 1), values, np.float32(start))[0]
        for make in (body_of, disguised)
        for start in (0.0, -0.0)
    ]
    assert same_bits(found[0], found[2])
    assert same_bits(found[1], found[3])


@pytest.mark.parametrize("start", [0.0, -0.0])
@pytest.mark.parametrize("make", [body_of, disguised])
def test_a_sum_of_nothing_but_negative_zeros_is_one(make: Callable[[str, str], Any], start: float) -> None:
    op = reducing(make("stablehlo.add", "f32"), "f32", (3,), 0)
    (found,) = run(op, np.full(3, -0.0, np.float32), np.float32(start))
    assert np.signbit(found) == np.signbit(start)


def test_elements_are_promoted_to_the_body_s_type() -> None:
    op = reducing(body_of("stablehlo.add", "i32"), "i8", (3,), 0)
    assert broken(op, tensor((), "i32")) is None
    (found,) = run(op, np.array([100, 100, 100], np.int8), np.int8(1))
    assert (found.dtype.name, int(found)) == ("int32", 301)


VALUES = st.lists(st.sampled_from([1.0, 2.0, -1.0, 0.0, -0.0, np.inf, np.nan]), min_size=1, max_size=9)


@given(VALUES, st.sampled_from(["GT", "LT"]), st.data())
def test_the_recognised_choice_of_index_is_the_body_itself(
    values: list[float], direction: str, data: Any
) -> None:
    count = len(values)
    indices = data.draw(st.lists(st.integers(-3, 3), min_size=count, max_size=count))
    operands = (
        np.array(values, np.float32),
        np.array(indices, np.int32),
        np.float32(data.draw(st.sampled_from([-np.inf, 1.0, np.nan]))),
        np.int32(0),
    )
    types = tuple(type_of(np.asarray(operand)) for operand in operands)
    body = argument_of_extreme(direction, "f32")
    known = Reduce(types[:2], types[2:], (0,), body)
    assert broken(known, *types[2:]) is None
    assert not asks(known, *operands)
    unknown = replace(known, body=argument_of_extreme(direction, "f32", disguise=True))
    assert asks(unknown, *operands)
    for found, expected in zip(run(known, *operands), run(unknown, *operands), strict=True):
        assert same_bits(found, expected)


def squared_sum(element_type: str) -> Any:
    """`a + x * x`: in pairs of elements it would square sums."""
    build = BodyBuilder(*[ELEMENT_TYPES[element_type]] * 2)
    a, x = build.arguments
    return build.returning(build.op("stablehlo.add", a, build.op("stablehlo.multiply", x, x)))


@given(arrays(np.int64, st.lists(st.integers(0, 4), min_size=1, max_size=3).map(tuple)), st.data())
def test_what_a_body_does_to_the_element_is_done_once(values: Array, data: st.DataObject) -> None:
    dimensions = data.draw(st.lists(st.integers(0, values.ndim - 1), unique=True).map(tuple))
    op = reducing(squared_sum("i64"), "i64", values.shape, *dimensions)
    with np.errstate(all="ignore"):
        wanted = 5 + (values * values).sum(axis=dimensions)
        assert np.array_equal(run(op, values, 5)[0], wanted)


def test_what_a_body_does_to_the_element_of_each_input() -> None:
    build = BodyBuilder(*[ELEMENT_TYPES[name] for name in ("f32", "i8", "f32", "i8")])
    a, b, x, y = build.arguments
    body = build.returning(
        build.op("stablehlo.maximum", build.op("stablehlo.negate", x), a), build.op("stablehlo.xor", b, y)
    )
    types = tensor((4,), "f32"), tensor((4,), "i8")
    op = Reduce(types, (tensor((), "f32"), tensor((), "i8")), (0,), body)
    least, mixed = run(op, np.array([3, -2, np.inf, 4], np.float32), np.array([1, 2, 4, 9], np.int8), 0.0, 1)
    assert (float(least), int(mixed)) == (2, 1 ^ 1 ^ 2 ^ 4 ^ 9)
    assert len(asks(op, np.zeros(4, np.float32), np.zeros(4, np.int8), 0.0, 1)) == 1
