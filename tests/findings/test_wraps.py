"""Integer overflow in sums and products of many elements: found exactly where the exact result is beyond the type."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hloscope
from hloscope.engine.findings import Fault, Finding
from hloscope.engine.findings.kinds import check, rules_by_op
from hloscope.engine.ops.core.quiet import Signals, quiet

from .finding import found

I8 = st.integers(-128, 127)
REDUCE = """func.func @main(%x: tensor<{n}x{type}>, %start: tensor<{type}>) -> tensor<{type}> {{
  %r = stablehlo.reduce(%x init: %start) applies stablehlo.{body} across dimensions = [0] : (tensor<{n}x{type}>, tensor<{type}>) -> tensor<{type}>
  return %r : tensor<{type}>
}}"""
WINDOW = """func.func @main(%x: tensor<{n}xi8>, %start: tensor<i8>) -> tensor<{n}xi8> {{
  %r = "stablehlo.reduce_window"(%x, %start) <{{window_dimensions = array<i64: 3>, padding = dense<[[2, 0]]> : tensor<1x2xi64>}}> ({{
  ^bb0(%a: tensor<i8>, %b: tensor<i8>):
    %c = stablehlo.add %a, %b : tensor<i8>
    stablehlo.return %c : tensor<i8>
  }}) : (tensor<{n}xi8>, tensor<i8>) -> tensor<{n}xi8>
  return %r : tensor<{n}xi8>
}}"""
DOT = """func.func @main(%x: tensor<2x{n}x{type}>, %y: tensor<{n}x{type}>) -> tensor<2x{to}> {{
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x{n}x{type}>, tensor<{n}x{type}>) -> tensor<2x{to}>
  return %r : tensor<2x{to}>
}}"""


EINSUM = """func.func @main(%x: tensor<2x{n}xi8>, %y: tensor<{n}xi8>) -> tensor<2xi8> {{
  %r = "stablehlo.einsum"(%x, %y) <{{einsum_config = "ab,b->a"}}> : (tensor<2x{n}xi8>, tensor<{n}xi8>) -> tensor<2xi8>
  return %r : tensor<2xi8>
}}"""
RAGGED = """func.func @main(%x: tensor<{n}x2xi8>, %y: tensor<2x2x1xi8>, %sizes: tensor<2xi32>) -> tensor<{n}x1xi8> {{
  %r = "chlo.ragged_dot"(%x, %y, %sizes) <{{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}}> : (tensor<{n}x2xi8>, tensor<2x2x1xi8>, tensor<2xi32>) -> tensor<{n}x1xi8>
  return %r : tensor<{n}x1xi8>
}}"""
SELECTING = """func.func @main(%x: tensor<{n}xi8>, %sent: tensor<{m}xi8>, %start: tensor<i8>) -> tensor<{n}xi8> {{
  %r = "stablehlo.select_and_scatter"(%x, %sent, %start) <{{window_dimensions = array<i64: 2>}}> ({{
  ^bb0(%a: tensor<i8>, %b: tensor<i8>):
    %c = stablehlo.compare GE, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }}, {{
  ^bb0(%a: tensor<i8>, %b: tensor<i8>):
    %c = stablehlo.add %a, %b : tensor<i8>
    stablehlo.return %c : tensor<i8>
  }}) : (tensor<{n}xi8>, tensor<{m}xi8>, tensor<i8>) -> tensor<{n}xi8>
  return %r : tensor<{n}xi8>
}}"""


_COMBINING = ("reduce", "reduce_window", "dot_general", "einsum", "ragged_dot", "select_and_scatter")


def faults(text: str, *operands: Any) -> list[Fault]:
    """The overflow found in the results of the op that combines."""
    program = hloscope.parse(text)
    bound = next(found for found in program.ops if found.operation.name.rpartition(".")[2] in _COMBINING)
    results = hloscope.run(text, operands)
    arrays = tuple(
        np.asarray(result) for result in (results if isinstance(results, tuple | list) else [results])
    )
    with quiet():
        rules = program.derive(rules_by_op)[bound.id]
        told = list(check(bound.op, rules, tuple(map(np.asarray, operands)), arrays, Signals.NONE))
    return [fault for fault in told if fault.kind == "wrap"]


def is_i8(number: int) -> bool:
    return -128 <= number <= 127


@given(st.lists(I8, min_size=1, max_size=8), I8)
def test_a_sum_has_wrapped_where_it_is_beyond_the_type(numbers: list[int], start: int) -> None:
    text = REDUCE.format(n=len(numbers), type="i8", body="add")
    told = faults(text, np.array(numbers, np.int8), np.int8(start))
    exact = sum(numbers, start)
    assert bool(told) != is_i8(exact)
    if told:
        assert f"{exact:,}, is beyond i8" in told[0].cause


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=4))
def test_a_product_has_wrapped_where_it_is_beyond_the_type(numbers: list[int]) -> None:
    told = faults(
        REDUCE.format(n=len(numbers), type="i8", body="multiply"), np.array(numbers, np.int8), np.int8(1)
    )
    assert bool(told) != is_i8(int(np.prod(numbers)))


@given(st.lists(I8, min_size=1, max_size=8))
def test_windows_have_wrapped_where_their_sums_are_beyond_the_type(numbers: list[int]) -> None:
    told = faults(WINDOW.format(n=len(numbers)), np.array(numbers, np.int8), np.int8(0))
    sums = [sum(numbers[max(0, k - 2) : k + 1]) for k in range(len(numbers))]
    assert sum(fault.elements for fault in told) == sum(not is_i8(found) for found in sums)


@given(st.lists(st.tuples(I8, I8, I8), min_size=1, max_size=6), st.sampled_from(["i8", "i32"]))
def test_a_product_of_matrices_has_wrapped_where_it_is_beyond_its_own_type(
    rows: list[tuple[int, int, int]], to: str
) -> None:
    first, second, column = (np.array(each, np.int64) for each in zip(*rows, strict=True))
    text = DOT.format(n=len(rows), type="i8", to=to)
    told = faults(text, np.stack([first, second]).astype(np.int8), column.astype(np.int8))
    exact = [int(first @ column), int(second @ column)]
    wrapped = [] if to == "i32" else [number for number in exact if not is_i8(number)]
    assert sum(fault.elements for fault in told) == len(wrapped)


@given(st.lists(st.tuples(I8, I8, I8), min_size=1, max_size=6))
def test_an_einsum_has_wrapped_where_it_is_beyond_its_type(rows: list[tuple[int, int, int]]) -> None:
    first, second, column = (np.array(each, np.int64) for each in zip(*rows, strict=True))
    told = faults(
        EINSUM.format(n=len(rows)), np.stack([first, second]).astype(np.int8), column.astype(np.int8)
    )
    exact = [int(first @ column), int(second @ column)]
    assert sum(fault.elements for fault in told) == sum(not is_i8(number) for number in exact)


@given(st.lists(st.tuples(I8, I8), min_size=1, max_size=6), st.tuples(I8, I8, I8, I8), st.data())
def test_a_ragged_product_has_wrapped_where_its_group_is_beyond_its_type(
    rows: list[tuple[int, int]], weights: tuple[int, int, int, int], data: st.DataObject
) -> None:
    """Rows behind the last group give 0."""
    first = data.draw(st.integers(0, len(rows)))
    second = data.draw(st.integers(0, len(rows) - first))
    told = faults(
        RAGGED.format(n=len(rows)),
        np.array(rows, np.int8),
        np.array(weights, np.int8).reshape(2, 2, 1),
        np.array([first, second], np.int32),
    )
    groups = [0] * first + [1] * second
    exact = [
        left * weights[2 * group] + right * weights[2 * group + 1]
        for (left, right), group in zip(rows, groups, strict=False)
    ]
    assert sum(fault.elements for fault in told) == sum(not is_i8(number) for number in exact)


@given(st.lists(st.tuples(I8, I8), min_size=2, max_size=6), I8)
def test_what_windows_send_has_wrapped_where_its_sum_is_beyond_the_type(
    pairs: list[tuple[int, int]], start: int
) -> None:
    values, sent = [pair[0] for pair in pairs], [pair[1] for pair in pairs][1:]
    text = SELECTING.format(n=len(values), m=len(sent))
    told = faults(text, np.array(values, np.int8), np.array(sent, np.int8), np.int8(start))
    sums = [start] * len(values)
    for window, number in enumerate(sent):
        sums[window if values[window] >= values[window + 1] else window + 1] += number
    assert sum(fault.elements for fault in told) == sum(not is_i8(found) for found in sums)
    if told:
        assert "a sum of elements of {1}" in told[0].cause


@pytest.mark.parametrize(
    ("name", "numbers", "wraps"),
    [
        ("ui64", [2**64 - 1, 1], True),
        ("ui64", [2**63, 2**63 - 1], False),
        ("i64", [2**62, 2**62], True),
        ("i64", [2**62, 2**62 - 1], False),
        ("i64", [2**63 - 1, 2**62, -(2**62)], False),  # what wraps on the way comes back
        ("i64", [-(2**63), -1], True),
    ],
)
def test_numbers_of_64_bits_are_told_apart(name: str, numbers: list[int], wraps: bool) -> None:
    dtype = np.uint64 if name == "ui64" else np.int64
    told = faults(REDUCE.format(n=len(numbers), type=name, body="add"), np.array(numbers, dtype), dtype(0))
    assert bool(told) == wraps
    if wraps:
        assert f"{sum(numbers):,}, is beyond {name}" in told[0].cause


@pytest.mark.parametrize("numbers", [[2**31, 2**31, 2**31, 2**31], [2**40] * 30])
def test_a_product_that_f64_does_not_hold_is_told_roughly(numbers: list[int]) -> None:
    text = REDUCE.format(n=len(numbers), type="i64", body="multiply")
    (told,) = faults(text, np.array(numbers, np.int64), np.int64(1))
    assert "about" in told.cause or "above 1e308" in told.cause


@given(st.integers(0, 2**20))
def test_products_of_64_bits_that_cancel_raise_no_alarm(more: int) -> None:
    """Terms of 2^124 are known to 2^71 in f64; their sum, which is small, has not wrapped."""
    big = 2**62 + more
    text = DOT.format(n=2, type="i64", to="i64")
    assert not faults(text, np.array([[big, big], [1, 2]], np.int64), np.array([big, -big], np.int64))


def kinds(text: str, *inputs: Any) -> list[str]:
    findings: tuple[Finding, ...] = found(text, *inputs)
    return [finding.kind for finding in findings]


def test_only_sums_that_decide_are_asked() -> None:
    """The result of the program is no index: a checksum may wrap."""
    assert not kinds(REDUCE.format(n=2, type="i8", body="add"), np.array([127, 1], np.int8), np.int8(0))


def test_a_sum_of_floats_beside_one_of_integers_is_still_looked_at() -> None:
    text = """func.func @main(%x: tensor<2xf32>, %n: tensor<2xi8>, %z: tensor<f32>, %k: tensor<i8>) -> (tensor<f32>, tensor<i8>) {
      %r:2 = "stablehlo.reduce"(%x, %n, %z, %k) <{dimensions = array<i64: 0>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<i8>, %c: tensor<f32>, %d: tensor<i8>):
        %s = stablehlo.add %a, %c : tensor<f32>
        %t = stablehlo.add %b, %d : tensor<i8>
        stablehlo.return %s, %t : tensor<f32>, tensor<i8>
      }) : (tensor<2xf32>, tensor<2xi8>, tensor<f32>, tensor<i8>) -> (tensor<f32>, tensor<i8>)
      return %r#0, %r#1 : tensor<f32>, tensor<i8>
    }"""
    given_values = np.array([3e38, 3e38], np.float32), np.array([1, 2], np.int8), np.float32(0), np.int8(0)
    assert kinds(text, *given_values) == ["inf"]
