"""Error bounds of every op, on random calls: neither errors in its operands nor its own rounding take it further."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.chlo.chlo_functions import BesselI1e, Digamma, Lgamma
from hloscope.engine.ops.core.nudging import widest
from hloscope.engine.ops.core.op import Array, AskingOp, Op
from hloscope.engine.ops.core.ranks import is_inexact
from hloscope.engine.ops.core.rounding import NO_ERROR, magnitude, unit_roundoff
from hloscope.engine.ops.core.values import is_tuple
from hloscope.engine.ops.elementwise.elementwise import Elementwise
from hloscope.engine.ops.sorting.sort import Sort
from hloscope.engine.ops.specialise import specialise_op

from .cases import CASES, Case
from .cases.written_calls import written_calls
from .running import run

FEW = settings(
    max_examples=15,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
MANY = settings(FEW, max_examples=200, derandomize=False)
DRAWS_NUMBERS = {"stablehlo.rng", "hlo.rng"}
"""Ops that give other numbers in each run."""
WIDE = {"f32": "f64", "f16": "f64", "bf16": "f64", "complex<f32>": "complex<f64>"}


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(set(CASES) - DRAWS_NUMBERS))
@MANY
@given(data=st.data())
def test_many_results_are_within_their_bounds(name: str, data: st.DataObject) -> None:
    check_bounds(data.draw(CASES[name]), data.draw(st.integers(0, 100)))


def check_bounds(case: Case, seed: int) -> None:
    """Neither errors in the operands nor the op's own rounding, seen from f64, take results further."""
    if any(map(is_tuple, case.operands)):
        return
    with np.errstate(all="ignore"):
        before = run(case.op, *case.operands)
        check_shifted(case, before, np.random.default_rng(seed))
        check_against_f64(case, before)


@FEW
@given(written_calls(Sort.name), st.integers(0, 100))
def test_sorted_values_are_within_their_bounds_whatever_the_first_key_is(case: Case, seed: int) -> None:
    with np.errstate(all="ignore"):
        check_shifted(case, run(case.op, *case.operands), np.random.default_rng(seed))


def check_shifted(case: Case, before: tuple[Array, ...], random: np.random.Generator) -> None:
    errors = tuple(map(error_of, case.operands))
    shifted = tuple(shift(*pair, random) for pair in zip(case.operands, errors, strict=True))
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


def error_of(operand: Array) -> Any:
    """A few units in the last place; 0 of what is no float."""
    size = (
        np.where(np.isfinite(magnitude(operand)), magnitude(operand), 0.0)
        if is_inexact(operand.dtype)
        else 0.0
    )
    return np.asarray(8 * unit_roundoff(operand.dtype) * size, np.float64)


def shift(operand: Array, error: Any, random: np.random.Generator) -> Array:
    """The operand, each element moved by half of its error at most."""
    if not is_inexact(operand.dtype) or not np.count_nonzero(error):
        return operand
    moved = np.asarray(widest(operand) + random.uniform(-0.5, 0.5, operand.shape) * error).astype(
        operand.dtype
    )
    near = (np.abs(widest(moved) - widest(operand)) <= error) & (error != 0)  # -0 plus 0 would be 0
    return np.where(near, moved, operand)


def bounds_of(case: Case, errors: tuple[Any, ...], results: tuple[Array, ...]) -> tuple[Any, ...]:
    """What the op says, with the sizes that it has in this call."""
    op = specialise_op(case.op, case.operands)
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
