"""Grades of births: false alarms that people complain of, and the harm that they look for."""

from __future__ import annotations

import numpy as np
import pytest

import hloscope
from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.debugger.recording import Recording
from tests.debugger.programs import recorded

from .finding import found, sentences

V = "tensor<4xf32>"
P = "tensor<4xi1>"


def _program(body: str, result: str = V, given: str = f"%x: {V}") -> str:
    return f"""func.func @main({given}) -> {result} {{
  %zero = stablehlo.constant dense<0.0> : {V}
  %one = stablehlo.constant dense<1.0> : {V}
  %inf = stablehlo.constant dense<0x7F800000> : {V}
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %start = stablehlo.constant dense<0.0> : tensor<f32>
{body}
}}"""


X = np.array([1, 0, -1, 2], np.float32)

SINC = f"""
  %s = stablehlo.sine %x : {V}
  %q = stablehlo.divide %s, %x : {V}
  %p = stablehlo.compare EQ, %x, %zero : ({V}, {V}) -> {P}
  %r = stablehlo.select %p, %one, %q : {P}, {V}
  return %r : {V}"""
WHERE_GRADIENT = f"""
  %p = stablehlo.compare GT, %x, %zero : ({V}, {V}) -> {P}
  %l = stablehlo.log %x : {V}
  %y = stablehlo.select %p, %l, %zero : {P}, {V}
  %i = stablehlo.divide %one, %x : {V}
  %g = stablehlo.select %p, %one, %zero : {P}, {V}
  %d = stablehlo.multiply %g, %i : {V}
  %r = stablehlo.add %y, %d : {V}
  return %r : {V}"""
ISNAN = f"""
  %l = stablehlo.log %x : {V}
  %p = stablehlo.compare NE, %l, %l : ({V}, {V}) -> {P}
  %f = stablehlo.select %p, %zero, %l : {P}, {V}
  %e = stablehlo.exponential %f : {V}
  return %e : {V}"""
COMPUTED_MASK = f"""
  %m = stablehlo.log %zero : {V}
  %p = stablehlo.compare GT, %x, %zero : ({V}, {V}) -> {P}
  %k = stablehlo.select %p, %x, %m : {P}, {V}
  %e = stablehlo.exponential %k : {V}
  return %e : {V}"""
MASKED_SOFTMAX = f"""
  %hidden = stablehlo.broadcast_in_dim %least, dims = [] : (tensor<f32>) -> {V}
  %p = stablehlo.compare GE, %x, %zero : ({V}, {V}) -> {P}
  %k = stablehlo.select %p, %x, %hidden : {P}, {V}
  %m = stablehlo.reduce(%k init: %least) applies stablehlo.maximum across dimensions = [0] : ({V}, tensor<f32>) -> tensor<f32>
  %b = stablehlo.broadcast_in_dim %m, dims = [] : (tensor<f32>) -> {V}
  %d = stablehlo.subtract %k, %b : {V}
  %e = stablehlo.exponential %d : {V}
  %s = stablehlo.reduce(%e init: %start) applies stablehlo.add across dimensions = [0] : ({V}, tensor<f32>) -> tensor<f32>
  %t = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> {V}
  %r = stablehlo.divide %e, %t : {V}
  return %r : {V}"""
SENTINEL = f"""
  %nan = stablehlo.constant dense<0x7FC00000> : {V}
  %p = stablehlo.compare GT, %x, %zero : ({V}, {V}) -> {P}
  %r = stablehlo.select %p, %x, %nan : {P}, {V}
  return %r : {V}"""
GUARDED_STEP = f"""
  %g = stablehlo.divide %one, %x : {V}
  %f = stablehlo.is_finite %g : ({V}) -> {P}
  %true = stablehlo.constant dense<true> : tensor<i1>
  %all = stablehlo.reduce(%f init: %true) applies stablehlo.and across dimensions = [0] : ({P}, tensor<i1>) -> tensor<i1>
  %r = "stablehlo.if"(%all) ({{
    %n = stablehlo.subtract %x, %g : {V}
    stablehlo.return %n : {V}
  }}, {{
    stablehlo.return %x : {V}
  }}) : (tensor<i1>) -> {V}
  return %r : {V}"""


def test_a_mask_is_no_finding() -> None:
    assert not found(_program(MASKED_SOFTMAX), X)


WHERE = """
func.func private @where(%p: {P}, %x: {V}, %missing: tensor<f64>) -> {V} {{
  %short = stablehlo.convert %missing : (tensor<f64>) -> tensor<f32>
  %all = stablehlo.broadcast_in_dim %short, dims = [] : (tensor<f32>) -> {V}
  %taken = stablehlo.select %p, %x, %all : {P}, {V}
  return %taken : {V}
}}"""
STATED = """
  %nan = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
  %p = stablehlo.compare GT, %x, {least} : ({V}, {V}) -> {P}
  %y = func.call @where(%p, %x, %nan) : ({P}, {V}, tensor<f64>) -> {V}
  {end}"""
RESULT = "return %y : {V}"
LOSS = "%loss = stablehlo.multiply %y, %y : {V}\n  return %loss : {V}"
FILLED = """%q = stablehlo.compare NE, %y, %y : ({V}, {V}) -> {P}
  %f = stablehlo.select %q, %zero, %y : {P}, {V}
  %loss = stablehlo.multiply %f, %f : {V}
  return %loss : {V}"""
STEPS = "%k = stablehlo.convert %y : ({V}) -> tensor<4xi32>\n  return %x : {V}"


