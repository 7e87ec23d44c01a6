"""rng, rng-get-and-update-state, rng-bit-generator and stochastic-convert in HLO text."""

from __future__ import annotations

from fractions import Fraction
from math import floor, isinf, isnan
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.events import Listener
from hloscope.engine.interpreter import Interpreter
from hloscope.engine.ir.element_types import ELEMENT_TYPES, ElementType
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.checking import first_broken_constraint
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.hlo.hlo_random_numbers import HloRng, RngGetAndUpdateState, StochasticConvert
from hloscope.engine.ops.random_numbers.random_numbers import RngDistribution
from tests.programs import load_program

from ..cases.drawing import elements
from ..running import tensor
from .running import f16, f32, i32, results

FIRST = 0x7012395


# stochastic-convert


def converted(operand: Array, random: Any, source: str, target: str) -> Array:
    types = ELEMENT_TYPES[source], ELEMENT_TYPES[f"ui{ELEMENT_TYPES[source].bits}"], ELEMENT_TYPES[target]
    op = StochasticConvert(*(TensorType(operand.shape, found) for found in types))
    assert first_broken_constraint(op) is None
    return op.evaluate(operand, np.asarray(random, types[1].dtype))


def exactly(value: float, random: int, width: int, target: ElementType) -> int:
    """The rule, in fractions, and saturated."""
    if isnan(value):
        return 0
    bound = 1 << target.bits - 1
    if isinf(value):
        return bound - 1 if value > 0 else -bound
    magnitude = abs(Fraction(value))
    whole = floor(magnitude)
    whole += random < floor((magnitude - whole) * (1 << width))
    return max(-bound, min(bound - 1, whole if value > 0 else -whole))


@given(data=st.data())
def test_integers_follow_the_rule_in_fractions(data: st.DataObject) -> None:
    source = ELEMENT_TYPES[data.draw(st.sampled_from(["f32", "f64", "f16", "bf16"]))]
    target = ELEMENT_TYPES[data.draw(st.sampled_from(["i4", "i8", "i16", "i32", "i64"]))]
    values = st.floats(-1000, 1000, width=16).map(
        lambda found: np.array(found, np.float64).astype(source.dtype)
    )
    value = data.draw(st.one_of(elements(source), values))
    random = data.draw(st.integers(0, (1 << source.bits) - 1))
    with np.errstate(invalid="ignore"):  # of signalling NaN
        found = converted(value, random, source.name, target.name)
    assert int(found) == exactly(float(value), random, source.bits, target)


@pytest.mark.parametrize("target", ["bf16", "f16", "f8E4M3FN", "f8E5M2", "f4E2M1FN"])
def test_floats_become_a_neighbour_and_their_mean_stays(target: str) -> None:
    rng = np.random.default_rng(0)
    operand = np.full(20_000, 1.3, np.float32)
    found = converted(operand, rng.integers(0, 1 << 32, operand.shape), "f32", target).astype(np.float64)
    below, above = sorted(set(found.tolist()))
    assert below < 1.3 < above
    assert abs(found.mean() - 1.3) < 0.02
    halfway = f32([(below + above) / 2] * 2)
    assert converted(halfway, [0x7FFFFFFF, 0x80000000], "f32", target).tolist() == [above, below]


def test_what_a_float_type_holds_stays_whatever_the_random_number() -> None:
    values = f32([1.5, -0.0, np.inf, -np.inf, np.nan, 65504, 1e9, -1e9])
    for random in (0, 0xFFFFFFFF):
        found = converted(values, np.full(8, random), "f32", "f16")
        np.testing.assert_array_equal(found, f16([1.5, -0.0, np.inf, -np.inf, np.nan, 65504, 65504, -65504]))
        assert np.signbit(found[1])


@pytest.mark.parametrize("target", ["i4", "i8", "i64", "ui8", "ui64"])
def test_an_infinity_becomes_the_integer_at_its_end(target: str) -> None:
    ends = np.iinfo(ELEMENT_TYPES[target].dtype) if target != "i4" else None
    least, greatest = (ends.min, ends.max) if ends else (-8, 7)
    for random in (0, 0xFFFFFFFF):
        found = converted(f32([np.inf, -np.inf]), [random] * 2, "f32", target)
        assert [int(each) for each in found] == [greatest, least]


def test_small_floats_are_converted_from_as_well() -> None:
    operand = np.array([1.5, -2.25], ml_dtypes.float8_e4m3fn)
    assert converted(operand, [127, 63], "f8E4M3FN", "i8").tolist() == [2, -3]
    assert converted(operand, [128, 64], "f8E4M3FN", "i8").tolist() == [1, -2]


CONVERSIONS = [
    ("i32", "ui32", "i8", "operand must hold floating-point elements, not i32"),
    ("f32", "i32", "i8", "random must hold unsigned integer elements, not i32"),
    ("f32", "ui16", "i8", "operand has elements of 32 bits, random of 16: both must have the same"),
    ("f32", "ui32", "i1", "the result must hold integer or floating-point elements, not i1"),
]


@pytest.mark.parametrize(("operand", "random", "result", "message"), CONVERSIONS)
def test_what_is_converted_is_checked(operand: str, random: str, result: str, message: str) -> None:
    op = StochasticConvert(tensor([2], operand), tensor([2], random), tensor([2], result))
    assert first_broken_constraint(op) == ("", message)


