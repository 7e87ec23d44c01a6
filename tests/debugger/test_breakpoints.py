"""Breakpoints: their steps, conditions decided by statistics as by values, and stops in both directions."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.app.answers.stops import Differs
from hloscope.app.editors.debug_adapter.player import Player
from hloscope.app.runs.run_pair import RunPair
from hloscope.engine.debugger.breakpoints import Breakpoint, BreakpointKind, StopScope, Target
from hloscope.engine.debugger.condition_bounds import ConditionBounds
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.debugger.run_location import RunLocation, values_by_name
from hloscope.engine.debugger.value_search import ValueSearch
from hloscope.engine.errors import ExpressionError
from hloscope.engine.expressions import parse, truth
from hloscope.engine.limits import DEFAULT_LIMITS
from tests.programs import load_program

from .programs import COUNTDOWN, recorded

UNARY = ("exponential", "log", "negate", "sqrt", "tanh")
BINARY = ("add", "multiply", "divide", "maximum", "subtract")


@st.composite
def loops(draw: st.DrawFn, element: str = "f32") -> str:
    """A loop of five iterations over a vector and a number, by operations that make NaN, infinities and zeros."""
    known, lines = ["%v", "%k"], list[str]()
    for number in range(draw(st.integers(2, 5))):
        if draw(st.booleans()):
            line = f"stablehlo.{draw(st.sampled_from(UNARY))} {draw(st.sampled_from(known))}"
        else:
            operands = draw(st.sampled_from(known)), draw(st.sampled_from(known))
            line = f"stablehlo.{draw(st.sampled_from(BINARY))} {', '.join(operands)}"
        lines.append(f"      %a{number} = {line} : tensor<3x{element}>")
        known.append(f"%a{number}")
    return f"""func.func @main(%x: tensor<3x{element}>) -> tensor<3x{element}> {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %k = stablehlo.constant dense<[0.1, 2.0, -1.5]> : tensor<3x{element}>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<3x{element}>
    cond {{
      %c = stablehlo.compare LT, %i, %five, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }} do {{
{chr(10).join(lines)}
      %s = stablehlo.slice {known[-1]} [0:1] : (tensor<3x{element}>) -> tensor<1x{element}>
      %t = stablehlo.reshape %s : (tensor<1x{element}>) -> tensor<{element}>
      %n = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %n, {known[-1]} : tensor<i32>, tensor<3x{element}>
    }}
  return %r#1 : tensor<3x{element}>
}}
"""


NUMBERS = ("0", "1", "0.1", "2.0", "-1.5", "1e6", "inf")
SCALARS = (
    "max(abs(%a1))",
    "min(%a1)",
    "max(%a0)",
    "%t",
    "%i",
    "iteration",
    "step",
    "%n % 3",
    "%t - 1",
    "max(%five)",
)
TENSORS = ("%a1", "abs(%a0)", "-%k", "%v", "%s", "result", "%x")
SIGNS = ("<", "<=", ">", ">=", "==", "!=")


@st.composite
def conditions(draw: st.DrawFn, depth: int = 2) -> str:
    """A condition, most parts of which statistics can bound."""
    if depth and draw(st.booleans()):
        joint = draw(st.sampled_from([" and ", " or "]))
        text = f"({draw(conditions(depth - 1))}){joint}({draw(conditions(depth - 1))})"
        return f"not ({text})" if draw(st.booleans()) else text
    scalar, tensor, number = (draw(st.sampled_from(some)) for some in (SCALARS, TENSORS, NUMBERS))
    sign, reduce = draw(st.sampled_from(SIGNS)), draw(st.sampled_from(["any", "all"]))
    return draw(
        st.sampled_from(
            [
                f"{scalar} {sign} {number}",
                f"{number} {sign} {scalar}",
                f"{reduce}({tensor} {sign} {number})",
                f"{reduce}({tensor} in [{number}, 10])",
                f"{reduce}({draw(st.sampled_from(['isnan', 'isinf', 'isfinite']))}({tensor}))",
                f"{reduce}(not {tensor})",
                f"norm({tensor}) {sign} {number}",
                f"{reduce}({tensor} {sign} {scalar})",
            ]
        )
    )


def _record(text: str, numbers: list[float]) -> Recording:
    return recorded(text, [np.array(numbers, np.float64 if "f64" in text else np.float32)])


elements = st.lists(st.sampled_from([0.0, 0.1, -1.0, 2.0, 1e30, float("nan")]), min_size=3, max_size=3)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["f32", "f64", "bf16"]).flatmap(loops), elements, conditions())
def test_statistics_decide_as_values_do(text: str, numbers: list[float], condition: str) -> None:
    if "bf16" in text:
        text = text.replace("%x: tensor<3xbf16>", "%w: tensor<3xf32>").replace(
            "  %zero =", "  %x = stablehlo.convert %w : (tensor<3xf32>) -> tensor<3xbf16>\n  %zero =", 1
        )
    recording = _record(text, numbers)
    program, track = recording.program, recording.tracks[0]
    parsed = parse(condition, program.derive(values_by_name))
    bounds = ConditionBounds(ValueSearch(recording), 0, {}, perf_counter() + 100)
    for op in np.unique(track.op_column):
        steps = np.flatnonzero(track.op_column == op)
        found = bounds.decide(parsed, int(op), steps)
        for step, holds, fails in zip(steps, found.holds, found.fails, strict=True):
            if holds or fails:
                assert truth(parsed, StopScope(RunLocation(recording, 0, int(step)), None, None)) == holds, (
                    op,
                    step,
                )
                assert holds != fails


KINDS: list[tuple[BreakpointKind, str]] = [
    ("line", "14"), ("op", "stablehlo.add"), ("function", "main"), ("value", "%a1"), ("value", "%v@main"),
    ("read", "%k"), ("value", "%t"), ("finding", "nan"), ("read", "%v[1]"), ("read", "%a1@main[0]"),
    ("differs", "%a1"), ("differs", "*"),
]  # fmt: skip
OF_VALUE = (
    "not all(isfinite(value))",
    "all(value == 0)",
    "any(value != before)",
    "not all(value in [-1, 1])",
)


@settings(max_examples=25, deadline=None)
@given(
    loops(),
    elements,
    st.lists(
        st.tuples(st.sampled_from(KINDS), conditions(), st.booleans(), st.data()), min_size=1, max_size=3
    ),
)
def test_stops_backwards_are_those_forwards_reversed(
    text: str, numbers: list[float], asked: list[tuple[tuple[BreakpointKind, str], str, bool, st.DataObject]]
) -> None:
    recording = _record(text, numbers)
    other = RunPair(recording, _record(text, [numbers[0] + 0.5, *numbers[1:]]), None)
    player = Player(recording, DEFAULT_LIMITS, lambda: False)
    points = list[Breakpoint]()
    for (kind, at), condition, has_hits, data in asked:
        target = Target.of(recording.program, kind, at)
        if kind == "differs":
            other.go_on(100)
            differing = other.differing(0, target.ops, "before", only_births=at == "*")
            target = replace(target, test=Differs(differing, is_over=True))
        chosen = data.draw(st.sampled_from(OF_VALUE)) if target.variables else condition
        hits = data.draw(st.sampled_from(["2", "> 1", "% 2"])) if has_hits else ""
        points.append(Breakpoint.parse(target, recording.program, chosen, hits, ""))
    player.breakpoints = points
    forwards, backwards = list[int](), list[int]()
    stop = player.resume(0, lambda _, __: None, here=True)
    while stop and stop.reason == "breakpoint":
        forwards.append(player.tick)
        stop = player.resume(0, lambda _, __: None)
    while (stop := player.reverse(0)).reason == "breakpoint":
        backwards.append(player.tick)
    assert backwards == forwards[::-1]
    here = RunLocation(recording, 0, 0)
    fresh = [
        Breakpoint.parse(
            point.target, recording.program, point.condition.text if point.condition else "", "", ""
        )
        for point in points
    ]
    for point, again in zip(points, fresh, strict=True):
        if point.hits is None:  # evaluated in pieces as in one go
            assert list(point.stops(here, 0, player.tick or 99)) == list(
                again.stops(here, 0, player.tick or 99)
            )


def _steps(
    recording: Recording, kind: BreakpointKind, at: str, condition: str = "", hits: str = ""
) -> list[int]:
    point = Breakpoint.parse(Target.of(recording.program, kind, at), recording.program, condition, hits, "")
    return list(point.stops(RunLocation(recording, 0, 0), 0, recording.step_count))


@pytest.fixture(scope="module")
def countdown() -> Recording:
    return recorded(COUNTDOWN, [np.int32(20), np.int32(3)])


def test_each_kind_stops_at_its_steps(countdown: Recording) -> None:
    track, program = countdown.tracks[0], countdown.program
    names = [program.ops[op].operation.name for op in track.op_column]
    lines = [program.line_of(int(op)) for op in track.op_column]
    assert _steps(countdown, "op", "stablehlo.subtract") == [
        at for at, name in enumerate(names) if name == "stablehlo.subtract"
    ]
    assert _steps(countdown, "line", "10") == [at for at, line in enumerate(lines) if line == 10]
    assert _steps(countdown, "function", "main") == list(range(countdown.step_count))
    assert _steps(countdown, "value", "%2") == _steps(countdown, "op", "stablehlo.subtract")
    assert len(_steps(countdown, "value", "%sum")) == 41  # the condition's argument, and the body's
    reads = {
        op.id for op in program.ops if any(program.values[value].name == "%one" for value in op.operands)
    }
    assert _steps(countdown, "read", "%one") == [at for at, op in enumerate(track.op_column) if op in reads]
    assert _steps(countdown, "function", "other") == []


def test_conditions_on_values(countdown: Recording) -> None:
    track = countdown.tracks[0]
    (stop,) = _steps(countdown, "value", "%2", "value == 7")
    assert track.iteration_of(track.frame_of(stop)) == 12
    assert (
        _steps(countdown, "value", "%2", "value < before", "1")
        == _steps(countdown, "op", "stablehlo.subtract")[1:2]
    )
    assert _steps(countdown, "value", "%2", "abs(value - before) > 1") == []
    assert len(_steps(countdown, "value", "%i", "value > 18")) == 4
    assert _steps(countdown, "op", "stablehlo.add", "iteration == 3") == _steps(
        countdown, "op", "stablehlo.add", "", "4"
    )


READS = """
func.func @main(%x: tensor<6x2xf32>, %at: tensor<1xi32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %f0 = stablehlo.constant dense<0.0> : tensor<f32>
  %taken = "stablehlo.gather"(%x, %at) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>} : (tensor<6x2xf32>, tensor<1xi32>) -> tensor<1x2xf32>
  %top = stablehlo.slice %x [0:2, 0:1] : (tensor<6x2xf32>) -> tensor<2x1xf32>
  %sums = stablehlo.reduce(%x init: %f0) applies stablehlo.add across dimensions = [0] : (tensor<6x2xf32>, tensor<f32>) -> tensor<2xf32>
  %r:2 = stablehlo.while(%i = %zero, %v = %sums) : tensor<i32>, tensor<2xf32>
    cond {
      %c = stablehlo.compare LT, %i, %five, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %row = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 2] : (tensor<6x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
      %flat = stablehlo.reshape %row : (tensor<1x2xf32>) -> tensor<2xf32>
      %s = stablehlo.add %v, %flat : tensor<2xf32>
      %n = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %n, %s : tensor<i32>, tensor<2xf32>
    }
  return %r#1 : tensor<2xf32>
}
"""


@pytest.mark.parametrize(
    ("element", "lines"),
    [
        ("[0, 0]", [(8, 0), (9, 0), (15, 0)]), ("[0, 1]", [(9, 0), (15, 0)]), ("[3,1]", [(7, 0), (9, 0), (15, 3)]),
        ("[5, 0]", [(9, 0)]),
    ],
)  # fmt: skip
def test_only_steps_that_read_the_element_stop(element: str, lines: list[tuple[int, int]]) -> None:
    recording = recorded(READS, [np.ones((6, 2), np.float32), np.array([3], np.int32)])
    track = recording.tracks[0]
    assert [
        (recording.program.line_of(track.op_of(step)), track.iteration_of(track.frame_of(step)))
        for step in _steps(recording, "read", f"%x{element}")
    ] == lines


def test_a_value_has_no_such_element() -> None:
    program = load_program(READS)
    for at in ("%x[6, 0]", "%x[1]"):
        with pytest.raises(ExpressionError, match=r"%x has no element \[") as caught:
            Target.of(program, "read", at)
        assert caught.value.hint == "Its shape is [6, 2]; indices count from 0."
    assert Target.of(program, "read", "%nothing[0]").is_empty


def test_source_lines_scopes_and_findings() -> None:
    text = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.log %x : tensor<2xf32> loc("jit(f)/layer/log"("net.py":7:3))
  %1 = stablehlo.add %0, %x : tensor<2xf32> loc("jit(f)/layer2/add"("net.py":8:3))
  return %1 : tensor<2xf32>
}
"""
    recording = recorded(text, [np.array([-1, 1], np.float32)])
    assert _steps(recording, "source", "net.py:8") == [1]
    assert _steps(recording, "scope", "jit(f)/layer") == [0]
    assert _steps(recording, "scope", "jit(f)") == [0, 1]
    assert _steps(recording, "finding", "nan") == [0]
    assert _steps(recording, "finding", "inf") == []
    assert _steps(recording, "value", "%1", "not all(isfinite(value))") == [1]


