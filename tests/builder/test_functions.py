"""Every function of the builder, with numbers; the obsolete and the instruction-like forms among them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hloscope.engine.builder import (
    DotDimensionNumbers,
    GatherDimensionNumbers,
    PaddingDimension,
    ResultAccuracy,
    ScatterDimensionNumbers,
    XlaBuilder,
    XlaOp,
    shape,
)
from hloscope.engine.builder.op_functions import function_name
from hloscope.engine.ops import op_table
from hloscope.engine.ops.core.op import Op

from .running import built, close, flat, read, run

Program = Callable[[XlaBuilder], Any]
inf, nan = np.inf, np.nan


def add(x: XlaOp, y: XlaOp) -> XlaOp:
    return x + y


UNARY: dict[str, tuple[Any, Any]] = {
    "abs": ([-2, 3], [2, 3]),
    "neg": ([-2, 3], [2, -3]),
    "sign": ([-2.5, 0.0, 4.0], [-1, 0, 1]),
    "not_": ([True, False], [False, True]),
    "logical_not": ([True, False], [False, True]),
    "ceil": ([1.2, -1.2], [2, -1]),
    "floor": ([1.2, -1.2], [1, -2]),
    "round": ([0.5, -1.5, 0.49999997], [1, -2, 0]),
    "round_nearest_afz": ([2.5, -2.5], [3, -3]),
    "round_nearest_even": ([2.5, -1.5], [2, -2]),
    "is_finite": ([1.0, inf, nan], [True, False, False]),
    "clz": ([0, 1, -1], [32, 31, 0]),
    "population_count": ([-1, 0, 5], [32, 0, 2]),
    "real": ([1 + 2j], [1]),
    "imag": ([1 + 2j], [2]),
    "conj": ([1 + 2j], [1 - 2j]),
    "cbrt": ([-8.0, 27.0], [-2, 3]),
    "cos": ([0.0], [1]),
    "sin": ([0.0, 1.0], [0, np.sin(1)]),
    "tan": ([0.0, 1.0], [0, np.tan(1)]),
    "tanh": ([1.0], [np.tanh(1)]),
    "exp": ([0.0, 1.0], [1, np.e]),
    "expm1": ([1e-6], [np.expm1(1e-6)]),
    "log": ([1.0, np.e], [0, 1]),
    "log1p": ([1e-6], [np.log1p(1e-6)]),
    "logistic": ([0.0], [0.5]),
    "sqrt": ([4.0, 9.0], [2, 3]),
    "rsqrt": ([4.0], [0.5]),
    "cosh": ([1.0], [np.cosh(1)]),
    "sinh": ([1.0], [np.sinh(1)]),
    "erf": ([0.5], [0.5204998778]),
    "acos": ([0.5], [np.arccos(0.5)]),
    "acosh": ([2.0], [np.arccosh(2)]),
    "asin": ([0.5], [np.arcsin(0.5)]),
    "asinh": ([2.0], [np.arcsinh(2)]),
    "atan": ([2.0], [np.arctan(2)]),
    "atanh": ([0.5], [np.arctanh(0.5)]),
}
BINARY: dict[str, tuple[Any, Any, Any]] = {
    "add": ([1, 2], [3, 4], [4, 6]),
    "sub": ([1, 2], [3, 5], [-2, -3]),
    "mul": ([1, 2], [3, 4], [3, 8]),
    "mulhi": ([1 << 30, -1], [8, 1], [2, -1]),
    "div": ([7, -7], [2, 2], [3, -3]),
    "rem": ([7, -7], [2, 2], [1, -1]),
    "max": ([1.0, nan], [3.0, 0.0], [3, nan]),
    "min": ([1, 5], [3, 4], [1, 4]),
    "pow": ([2, 3], [3, 2], [8, 9]),
    "atan2": ([1.0, -1.0], [1.0, -1.0], [np.pi / 4, -3 * np.pi / 4]),
    "complex": ([1.0], [2.0], [1 + 2j]),
    "and_": ([6, 5], [3, 4], [2, 4]),
    "or_": ([6, 5], [3, 4], [7, 5]),
    "xor": ([6, 5], [3, 4], [5, 1]),
    "logical_and": ([True, True], [True, False], [True, False]),
    "logical_or": ([False, True], [False, False], [False, True]),
    "shift_left": ([1, 1], [4, 32], [16, 0]),
    "shift_right_arithmetic": ([-8, 8], [1, 1], [-4, 4]),
    "shift_right_logical": ([-8, 8], [1, 1], [2147483644, 4]),
    "eq": ([1.0, nan], [1.0, nan], [True, False]),
    "ne": ([1.0, nan], [1.0, nan], [False, True]),
    "ge": ([1, 2], [2, 2], [False, True]),
    "gt": ([1, 3], [2, 2], [False, True]),
    "le": ([1, 3], [2, 2], [True, False]),
    "lt": ([1, 2], [2, 2], [True, False]),
    "eq_total_order": ([-0.0, nan], [0.0, nan], [False, True]),
    "ne_total_order": ([-0.0, nan], [0.0, nan], [True, False]),
    "ge_total_order": ([-0.0, nan], [0.0, inf], [False, True]),
    "gt_total_order": ([0.0, nan], [-0.0, inf], [True, True]),
    "le_total_order": ([-0.0, nan], [0.0, inf], [True, False]),
    "lt_total_order": ([-0.0, 1.0], [0.0, 1.0], [True, False]),
}


def _elementwise() -> dict[str, tuple[Program, Any]]:
    found: dict[str, tuple[Program, Any]] = {}
    for name, (operand, wanted) in UNARY.items():
        found[name] = (lambda b, name=name, x=operand: getattr(b, name)(b.constant(x))), wanted  # type: ignore[misc]
    for name, (lhs, rhs, wanted) in BINARY.items():
        found[name] = (
            (
                lambda b, name=name, x=lhs, y=rhs: getattr(b, name)(b.constant(x), b.constant(y))  # type: ignore[misc]
            ),
            wanted,
        )
    return found


def _grid(b: XlaBuilder) -> XlaOp:
    return b.constant([[1.0, 2, 3], [4, 5, 6]])


def _image(b: XlaBuilder) -> XlaOp:
    return b.constant(np.arange(1.0, 6).reshape(1, 1, 5), "f32")


def _kernel(b: XlaBuilder) -> XlaOp:
    return b.constant([[[1.0, 10]]])


def _normal(b: XlaBuilder) -> tuple[XlaOp, XlaOp, XlaOp]:
    return (b.constant([[0.0, 2], [2, 6]]), b.constant([1.0, 2]), b.constant([0.0, 1]))


def _matrix(b: XlaBuilder) -> XlaOp:
    return b.constant([[4.0, 99], [2, 5]])


def _batch_norm_grad(b: XlaBuilder) -> XlaOp:
    x, scale, _ = _normal(b)
    return b.batch_norm_grad(x, scale, b.constant([1.0, 4]), b.constant([1.0, 4]), x, 0.0, 1)


def _gather(b: XlaBuilder) -> XlaOp:
    rows = GatherDimensionNumbers((1,), (0,), (), (), (0,), 1)
    return b.gather(_grid(b), b.constant([1, 0, 7]), rows, [1, 3])


def _scatter(b: XlaBuilder) -> XlaOp:
    rows = ScatterDimensionNumbers((1,), (0,), (), (), (0,), 1)
    return b.scatter(_grid(b), b.constant([1, 1, 7]), b.constant([[1.0, 1, 1]] * 3), add, rows)


def _scan(b: XlaBuilder) -> XlaOp:
    def step(x: XlaOp, c: XlaOp) -> tuple[XlaOp, XlaOp]:
        return x + c, x + c

    return b.scan([b.constant([1.0, 2, 3, 4])], [10.0], step, 0)


def _conditional(b: XlaBuilder) -> list[XlaOp]:
    x = b.constant(3.0)
    first = b.conditional(b.constant(True), x, lambda v: v + 1.0, x, lambda v: v - 1.0)
    branches = [lambda v: v + 1.0, lambda v: v * 2.0, lambda v: -v]
    rest = [b.conditional(b.constant(k), branches, [x, x, x]) for k in (0, 1, 2, 9, -1)]
    return [first, *rest]


def _composed(b: XlaBuilder) -> XlaOp:
    return b.call(lambda x, y: x * y, b.constant(3.0), b.constant(4.0))


def _scaled_dot(b: XlaBuilder) -> XlaOp:
    numbers = DotDimensionNumbers((), (), (1,), (0,))
    lhs, rhs = b.constant([[1.0, 2, 3, 4]]), b.constant([[1.0], [1], [1], [1]])
    return b.scaled_dot(lhs, b.constant([[2.0, 10]]), rhs, b.constant([[1.0]]), numbers)


def _ragged_dot(b: XlaBuilder) -> XlaOp:
    numbers = DotDimensionNumbers((), (), (1,), (1,))
    lhs, rhs = b.constant([[1.0], [2], [3]]), b.constant([[[1.0]], [[10]]])
    return b.ragged_dot(lhs, rhs, b.constant([1, 2]), numbers, [0], [0])


def _ordered(b: XlaBuilder) -> XlaOp:
    token = b.after_all([b.create_token()])
    return b.domain(b.optimization_barrier(b.add_dependency(b.constant(1.0), token)))


def _asynchronous(b: XlaBuilder) -> XlaOp:
    started = b.async_start(lambda x, y: x + y, [b.constant(1.0), b.constant(2.0)])
    return b.async_done(b.async_update(started))


SS = "select_and_scatter_with_general_padding"


def _select_and_scatter(b: XlaBuilder) -> XlaOp:
    x, source = b.constant([5.0, 5, 1, 1]), b.constant([10.0, 20])
    general = b.select_and_scatter_with_general_padding
    return general(x, lambda k, n: k >= n, [2], [2], [(0, 0)], source, 0.0, add)


def _windows(b: XlaBuilder) -> XlaOp:
    x = b.constant([1.0, 2, 3])
    return b.reduce_window_with_general_padding(x, 100.0, add, [2], [1], None, None, [(1, 1)])


def _convolved(b: XlaBuilder) -> XlaOp:
    x, w = _image(b), _kernel(b)
    return b.conv_general_dilated(x, w, [1], [(-1, -1)], [2], None, "bf0_oi0->bf0")


OTHERS: dict[str, tuple[Program, Any]] = {
    "reduce_precision": (lambda b: b.reduce_precision(b.constant([2049.0, 1e6]), 5, 10), [2048, inf]),
    "compare": (lambda b: b.compare(b.constant([1, 2]), 2, "LT"), [True, False]),
    "clamp": (lambda b: b.clamp(0.0, b.constant([-1.0, nan, 7.0]), 6.0), [0, nan, 6]),
    "select": (lambda b: b.select(b.constant([True, False]), b.constant([1, 2]), 0), [1, 0]),
    "constant": (lambda b: b.constant([1, 2], "s8"), [1, 2]),
    "constant_literal": (lambda b: b.constant_literal((1, (2.0, True))), [1, 2.0, True]),
    "constant_r0": (lambda b: b.constant_r0(3), 3),
    "constant_r1": (lambda b: b.constant_r1([3, 4]), [3, 4]),
    "zeros": (lambda b: b.zeros("f32[2,1]"), [[0], [0]]),
    "iota": (lambda b: b.iota("s8[300]"), np.arange(300).astype(np.int8)),
    "convert_element_type": (
        lambda b: b.convert_element_type(b.constant([1.9, -1.9, nan]), "s32"),
        [1, -1, 0],
    ),
    "bitcast_convert_type": (lambda b: b.bitcast_convert_type(b.constant([1.0]), "s32"), [0x3F800000]),
    "bitcast": (lambda b: b.bitcast(_grid(b), "f32[3,2]"), [[1, 2], [3, 4], [5, 6]]),
    "copy": (lambda b: b.copy(_grid(b)), [[1, 2, 3], [4, 5, 6]]),
    "copy_start": (lambda b: b.copy_start(b.constant(5)), [5, 5, 0]),
    "copy_done": (lambda b: b.copy_done(b.copy_start(b.constant(5))), 5),
    "broadcast": (lambda b: b.broadcast(b.constant([1, 2]), [2]), [[1, 2], [1, 2]]),
    "broadcast_in_dim": (
        lambda b: b.broadcast_in_dim(b.constant([[1], [2]]), [2, 3], [0, 1]),
        [[1, 1, 1], [2, 2, 2]],
    ),
    "reshape": (lambda b: b.reshape(_grid(b), [3, 2]), [[1, 2], [3, 4], [5, 6]]),
    "dynamic_reshape": (
        lambda b: b.dynamic_reshape(_grid(b), [b.constant(3), 2], [3, 2], [True, False]),
        [[1, 2], [3, 4], [5, 6]],
    ),
    "collapse": (lambda b: b.collapse(_grid(b), [0, 1]), [1, 2, 3, 4, 5, 6]),
    "transpose": (lambda b: b.transpose(_grid(b), [1, 0]), [[1, 4], [2, 5], [3, 6]]),
    "rev": (lambda b: b.rev(_grid(b), [0]), [[4, 5, 6], [1, 2, 3]]),
    "concatenate": (lambda b: b.concatenate([_grid(b), _grid(b)], 0), [[1, 2, 3], [4, 5, 6]] * 2),
    "concat_in_dim": (lambda b: b.concat_in_dim([b.constant([1]), b.constant([2])], 0), [1, 2]),
    "slice": (lambda b: b.slice(_grid(b), [0, 0], [2, 3], [1, 2]), [[1, 3], [4, 6]]),
    "slice_in_dim": (lambda b: b.slice_in_dim(_grid(b), 1, 3, 1, 1), [[2, 3], [5, 6]]),
    "dynamic_slice": (lambda b: b.dynamic_slice(_grid(b), [b.constant(9), 1], [1, 2]), [[5, 6]]),
    "dynamic_update_slice": (
        lambda b: b.dynamic_update_slice(b.constant([0, 1, 2, 3, 4]), b.constant([8, 9]), [b.constant(-7)]),
        [8, 9, 2, 3, 4],
    ),
    "pad": (lambda b: b.pad(b.constant([1, 2, 3, 4]), -1, [(-1, 0, 1)]), [-1, 2, -1, 3, -1, 4]),
    "pad_in_dim": (lambda b: b.pad_in_dim(_grid(b), 0.0, 1, 1, -2), [[0, 1], [0, 4]]),
    "get_dimension_size": (lambda b: b.get_dimension_size(_grid(b), 1), 3),
    "set_dimension_size": (
        lambda b: b.get_dimension_size(b.set_dimension_size(b.constant([1, 2, 3]), b.constant(2), 0), 0),
        2,
    ),
    "dot": (lambda b: b.dot(_grid(b), b.constant([1.0, 1, 1]), ["HIGHEST", "default"]), [6, 15]),
    "dot_general": (
        lambda b: b.dot_general(
            b.constant([[100, 100]], "s8"),
            b.constant([[100], [100]], "s8"),
            DotDimensionNumbers((), (), (1,), (0,)),
            None,
            "s32",
        ),
        [[20000]],
    ),
    "scaled_dot": (_scaled_dot, [[1 * 2 + 2 * 2 + 30 + 40]]),
    "ragged_dot": (_ragged_dot, [[1], [20], [30]]),
    "conv": (lambda b: b.conv(_image(b), _kernel(b), [1], "same"), [[[21, 32, 43, 54, 5]]]),
    "conv_with_general_padding": (
        lambda b: b.conv_with_general_padding(_image(b), _kernel(b), [1], [(-1, -1)]),
        [[[32, 43]]],
    ),
    "conv_with_general_dimensions": (
        lambda b: b.conv_with_general_dimensions(_image(b), _kernel(b), [2], "VALID", "bf0_oi0->bf0"),
        [[[21, 43]]],
    ),
    "conv_general": (
        lambda b: b.conv_general(_image(b), _kernel(b), [1], [(0, 0)], "bf0_oi0->f0b"),
        [[[21], [32], [43], [54]]],
    ),
    "conv_general_dilated": (_convolved, [[[20, 2, 30, 3, 40, 4]]]),
    "reduce": (lambda b: b.reduce(_grid(b), 0.0, add, [0]), [5, 7, 9]),
    "reduce_all": (lambda b: b.reduce_all(_grid(b), 100.0, add), 121),
    "reduce_window": (lambda b: b.reduce_window(b.constant([1, 2, 3]), 0, add, [2], [1], "VALID"), [3, 5]),
    "reduce_window_with_general_padding": (_windows, [101, 103, 105, 103]),
    "select_and_scatter": (
        lambda b: b.select_and_scatter(
            b.constant([5.0, 5, 1, 1]),
            lambda k, n: k > n,
            [2],
            [2],
            "VALID",
            b.constant([10.0, 20]),
            0.0,
            add,
        ),
        [0, 10, 0, 20],
    ),
    SS: (_select_and_scatter, [10, 0, 20, 0]),
    "map": (
        lambda b: b.map([b.constant([1.0, 2]), b.constant([3.0, 4])], lambda x, y, p: x * y + p, None, [0.5]),
        [3.5, 8.5],
    ),
    "sort": (lambda b: b.sort(b.constant([1, 3, 2]), lambda x, y: x > y, is_stable=True), [3, 2, 1]),
    "top_k": (lambda b: b.top_k(b.constant([1.0, 3, 3, 2]), 2), [[3, 3], [1, 2]]),
    "scan": (_scan, [[11, 13, 16, 20], 20]),
    "gather": (_gather, [[4, 5, 6], [1, 2, 3], [4, 5, 6]]),
    "scatter": (_scatter, [[1, 2, 3], [6, 7, 8]]),
    "batch_norm_training": (
        lambda b: b.batch_norm_training(*_normal(b), 0.0, 1),
        [[[-1, -1], [1, 3]], [1, 4], [1, 4]],
    ),
    "batch_norm_inference": (
        lambda b: b.batch_norm_inference(*_normal(b), b.constant([1.0, 4]), b.constant([1.0, 4]), 0.0, 1),
        [[-1, -1], [1, 3]],
    ),
    "batch_norm_grad": (_batch_norm_grad, [[[0, 0], [0, 0]], [2, 4], [2, 8]]),
    "fft": (lambda b: b.fft(b.constant([1 + 0j, 2 + 0j]), "IFFT", [2]), [1.5, -0.5]),
    "cholesky": (lambda b: b.slice(b.cholesky(_matrix(b)), [0, 0], [2, 1]), [[2], [1]]),
    "triangular_solve": (
        lambda b: b.triangular_solve(b.constant([[2.0, 99], [1, 4]]), b.constant([[2.0], [9]])),
        [[1], [2]],
    ),
    "tuple": (lambda b: b.tuple([b.constant(1), b.constant(2)]), [1, 2]),
    "get_tuple_element": (lambda b: b.get_tuple_element(b.constant((1, 2)), 1), 2),
    "call": (_composed, 12),
    "composite_call": (lambda b: b.composite_call(lambda x: -x, [b.constant(1.0)], "my.op"), -1),
    "fusion": (lambda b: b.fusion(lambda x: x * 2.0, [b.constant(3.0)], "kInput"), 6),
    "custom_call": (
        lambda b: b.custom_call("Sharding", [b.constant([1.0, 2])], "f32[2]", has_side_effect=True),
        [1, 2],
    ),
    "conditional": (_conditional, [4, 4, 6, -3, -3, -3]),
    "while_": (lambda b: b.while_(lambda n: n < 10, lambda n: n * 2, b.constant(1)), 16),
    "add_dependency": (_ordered, 1),
    "after_all": (_ordered, 1),
    "create_token": (_ordered, 1),
    "optimization_barrier": (_ordered, 1),
    "domain": (_ordered, 1),
    "async_start": (_asynchronous, 3),
    "async_update": (_asynchronous, 3),
    "async_done": (_asynchronous, 3),
    "all_gather": (lambda b: b.all_gather(_grid(b), 0, 1), [[1, 2, 3], [4, 5, 6]]),
    "all_gather_start": (lambda b: b.all_gather_start(b.constant([1]), 0, 1, [[0]])[1], [1]),
    "all_gather_done": (lambda b: b.all_gather_done(b.all_gather_start(b.constant([1]), 0, 1, [[0]])), [1]),
    "all_reduce": (lambda b: b.all_reduce(_grid(b), add), [[1, 2, 3], [4, 5, 6]]),
    "all_reduce_start": (lambda b: b.all_reduce_start(b.constant(2.0), add), 2),
    "all_reduce_done": (lambda b: b.all_reduce_done(b.all_reduce_start(b.constant(2.0), add)), 2),
    "cross_replica_sum": (lambda b: b.cross_replica_sum(b.constant((1.0, 2.0))), [1, 2]),
    "reduce_scatter": (lambda b: b.reduce_scatter(b.constant([1.0, 2]), add, 0, 1, [[0]]), [1, 2]),
    "all_to_all": (lambda b: b.all_to_all(_grid(b), 0, 1, 1, [[0]]), [[1, 2, 3], [4, 5, 6]]),
    "all_to_all_tuple": (lambda b: b.all_to_all_tuple([b.constant([1, 2])], [[0]])[0], [1, 2]),
    "collective_broadcast": (lambda b: b.collective_broadcast(b.constant([1, 2]), [[0]]), [1, 2]),
    "collective_permute": (lambda b: b.collective_permute(b.constant([1, 2]), [(0, 0)]), [1, 2]),
    "collective_permute_start": (lambda b: b.collective_permute_start(b.constant(1), [(0, 0)])[1], 1),
    "collective_permute_done": (
        lambda b: b.collective_permute_done(b.collective_permute_start(b.constant(1), [(0, 0)])),
        1,
    ),
    "replica_id": (lambda b: b.replica_id(), 0),
    "partition_id": (lambda b: b.partition_id(), 0),
    "rng_bit_generator": (
        lambda b: b.rng_bit_generator("RNG_THREE_FRY", b.constant([1, 2], "u64"), "u32[5]"),
        [[1, 5], [43444564, 2150618427, 3979645651, 3745730563, 1672743891]],
    ),
}
NOT_RESTATED: dict[str, tuple[Program, Any]] = {
    "ragged_all_to_all": (
        lambda b: b.ragged_all_to_all(
            b.constant([1.0, 2, 2]),
            b.constant([1]),
            b.constant([2]),
            b.constant([0.0, 0, 0, 0]),
            b.constant([1]),
            b.constant([2]),
            [[0]],
        ),
        [0, 2, 2, 0],
    ),
    "stochastic_convert_type": (
        lambda b: b.stochastic_convert_type(
            b.constant([1.5, 1.5, -1.25, nan]),
            b.constant([0, 0x80000000, 0x10000000, 0], "u32"),
            "s32",
        ),
        [2, 1, -2, 0],
    ),
    "rng_get_and_update_state": (
        lambda b: [b.rng_get_and_update_state(5), b.rng_get_and_update_state(1)],
        [[117515157, 0], [117515157, 0]],
    ),
}
"""What StableHLO has no form of."""
CASES = {**_elementwise(), **OTHERS}
ELSEWHERE = {
    "build": "all programs are built",
    "parameter": "tests/builder/test_examples.py",
    **dict.fromkeys(("rng_uniform", "rng_normal", "rng_bernoulli"), "random numbers, below"),
    **dict.fromkeys(("infeed", "infeed_with_token", "outfeed", "outfeed_with_token"), "transfers, below"),
    **dict.fromkeys(
        ("send", "send_with_tokens", "send_to_host", "create_send", "send_done"), "transfers, below"
    ),
    **dict.fromkeys(("recv", "recv_with_tokens", "recv_to_host", "recv_from_host"), "transfers, below"),
    **dict.fromkeys(("create_recv", "recv_done"), "transfers, below"),
    **dict.fromkeys(("binary", "pair", "broadcast_both", "grow", "in_dimensions"), "what functions share"),
    **dict.fromkeys(("emit", "own", "literal", "like", "embed", "region", "several"), "what functions share"),
}


def _public() -> set[str]:
    return {name for name, found in inspect.getmembers(XlaBuilder, callable) if not name.startswith("_")}


def test_every_function_is_tested() -> None:
    assert _public() == CASES.keys() | NOT_RESTATED.keys() | ELSEWHERE.keys()


@pytest.mark.parametrize(
    "op", [op for op in op_table().values() if op.traits.is_elementwise and op.hlo.xla_name]
)
def test_elementwise_ops_have_a_function_of_their_name(op: type[Op]) -> None:
    function = getattr(XlaBuilder, function_name(op))
    assert function.__name__ == function_name(op)
    assert inspect.signature(function).return_annotation == "XlaOp"


@pytest.mark.parametrize("name", sorted(_public()))
def test_every_function_is_documented(name: str) -> None:
    found = inspect.getdoc(getattr(XlaBuilder, name)) or ""
    assert found.partition("\n")[0].endswith((".", ",", ":", "…"))
    hints = inspect.signature(getattr(XlaBuilder, name))
    assert hints.return_annotation is not inspect.Signature.empty


@pytest.mark.parametrize("name", CASES)
def test_numbers(name: str) -> None:
    build, wanted = CASES[name]
    _compare(run(build), wanted)


@pytest.mark.parametrize("name", NOT_RESTATED)
def test_numbers_without_a_form_in_stablehlo(name: str) -> None:
    build, wanted = NOT_RESTATED[name]
    _compare(run(build, restated=False), wanted)


READ_OTHERWISE = {
    "composite_call": "the text of its attributes is kept besides",
    "copy_start": "a prefetch index that is none is stated",
    "copy_done": "as copy_start",
}


@pytest.mark.parametrize("name", [name for name in (*CASES, *NOT_RESTATED) if name not in READ_OTHERWISE])
def test_hlo_text_is_the_same_program(name: str) -> None:
    computation = built({**CASES, **NOT_RESTATED}[name][0])
    assert read(computation.as_hlo_text()).module == computation.module


def _compare(found: Any, wanted: Any) -> None:
    parts = flat(found)
    whole = [wanted] if len(parts) == 1 and not isinstance(found, tuple) else list(wanted)
    assert len(parts) == len(whole)
    for value, right in zip(parts, whole, strict=True):
        close(value, right)


def test_top_k_of_the_smallest() -> None:
    values, places = run(lambda b: b.top_k(b.constant([[3, 1, 2, 1]]), 3, largest=False))
    assert values.tolist() == [[1, 1, 2]]
    assert places.tolist() == [[1, 3, 2]]


def test_random_numbers() -> None:
    """Two of one program differ; bernoulli gives 0 and 1. Another text has other places, and so other numbers."""

    def build(b: XlaBuilder) -> list[XlaOp]:
        uniform = [b.rng_uniform(2.0, 3.0, "f32[1000]") for _ in range(2)]
        return [*uniform, b.rng_normal(5.0, 0.1, shape("f32", [1000])), b.rng_bernoulli(0.25, "f32[1000]")]

    first, second, normal, truths = built(build).run()
    assert ((first >= 2) & (first < 3)).all()
    assert (first != second).any()
    assert abs(normal.mean() - 5) < 0.05
    assert truths.dtype == np.uint32
    assert 150 < truths.sum() < 350


def test_random_numbers_as_stablehlo() -> None:
    def build(b: XlaBuilder) -> XlaOp:
        return b.rng_uniform(0, 1, "s32[4]")

    assert run(build).tolist() == [0, 0, 0, 0]


TRANSFERS: dict[str, Program] = {
    "infeed": lambda b: b.infeed("(f32[2], s32[])", "config"),
    "infeed_with_token": lambda b: b.infeed_with_token(b.create_token(), "f32[2]"),
    "outfeed": lambda b: b.outfeed(b.constant([1.0, 2]), "f32[2]", "config"),
    "outfeed_with_token": lambda b: b.outfeed_with_token(b.constant(1.0), b.create_token()),
    "send": lambda b: b.send(b.constant(1.0), 3),
    "send_to_host": lambda b: b.send_to_host(b.constant(1.0), b.create_token(), "f32[]", 3),
    "recv": lambda b: b.recv("f32[2]", 4),
    "recv_to_host": lambda b: b.recv_to_host(b.create_token(), "f32[2]", 4),
    "recv_from_host": lambda b: b.recv_from_host(b.create_token(), "f32[2]", 4),
}


@pytest.mark.parametrize("name", TRANSFERS)
def test_transfers_are_written(name: str) -> None:
    """A run of one process has nobody at the other end; both forms are programs."""
    builder = XlaBuilder("transfer")
    TRANSFERS[name](builder)
    computation = builder.build()
    assert computation.program is not None
    text = computation.as_stablehlo_text()
    assert f"stablehlo.{name.partition('_')[0]}" in text


def test_obsolete_forms_of_select() -> None:
    def build(b: XlaBuilder) -> XlaOp:
        return b.select(b.constant(False), b.constant((1, 2.0)), b.constant((3, 4.0)))

    assert run(build) == (3, 4)


def test_result_accuracy_is_kept() -> None:
    def build(b: XlaBuilder) -> XlaOp:
        return b.exp(b.constant(0.0), ResultAccuracy("tolerance", rtol=0.5))

    assert run(build) == 1


def test_padding_dimensions() -> None:
    def build(b: XlaBuilder) -> XlaOp:
        return b.pad(b.constant([1, 2]), b.constant(0), [PaddingDimension(1, 0, 2)])

    assert run(build).tolist() == [0, 1, 0, 0, 2]
