"""select_and_scatter: recognised bodies against the same bodies run; long windows, blocks, types. Values are those of the oracles."""

from __future__ import annotations

from math import prod
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.reductions.select_and_scatter import SELECT, SelectAndScatter
from hloscope.engine.ops.reductions.sliding_windows import counts, slides
from hloscope.engine.ops.reductions.window_choices import LONG

from .building import QUANTIZED
from .cases.windowed import DIRECTIONS, paddings, selecting, windows
from .running import BodyBuilder, asks, body_of, broken, disguised, run, second_of, tensor

Padding = tuple[tuple[int, ...], ...] | None
COMBINE = ("add", "multiply", "subtract", "maximum", "second")


def selection(
    shape: tuple[int, ...],
    window: tuple[int, ...],
    strides: tuple[int, ...] | None = None,
    padding: Padding = None,
    *,
    select: str = "GE",
    scatter: str = "add",
    element_type: str = "i64",
    hidden: bool = False,
    swapped: bool = False,
) -> SelectAndScatter:
    """Bodies that are `hidden` are not recognised."""
    number = counts(slides(window, strides, None, None, padding), shape)
    make = disguised if hidden and scatter != "subtract" else body_of
    return SelectAndScatter(
        tensor(shape, element_type),
        tensor(number, element_type),
        tensor((), element_type),
        selecting(select, element_type, swapped=swapped, disguise=hidden),
        second_of(element_type) if scatter == "second" else make(f"stablehlo.{scatter}", element_type),
        window,
        strides,
        padding,
    )


VALUES = [-2.0, -1.0, 0.0, -0.0, 1.0, 2.0, 2.0, np.nan, np.inf]


@st.composite
def selections(draw: Any) -> tuple[SelectAndScatter, SelectAndScatter, tuple[Array, ...]]:
    """Any windows over any elements, NaN among them, with bodies that are recognised and that are not."""
    shape = tuple(draw(st.lists(st.integers(0, 5), max_size=3)))
    drawn, padding = draw(windows(shape)), draw(paddings(shape))
    compare, combine = draw(st.sampled_from(DIRECTIONS)), draw(st.sampled_from(COMBINE))
    element_type, swapped = draw(st.sampled_from(["i64", "f32"])), draw(st.booleans())
    op, other = (
        selection(
            shape,
            drawn["window_dimensions"],
            drawn["window_strides"],
            padding,
            select=compare,
            scatter=combine,
            element_type=element_type,
            hidden=hidden,
            swapped=swapped,
        )
        for hidden in (False, True)
    )
    dtype = op.operand.element_type.dtype
    choices = VALUES if element_type == "f32" else [-2, -1, 0, 1, 2]
    count = prod(shape)
    operand = np.array(draw(st.lists(st.sampled_from(choices), min_size=count, max_size=count)), dtype)
    source = np.arange(1, 1 + op.source.element_count).astype(dtype).reshape(op.source.sizes)
    initial = np.asarray(draw(st.sampled_from([0, 1, -5])), dtype)
    return op, other, (operand.reshape(shape), source, initial)


@given(selections(), st.sampled_from([LONG, 0]))
def test_recognised_bodies_do_what_they_do_when_they_are_run(
    case: tuple[SelectAndScatter, SelectAndScatter, tuple[Array, ...]], long: int
) -> None:
    op, other, operands = case
    (expected,) = run(other, *operands)
    with pytest.MonkeyPatch.context() as patch:
        for module in ("window_choices", "select_and_scatter"):
            patch.setattr(f"hloscope.engine.ops.reductions.{module}.LONG", long)
        (found,) = run(op, *operands)
    assert found.shape == expected.shape
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("hidden", [False, True])
def test_windows_of_padding_send_nothing(hidden: bool) -> None:
    op = selection((2,), (2,), (2,), ((4, 3),), hidden=hidden)
    assert run(op, [1, 2], [10, 20, 30, 40], 0)[0].tolist() == [0, 30]
    everything = selection((0,), (2,), None, ((1, 2),), hidden=hidden)
    assert run(everything, np.zeros(0, int), [1, 2], 7)[0].tolist() == []


