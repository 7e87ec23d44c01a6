"""Error bounds of every op, on random calls: neither errors in its operands nor its own rounding take it further."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import reduce as reduce_left
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.types import TensorType, Type
from hloscope.engine.ops.chlo.chlo_functions import BesselI1e, Digamma, Lgamma, NextAfter, Square
from hloscope.engine.ops.chlo.chlo_top_k import TopK
from hloscope.engine.ops.contractions.convolution import Convolution
from hloscope.engine.ops.contractions.convolution_rules import ConvolutionDimensionNumbers
from hloscope.engine.ops.contractions.dot_general import DotDimensionNumbers, DotGeneral
from hloscope.engine.ops.contractions.einsum import Einsum, UnaryEinsum
from hloscope.engine.ops.contractions.old_contractions import Dot
from hloscope.engine.ops.contractions.ragged_dot import RaggedDot, RaggedDotDimensionNumbers
from hloscope.engine.ops.core.fold_bounds import order_bounds
from hloscope.engine.ops.core.integer_folding import ComparisonDirection
from hloscope.engine.ops.core.nudging import widest
from hloscope.engine.ops.core.numeric import round_to
from hloscope.engine.ops.core.op import Array, AskingOp, Op
from hloscope.engine.ops.core.ranks import is_inexact
from hloscope.engine.ops.core.rounding import NO_ERROR, magnitude, unit_roundoff, units_of
from hloscope.engine.ops.core.values import is_tuple
from hloscope.engine.ops.elementwise.arithmetic import Add, Divide, Multiply, Remainder, Subtract
from hloscope.engine.ops.elementwise.comparisons import Compare, Convert, Select
from hloscope.engine.ops.elementwise.elementwise import Elementwise
from hloscope.engine.ops.indexed.scatter import Scatter, ScatterDimensionNumbers
from hloscope.engine.ops.reductions.reduce import Reduce
from hloscope.engine.ops.reductions.reduce_window import ReduceWindow
from hloscope.engine.ops.sorting.sort import Sort
from hloscope.engine.ops.specialise import specialise_op
from hloscope.engine.ops.transforms.batch_norm import (
    BatchNorm,
    BatchNormGrad,
    BatchNormInference,
    BatchNormTraining,
)
from hloscope.engine.ops.transforms.fft import Fft, FftType
from hloscope.engine.ops.transforms.linear_algebra import Transpose, TriangularSolve

from .cases import Case
from .cases.written_calls import written_calls
from .running import body_of, run, tensor, type_of

FEW = settings(
    max_examples=8,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
MANY = settings(FEW, max_examples=200, derandomize=False)
WIDE = {"f32": "f64", "f16": "f64", "bf16": "f64", "complex<f32>": "complex<f64>"}


def check_bounds(case: Case, seed: int) -> None:
    """Neither errors in the operands nor the op's own rounding, seen from f64, take results further."""
    if any(map(is_tuple, case.operands)):
        return
    with np.errstate(all="ignore"):
        before = run(case.op, *case.operands)
        check_shifted(case, before, np.random.default_rng(seed))
        check_against_f64(case, before)


@settings(FEW, max_examples=15)
@given(written_calls(Sort.name), st.integers(0, 100))
def test_sorted_values_are_within_their_bounds_whatever_the_first_key_is(case: Case, seed: int) -> None:
    with np.errstate(all="ignore"):
        check_shifted(case, run(case.op, *case.operands), np.random.default_rng(seed))


@pytest.mark.parametrize("descending", [False, True])
def test_an_uncertain_key_may_take_the_place_of_any_that_it_reaches(descending: bool) -> None:
    keys, errors = np.array([0, 1, 2, 50, 60, np.nan]), np.array([0.1, 0.1, 0.1, 49, 0.1, 0])
    mixed = np.array([False, True, True, True, True, True])
    turn = slice(None, None, -1 if descending else 1)
    _, bound = order_bounds(keys[turn], errors[turn], 0)
    assert np.isinf(bound).tolist() == mixed[turn].tolist()


def test_equal_keys_without_errors_leave_the_order_to_others() -> None:
    _, bound = order_bounds(np.array([0, 0, 1]), np.asarray(0.0), 0)
    assert np.isinf(bound).tolist() == [True, True, False]


