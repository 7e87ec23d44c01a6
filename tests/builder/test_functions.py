"""Values of every function of the builder, in all of its forms."""

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
from hloscope.engine.builder.instructions import function_name
from hloscope.engine.ops import op_table
from tests.each import for_each
from tests.programs import load_program

from .running import Const, add, built, call, close, flat, run

Program = Callable[[XlaBuilder], Any]
inf, nan = np.inf, np.nan


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


GRID = Const([[1.0, 2, 3], [4, 5, 6]])
NORMAL = Const([[0.0, 2], [2, 6]]), Const([1.0, 2]), Const([0.0, 1])
IMAGE, KERNEL = Const(np.arange(1.0, 6).reshape(1, 1, 5), "f32"), Const([[[1.0, 10]]])


def _conditional(b: XlaBuilder) -> list[XlaOp]:
    x = b.constant(3.0)
    first = b.conditional(b.constant(True), x, lambda v: v + 1.0, x, lambda v: v - 1.0)
    branches = [lambda v: v + 1.0, lambda v: v * 2.0, lambda v: -v]
    rest = [b.conditional(b.constant(k), branches, [x, x, x]) for k in (0, 1, 2, 9, -1)]
    return [first, *rest]


def _ordered(b: XlaBuilder) -> XlaOp:
    token = b.after_all([b.create_token()])
    return b.domain(b.optimization_barrier(b.add_dependency(b.constant(1.0), token)))


def _asynchronous(b: XlaBuilder) -> XlaOp:
    started = b.async_start(lambda x, y: x + y, [b.constant(1.0), b.constant(2.0)])
    return b.async_done(b.async_update(started))


