"""Runs that are given what code outside of the program would have made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hloscope.engine.debugger.address import result
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.entry import find_entry
from hloscope.engine.errors import InputError, LimitError, UnboundResults
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.values import leaves, token, tuple_of
from hloscope.engine.outside_results import (
    Answers,
    ListedAnswers,
    OutsideResult,
    bindings_of,
    find_results,
    outside_results,
)
from hloscope.engine.process_grid import results_of
from hloscope.engine.program import BoundProgram
from tests.debugger.programs import recorded
from tests.programs import load_program

MANY = """
func.func private @scale(tensor<2xf32>) -> tensor<2xf32>
func.func private @never(tensor<2xf32>) -> tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<?xi32>) {
  %w = stablehlo.constant dense_resource<__elided__> : tensor<2xf32>
  %r:2 = stablehlo.custom_call @pair(%x) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<?xi32>)
  stablehlo.custom_call @log(%x) {has_side_effect = true} : (tensor<2xf32>) -> ()
  %s = call @scale(%r#0) : (tensor<2xf32>) -> tensor<2xf32>
  %t = call @inner(%s) : (tensor<2xf32>) -> tensor<2xf32>
  %u = stablehlo.add %t, %w : tensor<2xf32>
  return %u, %r#1 : tensor<2xf32>, tensor<?xi32>
}
func.func private @inner(%x: tensor<2xf32>) -> tensor<2xf32> {
  %s = stablehlo.custom_call @twice(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %n = stablehlo.custom_call @Sharding(%s) : (tensor<2xf32>) -> tensor<2xf32>
  return %n : tensor<2xf32>
}
func.func private @unused(%x: tensor<2xf32>) -> tensor<2xf32> {
  %s = stablehlo.custom_call @unreached(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %s : tensor<2xf32>
}
"""
LOOP = """
func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %r = stablehlo.while(%v = %x) : tensor<i32>
  cond {
    %last = stablehlo.constant dense<9> : tensor<i32>
    %t = stablehlo.compare LT, %v, %last : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %step = OUTSIDE
    %y = stablehlo.add %v, %step : tensor<i32>
    stablehlo.return %y : tensor<i32>
  }
  return %r : tensor<i32>
}
func.func private @known() -> tensor<i32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  return %one : tensor<i32>
}
func.func private @declared() -> tensor<i32>
"""
IN_LOOPS = {
    "custom_call": "stablehlo.custom_call @step() : () -> tensor<i32>",
    "call": "call @declared() : () -> tensor<i32>",
    "constant": "stablehlo.constant dense_resource<__elided__> : tensor<i32>",
}


def asked(found: BoundProgram, entry: str | None = None) -> tuple[OutsideResult, ...]:
    return outside_results(found, find_entry(found, entry))


def given(found: BoundProgram, values: Mapping[str, Any]) -> Any:
    """Bindings by names."""
    results = asked(found)
    named = {item: value for name, value in values.items() for item in find_results(results, name)}
    return bindings_of(found, results, named)


def floats(*values: float) -> Any:
    return np.array(values, np.float32)


def all_of_many() -> dict[str, Any]:
    return {
        "%r#0": floats(5, 6),
        "%r#1": np.arange(3, dtype=np.int32),
        "@log": None,
        "@scale": floats(7, 8),
        "@twice": floats(1, 2),
        "dense_resource<__elided__>": floats(10, 20),
    }


def test_what_a_run_may_ask_for_is_listed_in_the_order_of_the_text() -> None:
    found = [(item.name, str(item.type or ""), item.maker, item.line) for item in asked(load_program(MANY))]
    assert found == [
        ("%w", "tensor<2xf32>", "constant dense_resource<__elided__>", 5),
        ("%r#0", "tensor<2xf32>", "custom_call @pair", 6),
        ("%r#1", "tensor<?xi32>", "custom_call @pair", 6),
        ("@log", "", "custom_call @log", 7),
        ("%s", "tensor<2xf32>", "call @scale", 8),
        ("%s", "tensor<2xf32>", "custom_call @twice", 14),
    ]
    assert [item.name for item in asked(load_program(MANY), "unused")] == ["%s"]


def test_a_run_with_everything_given_comes_to_its_end() -> None:
    found = load_program(MANY)
    total, numbers = results_of(found, [floats(0, 0)], bindings=given(found, all_of_many()))
    assert total.tolist() == [11, 22]
    assert numbers.tolist() == [0, 1, 2]


@pytest.mark.parametrize("missing", ["%r#0 %r#1", "@log", "@scale", "@twice", "dense_resource<__elided__>"])
def test_a_run_stops_at_what_is_not_given_and_only_there(missing: str) -> None:
    found = load_program(MANY)
    values = {name: value for name, value in all_of_many().items() if name not in missing.split()}
    with pytest.raises(UnboundResults) as stopped:
        results_of(found, [floats(0, 0)], bindings=given(found, values))
    assert stopped.value.hint
    assert stopped.value.diagnostic().kind == "unbound"


@pytest.mark.parametrize("outside", IN_LOOPS)
def test_in_a_loop_over_scalars_the_same_value_is_given_each_time(outside: str) -> None:
    found = load_program(LOOP.replace("OUTSIDE", IN_LOOPS[outside]))
    with pytest.raises(UnboundResults):
        results_of(found, [np.array(0, np.int32)])
    bindings = given(found, {"%step": np.array(2, np.int32)})
    (value,) = results_of(found, [np.array(0, np.int32)], bindings=bindings)
    assert value == 10


def test_a_call_without_operands_runs_in_a_loop_over_scalars() -> None:
    found = load_program(LOOP.replace("OUTSIDE", "call @known() : () -> tensor<i32>"))
    assert results_of(found, [np.array(0, np.int32)])[0] == 9
    assert not asked(found)


def test_values_that_were_dropped_are_replayed_with_what_was_given() -> None:
    found = load_program(LOOP.replace("OUTSIDE", IN_LOOPS["custom_call"]))
    bindings = given(found, {"%step": np.array(1, np.int32)})
    recording = Recording(
        found, [np.array(0, np.int32)], replace(DEFAULT_LIMITS, recording_bytes=1), None, bindings
    )
    assert recording.record().kind == "done"
    steps = [
        step for step in range(recording.step_count) if found.ops[recording.tracks[0].op_of(step)].op.outside
    ]
    assert len(steps) == 9
    assert [int(recording.value(result(step, 0))) for step in steps] == [1] * 9


def test_an_array_that_is_given_stays_the_callers_and_counts_no_bytes() -> None:
    found = load_program(MANY)
    values = all_of_many()
    recording = recorded(found, [floats(0, 0)], bindings=given(found, values))
    values["@scale"][0] = 3  # not made read-only
    assert all(not array.flags.writeable for array in recording.results() or ())


def test_elided_weights_are_given_all_at_once_or_by_their_names() -> None:
    text = """func.func @main() -> tensor<f32> {
      %a = stablehlo.constant dense_resource<__elided__> : tensor<f32>
      %b = stablehlo.constant dense_resource<__elided__> : tensor<f32>
      %c = stablehlo.constant dense_resource<bias> : tensor<f32>
      %d = stablehlo.add %a, %b : tensor<f32>
      %e = stablehlo.add %c, %d : tensor<f32>
      return %e : tensor<f32>
    }"""
    found = load_program(text)
    one, ten = np.float32(1), np.float32(10)
    bindings = given(found, {"dense_resource<__elided__>": np.asarray(one), "c": np.asarray(ten)})
    (value,) = results_of(found, [], bindings=bindings)
    assert value == 12


def test_tokens_come_by_themselves() -> None:
    text = """func.func @main() -> tensor<f32> {
      %t = stablehlo.create_token : !stablehlo.token
      %u = stablehlo.custom_call @announce(%t) : (!stablehlo.token) -> !stablehlo.token
      %v:2 = stablehlo.custom_call @ask(%u) : (!stablehlo.token) -> (!stablehlo.token, tensor<f32>)
      return %v#1 : tensor<f32>
    }"""
    found = load_program(text)
    assert [item.name for item in asked(found)] == ["@announce", "%v#1"]
    with pytest.raises(UnboundResults) as stopped:
        results_of(found, [])
    assert stopped.value.hint == "tell the run to skip it to continue"
    bindings = given(found, {"@announce": None, "@ask": np.array(4, np.float32)})
    assert bindings[1][0].shape == token().shape
    (value,) = results_of(found, [], bindings=bindings)
    assert value == 4


def test_names_that_mean_nothing_or_too_much() -> None:
    results = asked(load_program(MANY))
    with pytest.raises(InputError, match="no code outside the program makes '%u'") as unknown:
        find_results(results, "%u")
    assert "%r#0 (custom_call @pair, line 6); " in str(unknown.value.hint)
    with pytest.raises(InputError, match="there are 2 results of the name %s") as ambiguous:
        find_results(results, "%s")
    assert ambiguous.value.hint == "write %s:8 or %s:14"
    assert [item.line for item in find_results(results, "%s:14")] == [14]
    assert [item.line for item in find_results(results, "@scale:8")] == [8]
    assert len(find_results(results, "@pair")) == len(find_results(results, "@pair:6")) == 2
    with pytest.raises(InputError):
        find_results(results, "%s:9")
    with pytest.raises(InputError) as nothing:
        find_results((), "%s")
    assert nothing.value.hint == "this program makes all of its values itself"


def test_some_results_of_an_op_are_not_enough() -> None:
    found = load_program(MANY)
    with pytest.raises(
        InputError, match=r"^%r#1 \(custom_call @pair, line 6\) has no value, but other results"
    ):
        given(found, {"%r#0": floats(1, 2)})


def test_given_values_must_fit() -> None:
    found = load_program(MANY)
    fit = given(found, all_of_many())
    with pytest.raises(InputError, match=r"%r#0 is tensor<2xf32>, not float64\[2\]"):
        results_of(found, [floats(0, 0)], bindings={**fit, 1: (np.zeros(2), fit[1][1])})
    with pytest.raises(InputError, match=r"%r#1 is tensor<\?xi32>, not int32\[1, 1\]"):
        results_of(found, [floats(0, 0)], bindings={**fit, 1: (fit[1][0], np.zeros((1, 1), np.int32))})
    with pytest.raises(InputError, match="has 2 results, not 0"):
        results_of(found, [floats(0, 0)], bindings={1: ()})
    add = next(bound.id for bound in found.ops if bound.operation.name == "stablehlo.add")
    with pytest.raises(InputError, match="makes its results itself"):
        results_of(found, [floats(0, 0)], bindings={add: (floats(0, 0),)})


def test_given_values_are_held_to_the_limits() -> None:
    text = """func.func @main() -> tensor<4xf32> {
      %a = stablehlo.custom_call @f() : () -> tensor<?xf32>
      %n = stablehlo.constant dense<4> : tensor<1xi32>
      %b = stablehlo.dynamic_reshape %a, %n : (tensor<?xf32>, tensor<1xi32>) -> tensor<4xf32>
      return %b : tensor<4xf32>
    }"""
    found = load_program(text)
    assert results_of(found, [], bindings=given(found, {"@f": floats(1, 2, 3, 4)}))[0].tolist() == [
        1,
        2,
        3,
        4,
    ]
    small = replace(DEFAULT_LIMITS, session_memory_bytes=1000)
    with pytest.raises(LimitError):
        results_of(found, [], small, bindings=given(found, {"@f": np.zeros(1000, np.float32)}))


IN_HLO = """
ENTRY main {
  x = f32[2] parameter(0)
  w = f32[2] constant({...})
  pair = (f32[2], s32[]) custom-call(x), custom_call_target="pair"
  log = () custom-call(x), custom_call_target="log", custom_call_has_side_effect=true
  first = f32[2] get-tuple-element(pair), index=0
  scaled = f32[2] multiply(first, w)
  ROOT all = (f32[2], ()) tuple(scaled, log)
}
"""


def test_what_hlo_text_leaves_outside() -> None:
    """One tuple for the results of a call; a call of nothing has an empty one; elided constants."""
    found = load_program(IN_HLO)
    wanted = asked(found)
    assert [(item.name, item.maker, item.line) for item in wanted] == [
        ("%w", "constant {...}", 4),
        ("%pair", "custom-call @pair", 5),
        ("@log", "custom-call @log", 6),
    ]
    pair = tuple_of([floats(1, 2), np.asarray(np.int32(3))])
    values: list[Array | None] = [floats(10, 20), pair, None]
    bindings = bindings_of(found, wanted, dict(zip(wanted, values, strict=True)))
    (whole,) = results_of(found, [floats(0, 0)], bindings=bindings)
    assert [leaf.tolist() for leaf in leaves(whole)] == [[10, 40]]
    with pytest.raises(UnboundResults, match="its values were left out"):
        results_of(found, [floats(0, 0)])


LOOPED = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %c, %v = %x) : tensor<i32>, tensor<f32>
  cond {
    %three = stablehlo.constant dense<3> : tensor<i32>
    %go = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %made = stablehlo.custom_call @f(%v) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %next, %made : tensor<i32>, tensor<f32>
  }
  return %r#1 : tensor<f32>
}
"""


