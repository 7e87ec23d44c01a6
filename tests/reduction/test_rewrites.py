"""Both sides of a rewrite become one program, whose inputs are the values that both sides start from."""

from __future__ import annotations

import numpy as np
import pytest

from hloscope.app.comparing.reducing.checks import SidesDiffer
from hloscope.app.comparing.reducing.reduction import Reducer, Reduction
from hloscope.engine.entry import find_entry
from hloscope.engine.reduction.case import Case, case_of
from hloscope.engine.reduction.rewrites import rewrite_case
from tests.programs import load_program

TEXT = """HloModule m

highest {{ a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] maximum(a, b) }}

body {{
  s = (s32[], f32[8]) parameter(0)
  n = s32[] get-tuple-element(s), index=0
  v = f32[8] get-tuple-element(s), index=1
  one = s32[] constant(1)
  m = s32[] add(n, one)
  w = f32[8] {body}
  ROOT next = (s32[], f32[8]) tuple(m, w)
}}

condition {{
  s.1 = (s32[], f32[8]) parameter(0)
  n.1 = s32[] get-tuple-element(s.1), index=0
  end = s32[] constant(3)
  ROOT go = pred[] compare(n.1, end), direction=LT
}}

fused {{
  p0 = f32[8,4] parameter(0)
  p1 = f32[8,4] parameter(1)
  ROOT d = f32[8,4] {fused}
}}

ENTRY e {{
  x = f32[8,4] parameter(0)
  t = f32[8,4] tanh(x)
  y = f32[8,4] sine(t)
  f = f32[8,4] fusion(t, y), kind=kLoop, calls=fused
  eight = f32[] constant(8)
  eights = f32[8,4] broadcast(eight), dimensions={{}}
  p = f32[8,4] multiply(f, eights)
  i = s32[8,4] convert(p)
  g = f32[8,4] convert(i)
  q = f32[8,4] exponential({read})
  half = f32[] constant({start})
  r = f32[8] reduce(q, half), dimensions={{1}}, to_apply=highest
  zero = s32[] constant(0)
  begin = (s32[], f32[8]) tuple(zero, r)
  loop = (s32[], f32[8]) while(begin), condition=condition, body=body
  ROOT z = f32[8] get-tuple-element(loop), index=1
}}
"""
PLAIN = {"body": "cosine(v)", "fused": "subtract(p0, p1)", "read": "g", "start": "5.5"}


def case(**changed: str) -> Case:
    program = load_program(TEXT.format(**{**PLAIN, **changed}), "m.hlo")
    x = np.linspace(-1, 1, 32, dtype=np.float32).reshape(8, 4)
    return case_of(program.module, find_entry(program, None).function, [x])


def reduced(name: str, after: str = "", **changed: str) -> Reduction:
    found = rewrite_case(case(), case(**changed), (f"%{name}", f"%{after or name}"))
    assert found is not None
    return Reducer(SidesDiffer(), versions={"hloscope": "1"}).reduce(found)


def lines(found: Reduction) -> list[str]:
    """The instructions of the entry up to the comparison, without shapes."""
    entry = found.text.partition("ENTRY")[2].partition("{\n")[2]
    kept = [line.strip().split(" ", 3) for line in entry.partition("  %differs")[0].splitlines()]
    return [f"{name} {code}" for name, _, _, code in kept]


def test_swapped_operands_of_a_fusion_are_cut_out() -> None:
    found = reduced("d", fused="subtract(p1, p0)")
    assert lines(found) == [
        "%t parameter(0)",
        "%y sine(%t)",
        "%before subtract(%t, %y)",
        "%after subtract(%y, %t)",
    ]


def test_inputs_are_values_that_a_run_can_have_together() -> None:
    """What is left out follows from what is read in its place, so only that is an input."""
    found = reduced("g", "p", read="p")
    assert lines(found) == [
        "%p parameter(0)",
        "%i convert(%p)",
        "%before convert(%i)",
        "%after copy(%p)",
    ]


def test_a_constant_is_shown_with_its_reader() -> None:
    found = reduced("half", start="-inf")
    assert lines(found) == [
        "%q parameter(0)",
        "%half constant(5.5)",
        "%before reduce(%q, %half), dimensions={1}, to_apply=%highest",
        "%half_1 constant(-inf)",
        "%after reduce(%q, %half_1), dimensions={1}, to_apply=%highest.after",
    ]


def test_a_loop_is_cut_out_with_its_body() -> None:
    found = reduced("w", body="sine(v)")
    assert "%after get-tuple-element(%loop_1), index=1" in lines(found)
    assert "body.after" in found.text
    assert "tanh" not in found.text


def test_shapes_and_inputs_shrink_and_the_script_says_what_differs() -> None:
    found = reduced("r", start="-inf")
    assert found.after.elements < found.before.elements
    assert "elements differ beyond rounding" in found.finding or "element differs" in found.finding
    assert "(2, (0,), False, 0.0)," in found.script


@pytest.mark.parametrize("names", [("%q", "%q"), ("%r", "%q"), ("%nothing", "%q")])
def test_what_does_not_differ_cannot_be_cut_out(names: tuple[str, str]) -> None:
    assert rewrite_case(case(), case(start="-inf"), names) is None