CALLS: dict[str, tuple[tuple[Any, ...], Any]] = {
    "reduce_precision": ((Const([2049.0, 1e6]), 5, 10), [2048, inf]),
    "compare": ((Const([1, 2]), 2, "LT"), [True, False]),
    "clamp": ((0.0, Const([-1.0, nan, 7.0]), 6.0), [0, nan, 6]),
    "select": ((Const([True, False]), Const([1, 2]), 0), [1, 0]),
    "constant": (([1, 2], "s8"), [1, 2]),
    "constant_literal": (((1, (2.0, True)),), [1, 2.0, True]),
    "constant_r0": ((3,), 3),
    "constant_r1": (([3, 4],), [3, 4]),
    "zeros": (("f32[2,1]",), [[0], [0]]),
    "iota": (("s8[300]",), np.arange(300).astype(np.int8)),
    "convert_element_type": ((Const([1.9, -1.9, nan]), "s32"), [1, -1, 0]),
    "bitcast_convert_type": ((Const([1.0]), "s32"), [0x3F800000]),
    "bitcast": ((GRID, "f32[3,2]"), [[1, 2], [3, 4], [5, 6]]),
    "copy": ((GRID,), [[1, 2, 3], [4, 5, 6]]),
    "copy_start": ((Const(5),), [5, 5, 0]),
    "broadcast": ((Const([1, 2]), [2]), [[1, 2], [1, 2]]),
    "broadcast_in_dim": ((Const([[1], [2]]), [2, 3], [0, 1]), [[1, 1, 1], [2, 2, 2]]),
    "reshape": ((GRID, [3, 2]), [[1, 2], [3, 4], [5, 6]]),
    "dynamic_reshape": ((GRID, [Const(3), 2], [3, 2], [True, False]), [[1, 2], [3, 4], [5, 6]]),
    "collapse": ((GRID, [0, 1]), [1, 2, 3, 4, 5, 6]),
    "transpose": ((GRID, [1, 0]), [[1, 4], [2, 5], [3, 6]]),
    "rev": ((GRID, [0]), [[4, 5, 6], [1, 2, 3]]),
    "concatenate": (([GRID, GRID], 0), [[1, 2, 3], [4, 5, 6]] * 2),
    "concat_in_dim": (([Const([1]), Const([2])], 0), [1, 2]),
    "slice": ((GRID, [0, 0], [2, 3], [1, 2]), [[1, 3], [4, 6]]),
    "slice_in_dim": ((GRID, 1, 3, 1, 1), [[2, 3], [5, 6]]),
    "dynamic_slice": ((GRID, [Const(9), 1], [1, 2]), [[5, 6]]),
    "dynamic_update_slice": ((Const([0, 1, 2, 3, 4]), Const([8, 9]), [Const(-7)]), [8, 9, 2, 3, 4]),
    "pad": ((Const([1, 2, 3, 4]), -1, [(-1, 0, 1)]), [-1, 2, -1, 3, -1, 4]),
    "pad_in_dim": ((GRID, 0.0, 1, 1, -2), [[0, 1], [0, 4]]),
    "get_dimension_size": ((GRID, 1), 3),
    "dot": ((GRID, Const([1.0, 1, 1]), ["HIGHEST", "default"]), [6, 15]),
    "dot_general": (
        (
            Const([[100, 100]], "s8"),
            Const([[100], [100]], "s8"),
            DotDimensionNumbers((), (), (1,), (0,)),
            None,
            "s32",
        ),
        [[20000]],
    ),
    "conv": ((IMAGE, KERNEL, [1], "same"), [[[21, 32, 43, 54, 5]]]),
    "conv_with_general_padding": ((IMAGE, KERNEL, [1], [(-1, -1)]), [[[32, 43]]]),
    "conv_with_general_dimensions": ((IMAGE, KERNEL, [2], "VALID", "bf0_oi0->bf0"), [[[21, 43]]]),
    "conv_general": ((IMAGE, KERNEL, [1], [(0, 0)], "bf0_oi0->f0b"), [[[21], [32], [43], [54]]]),
    "reduce": ((GRID, 0.0, add, [0]), [5, 7, 9]),
    "reduce_all": ((GRID, 100.0, add), 121),
    "reduce_window": ((Const([1, 2, 3]), 0, add, [2], [1], "VALID"), [3, 5]),
    "select_and_scatter": (
        (Const([5.0, 5, 1, 1]), lambda k, n: k > n, [2], [2], "VALID", Const([10.0, 20]), 0.0, add),
        [0, 10, 0, 20],
    ),
    "map": (([Const([1.0, 2]), Const([3.0, 4])], lambda x, y, p: x * y + p, None, [0.5]), [3.5, 8.5]),
    "top_k": ((Const([1.0, 3, 3, 2]), 2), [[3, 3], [1, 2]]),
    "fft": ((Const([1 + 0j, 2 + 0j]), "IFFT", [2]), [1.5, -0.5]),
    "triangular_solve": ((Const([[2.0, 99], [1, 4]]), Const([[2.0], [9]])), [[1], [2]]),
    "tuple": (([Const(1), Const(2)],), [1, 2]),
    "get_tuple_element": ((Const((1, 2)), 1), 2),
    "composite_call": ((lambda x: -x, [Const(1.0)], "my.op"), -1),
    "fusion": ((lambda x: x * 2.0, [Const(3.0)], "kInput"), 6),
    "while_": ((lambda n: n < 10, lambda n: n * 2, Const(1)), 16),
    "all_gather": ((GRID, 0, 1), [[1, 2, 3], [4, 5, 6]]),
    "all_reduce": ((GRID, add), [[1, 2, 3], [4, 5, 6]]),
    "all_reduce_start": ((Const(2.0), add), 2),
    "cross_replica_sum": ((Const((1.0, 2.0)),), [1, 2]),
    "reduce_scatter": ((Const([1.0, 2]), add, 0, 1, [[0]]), [1, 2]),
    "all_to_all": ((GRID, 0, 1, 1, [[0]]), [[1, 2, 3], [4, 5, 6]]),
    "collective_broadcast": ((Const([1, 2]), [[0]]), [1, 2]),
    "collective_permute": ((Const([1, 2]), [(0, 0)]), [1, 2]),
    "replica_id": ((), 0),
    "partition_id": ((), 0),
    "rng_bit_generator": (
        ("RNG_THREE_FRY", Const([1, 2], "u64"), "u32[5]"),
        [[1, 5], [43444564, 2150618427, 3979645651, 3745730563, 1672743891]],
    ),
    "scaled_dot": (
        (
            Const([[1.0, 2, 3, 4]]),
            Const([[2.0, 10]]),
            Const([[1.0], [1], [1], [1]]),
            Const([[1.0]]),
            DotDimensionNumbers((), (), (1,), (0,)),
        ),
        [[1 * 2 + 2 * 2 + 30 + 40]],
    ),
    "ragged_dot": (
        (
            Const([[1.0], [2], [3]]),
            Const([[[1.0]], [[10]]]),
            Const([1, 2]),
            DotDimensionNumbers((), (), (1,), (1,)),
            [0],
            [0],
        ),
        [[1], [20], [30]],
    ),
    "conv_general_dilated": (
        (IMAGE, KERNEL, [1], [(-1, -1)], [2], None, "bf0_oi0->bf0"),
        [[[20, 2, 30, 3, 40, 4]]],
    ),
    "reduce_window_with_general_padding": (
        (Const([1.0, 2, 3]), 100.0, add, [2], [1], None, None, [(1, 1)]),
        [101, 103, 105, 103],
    ),
    "select_and_scatter_with_general_padding": (
        (Const([5.0, 5, 1, 1]), lambda k, n: k >= n, [2], [2], [(0, 0)], Const([10.0, 20]), 0.0, add),
        [10, 0, 20, 0],
    ),
    "scan": (
        ([Const([1.0, 2, 3, 4])], [10.0], lambda x, c: (x + c, x + c), 0),
        [[11, 13, 16, 20], 20],
    ),
    "gather": (
        (GRID, Const([1, 0, 7]), GatherDimensionNumbers((1,), (0,), (), (), (0,), 1), [1, 3]),
        [[4, 5, 6], [1, 2, 3], [4, 5, 6]],
    ),
    "scatter": (
        (
            GRID,
            Const([1, 1, 7]),
            Const([[1.0, 1, 1]] * 3),
            add,
            ScatterDimensionNumbers((1,), (0,), (), (), (0,), 1),
        ),
        [[1, 2, 3], [6, 7, 8]],
    ),
    "batch_norm_training": ((*NORMAL, 0.0, 1), [[[-1, -1], [1, 3]], [1, 4], [1, 4]]),
    "batch_norm_inference": (
        (*NORMAL, Const([1.0, 4]), Const([1.0, 4]), 0.0, 1),
        [[-1, -1], [1, 3]],
    ),
    "batch_norm_grad": (
        (*NORMAL[:2], Const([1.0, 4]), Const([1.0, 4]), NORMAL[0], 0.0, 1),
        [[[0, 0], [0, 0]], [2, 4], [2, 8]],
    ),
    "call": ((lambda x, y: x * y, Const(3.0), Const(4.0)), 12),
}
"""Arguments of each function, and its value."""