def test_shapes_of_what_is_converted_are_equal() -> None:
    op = StochasticConvert(tensor([2]), tensor([3], "ui32"), tensor([2], "i8"))
    message = "operand is tensor<2xf32>, random is tensor<3xui32>: their shapes must be equal"
    assert first_broken_constraint(op) == ("", message)


def test_powers_of_two_have_no_zero_to_round_to() -> None:
    op = StochasticConvert(tensor([2]), tensor([2], "ui32"), tensor([2], "f8E8M0FNU"))
    assert op.unrunnable() == "f8E8M0FNU has no 0 to round to"


# rng


def rng(distribution: str, element_type: str = "f32") -> str:
    return f"""
        ENTRY e {{
          a = {element_type}[] parameter(0)
          b = {element_type}[] parameter(1)
          x = {element_type}[1000] rng(a, b), distribution={distribution}
          y = {element_type}[1000] rng(a, b), distribution={distribution}
          ROOT t = ({element_type}[1000], {element_type}[1000]) tuple(x, y)
        }}"""


def test_uniform_numbers_fill_their_interval() -> None:
    ((first, second),) = results(rng("rng_uniform"), f32(2), f32(5))
    assert first.min() >= 2
    assert first.max() < 5
    assert abs(first.mean() - 3.5) < 0.1
    assert not np.array_equal(first, second)


def test_normal_numbers_have_their_mean_and_deviation() -> None:
    ((first, _),) = results(rng("rng_normal"), f32(2), f32(5))
    assert abs(first.mean() - 2) < 0.5
    assert abs(first.std() - 5) < 0.5


def test_integers_are_below_the_upper_bound() -> None:
    ((first, _),) = results(rng("rng_uniform", "s32"), i32(-1), i32(2))
    assert set(first.tolist()) == {-1, 0, 1}


def test_two_runs_have_the_same_numbers() -> None:
    runs = [results(rng("rng_normal"), f32(0), f32(1)) for _ in range(2)]
    np.testing.assert_array_equal(runs[0][0][0], runs[1][0][0])


def test_what_rng_takes_is_checked() -> None:
    scalar, uniform, normal = tensor([], "i32"), RngDistribution.UNIFORM, RngDistribution.NORMAL
    broken = [
        (HloRng(scalar, tensor([1], "i32"), uniform, scalar), "b must have rank 0, not 1"),
        (HloRng(scalar, tensor([]), uniform, scalar), "a holds i32, b f32"),
        (HloRng(scalar, scalar, normal, scalar), "NORMAL numbers must be floating-point, not i32"),
    ]
    assert [first_broken_constraint(op) for op, _ in broken] == [("", message) for _, message in broken]
    assert first_broken_constraint(HloRng(scalar, scalar, uniform, scalar), [tensor([])]) == (
        "",
        "the result must hold i32, not f32",
    )


# rng-get-and-update-state

STATES = """
    c {
      p = (s32[], u64[2]) parameter(0)
      i = s32[] get-tuple-element(p), index=0
      k = s32[] constant(3)
      ROOT l = pred[] compare(i, k), direction=LT
    }
    b {
      p = (s32[], u64[2]) parameter(0)
      i = s32[] get-tuple-element(p), index=0
      o = s32[] constant(1)
      j = s32[] add(i, o)
      s = u64[2] rng-get-and-update-state(), delta=5
      ROOT t = (s32[], u64[2]) tuple(j, s)
    }
    ENTRY e {
      n = s32[] constant(0)
      z = u64[2] constant({0, 0})
      i = (s32[], u64[2]) tuple(n, z)
      w = (s32[], u64[2]) while(i), condition=c, body=b
      x = u64[2] get-tuple-element(w), index=1
      y = u64[2] rng-get-and-update-state(), delta=7
      ROOT r = (u64[2], u64[2]) tuple(x, y)
    }"""


def test_a_state_is_what_the_execution_before_has_left() -> None:
    ((last, other),) = results(STATES)
    assert last.tolist() == [FIRST + 10, 0]
    assert other.tolist() == [FIRST, 0]  # every operation has a state of its own


def test_a_run_that_goes_back_sees_the_same_states() -> None:
    run = Interpreter(load_program(STATES), [])
    first, again = Listener(), Listener()
    run.run(first, 20)
    middle, ledger = run.snapshot(), run.ledger.copy()
    run.run(first, 1000)
    run.restore(middle, ledger)
    run.run(again, 1000)
    assert run.finished
    assert [value.tolist() for value in first.returned[0]] == [value.tolist() for value in again.returned[0]]


def test_the_lower_half_carries_into_the_upper() -> None:
    op = RngGetAndUpdateState(1)
    most = (1 << 64) - 1
    assert op.resume(None, (np.array([most, 0], np.uint64),))[0].tolist() == [FIRST - 1, 1]  # type: ignore[index]
    assert op.resume(None, (np.array([most, most], np.uint64),))[0].tolist() == [FIRST - 1, 0]  # type: ignore[index]


def test_a_state_moves_on_by_at_most_64_bits() -> None:
    assert first_broken_constraint(RngGetAndUpdateState(-1)) == (
        "",
        "delta must be from 0 to 2^64 - 1, not -1",
    )
    assert first_broken_constraint(RngGetAndUpdateState(5), [tensor([2], "ui64")]) is None
    assert first_broken_constraint(RngGetAndUpdateState(5), [tensor([3], "ui64")]) == (
        "",
        "the result must have shape [2], not [3]",
    )


# rng-bit-generator