def test_an_uncertain_element_beyond_the_first_k_may_be_one_of_them() -> None:
    op = TopK(tensor((4,), "f64"), 2)
    operand = np.array([10, 8, 6, 0.0])
    _, places = op.rounding.error_bound(op, (operand,), (np.array([1, 0, 0, 9]),), op.evaluate(operand))
    assert np.isinf(places).tolist() == [True, True]
    assert not np.any(op.rounding.error_bound(op, (operand,), (np.asarray(0.0),), op.evaluate(operand)))


def check_shifted(case: Case, before: tuple[Array, ...], random: np.random.Generator) -> None:
    types = case.op.operand_types
    with units_of(types):
        errors = tuple(map(error_of, case.operands))
    shifted = tuple(shift(*each, random) for each in zip(case.operands, types, errors, strict=True))
    after = run(case.op, *shifted)
    for one, other, bound in zip(before, after, bounds_of(case, errors, before), strict=True):
        if not is_tuple(one) and one.shape == other.shape:
            assert_within(one, other, bound)


def check_against_f64(case: Case, before: tuple[Array, ...]) -> None:
    wide = widened(case.op)
    if wide is not None and is_computed(case):
        (exact,) = run(wide, *map(widest, case.operands))
        (bound,) = bounds_of(case, (NO_ERROR,) * len(case.operands), before)
        assert_within(before[0], exact, bound)


@pytest.mark.parametrize("operand", [128.0, -128.0, 2.0])
def test_the_bound_of_bessel_i1e_includes_its_peak(operand: float) -> None:
    op = BesselI1e(TensorType((), ELEMENT_TYPES["f32"]))
    value, error = np.asarray(operand, np.float32), np.asarray(abs(operand))
    (bound,) = op.rounding.error_bound(op, (value,), (error,), (op.evaluate(value),))
    others = np.linspace(operand - error, operand + error, 10_001, dtype=np.float32)
    assert np.abs(op.evaluate(others) - op.evaluate(value)).max() <= bound


@pytest.mark.parametrize("op_class", [Lgamma, Digamma])
def test_gamma_functions_are_unbounded_only_where_the_operand_may_cross_a_pole(op_class: type[Op]) -> None:
    op = op_class(TensorType((4,), ELEMENT_TYPES["f32"]))  # type: ignore[call-arg]
    values, error = np.array([-1.5, -1.5, 0.5, 2], np.float32), np.array([0.6, 0.1, 0.6, 0.5])
    (bound,) = op.rounding.error_bound(op, (values,), (error,), (np.asarray(op.evaluate(values)),))
    assert np.isinf(bound).tolist() == [True, False, True, False]


@pytest.mark.parametrize("name", ["f8E8M0FNU", "f8E4M3FN"])
def test_the_bound_of_bessel_i1e_holds_for_all_numbers_of_eight_bits(name: str) -> None:
    element_type = ELEMENT_TYPES[name]
    op = BesselI1e(TensorType((256,), element_type))
    values = np.arange(256, dtype=np.uint8).view(element_type.dtype)
    with np.errstate(all="ignore"):
        exact = op.function(widest(values))
        error = np.where(np.isfinite(magnitude(values)), magnitude(values), 0.0)
        (bound,) = op.rounding.error_bound(op, (values,), (error,), (op.evaluate(values),))
        near = np.abs(widest(values)[:, None] - widest(values)) <= error[:, None]
        apart = np.where(near, np.abs(exact[:, None] - exact), 0.0)
    finite = np.isfinite(magnitude(op.evaluate(values)))
    assert (np.nanmax(apart, axis=1) <= bound + 1e-12)[finite].all()


def test_a_complex_value_is_true_or_false_by_its_real_part() -> None:
    op = Convert(tensor((2,), "complex<f32>"), tensor((2,), "i1"))
    values = np.array([1j, 1], np.complex64)
    (bound,) = op.rounding.error_bound(op, (values,), (np.asarray(0.5),), (op.evaluate(values),))
    assert bound.tolist() == [1, 0]