OTHERS: dict[str, tuple[Program, Any]] = {
    "copy_done": (lambda b: b.copy_done(b.copy_start(b.constant(5))), 5),
    "set_dimension_size": (
        lambda b: b.get_dimension_size(b.set_dimension_size(b.constant([1, 2, 3]), b.constant(2), 0), 0),
        2,
    ),
    "sort": (lambda b: b.sort(b.constant([1, 3, 2]), lambda x, y: x > y, is_stable=True), [3, 2, 1]),
    "cholesky": (lambda b: b.slice(b.cholesky(b.constant([[4.0, 99], [2, 5]])), [0, 0], [2, 1]), [[2], [1]]),
    "custom_call": (
        lambda b: b.custom_call("Sharding", [b.constant([1.0, 2])], "f32[2]", has_side_effect=True),
        [1, 2],
    ),
    "conditional": (_conditional, [4, 4, 6, -3, -3, -3]),
    "add_dependency": (_ordered, 1),
    "after_all": (_ordered, 1),
    "create_token": (_ordered, 1),
    "optimization_barrier": (_ordered, 1),
    "domain": (_ordered, 1),
    "async_start": (_asynchronous, 3),
    "async_update": (_asynchronous, 3),
    "async_done": (_asynchronous, 3),
    "all_gather_start": (lambda b: b.all_gather_start(b.constant([1]), 0, 1, [[0]])[1], [1]),
    "all_gather_done": (lambda b: b.all_gather_done(b.all_gather_start(b.constant([1]), 0, 1, [[0]])), [1]),
    "all_reduce_done": (lambda b: b.all_reduce_done(b.all_reduce_start(b.constant(2.0), add)), 2),
    "all_to_all_tuple": (lambda b: b.all_to_all_tuple([b.constant([1, 2])], [[0]])[0], [1, 2]),
    "collective_permute_start": (lambda b: b.collective_permute_start(b.constant(1), [(0, 0)])[1], 1),
    "collective_permute_done": (
        lambda b: b.collective_permute_done(b.collective_permute_start(b.constant(1), [(0, 0)])),
        1,
    ),
}
WITHOUT_STABLEHLO: dict[str, tuple[Program, Any]] = {
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
"""Programs that StableHLO cannot express."""
CASES = {
    **{name: (call(name, (Const(x),)), wanted) for name, (x, wanted) in UNARY.items()},
    **{name: (call(name, (Const(x), Const(y))), wanted) for name, (x, y, wanted) in BINARY.items()},
    **{name: (call(name, arguments), wanted) for name, (arguments, wanted) in CALLS.items()},
    **OTHERS,
}
ELSEWHERE = {
    "build": "every program is built",
    "parameter": "tests/builder/test_examples.py",
    **dict.fromkeys(("rng_uniform", "rng_normal", "rng_bernoulli"), "test_random_numbers"),
    **dict.fromkeys(
        ("infeed", "infeed_with_token", "outfeed", "outfeed_with_token"), "test_transfers_are_written"
    ),
    **dict.fromkeys(
        ("send", "send_with_tokens", "send_to_host", "create_send", "send_done"), "test_transfers_are_written"
    ),
    **dict.fromkeys(
        ("recv", "recv_with_tokens", "recv_to_host", "recv_from_host"), "test_transfers_are_written"
    ),
    **dict.fromkeys(("create_recv", "recv_done"), "test_transfers_are_written"),
}


def _public() -> set[str]:
    return {name for name, found in inspect.getmembers(XlaBuilder, callable) if not name.startswith("_")}


def test_every_function_is_tested() -> None:
    assert _public() == CASES.keys() | WITHOUT_STABLEHLO.keys() | ELSEWHERE.keys()


def test_elementwise_ops_have_a_function_with_their_name() -> None:
    for op in op_table().values():
        if op.traits.is_elementwise and op.hlo.xla_name:
            function = getattr(XlaBuilder, function_name(op))
            assert function.__name__ == function_name(op)
            assert inspect.signature(function).return_annotation == "XlaOp", op.name


def test_every_function_is_documented() -> None:
    for name in _public():
        found = inspect.getdoc(getattr(XlaBuilder, name)) or ""
        assert found.partition("\n")[0].endswith((".", ",", ":", "…")), name
        hints = inspect.signature(getattr(XlaBuilder, name))
        assert hints.return_annotation is not inspect.Signature.empty, name


@for_each("name", CASES)
def test_values(name: str) -> None:
    build, wanted = CASES[name]
    _compare(run(build), wanted)


@pytest.mark.parametrize("name", WITHOUT_STABLEHLO)
def test_values_without_stablehlo(name: str) -> None:
    build, wanted = WITHOUT_STABLEHLO[name]
    _compare(run(build, with_stablehlo=False), wanted)


READ_DIFFERENTLY = {
    "composite_call": "the reader also keeps the text of its attributes",
    "copy_start": "the reader states the default prefetch index",
    "copy_done": "as copy_start",
}


@for_each("name", [name for name in (*CASES, *WITHOUT_STABLEHLO) if name not in READ_DIFFERENTLY])
def test_hlo_text_reads_as_the_samecall(name: str) -> None:
    computation = built({**CASES, **WITHOUT_STABLEHLO}[name][0])
    assert load_program(computation.as_hlo_text()).module == computation.module


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
    """Two calls in one program return different numbers; bernoulli returns 0 and 1."""

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
    """Transfers do not run here, for want of a peer, but both forms are valid programs."""
    builder = XlaBuilder("transfer")
    TRANSFERS[name](builder)
    computation = builder.build()
    assert computation.program is not None
    text = computation.as_stablehlo_text()
    assert f"stablehlo.{name.partition('_')[0]}" in text


def test_select_of_tuples() -> None:
    def build(b: XlaBuilder) -> XlaOp:
        return b.select(b.constant(False), b.constant((1, 2.0)), b.constant((3, 4.0)))

    assert run(build) == (3, 4)


def test_result_accuracy() -> None:
    def build(b: XlaBuilder) -> XlaOp:
        return b.exp(b.constant(0.0), ResultAccuracy("tolerance", rtol=0.5))

    assert run(build) == 1


def test_padding_dimensions() -> None:
    def build(b: XlaBuilder) -> XlaOp:
        return b.pad(b.constant([1, 2]), b.constant(0), [PaddingDimension(1, 0, 2)])

    assert run(build).tolist() == [0, 1, 0, 0, 2]