@pytest.mark.parametrize(
    ("end", "grade"), [(RESULT, "neutral"), (LOSS, "harmful"), (FILLED, "neutral"), (STEPS, "harmful")]
)
def test_a_nan_that_stands_for_something_does_harm_where_it_is_computed_with(end: str, grade: str) -> None:
    text = _program(STATED.format(least="%zero", end=end.format(V=V, P=P), V=V, P=P)) + WHERE.format(V=V, P=P)
    findings = [finding for finding in found(text, X) if finding.kind == "nan"]
    line = text.split("\n").index(f"  %taken = stablehlo.select %p, %x, %all : {P}, {V}") + 1
    assert sentences(findings) == [
        f"{grade}: first NaN: line {line}, select, 2 of 4 elements, where %p is false and %all is taken, a NaN constant"
    ]


def test_a_nan_of_the_program_is_no_finding_where_it_is_not_taken_or_replaces_another() -> None:
    assert not found(_program(SENTINEL), np.ones(4, np.float32))
    given = found(_program(SENTINEL), np.full(4, np.nan, np.float32))
    assert [finding.kind for finding in given] == ["swallowed_nan"]


@pytest.mark.parametrize("body", [SINC, ISNAN, GUARDED_STEP])
def test_what_is_left_out_later_is_masked(body: str) -> None:
    findings = found(_program(body), X)
    assert findings
    assert {finding.grade for finding in findings} == {"masked"}, sentences(findings)


def test_a_mask_that_is_computed_of_constants_is_neutral() -> None:
    (finding,) = found(_program(COMPUTED_MASK), X)
    assert finding.grade == "neutral"
    assert finding.sentence == "first -Inf: line 8, log, 4 of 4 elements, where %zero is 0"


def test_the_gradient_of_where_names_what_should_have_been_guarded() -> None:
    findings = found(_program(WHERE_GRADIENT), X)
    assert [(finding.kind, finding.grade) for finding in findings] == [
        ("nan", "masked"),  # log of a negative, left out
        ("inf", "masked"),  # log of 0, left out
        ("inf", "harmful"),
        ("nan", "harmful"),
    ]
    assert findings[-1].sentence.endswith(
        "where %g is 0 and %i is +Inf; the infinity comes from %i, line 11"
    ), findings[-1].sentence
    cause = findings[-1].cause
    assert cause is not None
    assert (cause.kind, cause.op, cause.index) == ("op", findings[2].op, (1,))


def test_a_row_that_is_masked_whole_names_the_subtraction_and_the_mask() -> None:
    (finding,) = found(_program(MASKED_SOFTMAX), np.full(4, -1, np.float32))
    assert finding.grade == "harmful"
    assert finding.sentence == (
        "first NaN: line 13, subtract, 4 of 4 elements, where %k and %b are both -Inf; "
        "the infinity is given in %least, line 5"
    )


LOOP = f"""
  %0 = stablehlo.while(%y = %x) : {V} cond {{
    %h = stablehlo.reduce(%y init: %start) applies stablehlo.add across dimensions = [0] : ({V}, tensor<f32>) -> tensor<f32>
    %e = stablehlo.log %h : tensor<f32>
    %c = stablehlo.compare GT, %e, %start : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }} do {{
    %n = stablehlo.subtract %y, %one : {V}
    stablehlo.return %n : {V}
  }}
  return %0 : {V}"""


def test_a_nan_that_ends_a_loop_does_harm() -> None:
    findings = found(_program(LOOP), np.array([2, 2, -1, -1], np.float32))
    assert [(finding.kind, finding.grade) for finding in findings] == [
        ("nan", "harmful"),
        ("swallowed_nan", "harmful"),
    ]


INTEGER = f"""
  %l = stablehlo.log %x : {V}
  %i = stablehlo.convert %l : ({V}) -> tensor<4xi32>
  return %i : tensor<4xi32>"""


def test_a_nan_that_becomes_an_integer_does_harm() -> None:
    findings = [finding for finding in found(_program(INTEGER, "tensor<4xi32>"), X) if finding.op == 5]
    assert [finding.grade for finding in findings] == ["harmful", "harmful"]


def test_types_without_infinity_say_so() -> None:
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf8E4M3FN> {
      %0 = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xf8E4M3FN>
      return %0 : tensor<2xf8E4M3FN> }"""
    (finding,) = found(text, np.array([1, 500], np.float32))
    assert finding.sentence == (
        "first NaN: line 2, convert, 1 of 2 elements, "
        "where %x is beyond ±448, the largest f8E4M3FN, which has no infinity"
    )
    text = """HloModule narrow
    ENTRY main { x = f32[2] parameter(0)
      ROOT r = f8e4m3fn[2] convert(x) }"""
    (finding,) = found(text, np.array([1, 500], np.float32))
    assert "the largest f8e4m3fn, which" in finding.sentence


def test_a_run_that_has_stopped_before_the_readers_does_not_call_it_masked() -> None:
    text = _program(SINC)
    recording = Recording(hloscope.parse(text), [X])
    report = FindingReport(recording)
    grades = []
    while recording.record(steps=1).kind == "recording":
        grades += [finding.grade for finding in report.findings]
    grades += [finding.grade for finding in report.findings]
    assert grades == ["harmful", "harmful", "masked", "masked"], "until select has not taken it"


def test_a_nan_that_the_failing_op_reads_is_not_masked() -> None:
    text = _program(f"""
  %l = stablehlo.log %x : {V}
  %q = stablehlo.custom_call @outside(%l) : ({V}) -> {V}
  return %q : {V}""")
    recording = recorded(hloscope.parse(text), [X], ends="failed")
    assert {finding.grade for finding in FindingReport(recording).findings} == {"harmful"}