def test_an_unknown_comparison_runs_once_for_each_place_of_a_window() -> None:
    op = selection((6,), (3,), (3,), hidden=True)
    requests = asks(op, np.array([1, 2, 3, 6, 5, 4]), np.array([1, 2]), np.array(0))
    assert [(request.lanes, request.iteration) for request in requests if request.region == SELECT] == [
        ((2,), 1),
        ((2,), 2),
    ]


def test_rounds_cost_something() -> None:
    """A window of a billion places, nearly all of them padding, is refused before it runs."""
    op = selection((3,), (1_000_000_000,), None, ((0, 1_000_000_000),), hidden=True)
    assert op.cost((), (op.infer(),)).flops > DEFAULT_LIMITS.op_flops


@pytest.mark.parametrize("element_type", ["f32", "bf16"])
def test_many_blocks_give_what_one_would(element_type: str) -> None:
    random = np.random.default_rng(4)
    padding: Padding = ((0, 0), (1, 1), (1, 0), (0, 0))
    op = selection((2, 300, 200, 3), (1, 3, 3, 1), (1, 2, 2, 1), padding, element_type=element_type)
    dtype = op.operand.element_type.dtype
    operand = random.permutation(op.operand.element_count).reshape(op.operand.sizes) % 251
    source = random.integers(1, 9, op.source.sizes)
    hidden = selection(
        (2, 300, 200, 3), (1, 3, 3, 1), (1, 2, 2, 1), padding, element_type=element_type, hidden=True
    )
    operands = operand.astype(dtype), source.astype(dtype), np.zeros((), dtype)
    (found,), (expected,) = run(op, *operands), run(hidden, *operands)
    assert found.dtype == dtype
    assert np.array_equal(found.astype(np.float32), expected.astype(np.float32))


def test_small_floats_accumulate_wide_and_round_once() -> None:
    bf16 = ml_dtypes.bfloat16
    op = selection((2047,), (1024,), element_type="bf16")
    operand = np.zeros(2047, bf16)
    operand[1023] = 1
    (found,) = run(op, operand, np.ones(1024, bf16), np.array(0, bf16))
    assert found.dtype == bf16
    assert float(found[1023]) == 1024


def test_values_are_promoted_to_the_body_s_type() -> None:
    op = SelectAndScatter(
        tensor((3,), "i8"),
        tensor((2,), "i8"),
        tensor((), "i8"),
        selecting("GE", "i8"),
        body_of("stablehlo.add", "i32"),
        (2,),
    )
    assert broken(op, tensor((3,), "i32")) is None
    (found,) = run(op, np.array([1, 9, 2], np.int8), np.array([100, 100], np.int8), np.int8(3))
    assert (found.dtype.name, found.tolist()) == ("int32", [3, 203, 3])


def test_quantized_elements_are_compared_and_combined_by_the_program_s_bodies() -> None:
    found = QUANTIZED["q8"]
    build, adding = BodyBuilder(found, found), BodyBuilder(found, found)
    select = build.returning(build.compare("GE", *build.arguments))
    scatter = adding.returning(adding.op("stablehlo.add", *adding.arguments))
    op = SelectAndScatter(tensor((3,), found), tensor((2,), found), tensor((), found), select, scatter, (2,))
    assert broken(op, tensor((3,), found)) is None
    assert found.zero_points == (0,)
    operands = np.array([1, 9, 2], np.int8), np.array([100, 10], np.int8), np.array(20, np.int8)
    assert run(op, *operands)[0].tolist() == [20, 127, 20]


def test_shapes_of_unknown_size() -> None:
    op = SelectAndScatter(
        tensor((None, 7)),
        tensor((3, None)),
        tensor(()),
        selecting("GE", "f32"),
        body_of("stablehlo.add", "f32"),
        (2, 3),
        (1, 2),
    )
    assert broken(op, tensor((None, 7))) is None
    assert op.infer() == tensor((None, 7))