@pytest.mark.parametrize("direction", list(ComparisonDirection))
def test_the_order_of_complex_values_is_uncertain_where_that_of_their_real_parts_is(
    direction: ComparisonDirection,
) -> None:
    op = Compare(tensor((2,), "complex<f32>"), tensor((2,), "complex<f32>"), direction)
    operands = np.array([1 + 2j, 1 + 2j], np.complex64), np.array([1 - 5j, 2 - 5j], np.complex64)
    result = np.asarray(op.evaluate(*operands))
    (bound,) = op.rounding.error_bound(op, operands, (np.asarray(0.5), NO_ERROR), (result,))
    assert bound.tolist() == ([0, 0] if op.is_equality else [1, 0])


CONVERTED = {"f8E5M2": "f8E4M3FN", "f8E4M3FN": "f8E3M4", "f8E4M3B11FNUZ": "f8E3M4", "f8E3M4": "f8E5M2"}
"""Types, each with the type that is converted to it: one of another bit, or of fewer."""


@pytest.mark.parametrize("name", CONVERTED)
@pytest.mark.parametrize("op_class", [Add, Subtract, Multiply, Divide, Remainder, Square, Convert])
def test_bounds_hold_where_operands_are_the_neighbours_of_all_numbers_of_eight_bits(
    op_class: type[Elementwise], name: str
) -> None:
    """A result that is exact for one operand is rounded for its neighbour."""
    values, error, neighbours = numbers_and_neighbours(CONVERTED[name] if op_class is Convert else name)
    count = 1 if op_class in (Square, Convert) else 2
    shape = (len(values),) * count
    results = {"result": tensor(shape, name)} if op_class is Convert else {}
    op = op_class(*[type_of(np.zeros(shape, values.dtype))] * count, **results)
    operands, errors = np.meshgrid(*[values] * count), np.meshgrid(*[error] * count)
    with np.errstate(all="ignore"):
        before = np.asarray(op.evaluate(*operands))
        (bound,) = op.rounding.error_bound(op, tuple(operands), tuple(errors), (before,))
        for others in product(neighbours, repeat=count):
            assert_within(before, np.asarray(op.evaluate(*np.meshgrid(*others))), (1 + 1e-9) * bound)


@pytest.mark.parametrize("name", ["f32", "f64", "complex<f32>", "complex<f64>"])
@pytest.mark.parametrize("relative", [2e-15, 2e-6, 1e-3, 0.3])
def test_remainders_of_multiples_of_the_divisor_jump_within_their_bounds(name: str, relative: float) -> None:
    """In a complex multiple, one part or both are whole."""
    random, dtype = np.random.default_rng(0), ELEMENT_TYPES[name].dtype
    whole, turn = random.integers(-4, 5, (3, 1000)), np.exp(2j * np.pi * random.random((9, 1000)))
    factors = np.stack([whole[0] + 1j * whole[1], whole[2] + 1j * random.uniform(-4, 4, 1000)])
    divisors = random.uniform(0.5, 2, factors.shape) * turn[0]
    if dtype.kind == "f":
        factors, divisors, turn = whole[:2], divisors.real, np.sign(turn.real)
    operands = (factors * divisors).astype(dtype), divisors.astype(dtype)
    op = Remainder(*map(type_of, operands))
    errors = tuple(relative * magnitude(operand) for operand in operands)
    (before,), (bound,) = run(op, *operands), bounds_of(Case(op, operands), errors, run(op, *operands))
    for first, second in product(turn, turn):
        moves = zip(operands, errors, (first, second), strict=True)
        others = [(operand + 0.9 * error * step).astype(dtype) for operand, error, step in moves]
        assert_within(before, run(op, *others)[0], bound)


VECTOR, SCALAR, SUM = tensor((3,)), tensor(()), body_of("stablehlo.add", "f32")
SUMS: list[tuple[Op, Any]] = [
    (Reduce((VECTOR,), (SCALAR,), (0,), SUM), 0),
    (ReduceWindow((VECTOR,), (SCALAR,), SUM, (3,)), 0),
    (Dot(VECTOR, VECTOR), [1, 1, 1]),
]


