"""Error messages of wrong calls."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hloscope.engine.builder import (
    BuilderError,
    DotDimensionNumbers,
    GatherDimensionNumbers,
    ResultAccuracy,
    ScatterDimensionNumbers,
    XlaBuilder,
    XlaOp,
    shape,
)
from tests.each import for_each

Wrong = Callable[[XlaBuilder, XlaOp], Any]
"""A call with a handle x of shape f32[2,3]."""

CALLS: list[tuple[Wrong, str]] = [
    (lambda b, x: b.add(x, b.constant([[1, 2, 3]] * 2)), "^add: C1: .*types must be equal"),
    (lambda b, x: b.not_(x), "^not: I1: operand must hold boolean or integer"),
    (lambda b, x: b.clz(x), "^count-leading-zeros: I1: operand must hold integer"),
    (lambda b, x: b.add(b.tuple([x]), 1.0), "is not an array"),
    (lambda b, x: b.add(1.0, 2.0), "^add: at least one operand"),
    (lambda b, x: b.add(x, "one"), "^add: .*must be a handle or a number"),  # type: ignore[arg-type]
    (lambda b, x: b.iota("s32[2]") + 0.5, "^add: .*not a number of type"),
    (lambda b, x: x == "one", "^compare: .*must be a handle or a number"),
    (lambda b, x: b.transpose(x, [0, 0]), "^transpose: C2: permutation"),
    (lambda b, x: b.reshape(x, [4]), "^reshape: C2: .*elements"),
    (lambda b, x: b.reshape(x, [-6]), "^reshape: .*negative size"),
    (lambda b, x: b.concatenate([x, b.constant([1.0])], 0), "^concatenate: C2: inputs differ"),
    (lambda b, x: b.concatenate([x], 2), "^concatenate: C4: dimension 2"),
    (lambda b, x: b.slice(x, [0], [1]), "^slice: C2: start_indices"),
    (lambda b, x: b.slice_in_dim(x, 0, 1, 1, 2), "^slice: dimno 2 is outside rank 2"),
    (lambda b, x: b.pad(x, 0.0, [(0,), (0, 0)]), r"^pad: .*\(low, high\)"),
    (lambda b, x: b.pad(x, 0.0, [(0, 0, -1), (0, 0)]), "^pad: C3: interior_padding"),
    (lambda b, x: b.broadcast(x, [-1]), "^broadcast: .*negative size"),
    (lambda b, x: b.broadcast_in_dim(x, [2, 4], [0, 1]), "^broadcast: .*must be that or 1"),
    (lambda b, x: b.broadcast_in_dim(x, [2, 3], [0]), "^broadcast: .*must name a dimension"),
    (lambda b, x: b.broadcast_in_dim(x, [3, 3], [0, 0]), "^broadcast: .*different dimensions"),
    (lambda b, x: b.collapse(x, [1, 0]), "^reshape: .*neighbours"),
    (lambda b, x: b.dynamic_reshape(x, [1], [6, 1], [True, True]), "^dynamic-reshape: .*an entry for each"),
    (lambda b, x: b.dynamic_reshape(x, [1], [5], [True]), "^dynamic-reshape: .*as many elements"),
    (lambda b, x: b.dynamic_slice(x, [0], [1, 1]), "^dynamic-slice: C2: start_indices and slice_sizes"),
    (lambda b, x: b.set_dimension_size(x, 1, 2), "^set-dimension-size: .*outside rank"),
    (lambda b, x: b.dot(x, x), "^dot: C10: .*contracted but differ"),
    (lambda b, x: b.dot(b.broadcast(x, [2]), x), "^dot: .*dot_general takes any"),
    (
        lambda b, x: b.dot_general(x, x, DotDimensionNumbers((), (), (2,), (0,))),
        "^dot: C6: lhs_contracting_dimensions",
    ),
    (lambda b, x: b.conv(x, x, [1], "half"), "^convolution: .*SAME or VALID"),
    (lambda b, x: b.conv(b.broadcast(x, [2]), b.broadcast(x, [2]), [0], "same"), "^convolution: .*positive"),
    (lambda b, x: b.conv_general(x, x, [], [], "bf_xx->bf"), "^convolution: dimension_numbers"),
    (lambda b, x: b.reduce(x, 0.0, lambda p, q: p < q, [0]), "^reduce: C6: body must return"),
    (lambda b, x: b.reduce(x, 0.0, lambda p, q: p, [2]), "^reduce: C4: dimensions"),
    (lambda b, x: b.reduce([x, x], [0.0], lambda *a: a[:2], [0]), "^reduce: .*2 operands, but 1"),
    (lambda b, x: b.reduce([], [], lambda *a: a, [0]), "^reduce: .*at least one operand"),
    (lambda b, x: b.reduce(x, 0.0, lambda p, q: p + x, [0]), "^add: .*belongs to the computation 'calls'"),
    (lambda b, x: b.reduce(x, 0.0, lambda p, q: "x", [0]), "handle or a number"),
    (lambda b, x: b.reduce(x, 0.0, 7, [0]), "a computation must be the result of build"),
    (
        lambda b, x: b.reduce_window(x, 0.0, lambda p, q: p, [2], [1], "VALID"),
        "^reduce-window: .*2 dimensions, but 1 window sizes",
    ),
    (lambda b, x: b.sort([x, b.constant([1.0])], lambda *a: a[0] < a[1]), "^sort: C3: .*shape"),
    (lambda b, x: b.map([x], lambda e: e, [0]), "^map: C3: dimensions"),
    (lambda b, x: b.map([x], lambda e, p: e, None, [x]), "^map: .*must be scalars"),
    (lambda b, x: b.top_k(x, 4), "^topk: .*4"),
    (lambda b, x: b.gather(x, x, GatherDimensionNumbers(), [1, 1]), "^gather: I2: start_indices"),
    (
        lambda b, x: b.scatter([x, x], b.constant([0]), [x], lambda *a: a, ScatterDimensionNumbers()),
        "^scatter: .*2 operands, but 1 updates",
    ),
    (lambda b, x: b.batch_norm_training(x, x, x, 0.1, 1), "^batch-norm-training: I2: scale must have rank 1"),
    (lambda b, x: b.fft(x, "DFT", [3]), "^fft: I2: .*none of FFT"),
    (lambda b, x: b.cholesky(x), "^cholesky: C3: .*square"),
    (lambda b, x: b.triangular_solve(x, x, transpose_a="NO"), "^triangular-solve: I6: .*none of"),
    (lambda b, x: b.get_tuple_element(b.tuple([x]), 1), "^get-tuple-element: C1: .*no element 1"),
    (lambda b, x: b.get_tuple_element(x, 0), "^get-tuple-element: I1: operand must be"),
    (lambda b, x: list(x), "is not a tuple"),
    (lambda b, x: b.call(lambda y: y, x, x), "takes 1 positional argument"),
    (lambda b, x: b.call(lambda y: y, [x, 1.0]), "^call: .*must be a handle"),  # type: ignore[list-item]
    (lambda b, x: b.fusion(lambda y: y, [x], "kBig"), "^fusion: .*kBig is none of"),
    (
        lambda b, x: b.conditional(b.constant(0.5), x, lambda y: y, x, lambda y: y),
        "^conditional: .*must be one boolean or i32",
    ),
    (
        lambda b, x: b.conditional(b.constant(1), [lambda y: y], [x, x]),
        "^conditional: .*1 computations, but 2 operands",
    ),
    (
        lambda b, x: b.conditional(b.constant(True), x, lambda y: y, x, lambda y: y > 0.0),
        "^conditional: branches 0 and 1 differ",
    ),
    (lambda b, x: b.while_(lambda y: y, lambda y: y, x), "^while: C1: cond must be"),
    (lambda b, x: b.while_(lambda y: True, lambda y: y > 0, b.constant(1)), "^while: (C1|C2): .*must be"),
    (lambda b, x: b.select(b.constant(1), x, x), "^select: I1: pred must hold boolean"),
    (
        lambda b, x: b.select(b.constant(True), b.tuple([x]), b.tuple([x, x])),
        "^select: .*tuples must have one type",
    ),
    (
        lambda b, x: b.select(b.constant([True]), b.tuple([x]), b.tuple([x])),
        r"^select: pred must be pred\[\]",
    ),
    (lambda b, x: b.all_gather(x, 2, 1), "^all-gather: .*outside rank 2"),
    (lambda b, x: b.all_to_all(x, 1, 0, 2), "^all-to-all: .*cannot be split into 2"),
    (lambda b, x: b.all_to_all(x, 1, 0, 3, [[0, 1]]), "^all-to-all: .*groups of other sizes"),
    (lambda b, x: b.reduce_scatter(x, lambda p, q: p, 1, 2), "^reduce-scatter: shard_count 2"),
    (lambda b, x: b.all_reduce(x, lambda p, q: p + q, [[0, 0]]), "^all-reduce: C1: .*twice"),
    (lambda b, x: b.all_reduce(x, lambda p, q: p, (), None, "f32[2]"), "^all-reduce: shape_with_layout"),
    (lambda b, x: b.collective_permute(x, [(0, 1), (2, 1)]), "^collective-permute: C3: .*twice"),
    (lambda b, x: b.collective_permute(x, [(0, 1, 2)]), "2 numbers each"),
    (
        lambda b, x: b.rng_bit_generator("RNG_BEST", b.constant([1], "u64"), "u32[2]"),
        "^rng-bit-generator: I1: .*none of",
    ),
    (lambda b, x: b.rng_normal(0.0, 1.0, "s32[2]"), "^rng: .*not a number of type"),
    (lambda b, x: b.composite_call(lambda y: y, [x], "name"), "^call: C1: .*namespace"),
    (lambda b, x: b.composite_call(lambda y: y, [x], "a.b", "{n = }"), "^call: attributes '{n = }'"),
    (lambda b, x: b.parameter(0, "f32[]"), "^parameter: .*exists already"),
    (lambda b, x: b.parameter(-1, "f32[]"), "^parameter: .*negative"),
    (lambda b, x: b.parameter(1, "f33[2]"), "is not a shape"),
    (lambda b, x: b.parameter(1, "f32[2] x"), "is not a shape"),
    (lambda b, x: b.parameter(1, 5), "is not a shape"),  # type: ignore[arg-type]
    (lambda b, x: b.iota("token[]", 0), "is not an array shape"),
    (lambda b, x: b.convert_element_type(x, "f33"), "is not an element type"),
    (lambda b, x: b.constant(np.array(["x"])), "^constant: no element type holds"),
    (lambda b, x: b.constant_r1([[1]]), "^constant: .*rank 1, not 2"),
    (lambda b, x: b.zeros("token[]"), "^broadcast: .*must have an array shape"),
    (lambda b, x: b.exp(x, ResultAccuracy("best")), "mode must be default"),
    (lambda b, x: shape("f32", [-1]), "negative size"),
    (lambda b, x: b.outfeed(x, "f32[2]"), "^outfeed: shape_with_layout"),
    (lambda b, x: b.send_to_host(x, b.create_token(), "f32[2]", 1), "^send: shape_with_layout"),
    (lambda b, x: b.add_dependency(x, x), "^add-dependency: .*must be a token"),
    (lambda b, x: b.partition_id("s32[]"), r"^partition-id: .*u32\[\]"),
]
"""Calls and patterns of their messages: `op: label: text`."""


@for_each(("call", "pattern"), CALLS)
def test_wrong_calls(call: Wrong, pattern: str) -> None:
    b = XlaBuilder("calls")
    x = b.parameter(0, "f32[2,3]", "x")
    with pytest.raises((BuilderError, TypeError), match=pattern) as caught:
        call(b, x)
    subject = re.match(r"\^([\w-]+): (?:\(?([CI|\d]+)\)?: )?", pattern)
    if subject is not None:
        assert isinstance(caught.value, BuilderError)
        assert caught.value.op == subject[1]
        assert (caught.value.label or "") in (subject[2] or "").split("|")


def test_message_names_op_label_and_argument() -> None:
    b = XlaBuilder("message")
    with pytest.raises(
        ValueError, match=r"^not: I1: operand must hold boolean or integer elements, not f32$"
    ):
        b.not_(b.parameter(0, "f32[2]"))


def test_handles_have_no_truth() -> None:
    b = XlaBuilder("truth")
    x = b.parameter(0, "s32[]")
    with pytest.raises(BuilderError, match="has no value while the program is built"):
        assert x == 1


def test_handles_of_other_builders() -> None:
    one, other = XlaBuilder("one"), XlaBuilder("other")
    x = one.parameter(0, "f32[]", "x")
    with pytest.raises(BuilderError, match=r"belongs to the computation 'one', not to 'other'"):
        other.neg(x)


def test_nothing_to_build() -> None:
    b = XlaBuilder("nothing")
    with pytest.raises(BuilderError, match="no instructions"):
        b.build()
    b.parameter(1, "f32[]")
    with pytest.raises(BuilderError, match="one is missing"):
        b.build()


def test_inputs() -> None:
    b = XlaBuilder("inputs")
    b.add(b.parameter(0, "f32[2]"), b.parameter(1, "(f32[2], s32[])")[0])
    program = b.build()
    assert program.run([1, 2], ([3, 4], 5)).tolist() == [4, 6]
    with pytest.raises(BuilderError, match="takes 2 inputs, not 1"):
        program.run([1, 2])
    with pytest.raises(BuilderError, match="is a tuple of 2"):
        program.run([1, 2], [3])
    with pytest.raises(Exception, match="float64"):
        program.run(np.zeros(2), ([3, 4], 5))