class Counted(Answers):
    """What was read, and one more; how often it was asked is counted."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, int]] = []

    def answer(self, process: int, execution: int, operands: Any) -> tuple[Any, ...]:
        self.asked.append((process, execution))
        return (operands[0] + np.float32(1),)

    def listed(self) -> dict[int, Any]:
        return {}


def _looped(answers: Answers) -> Recording:
    program = load_program(LOOPED)
    (op,) = [bound.id for bound in program.ops if bound.op.outside]
    return recorded(program, [np.full((), 5, np.float32)], bindings={op: answers}, ends=None)


def test_each_execution_has_results_of_its_own() -> None:
    answers = Counted()
    recording = _looped(answers)
    assert recording.results() is not None
    assert recording.results()[0].tolist() == 8  # type: ignore[index]
    assert answers.asked == [(0, 0), (0, 1), (0, 2)]


def test_a_replay_asks_for_the_same_executions() -> None:
    """From a checkpoint in the middle of the loop: the number of executions is a part of the run's state."""
    program = load_program(LOOPED)
    (op,) = [bound.id for bound in program.ops if bound.op.outside]
    values = [(np.full((), value, np.float32),) for value in (10, 20, 30)]
    recording = Recording(program, [np.full((), 5, np.float32)], bindings={op: ListedAnswers({0: values})})
    recording.record(steps=13)
    recording._checkpoints.add(recording._run.snapshot())
    recording.record()
    steps = [step for step in range(recording.step_count) if recording.tracks[0].op_of(step) == op]
    for step, (value,) in zip(steps, values, strict=True):
        assert recording._replay_until(0, 2 * step, step)[0] == value


def test_results_that_do_not_fit_or_run_out_stop_the_run() -> None:
    one = ListedAnswers({0: [(np.full((), 1, np.float32),)]})
    assert "more often than the 1 times" in _looped(one).state.reason
    wrong = ListedAnswers({0: [(np.zeros(2),)]})
    assert "is tensor<f32>, not float64[2]" in _looped(wrong).state.reason