@pytest.mark.parametrize(("op", "second"), SUMS, ids=[op.name for op, _ in SUMS])
def test_sums_of_whole_numbers_are_rounded_where_a_term_is_uncertain(op: Op, second: Any) -> None:
    """The other sum is 6 and three quarters of a unit in the last place."""
    operands = np.array([1, 2, 3], np.float32), np.array(second, np.float32)
    error = np.array([3 * 2.0**-23, 0, 0])
    (before,), (after,) = run(op, *operands), run(op, (operands[0] + error).astype(np.float32), operands[1])
    (certain,) = op.rounding.error_bound(op, operands, (NO_ERROR, NO_ERROR), (before,))
    (bound,) = op.rounding.error_bound(op, operands, (error, NO_ERROR), (before,))
    assert certain.max() == 0
    assert float(after.max()) == 6 + 4 * 2.0**-23
    assert_within(before, after, bound)


@pytest.mark.parametrize("op", [SUMS[0][0], SUMS[1][0]], ids=lambda op: str(op.name))
def test_a_sum_of_whole_numbers_that_begins_with_a_fraction_is_rounded(op: Op) -> None:
    operands = np.array([1, 2, 3], np.float32), np.array(0.1, np.float32)
    (result,) = run(op, *operands)
    (bound,) = op.rounding.error_bound(op, operands, (NO_ERROR, NO_ERROR), (result,))
    assert_within(result, np.full_like(result, np.cumsum([0.1, 1, 2, 3], dtype=np.float32)[-1]), bound)
    assert bound.min() > 0


def small_terms(name: str) -> Array:
    """Numbers whose sum is 0, in an order in which partial sums are not."""
    half = np.random.default_rng(3).normal(size=300).astype(ELEMENT_TYPES[name].dtype)
    return np.random.default_rng(4).permutation(np.concatenate([half, -half]))


def added_in_turn(terms: Array) -> Any:
    """Each sum rounded to the type of the terms, as XLA's loops on a CPU do."""
    return reduce_left(lambda total, term: np.asarray(total + term, terms.dtype)[()], terms)


def added_in_blocks(terms: Array) -> Any:
    """Blocks of 32 in turn, and then their sums, as XLA's reductions and cumulative sums."""
    while len(terms) > 1:
        terms = np.array([added_in_turn(terms[at : at + 32]) for at in range(0, len(terms), 32)], terms.dtype)
    return terms[0]


def sum_of(kind: str, name: str, terms: Array) -> tuple[Op, tuple[Array, ...]]:
    vector, scalar, body = tensor(terms.shape, name), tensor((), name), body_of("stablehlo.add", name)
    zero = np.zeros((), terms.dtype)
    if kind == "scatter":
        numbers = ScatterDimensionNumbers((), (0,), (), (), (0,), 1)
        indices = tensor((len(terms), 1), "i32")
        scatter = Scatter((tensor((1,), name),), indices, (vector,), numbers, body)
        return scatter, (zero.reshape(1), np.zeros((len(terms), 1), np.int32), terms)
    if kind == "reduce":
        return Reduce((vector,), (scalar,), (0,), body), (terms, zero)
    padding = ((len(terms) - 1, 0),) if kind == "cumulative sum" else None
    return ReduceWindow((vector,), (scalar,), body, (len(terms),), padding=padding), (terms, zero)


@pytest.mark.parametrize("name", ["bf16", "f16"])
@pytest.mark.parametrize(
    ("kind", "add"),
    [
        ("scatter", added_in_turn),
        ("window", added_in_turn),
        ("reduce", added_in_blocks),
        ("cumulative sum", added_in_blocks),
    ],
)
def test_sums_of_small_floats_that_are_rounded_on_the_way_are_within_their_bounds(
    kind: str, add: Any, name: str
) -> None:
    """The error is one of partial sums, where the sum itself is 0."""
    terms = small_terms(name)
    op, operands = sum_of(kind, name, terms)
    (before,) = run(op, *operands)
    (bound,) = bounds_of(Case(op, operands), (NO_ERROR,) * len(operands), (before,))
    after = before.copy()
    after[(-1,) if before.ndim else ()] = add(terms)
    assert float(np.abs(after - before).max()) > 0
    assert_within(before, after, bound)
    # It stays a small part of what partial sums are.
    assert np.max(bound) < 300 * unit_roundoff(terms.dtype) * np.sqrt(np.sum(terms.astype(float) ** 2))


