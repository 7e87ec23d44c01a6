"""Integers that wrap around and floats that underflow: what elementwise ops say, against exact arithmetic."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.findings import Fault
from hloscope.engine.findings.kind import Watch
from hloscope.engine.findings.lost_numbers import elementwise_underflows
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ops.core.integer_folding import ComparisonDirection
from hloscope.engine.ops.core.quiet import Signals
from hloscope.engine.ops.elementwise.arithmetic import Abs, Add, Divide, Multiply, Negate, Remainder, Subtract
from hloscope.engine.ops.elementwise.bits import ShiftLeft
from hloscope.engine.ops.elementwise.comparisons import Compare, CompareType, Convert
from hloscope.engine.ops.elementwise.elementwise import Elementwise
from hloscope.engine.ops.elementwise.functions import Exponential, Log
from tests.findings import checking

from .running import run, tensor

INTEGERS = ("i2", "i4", "i8", "i16", "i32", "i64", "ui2", "ui4", "ui8", "ui16", "ui32", "ui64")
OPS: dict[type[Elementwise], Callable[..., int]] = {
    Add: operator.add,
    Subtract: operator.sub,
    Multiply: operator.mul,
    Negate: operator.neg,
    Abs: abs,
}


def limits(name: str) -> tuple[int, int]:
    """The least and the greatest number of a type."""
    found = ELEMENT_TYPES[name]
    if found.kind == "signed":
        return -(1 << found.bits - 1), (1 << found.bits - 1) - 1
    return 0, (1 << found.bits) - 1


def array(numbers: list[int], name: str) -> Any:
    """Numbers as elements of a type."""
    signed = ELEMENT_TYPES[name].kind == "signed"
    return np.array(numbers, np.int64 if signed else np.uint64).astype(ELEMENT_TYPES[name].dtype)


def faults(op: Elementwise, *operands: Any, signals: Signals = Signals.NONE) -> list[Fault]:
    """What the op says of a run."""
    with np.errstate(all="ignore"):
        return checking.faults(op, operands, run(op, *operands), signals)


@st.composite
def sums(draw: Any) -> tuple[type[Elementwise], str, list[list[int]]]:
    """An op, a type, and for each operand some numbers, mostly near the type's limits."""
    op = draw(st.sampled_from(sorted(OPS, key=str)))
    name = draw(st.sampled_from([name for name in INTEGERS if op is not Abs or name[0] == "i"]))
    low, high = limits(name)
    near = (low, low + 1, -1, 0, 1, 2, 1 << ELEMENT_TYPES[name].bits // 2, high - 1, high)
    numbers = st.one_of(st.sampled_from([x for x in near if low <= x <= high]), st.integers(low, high))
    count = draw(st.integers(1, 5))
    arity = 1 if op in (Negate, Abs) else 2
    return op, name, [draw(st.lists(numbers, min_size=count, max_size=count)) for _ in range(arity)]


@given(sums(), st.booleans())
def test_exactly_what_wraps_around_is_named(
    case: tuple[type[Elementwise], str, list[list[int]]], scalar: bool
) -> None:
    op_class, name, numbers = case
    numbers = [column[:1] for column in numbers] if scalar else numbers
    low, high = limits(name)
    exact = [OPS[op_class](*row) for row in zip(*numbers, strict=True)]
    beyond = [number for number in exact if not low <= number <= high]
    shape = () if scalar else (len(exact),)
    operands = [array(column, name).reshape(shape) for column in numbers]
    op = op_class(*[tensor(shape, name)] * len(numbers))
    assert checking.watches(op, [tensor(shape, name)]) == {Watch.DECISIVE}
    found = faults(op, *operands)
    assert [(fault.kind, fault.elements, fault.size) for fault in found] == [
        ("wrap", len(beyond), len(exact))
    ][: bool(beyond)]
    for fault in found:
        (result,) = run(op, *operands)
        assert fault.cause == f"where {beyond[0]:,} is beyond {name} and becomes {int(result[fault.index]):,}"


@given(st.data(), st.sampled_from(INTEGERS), st.sampled_from(INTEGERS))
def test_exactly_what_a_type_cannot_hold_is_named(data: Any, source: str, target: str) -> None:
    numbers = data.draw(st.lists(st.integers(*limits(source)), min_size=1, max_size=4))
    low, high = limits(target)
    beyond = [number for number in numbers if not low <= number <= high]
    op = Convert(tensor((len(numbers),), source), tensor((len(numbers),), target))
    assert sum(fault.elements for fault in faults(op, array(numbers, source))) == len(beyond)
    holds_all = limits(target)[0] <= limits(source)[0] and limits(source)[1] <= limits(target)[1]
    assert (op.exact_function is None) == holds_all


def test_bits_floats_and_booleans_do_not_wrap() -> None:
    number = tensor((2,), "i32")
    for op in (ShiftLeft(number, number), Remainder(number, number), Divide(number, number)):
        assert op.exact_function is None
    for name in ("f32", "i1", "complex<f32>"):
        assert Add(tensor((2,), name), tensor((2,), name)).exact_function is None
    assert Convert(tensor((2,)), tensor((2,), "i8")).exact_function is None


FLOATS = ("f16", "bf16", "f32", "f64")


@pytest.mark.parametrize("shape", [(), (40, 1000)], ids=["one for all", "one for each"])
def test_what_underflows_among_many_elements_is_named_wherever_it_is(shape: tuple[int, ...]) -> None:
    """They are looked at block by block where all lie alike, and at once where they do not."""
    lhs = np.ones((40, 1000), np.float32)
    lhs[[0, 32, 39], [0, 768, 999]] = 1e-20
    rhs = np.full(shape, 1e-20, np.float32)
    for turn in (lambda array: array, np.transpose):
        found = elementwise_underflows((turn(lhs), turn(rhs)), turn(lhs * rhs))
        assert np.array_equal(found, turn(lhs < 1))


@given(st.data(), st.sampled_from(FLOATS), st.sampled_from([Multiply, Divide]))
def test_exactly_what_underflows_is_named(data: Any, name: str, op_class: type[Elementwise]) -> None:
    dtype = ELEMENT_TYPES[name].dtype
    info = ml_dtypes.finfo(dtype)
    tiny, width = Fraction(float(info.tiny)), int(info.minexp)
    numbers = st.one_of(
        st.sampled_from([0.0, 1.0, float("inf"), float(info.tiny)]),
        st.builds(lambda m, e: m * 2.0**e, st.floats(1, 2), st.integers(width + 1, -width - 1)),
    )
    count = data.draw(st.integers(1, 5))
    columns = [
        np.array(data.draw(st.lists(numbers, min_size=count, max_size=count))).astype(dtype) for _ in range(2)
    ]
    op = op_class(*[tensor((count,), name)] * 2)
    with np.errstate(all="ignore"):
        (result,) = run(op, *columns)
    wanted = []
    for x, y, made in zip(*columns, result, strict=True):
        both = float(x), float(y)
        if not np.isfinite(both).all() or 0 in both:
            wanted.append(False)
            continue
        exact = (
            Fraction(both[0]) * Fraction(both[1])
            if op_class is Multiply
            else Fraction(both[0]) / Fraction(both[1])
        )
        # What rounds up to the least normal number is as good as any.
        wanted.append(abs(exact) < tiny and abs(Fraction(float(made))) < tiny)
    with np.errstate(all="ignore"):
        assert elementwise_underflows(tuple(columns), result).tolist() == wanted
    found = faults(op, *columns, signals=Signals.UNDERFLOW)
    births = [fault for fault in found if fault.kind == "denormal"]
    assert sum(fault.elements for fault in births) == sum(wanted)


def test_an_exponential_says_how_many_it_lost_and_a_minus_infinity_loses_nothing() -> None:
    x = np.array([-100, -200, 0, -np.inf], np.float32)
    (fault,) = faults(Exponential(tensor((4,))), x, signals=Signals.UNDERFLOW)
    assert (fault.kind, fault.elements, fault.size, fault.index) == ("denormal", 2, 4, (0,))
    assert fault.cause == "below 1.18e-38 and so denormal, 1 of them 0"
    assert not faults(Exponential(tensor((4,))), x)
    assert not faults(Exponential(tensor((1,))), x[3:], signals=Signals.UNDERFLOW)


def test_a_few_elements_of_many_are_not_worth_a_word() -> None:
    x = np.zeros(200, np.float32)
    x[:2] = -100
    assert not faults(Exponential(tensor((200,))), x, signals=Signals.UNDERFLOW)
    x[2] = -100
    assert len(faults(Exponential(tensor((200,))), x, signals=Signals.UNDERFLOW)) == 1


@pytest.mark.parametrize("name", ["f8E4M3FN", "f8E5M2"])
def test_types_that_are_there_for_being_short_are_left_alone(name: str) -> None:
    op = Convert(tensor((2,)), tensor((2,), name))
    assert not faults(op, np.array([1e-9, 1], np.float32), signals=Signals.UNDERFLOW)
    assert faults(
        Convert(tensor((2,)), tensor((2,), "f16")), np.array([1e-9, 1], np.float32), signals=Signals.UNDERFLOW
    )


def test_what_was_small_before_is_not_lost_again() -> None:
    small, one = np.array([1e-40], np.float32), np.array([0.5], np.float32)
    assert not faults(Multiply(*[tensor((1,))] * 2), small, one, signals=Signals.UNDERFLOW)
    found = faults(Log(tensor((1,))), np.array([1], np.float32), signals=Signals.UNDERFLOW)
    assert [fault.kind for fault in found] == ["cancellation"], "only as long as f64 does not acquit it"


NAN = float("nan")


def swallowed(op: Elementwise, *columns: list[float]) -> list[tuple[int, tuple[int, ...], str]]:
    """What an op says of NaN in its operands."""
    dtypes = [found.element_type.dtype for found in op.inputs]
    operands = [np.array(column).astype(dtype) for column, dtype in zip(columns, dtypes, strict=True)]
    found = faults(op, *operands)
    assert {fault.kind for fault in found} <= {"swallowed_nan"}
    return [(fault.elements, fault.index, fault.cause) for fault in found]


@given(st.data(), st.sampled_from(FLOATS), st.sampled_from(list(ComparisonDirection)))
def test_a_comparison_counts_the_nans_that_it_is_false_of(
    data: Any, name: str, direction: ComparisonDirection
) -> None:
    count = data.draw(st.integers(1, 5))
    numbers = st.lists(st.sampled_from([NAN, 0.0, 1.0, float("inf")]), min_size=count, max_size=count)
    left, right = data.draw(numbers), data.draw(numbers)
    op = Compare(tensor((count,), name), tensor((count,), name), direction)
    lost = [math.isnan(x) or math.isnan(y) for x, y in zip(left, right, strict=True)]
    asks = direction in (ComparisonDirection.EQ, ComparisonDirection.NE)
    found = swallowed(op, left, right)
    assert [elements for elements, _, _ in found] == [sum(lost)][: any(lost) and not asks]
    for _, index, cause in found:
        number = int(cause[len("where {")])
        assert cause == f"where {{{number}}} is NaN and the result is false"
        assert math.isnan((left, right)[number][index[0]])


def test_numbers_lose_nan_where_they_become_integers_or_booleans() -> None:
    for name, became in (("i32", "is 0"), ("ui8", "is 0"), ("i1", "is true")):
        op = Convert(tensor((3,)), tensor((3,), name))
        assert Watch.AFTER_NAN in checking.watches(op, [tensor((3,), name)])
        assert swallowed(op, [1, NAN, NAN]) == [(2, (1,), f"where {{0}} is NaN and the result {became}")]
        assert not swallowed(op, [1, 2, 3])
    assert not swallowed(Convert(tensor((2,)), tensor((2,), "f16")), [NAN, 1])


def test_a_total_order_and_integers_know_no_nan() -> None:
    types = tensor((2,)), tensor((2,))
    op = Compare(*types, ComparisonDirection.LT, CompareType.TOTALORDER)
    assert not swallowed(op, [NAN, 1], [1, 1])
    assert not checking.watches(op, [tensor((2,), "i1")])
    numbers = Compare(tensor((1,), "i8"), tensor((1,), "i8"), ComparisonDirection.LT)
    assert not checking.watches(numbers, [tensor((1,), "i1")])