def test_a_tensor_is_no_condition() -> None:
    recording = recorded(COUNTDOWN, [np.int32(1), np.int32(1)])
    text = COUNTDOWN.replace("tensor<i32>, %step", "tensor<i32>, %w: tensor<4xi32>, %step")
    program = load_program(text)
    point = Breakpoint.parse(Target.of(program, "line", "3"), program, "1 + %w > 3", "", "")
    with pytest.raises(ExpressionError, match="this is a tensor, not one boolean") as caught:
        point.check_truth(program)
    assert caught.value.span
    assert caught.value.span.end == 10
    for condition in ("any(%w > 3)", "%w[iteration] > 3", "%n > 3", "%w[9] > 1"):
        Breakpoint.parse(Target.of(program, "line", "3"), program, condition, "", "").check_truth(program)
    with pytest.raises(ExpressionError, match="'value' is not a variable"):
        Breakpoint.parse(Target.of(program, "line", "3"), program, "value > 3", "", "")
    assert Target.of(recording.program, "value", "%nothing").is_empty


def test_a_deadline_ends_a_look_that_another_continues(countdown: Recording) -> None:
    program, here = countdown.program, RunLocation(countdown, 0, 0)
    target, condition = Target.of(program, "function", "main"), "norm(%n) > 3"
    point = Breakpoint.parse(target, program, condition, "", "")
    looked = [point.look(here, countdown.step_count, deadline=0)]
    while looked[-1] < countdown.step_count:
        looked.append(point.look(here, countdown.step_count, deadline=0))
    assert len(looked) > 1
    assert looked == sorted(set(looked))
    whole = Breakpoint.parse(target, program, condition, "", "")
    assert list(point.known_stops(0, 0, 999)) == list(whole.stops(here, 0, countdown.step_count))


@pytest.mark.parametrize(
    ("at", "condition"),
    [
        ("%1", "value > 40"), ("%1", "any(isnan(value)) or max(abs(%1)) > 40"), ("%2", "abs(value - before) > 1"),
        ("%i", "value == 3"), ("%2", "iteration % 4 == 0 and %step == 3"), ("%2", "iteration > 99 and norm(%i) > 3"),
    ],
)  # fmt: skip
def test_statistics_suffice(
    at: str, condition: str, countdown: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    stops = _steps(countdown, "value", at, condition)
    assert (stops == []) is (at == "%2" and "iteration %" not in condition)

    def refuse(*_: object) -> bool:
        raise AssertionError("a value was read")

    monkeypatch.setattr(Breakpoint, "_holds", lambda _, __, before: refuse() if before >= 0 else False)
    assert _steps(countdown, "value", at, condition) == stops