@pytest.mark.parametrize("kind", ["scatter", "window", "cumulative sum"])
def test_products_of_many_factors_have_bounds(kind: str) -> None:
    factors = np.linspace(0.5, 1.5, 40, dtype=np.float32)
    op, operands = sum_of(kind, "f32", factors)
    body, one = body_of("stablehlo.multiply", "f32"), np.ones((), np.float32)
    assert isinstance(op, Scatter | ReduceWindow)
    op = replace(op, update_computation=body) if isinstance(op, Scatter) else replace(op, body=body)
    operands = (one.reshape(1), *operands[1:]) if kind == "scatter" else (factors, one)
    errors = tuple(1e-6 * (value is factors) * np.ones(value.shape) for value in operands)
    (before,), (certain,) = (
        run(op, *operands),
        bounds_of(Case(op, operands), (NO_ERROR,) * len(operands), run(op, *operands)),
    )
    (bound,) = bounds_of(Case(op, operands), errors, (before,))
    backwards = tuple(
        value[::-1] if value is factors and kind != "cumulative sum" else value for value in operands
    )
    assert_within(before, run(op, *backwards)[0], certain)
    moved = tuple((value + error).astype(value.dtype) for value, error in zip(operands, errors, strict=True))
    assert_within(before, run(op, *moved)[0], bound)
    assert 0 < np.max(bound) < 1e-3 * np.max(np.abs(before))


@pytest.mark.parametrize(("name", "sides"), [("i1", [1, 0]), ("ui8", [3, 5]), ("f32", [3, 5])])
def test_a_side_that_may_be_taken_is_as_far_away_as_the_other_one(name: str, sides: list[int]) -> None:
    on_true, on_false = (np.array([side], ELEMENT_TYPES[name].dtype) for side in sides)
    op = Select(tensor((1,), "i1"), tensor((1,), name), tensor((1,), name))
    operands, errors = (np.ones(1, bool), on_true, on_false), (np.ones(1), NO_ERROR, NO_ERROR)
    (bound,) = op.rounding.error_bound(op, operands, errors, run(op, *operands))
    assert bound.tolist() == [abs(sides[0] - sides[1])]


@pytest.mark.parametrize("operands", [([3], [5]), ([5], [3])])
def test_unsigned_integers_meet_from_either_side(operands: tuple[list[int], list[int]]) -> None:
    vector = tensor((1,), "ui8")
    op = Compare(vector, vector, ComparisonDirection.LT)
    pair = tuple(np.array(value, np.uint8) for value in operands)
    (bound,) = op.rounding.error_bound(op, pair, (np.full(1, 2.0), NO_ERROR), run(op, *pair))
    assert bound.tolist() == [1]


MATRICES = tensor((1, 1)), tensor((1, 1))
PRODUCTS: list[Op] = [
    Dot(*MATRICES),
    DotGeneral(*MATRICES, DotDimensionNumbers((), (), (1,), (0,))),
    Einsum(*MATRICES, "ab,bc->ac"),
    Convolution(*MATRICES, ConvolutionDimensionNumbers(0, 1, 0, 1, 0, 1), 1, 1),
    RaggedDot(*MATRICES, tensor((1,), "i32"), RaggedDotDimensionNumbers((), (), (1,), (0,), (1,), ())),
]


@pytest.mark.parametrize("op", PRODUCTS, ids=lambda op: str(op.name))
def test_products_that_are_too_small_may_be_denormals_or_0(op: Op) -> None:
    factor, count = np.full((1, 1), 2.0**-80, np.float32), np.ones(1, np.int32)
    operands = (factor, factor, count)[: len(op.operand_types)]
    (result,) = run(op, *operands)
    (bound,) = op.rounding.error_bound(op, operands, (NO_ERROR,) * len(operands), (result,))
    assert result.max() == 0
    assert bound.min() >= np.finfo(np.float32).tiny


