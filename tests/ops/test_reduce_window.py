"""reduce_window: recognised bodies against the same body run; running sums, blocks, types, rounding. Values are those of the oracles."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from hloscope.engine.indexing import Style, print_map
from hloscope.engine.ir.module import Region
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.reductions.reduce_window import ReduceWindow
from hloscope.engine.ops.reductions.sliding_windows import BLOCK, blocks, counts, slides

from .building import QUANTIZED, same_bits
from .cases.windowed import paddings, windows
from .running import (
    BodyBuilder,
    argument_of_extreme,
    asks,
    body_of,
    broken,
    disguised,
    run,
    tensor,
    type_of,
)

BODIES = ("add", "multiply", "maximum", "minimum", "and", "or", "xor")


def window_of(body: Region, element_type: str, shape: tuple[int, ...], **fields: Any) -> ReduceWindow:
    """A reduce_window of one tensor."""
    return ReduceWindow((tensor(shape, element_type),), (tensor((), element_type),), body, **fields)


@st.composite
def reductions(draw: Any) -> tuple[ReduceWindow, ReduceWindow, Array, int]:
    """Any windows of small integers, among them long ones, with a body that is recognised and with one that is not."""
    shape = tuple(draw(st.lists(st.integers(0, 6), max_size=3)))
    name = f"stablehlo.{draw(st.sampled_from(BODIES))}"
    fields = draw(windows(shape)) | {"padding": draw(paddings(shape))}
    if draw(st.booleans()):
        ones = (1,) * len(shape)
        fields |= {"window_dimensions": tuple(max(1, size) for size in shape)}
        fields |= {"base_dilations": ones, "window_dilations": ones, "window_strides": None}
    op = window_of(body_of(name, "i64"), "i64", shape, **fields, skips_padding=draw(st.booleans()))
    values = draw(st.lists(st.integers(-3, 4), min_size=prod(shape), max_size=prod(shape)))
    initial = draw(st.sampled_from([0, 1, -1, -(2**63), 2]))
    return op, replace(op, body=disguised(name, "i64")), np.array(values, np.int64).reshape(shape), initial


@given(reductions())
def test_a_recognised_body_does_what_it_does_when_it_is_run(
    case: tuple[ReduceWindow, ReduceWindow, Array, int],
) -> None:
    known, unknown, values, initial = case
    assert broken(known) is None
    (found,), (expected,) = (run(op, values, np.int64(initial)) for op in (known, unknown))
    assert found.shape == known.infer()[0].sizes == expected.shape
    assert found.tolist() == expected.tolist()


def test_a_long_running_sum_takes_one_pass() -> None:
    count = 1_000_000
    op = window_of(
        body_of("stablehlo.add", "f32"),
        "f32",
        (count,),
        window_dimensions=(count,),
        padding=((count - 1, 0),),
    )
    values = np.random.default_rng(0).standard_normal(count).astype(np.float32)
    (found,) = run(op, values, np.float32(0))
    assert np.array_equal(found, np.cumsum(values))
    assert op.cost((), op.infer()).flops < 100 * count


def test_long_windows_by_a_body_of_the_program_take_few_rounds() -> None:
    body = disguised("stablehlo.maximum", "i64")
    op = window_of(body, "i64", (3000,), window_dimensions=(1000,), padding=((999, 0),))
    values = np.random.default_rng(0).integers(0, 1 << 40, 3000)
    requests = asks(op, values, 0)
    assert len(requests) < 20
    assert [request.iteration for request in requests] == list(range(len(requests)))
    (found,) = run(op, values, 0)
    assert found.tolist() == [values[max(0, k - 999) : k + 1].max() for k in range(3000)]


def test_blocks_cover_every_window_once() -> None:
    found = slides((1, 3, 2, 1), (1, 2, 1, 1), None, None, ((0, 0), (1, 1), (0, 1), (0, 0)))
    number = tuple(int(count or 0) for count in counts(found, (3, 400, 300, 7)))
    boxes = list(blocks(found, number))
    met = np.zeros(number, np.int8)
    for box in boxes:
        met[box] += 1
        covers = [slide.extent(part.stop - part.start) for slide, part in zip(found, box, strict=True)]
        assert prod(covers) <= BLOCK
    assert len(boxes) > 1
    assert np.all(met == 1)


def test_many_blocks_give_what_one_would() -> None:
    values = np.random.default_rng(0).standard_normal((3, 200, 300, 5)).astype(np.float32)
    op = window_of(
        body_of("stablehlo.maximum", "f32"),
        "f32",
        values.shape,
        window_dimensions=(1, 3, 3, 1),
        window_strides=(1, 2, 2, 1),
        padding=((0, 0), (1, 1), (0, 1), (0, 0)),
    )
    (found,) = run(op, values, np.float32(-np.inf))
    wide = np.pad(values, ((0, 0), (1, 1), (0, 1), (0, 0)), constant_values=-np.inf)
    view = np.lib.stride_tricks.sliding_window_view(wide, (3, 3), (1, 2))[:, ::2, ::2]
    assert np.array_equal(found, view.max((-2, -1)))


def test_sums_of_booleans_and_small_integers_stay_in_their_type() -> None:
    op = window_of(body_of("stablehlo.add", "i1"), "i1", (3,), window_dimensions=(2,))
    assert run(op, [True, True, False], False)[0].tolist() == [True, True]
    op = window_of(body_of("stablehlo.add", "i8"), "i8", (3,), window_dimensions=(2,))
    assert run(op, np.array([100, 100, 1], np.int8), np.int8(0))[0].tolist() == [-56, 101]
    op = window_of(body_of("stablehlo.add", "i4"), "i4", (3,), window_dimensions=(3,))
    (found,) = run(op, np.array([7, 7, 0], ml_dtypes.int4), np.array(0, ml_dtypes.int4))
    assert (found.dtype, int(found[0])) == (ml_dtypes.int4, -2)


def test_small_floats_accumulate_wide_and_round_once() -> None:
    bf16 = ml_dtypes.bfloat16
    op = window_of(body_of("stablehlo.add", "bf16"), "bf16", (1024,), window_dimensions=(1024,))
    (found,) = run(op, np.ones(1024, bf16), np.array(0, bf16))
    assert (found.dtype, found.astype(int).tolist()) == (bf16, [1024])


SPECIAL = [0.0, -0.0, np.nan, 1.0, -1.0, np.inf, -np.inf]


@given(
    st.lists(st.sampled_from(SPECIAL), min_size=3, max_size=12),
    st.sampled_from(["maximum", "minimum", "add"]),
    st.sampled_from([0.0, -0.0, -np.inf, np.inf]),
    st.integers(1, 12),
    st.booleans(),
)
@example([-0.0, -0.0, -0.0], "add", -0.0, 3, False)
def test_nan_wins_and_zeros_have_an_order(
    values: list[float], name: str, initial: float, window: int, skips: bool
) -> None:
    operand, start = np.array(values, np.float32), np.float32(initial)
    edges = [((0, 0),), ((1, 2),), ((window - 1, 0),), ((0, len(values) - 1),)]
    for padding in edges:
        known, unknown = (
            window_of(
                make(f"stablehlo.{name}", "f32"),
                "f32",
                operand.shape,
                window_dimensions=(window,),
                padding=padding,
                skips_padding=skips,
            )
            for make in (body_of, disguised)
        )
        assert same_bits(run(known, operand, start)[0], run(unknown, operand, start)[0])


def test_elements_are_promoted_to_the_body_s_type() -> None:
    op = window_of(body_of("stablehlo.add", "i32"), "i8", (3,), window_dimensions=(2,))
    assert broken(op, tensor((2,), "i32")) is None
    (found,) = run(op, np.array([100, 100, 1], np.int8), np.int8(1))
    assert (found.dtype.name, found.tolist()) == ("int32", [201, 102])


def test_several_inputs() -> None:
    values, places = np.array([3, 9, 4, 9, 1], np.float32), np.arange(5, dtype=np.int32)
    op = ReduceWindow(
        (type_of(values), type_of(places)),
        (tensor(()), tensor((), "i32")),
        argument_of_extreme("GT", "f32"),
        (3,),
        padding=((1, 0),),
    )
    assert broken(op, tensor((4,)), tensor((4,), "i32")) is None
    greatest, at = run(op, values, places, np.float32(-np.inf), np.int32(9))
    assert (greatest.tolist(), at.tolist()) == ([9, 9, 9, 9], [1, 1, 1, 3])


def test_quantized_elements_are_combined_by_the_program_s_body() -> None:
    found = QUANTIZED["q8"]
    build = BodyBuilder(found, found)
    body = build.returning(build.op("stablehlo.add", *build.arguments))
    op = ReduceWindow((tensor((3,), found),), (tensor((), found),), body, (2,))
    assert broken(op, tensor((2,), found)) is None
    (sums,) = run(op, np.array([100, 100, -128], np.int8), np.int8(0))
    assert sums.tolist() == [127, -28]


def test_shapes_of_unknown_size() -> None:
    op = ReduceWindow((tensor((None, 7)),), (tensor(()),), body_of("stablehlo.add", "f32"), (2, 3), (1, 2))
    assert broken(op, tensor((4, 3))) is None
    assert op.infer() == (tensor((None, 3)),)
    assert broken(op, tensor((4, 4))) == "C15"


def test_the_results_are_held_to_what_follows() -> None:
    op = window_of(body_of("stablehlo.add", "f32"), "f32", (4,), window_dimensions=(2,))
    assert broken(op, tensor((4,))) == "C15"
    assert broken(op, tensor((3,), "f64")) == "C16"
    pair = replace(
        op, inputs=op.inputs * 2, init_values=op.init_values * 2, body=body_of("stablehlo.add", "f32", "f32")
    )
    assert broken(pair, tensor((3,)), tensor((4,))) == "C14"


def test_the_maps_of_a_pool() -> None:
    op = window_of(
        body_of("stablehlo.maximum", "f32"),
        "f32",
        (2, 9),
        window_dimensions=(1, 3),
        window_strides=(1, 2),
        padding=((0, 0), (1, 1)),
    )
    read, _ = op.index_maps()
    assert print_map(read.map, Style.CURRENT) == (
        "(d0, d1)[s0] -> (d0, d1 * 2 + s0 - 1), domain: d0 in [0, 1], d1 in [0, 4], s0 in [0, 2], "
        "d1 * 2 + s0 in [1, 9]"
    )
