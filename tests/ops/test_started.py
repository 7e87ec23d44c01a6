"""Async ops: which regions only start their collective ops, and what is given in the end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hloscope.engine.frontend import load
from hloscope.engine.ir.module import Region
from hloscope.engine.ops import OPS
from hloscope.engine.ops.collectives.collective_rules import CollectiveOp
from hloscope.engine.ops.control_flow.started_regions import COLLECTIVES, collect, only_starts, resume_collect
from hloscope.engine.ops.core.exchanges import Arrived, Await
from hloscope.engine.ops.core.op import Ask
from hloscope.engine.ops.core.values import leaves, tuple_of
from hloscope.engine.source import Source

IN_TWO_PARTS = {"hlo.all_gather_start", "hlo.all_reduce_start", "hlo.collective_permute_start"}


def test_all_collectives_are_known() -> None:
    collectives = {op.name for op in OPS if issubclass(op, CollectiveOp) and not op.name.startswith("sdy.")}
    assert collectives - {"stablehlo.custom_call"} == COLLECTIVES | IN_TWO_PARTS


def body(text: str, result: str) -> Region:
    """The computation of HLO text with these instructions."""
    source = f"""HloModule m, replica_count=2
    add {{
      p = f32[] parameter(0)
      q = f32[] parameter(1)
      ROOT s = f32[] add(p, q)
    }}
    work {{
      x = f32[2] parameter(0)
      {text}
    }}
    ENTRY main {{
      x = f32[2] parameter(0)
      start = ((f32[2]), {result}, s32[]) async-start(x), calls=work
      ROOT done = {result} async-done(start)
    }}"""
    module = load(Source(source)).module
    assert module is not None
    (function,) = (found for found in module.functions if found.name == "work")
    assert function.body
    return function.body


PAIR = "(f32[2], f32[2])"
ONE = "r = f32[2] all-reduce(x), to_apply=add"
TWO = f"r = {PAIR} all-reduce(x, x), to_apply=add"


@pytest.mark.parametrize(
    ("text", "result"),
    [
        (f"ROOT {ONE}", "f32[2]"),
        (f"ROOT {TWO}", PAIR),
        (f"n = f32[2] negate(x)\nROOT {ONE.replace('(x)', '(n)')}", "f32[2]"),
        (f"{ONE}\nROOT t = {PAIR} tuple(x, r)", PAIR),
        (
            f"{ONE}\ns = f32[2] collective-permute(x), source_target_pairs={{{{0,1}}}}\nROOT t = {PAIR} tuple(s, r)",
            PAIR,
        ),
        (f"{TWO}\nROOT t = ({PAIR}, f32[2]) tuple(r, x)", f"({PAIR}, f32[2])"),
        ("ROOT n = f32[2] negate(x)", "f32[2]"),
    ],
)
def test_what_is_only_returned_is_only_started(text: str, result: str) -> None:
    assert only_starts(body(text, result))


@pytest.mark.parametrize(
    ("text", "result"),
    [
        (f"{ONE}\nROOT n = f32[2] negate(r)", "f32[2]"),
        (f"{ONE}\nROOT n = f32[2] all-reduce(r), to_apply=add", "f32[2]"),
        (f"{ONE}\nROOT t = {PAIR} tuple(r, r)", PAIR),
        (f"{ONE}\nROOT n = f32[2] negate(x)", "f32[2]"),
        (f"{TWO}\nROOT g = f32[2] get-tuple-element(r), index=1", "f32[2]"),
    ],
)
def test_what_is_read_must_be_there(text: str, result: str) -> None:
    assert not only_starts(body(text, result))


def given(value: Any, outcomes: dict[int, tuple[Any, ...]]) -> Any:
    """What `collect` ends with, where arrays stand for outcomes by their identity."""
    step: Any = collect(value)
    while isinstance(step, Ask):
        assert isinstance(step.request, Await)
        step = resume_collect(step.state, Arrived(outcomes.get(id(step.request.placeholder))))
    return step


def test_a_value_that_stands_for_nothing_is_given_as_it_is() -> None:
    value = np.ones(2)
    assert given(value, {}) is value
    pair = tuple_of([np.ones(2), tuple_of([np.zeros(1)])])
    assert [part.tolist() for part in leaves(given(pair, {}))] == [[1, 1], [0]]
    assert given(tuple_of([]), {}).shape == (0,)


def test_what_has_come_takes_the_place_of_what_stands_for_it() -> None:
    first, second, third = np.zeros(2), np.zeros(1), np.zeros(2)
    assert given(first, {id(first): (np.array([1, 2]),)}).tolist() == [1, 2]
    whole = tuple_of([first, second, third])
    came = {id(first): (np.array([1, 2]),), id(third): (np.array([5, 6]),)}
    assert [part.tolist() for part in leaves(given(whole, came))] == [[1, 2], [0], [5, 6]]
    at_once = {id(whole): (tuple_of([np.array([7]), np.array([8])]),)}
    assert [part.tolist() for part in leaves(given(whole, at_once))] == [[7], [8]]