def test_an_einsum_of_one_operand_moves_the_errors_of_its_elements_or_adds_them() -> None:
    operand, error = np.array([[1, 1e8, -1e8]], np.float32), np.array([[0, 2, 4.0]])
    moving, adding = UnaryEinsum(type_of(operand), "ab->ba"), UnaryEinsum(type_of(operand), "ab->a")
    (moved,) = moving.rounding.error_bound(moving, (operand,), (error,), run(moving, operand))
    (bound,) = adding.rounding.error_bound(adding, (operand,), (error,), run(adding, operand))
    assert moved.tolist() == error.T.tolist()
    assert np.hypot(2, 4) + 2**-24 * 1e8 <= bound <= 1000


@pytest.mark.parametrize("mean", [0, 100])
def test_the_variance_of_a_feature_is_within_its_bound_however_it_is_computed(mean: float) -> None:
    """XLA subtracts the square of the mean from the mean of the squares. Another divisor is no rounding."""
    operand = (np.random.default_rng(0).standard_normal((200, 3)) + mean).astype(np.float32)
    ones = np.ones(3, np.float32)
    op = BatchNormTraining(type_of(operand), type_of(ones), type_of(ones), 0.001, 1)
    results = run(op, operand, ones, ones)
    bounds = op.rounding.error_bound(op, (operand, ones, ones), (NO_ERROR,) * 3, results)
    middle = operand.mean(axis=0)
    variance = (operand * operand).mean(axis=0) - middle * middle
    output = (operand - middle) / np.sqrt(variance + np.float32(0.001)) + ones
    for one, other, bound in zip(results, (output, middle, variance), bounds, strict=True):
        assert_within(one, other, bound)
    assert mean or (bounds[2] < results[2] / 200).all()


@pytest.mark.parametrize("mean", [1, 100])
def test_epsilon_keeps_a_bound_of_elements_whose_variance_may_be_0(mean: float) -> None:
    """At a mean of 100 it does not: XLA's difference of squares may be as far below 0, and the results NaN."""
    random, ones = np.random.default_rng(0), np.ones(1, np.float32)
    operand = (0.001 * random.standard_normal((64, 1)) + mean).astype(np.float32)
    op = BatchNormTraining(type_of(operand), type_of(ones), type_of(ones), 0.001, 1)
    results, errors = run(op, operand, ones, ones), (np.asarray(0.05), NO_ERROR, NO_ERROR)
    with np.errstate(all="ignore"):
        bound, _, _ = op.rounding.error_bound(op, (operand, ones, ones), errors, results)
    assert np.isfinite(bound).all() == (mean == 1)
    for others in (operand + random.uniform(-0.05, 0.05, operand.shape), operand * 0 + np.float32(mean)):
        assert_within(results[0], run(op, others.astype(np.float32), ones, ones)[0], bound)


@pytest.mark.parametrize("op_class", [BatchNormInference, BatchNormGrad])
def test_normalized_elements_at_the_mean_may_be_beside_it(op_class: type[BatchNorm]) -> None:
    """One element of each feature, all of which are moved against their mean."""
    ones, error = np.ones(3), np.full(3, 0.25)
    vector = type_of(ones)
    op = op_class(*[vector] * 5, 0.001, 0)  # type: ignore[call-arg]
    results, errors = run(op, *[ones] * 5), (error, *[NO_ERROR] * 4)
    bounds = op.rounding.error_bound(op, (ones,) * 5, errors, results)
    for one, other, bound in zip(results, run(op, ones + error, *[ones] * 4), bounds, strict=True):
        assert_within(one, other, bound)
        assert bound.max() <= 1


def test_random_errors_of_few_elements_do_not_cancel_in_all_draws() -> None:
    many, line = tensor((64, 1, 1)), tensor((3, 1, 1), "complex<f32>")
    ops: list[tuple[Op, TensorType]] = [
        (TriangularSolve(many, many, True, True, False, Transpose.NO_TRANSPOSE), many),
        (Fft(line, FftType.FFT, (3, 1, 1)), line),
    ]
    for op, found in ops:
        operands = (np.ones(found.sizes, found.element_type.dtype),) * len(op.operand_types)
        (bound,) = op.rounding.error_bound(op, operands, (NO_ERROR,) * len(operands), run(op, *operands))
        assert bound.min() > 2**-22


