"""Tuples, tokens, futures, and ops of which one process is one too few: whole programs, run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hloscope.engine.errors import RunError
from hloscope.engine.indexing import IndexMap
from hloscope.engine.ir.types import TokenType, TupleType
from hloscope.engine.ops.control_flow.tuples import GetTupleElement, OptimizationBarrier, Tuple
from hloscope.engine.ops.core.binding import Int32
from hloscope.engine.ops.core.values import is_tuple, leaves, token, tuple_of
from hloscope.engine.ops.hlo.tuple_values import TupleSelect
from hloscope.engine.process_grid import results_of
from tests.programs import load_program

from .building import same_bits
from .running import tensor

TOKEN = "!stablehlo.token"
ROWS = "tensor<2xf32>"


def results(text: str, *inputs: Any) -> tuple[Any, ...]:
    return results_of(load_program(text), [np.asarray(value, np.float32) for value in inputs])


NESTED = f"""
func.func @main(%x: {ROWS}, %y: tensor<f32>) -> (tuple<tuple<{ROWS}, {TOKEN}>, tensor<f32>>, {ROWS}, {TOKEN}) {{
  %t = stablehlo.after_all : {TOKEN}
  %t1 = stablehlo.after_all %t, %t : {TOKEN}
  %a = stablehlo.tuple %x, %t1 : tuple<{ROWS}, {TOKEN}>
  %b = stablehlo.tuple %a, %y : tuple<tuple<{ROWS}, {TOKEN}>, tensor<f32>>
  %c = stablehlo.get_tuple_element %b[0] : (tuple<tuple<{ROWS}, {TOKEN}>, tensor<f32>>) -> tuple<{ROWS}, {TOKEN}>
  %d = stablehlo.get_tuple_element %c[0] : (tuple<{ROWS}, {TOKEN}>) -> {ROWS}
  %e = stablehlo.add %d, %d : {ROWS}
  %f:2 = stablehlo.optimization_barrier %e, %t : {ROWS}, {TOKEN}
  return %b, %f#0, %f#1 : tuple<tuple<{ROWS}, {TOKEN}>, tensor<f32>>, {ROWS}, {TOKEN}
}}
"""


def test_tuples_hold_values_of_any_kind() -> None:
    whole, doubled, last = results(NESTED, [1, 2], 3)
    assert is_tuple(whole)
    assert whole.shape == (2,)
    inner, scalar = whole
    assert inner[0].tolist() == [1, 2]
    assert same_bits(inner[1], token())
    assert scalar[()] == 3
    assert doubled.tolist() == [2, 4]
    assert (last.shape, last.dtype) == ((0,), np.bool_)
    assert [value.tolist() for value in leaves(whole)] == [[1, 2], [], 3]


def test_values_in_a_tuple_are_read_only() -> None:
    whole, *_ = results(NESTED, [1, 2], 3)
    for value in (whole, whole[0], *leaves(whole)):
        assert not value.flags.writeable


CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 5, type = {}>, is_host_transfer = {}"
PAIRS = ", source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>"
ALONE = "source_target_pairs names replica 1, but this run has one process (1 replica x 1 partition)"


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (
            f'%r:2 = "stablehlo.infeed"(%t) : ({TOKEN}) -> ({ROWS}, {TOKEN})',
            "process (0, 0) waits for the infeed queue, which is empty",
        ),
        (
            f'%r = "stablehlo.send"(%x, %t) {{{CHANNEL.format(1, "false")}{PAIRS}}} : ({ROWS}, {TOKEN}) -> {TOKEN}',
            ALONE,
        ),
        (
            f'%r = "stablehlo.send"(%x, %t) {{{CHANNEL.format(1, "false")}}} : ({ROWS}, {TOKEN}) -> {TOKEN}',
            "nothing says to whom it sends: source_target_pairs names no pair of processes",
        ),
        (
            f'%r:2 = "stablehlo.recv"(%t) {{{CHANNEL.format(1, "false")}{PAIRS}}} : ({TOKEN}) -> ({ROWS}, {TOKEN})',
            ALONE,
        ),
        (
            f'%r:2 = "stablehlo.recv"(%t) {{{CHANNEL.format(3, "true")}}} : ({TOKEN}) -> ({ROWS}, {TOKEN})',
            "process (0, 0) waits for the queue from the host on channel 5, which is empty",
        ),
    ],
)
def test_a_run_stops_where_nobody_is_at_the_other_end(statement: str, message: str) -> None:
    with pytest.raises(RunError) as raised:
        results(_stating(statement), [1, 2])
    assert raised.value.message == message


@pytest.mark.parametrize(
    "statement",
    [
        f'%r = "stablehlo.outfeed"(%x, %t) {{outfeed_config = "a"}} : ({ROWS}, {TOKEN}) -> {TOKEN}',
        f'%r = "stablehlo.send"(%x, %t) {{{CHANNEL.format(2, "true")}}} : ({ROWS}, {TOKEN}) -> {TOKEN}',
    ],
)
def test_what_leaves_the_run_is_not_waited_for(statement: str) -> None:
    assert results(_stating(statement), [1, 2]) == ()


def _stating(statement: str) -> str:
    return f"func.func @main(%x: {ROWS}) {{\n%t = stablehlo.create_token : {TOKEN}\n{statement}\nreturn\n}}"


def test_tuple_of_takes_what_it_is_given() -> None:
    one = np.zeros(3)
    found = tuple_of([one, one])
    assert found[0] is one
    assert found.base is not None


def test_maps_count_what_is_no_tuple() -> None:
    """A tuple in a tuple counts as its elements, in order."""
    pair, single = TupleType((tensor((2,)), TokenType())), tensor((3, 1))
    whole = TupleType((pair, single))
    found = [(x.operand, x.result) for x in Tuple((pair, single)).index_maps()]
    assert found == [(0, 0), (2, 2)]
    taken = [(x.operand, x.result, x.map) for x in GetTupleElement(whole, Int32(1)).index_maps()]
    assert taken == [(2, 0, IndexMap.identity((3, 1)))]
    kept = [(x.operand, x.result) for x in OptimizationBarrier((whole,), True).inverse_index_maps()]
    assert kept == [(0, 0), (2, 2)]
    chosen = TupleSelect(tensor((), "i1"), whole, whole)
    pairs = [(x.operand, x.result) for x in chosen.index_maps()]
    assert pairs == [(0, 0), (1, 0), (4, 0), (0, 2), (3, 2), (6, 2)]
    there, back = (next(iter(maps())).map for maps in (chosen.index_maps, chosen.inverse_index_maps))
    assert (there, back) == (IndexMap.scalar((2,)), IndexMap.everything((2,)))