@pytest.mark.parametrize("name", CONVERTED)
def test_the_next_number_is_a_step_of_the_type_away_on_either_side(name: str) -> None:
    """Where both operands are equal, but for an error of one."""
    values, error, neighbours = numbers_and_neighbours(name)
    op = NextAfter(type_of(values), type_of(values))
    with np.errstate(all="ignore"):
        before = op.evaluate(values, values)
        (bound,) = op.rounding.error_bound(op, (values, values), (NO_ERROR, error), (before,))
        for others in neighbours:
            assert_within(before, op.evaluate(values, others), bound)


def numbers_and_neighbours(name: str) -> tuple[Array, Any, list[Array]]:
    """All finite numbers of eight bits, how far their neighbours are, and the numbers above, themselves and below."""
    dtype = ELEMENT_TYPES[name].dtype
    values = np.arange(256, dtype=np.uint8).view(dtype).astype(np.float64)
    values = np.unique(values[np.isfinite(values)])
    above, below = np.append(values[1:], values[-1]), np.append(values[0], values[:-1])
    error = np.maximum(above - values, values - below)
    return values.astype(dtype), error, [side.astype(dtype) for side in (above, values, below)]


def error_of(operand: Array) -> Any:
    """A few units in the last place; 0 of what is no float."""
    size = (
        np.where(np.isfinite(magnitude(operand)), magnitude(operand), 0.0)
        if is_inexact(operand.dtype)
        else 0.0
    )
    return np.asarray(8 * unit_roundoff(operand.dtype) * size, np.float64)


def shift(operand: Array, found: Type, error: Any, random: np.random.Generator) -> Array:
    """The operand, each element moved by half of its error at most."""
    if not is_inexact(operand.dtype) or not np.count_nonzero(error):
        return operand
    assert isinstance(found, TensorType)
    wide = np.asarray(widest(operand) + random.uniform(-0.5, 0.5, operand.shape) * error)
    moved = round_to(wide, found.element_type)
    near = (np.abs(widest(moved) - widest(operand)) <= error) & (error != 0)  # -0 plus 0 would be 0
    return np.where(near, moved, operand)


def bounds_of(case: Case, errors: tuple[Any, ...], results: tuple[Array, ...]) -> tuple[Any, ...]:
    """What the op says, with the sizes that it has in this call."""
    op = specialise_op(case.op, case.operands)
    with units_of(op.known_results):
        return op.rounding.error_bound(op, case.operands, errors, results)


def assert_within(one: Array, other: Array, bound: Any) -> None:
    """Where something is known and not anything is right; NaN and infinities stay as they are."""
    whole = np.broadcast_to(bound, one.shape)
    with np.errstate(all="ignore"):
        apart = np.abs(widest(one).astype(complex) - widest(other).astype(complex))
        near = ~np.isfinite(magnitude(one)) | ~np.isfinite(magnitude(other)) | (apart <= whole)
    near |= np.isnan(whole) | np.isposinf(whole)
    if not near.all():
        place = tuple(int(at) for at in np.argwhere(~near)[0])
        raise AssertionError(f"{place}: {one[place]} and {other[place]}, bound {whole[place]}")


def is_computed(case: Case) -> bool:
    """Whether one array of floats is computed, of floats that f64 holds."""
    return all(value.dtype.kind in "fcb" and value.dtype.itemsize <= 8 for value in case.operands)


def widened(op: Op) -> Op | None:
    """The op in f64; `None` where it has regions or other types, or where the type is what it is about."""
    if isinstance(op, AskingOp) or op.findings.moves_elements or not isinstance(op.infer(), TensorType):
        return None
    if isinstance(op, Elementwise) and op.wide == {}:
        return None
    changed: dict[str, Any] = {}
    for field in fields(op):  # type: ignore[arg-type]
        value = getattr(op, field.name)
        if isinstance(value, TensorType):
            name = WIDE.get(value.element_type.name, value.element_type.name)
            if name not in ("f64", "complex<f64>", "i1"):
                return None
            changed[field.name] = value.with_element_type(ELEMENT_TYPES[name])
    return replace(op, **changed) if changed else None  # type: ignore[type-var]
